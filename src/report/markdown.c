/* SPDX-License-Identifier: MIT */
/* Text and tables as Markdown, for comments of pull requests. Names of kernels stay what they are: what Markdown or
 * HTML would take for markup is escaped, and colors are left out. */
#include <string.h>

#include "base/text.h"
#include "report/table_cells.h"

static const char *escape_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '|':
        return "\\|";
    case '*':
        return "\\*";
    case '_':
        return "\\_";
    case '`':
        return "\\`";
    case '[':
        return "\\[";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

/* A line of text that ends is a line that ends. */
void sl_markdown(FILE *file, const char *text, size_t bytes)
{
    bool blank = true; /* the line so far */
    for (const char *c = text, *end = text + bytes; c < end; c++) {
        const char *escape = escape_of(*c);
        if (strchr(SL_STYLE_GOOD SL_STYLE_WARN SL_STYLE_BAD SL_STYLE_END, *c))
            continue;
        if (*c == '\n')
            fputs(blank ? "\n" : "  \n", file);
        else if (escape)
            fputs(escape, file);
        else
            fputc(*c, file);
        blank = *c == '\n' || (blank && *c == ' ');
    }
}

/* Columns without a value, or with nothing but zeros where that says nothing, are left out. */
static bool shown(const sl_table *t, size_t c)
{
    char buffer[SL_CELL_BYTES_MAX];
    bool zeros = t->column[c].fit == SL_FIT_OCCURS;
    if (!t->column[c].title || !sl_column_in(&t->column[c], SL_FORM_TEXT))
        return false;
    for (size_t r = 0; r < sl_table_rows(t); r++) {
        const char *text = sl_cell_text(sl_table_row(t, r) + c, buffer);
        if (*text && !(zeros && sl_cell_is_zero(text)))
            return true;
    }
    return false;
}

sl_status sl_table_markdown(const sl_table *t, FILE *file, sl_error *error)
{
    char buffer[SL_CELL_BYTES_MAX];
    if (!t || t->failed)
        return sl_fail_memory(error);
    for (int part = 0; part < 2; part++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (!shown(t, c))
                continue;
            fputs("| ", file);
            if (part)
                fputs(t->column[c].right ? "---:" : "---", file);
            else
                sl_markdown(file, t->column[c].title, strlen(t->column[c].title));
            fputc(' ', file);
        }
        fputs("|\n", file);
    }
    for (size_t r = 0; r < sl_table_rows(t); r++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (!shown(t, c))
                continue;
            const char *text = sl_cell_text(sl_table_row(t, r) + c, buffer);
            fputs("| ", file);
            sl_markdown(file, text, strlen(text));
            fputc(' ', file);
        }
        fputs("|\n", file);
    }
    return ferror(file) ? sl_fail_io(error, "write", "the report") : SL_OK;
}
