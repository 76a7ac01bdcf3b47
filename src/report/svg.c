/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "base/text.h"

static void write_escaped(FILE *file, const char *text)
{
    size_t length;
    for (; *text; text += length) {
        uint32_t c = sl_utf8_next(text, &length);
        if (c == SL_UTF8_BAD || c < 0x20)
            fputs("\xef\xbf\xbd", file);
        else if (c == '<')
            fputs("&lt;", file);
        else if (c == '>')
            fputs("&gt;", file);
        else if (c == '&')
            fputs("&amp;", file);
        else
            fwrite(text, 1, length, file);
    }
}

static void write_number(FILE *file, const char *name, double value)
{
    char text[SL_HUMAN_BYTES];
    fprintf(file, " %s=\"%s\"", name, sl_human_ratio(value, 1, text));
}

void sl_svg_start(FILE *file, unsigned width, unsigned height, const char *style)
{
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n",
            width, height, width, height);
    if (style)
        fprintf(file, "<style>%s</style>\n", style);
}

void sl_svg_line(FILE *file, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(file, "<line class=\"%s\"", class);
    write_number(file, "x1", x1);
    write_number(file, "y1", y1);
    write_number(file, "x2", x2);
    write_number(file, "y2", y2);
    fputs("/>\n", file);
}

void sl_svg_rect(FILE *file, const char *class, double x, double y, double width, double height)
{
    fprintf(file, "<rect class=\"%s\"", class);
    write_number(file, "x", x);
    write_number(file, "y", y);
    write_number(file, "width", width);
    write_number(file, "height", height);
    fputs("/>\n", file);
}

void sl_svg_dot(FILE *file, const char *class, double x, double y, double radius, const char *title)
{
    fprintf(file, "<circle class=\"%s\"", class);
    write_number(file, "cx", x);
    write_number(file, "cy", y);
    write_number(file, "r", radius);
    fputs("><title>", file);
    write_escaped(file, title);
    fputs("</title></circle>\n", file);
}

void sl_svg_text(FILE *file, const char *class, sl_anchor anchor, bool turned, double x, double y, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    char across[SL_HUMAN_BYTES], down[SL_HUMAN_BYTES];
    fprintf(file, "<text class=\"%s\" text-anchor=\"%s\"", class, anchors[anchor]);
    write_number(file, "x", x);
    write_number(file, "y", y);
    if (turned)
        fprintf(file, " transform=\"rotate(-90 %s %s)\"", sl_human_ratio(x, 1, across), sl_human_ratio(y, 1, down));
    fputc('>', file);
    write_escaped(file, text);
    fputs("</text>\n", file);
}

sl_status sl_svg_finish(FILE *file, sl_error *error)
{
    fputs("</svg>\n", file);
    if (fflush(file) || ferror(file))
        return sl_fail_io(error, "write", "the plot");
    return SL_OK;
}
