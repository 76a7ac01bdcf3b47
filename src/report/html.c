/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include <string.h>

#include "base/text.h"

/* Bidirectional control characters, with which one name could be shown as another. */
static bool turns_text(uint32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void write_character(FILE *file, uint32_t c, const char *bytes, size_t length)
{
    if (c == '&')
        fputs("&amp;", file);
    else if (c == '<')
        fputs("&lt;", file);
    else if (c == '>')
        fputs("&gt;", file);
    else if (c == '"')
        fputs("&quot;", file);
    else if (c == '\'')
        fputs("&#39;", file);
    else if (c == SL_UTF8_BAD || (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0) || turns_text(c))
        fputs("\xef\xbf\xbd", file);
    else
        fwrite(bytes, 1, length, file);
}

void sl_html_text(FILE *file, const char *text)
{
    size_t length;
    for (; *text; text += length) {
        uint32_t c = sl_utf8_next(text, &length);
        write_character(file, c, text, length);
    }
}

/* A truncated character is invalid; decoding a copy avoids reads beyond the text. */
void sl_html_text_n(FILE *file, const char *text, size_t bytes)
{
    while (bytes) {
        char part[65] = {0};
        size_t taken = bytes < 64 ? bytes : 64, used = 0, length;
        memcpy(part, text, taken);
        while (used < taken && (used + 4 <= taken || taken == bytes)) {
            uint32_t c = part[used] ? sl_utf8_next(part + used, &length) : (length = 1, SL_UTF8_BAD);
            write_character(file, c, part + used, length);
            used += length;
        }
        text += used;
        bytes -= used;
    }
}

void sl_htmlf(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            fputc(*at, file);
        } else if (at[1] == 's') {
            sl_html_text(file, va_arg(args, const char *));
            at++;
        } else if (at[1] == 'u') {
            fprintf(file, "%u", va_arg(args, unsigned));
            at++;
        } else if (at[1] == 'z') {
            fprintf(file, "%zu", va_arg(args, size_t));
            at += 2;
        } else {
            fprintf(file, "%llu", va_arg(args, unsigned long long));
            at += 3;
        }
    }
    va_end(args);
}

enum { NAME_HEAD = 22, NAME_TAIL = 13 };

void sl_html_name(FILE *file, const char *name, const char *full)
{
    size_t columns = sl_utf8_columns(name), bytes = strlen(name);
    bool wide = columns > NAME_HEAD + NAME_TAIL + 1;
    if (!full && wide)
        full = name;
    if (full && (wide || strcmp(full, name) != 0))
        sl_htmlf(file, "<span class=name title=\"%s\">", full);
    if (wide) {
        size_t head = sl_utf8_prefix(name, NAME_HEAD), tail = sl_utf8_prefix(name, columns - NAME_TAIL);
        sl_html_text_n(file, name, head);
        fputs("\u2026", file);
        sl_html_text_n(file, name + tail, bytes - tail);
    } else {
        sl_html_text(file, name);
    }
    if (full && (wide || strcmp(full, name) != 0))
        fputs("</span>", file);
}

void sl_html_cell_name(FILE *file, const char *name, const char *full)
{
    fputs("<td>", file);
    sl_html_name(file, name, full);
    fputs("</td>", file);
}

void sl_html_cell_classed(FILE *file, const char *class, const char *exact, const char *shown)
{
    const char *quote = strchr(class, ' ') ? "\"" : "";
    if (!*exact) {
        fprintf(file, "<td class=%s%s%s></td>", quote, class, quote);
        return;
    }
    fprintf(file, "<td class=%s%s%s data-v=\"%s\"", quote, class, quote, exact);
    if (strcmp(exact, shown) != 0)
        fprintf(file, " title=\"%s\"", exact);
    fprintf(file, ">%s</td>", shown);
}

void sl_html_cell_none(FILE *file)
{
    fputs("<td class=n></td>", file);
}

void sl_html_note(FILE *file, const char *text)
{
    sl_htmlf(file, "<p class=note>%s</p>\n", text);
}

void sl_html_column(FILE *file, const char *text, const char *title, bool number)
{
    sl_html_column_classed(file, number ? "n" : "", text, title);
}

void sl_html_column_classed(FILE *file, const char *class, const char *text, const char *title)
{
    fputs("<th scope=col", file);
    if (*class)
        fprintf(file, " class=%s%s%s", strchr(class, ' ') ? "\"" : "", class, strchr(class, ' ') ? "\"" : "");
    if (title)
        sl_htmlf(file, " title=\"%s\"", title);
    sl_htmlf(file, ">%s</th>", text);
}

void sl_html_table(FILE *file, const char *caption, const char *class)
{
    sl_htmlf(file,
             "<div class=scroll tabindex=0 role=region aria-label=\"%s\"><table class=\"%s\"><caption>%s</caption>\n"
             "<thead><tr>",
             caption, class, caption);
}

void sl_html_table_rows(FILE *file)
{
    fputs("</tr></thead>\n<tbody>\n", file);
}

void sl_html_table_end(FILE *file)
{
    fputs("</tbody></table></div>\n", file);
}

void sl_html_cell_dims(FILE *file, const uint32_t dims[3])
{
    int last = dims[2] != 1 ? 2 : dims[1] != 1 ? 1 : 0;
    fprintf(file, "<td class=n data-v=\"%llu\">", (unsigned long long)dims[0] * dims[1] * dims[2]);
    for (int d = 0; d <= last; d++)
        fprintf(file, "%s%u", d ? "\u00d7" : "", dims[d]);
    fputs("</td>", file);
}
