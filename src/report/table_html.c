/* SPDX-License-Identifier: MIT */
/* Tables on pages: cells as people read them, with the exact value for sorting and on hover. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/html.h"
#include "report/table_cells.h"

static bool is_number(sl_cell_kind kind)
{
    return kind == SL_CELL_COUNT || kind == SL_CELL_EXACT || kind == SL_CELL_BYTES || kind == SL_CELL_TIME;
}

/* Nothing, or, where that is to be left out, zero; a share of 0% is worth a column. */
static bool is_nothing(const sl_cell *cell, bool zeros)
{
    return cell->kind == SL_CELL_NONE || (zeros && is_number((sl_cell_kind)cell->kind) && !cell->count);
}

static bool is_shown(const sl_table *t, size_t c)
{
    const sl_column *column = &t->column[c];
    bool zeros = column->fit == SL_FIT_OCCURS || column->fit == SL_FIT_SPARE, shown = !t->cells.count;
    for (size_t i = c; i < t->cells.count && !shown; i += t->columns)
        shown = !is_nothing(&t->cells.items[i], zeros);
    return shown && column->title;
}

static const char *class_of(const sl_column *column)
{
    return column->fit == SL_FIT_SPARE ? "n more" : column->right ? "n" : "";
}

static void write_head(const sl_table *t, FILE *file, const bool *shown)
{
    for (size_t c = 0; c < t->columns; c++) {
        const sl_column *column = &t->column[c];
        if (shown[c])
            sl_html_column_classed(file, class_of(column), column->title,
                                   column->description ? column->description : sl_heading_description(column->title));
    }
}

static void write_exact(FILE *file, const char *class, const sl_cell *cell)
{
    char exact[SL_DOUBLE_BYTES], shown[SL_CELL_BYTES_MAX];
    if (cell->kind == SL_CELL_NUMBER)
        sl_double_text(cell->number, exact);
    else
        snprintf(exact, sizeof exact, "%" PRIu64, cell->count);
    const char *text = sl_cell_text(cell, shown);
    if (*text == '-' && strtod(text, NULL) == 0)
        text++; /* no "-0" */
    sl_html_cell_classed(file, class, exact, text);
}

static void write_cell(FILE *file, const sl_column *column, const sl_cell *cell)
{
    char text[SL_CELL_BYTES_MAX];
    switch ((sl_cell_kind)cell->kind) {
    case SL_CELL_MARKUP:
        cell->markup(file, cell->of);
        break;
    case SL_CELL_DIMS:
        sl_html_cell_dims(file, cell->dims);
        break;
    case SL_CELL_COUNT:
    case SL_CELL_EXACT:
    case SL_CELL_BYTES:
    case SL_CELL_TIME:
    case SL_CELL_NUMBER:
        write_exact(file, class_of(column), cell);
        break;
    case SL_CELL_TEXT:
        if (column->fit == SL_FIT_SHRINKS) {
            sl_html_cell_name(file, cell->text, NULL);
            break;
        }
        /* fallthrough */
    default:
        sl_htmlf(file, column->right ? "<td class=n>%s</td>" : "<td>%s</td>", sl_cell_text(cell, text));
        break;
    }
}

sl_status sl_table_html(sl_table *t, FILE *file, const char *caption, const char *class, sl_error *error)
{
    bool *shown = t && !sl_table_failed(t) ? calloc(t->columns + 1, sizeof *shown) : NULL;
    if (!shown) {
        sl_table_destroy(t);
        return sl_fail_memory(error);
    }
    for (size_t c = 0; c < t->columns; c++)
        shown[c] = is_shown(t, c);
    sl_html_table(file, caption, class);
    write_head(t, file, shown);
    sl_html_table_rows(file);
    for (size_t row = 0; row < sl_table_rows(t); row++) {
        fputs("<tr>", file);
        for (size_t c = 0; c < t->columns; c++)
            if (shown[c])
                write_cell(file, &t->column[c], &sl_table_row(t, row)[c]);
        fputs("</tr>\n", file);
    }
    sl_html_table_end(file);
    free(shown);
    sl_table_destroy(t);
    return SL_OK;
}
