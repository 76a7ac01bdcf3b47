/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/text.h"

struct sl_table {
    sl_arena arena;
    size_t columns;
    sl_column *column;
    SL_ARRAY(char *) cells;
    bool failed;
};

enum { GAP = 2, LEAST_SHRUNK = 8 };

sl_table *sl_table_create(const sl_column *columns, size_t count)
{
    sl_table *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    sl_arena_init(&t->arena);
    t->columns = count;
    t->column = sl_arena_array(&t->arena, sl_column, count);
    if (!t->column) {
        sl_table_destroy(t);
        return NULL;
    }
    memcpy(t->column, columns, count * sizeof *columns);
    return t;
}

void sl_table_destroy(sl_table *t)
{
    if (!t)
        return;
    sl_array_free(&t->cells);
    sl_arena_fini(&t->arena);
    free(t);
}

void sl_table_cell(sl_table *t, const char *text)
{
    char *copy = sl_arena_strdup(&t->arena, text);
    if (!copy || !sl_array_push(&t->cells, copy))
        t->failed = true;
}

void sl_table_cellf(sl_table *t, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sl_table_cell(t, text);
}

/* A column without any text has width 0 and is left out. */
static void measure(const sl_table *t, size_t *widths)
{
    for (size_t i = 0; i < t->cells.count; i++) {
        size_t columns = sl_utf8_columns(t->cells.items[i]);
        if (columns > widths[i % t->columns])
            widths[i % t->columns] = columns;
    }
    for (size_t c = 0; c < t->columns; c++) {
        size_t title = sl_utf8_columns(t->column[c].title);
        if ((widths[c] || !t->cells.count) && widths[c] < title)
            widths[c] = title;
    }
}

/* Takes columns from the widest of those that may shrink until the table fits. */
static void shrink(const sl_table *t, size_t *widths, size_t width)
{
    size_t total = 0;
    for (size_t c = 0; c < t->columns; c++)
        total += widths[c] + (total && widths[c] ? GAP : 0);
    while (width && total > width) {
        size_t widest = t->columns;
        for (size_t c = 0; c < t->columns; c++)
            if (t->column[c].shrinks && widths[c] > LEAST_SHRUNK &&
                (widest == t->columns || widths[c] > widths[widest]))
                widest = c;
        if (widest == t->columns)
            return;
        widths[widest]--;
        total--;
    }
}

static void spaces(FILE *file, size_t count)
{
    while (count--)
        fputc(' ', file);
}

/* The text in `width` columns; when it is longer, its start and its end with "…" between. */
static void put_cell(FILE *file, const char *text, size_t width, bool right, bool last)
{
    size_t columns = sl_utf8_columns(text);
    if (columns <= width) {
        spaces(file, right ? width - columns : 0);
        fputs(text, file);
        spaces(file, right || last ? 0 : width - columns);
        return;
    }
    size_t head = (width - 1) / 2, tail = width - 1 - head, head_bytes = sl_utf8_prefix(text, head);
    const char *end = text + head_bytes;
    while (sl_utf8_columns(end) > tail) {
        size_t length;
        sl_utf8_next(end, &length);
        end += length;
    }
    fwrite(text, 1, head_bytes, file);
    fputs("…", file);
    fputs(end, file);
    spaces(file, last ? 0 : tail - sl_utf8_columns(end));
}

static void put_row(const sl_table *t, FILE *file, char *const *cells, const size_t *widths)
{
    size_t last = t->columns; /* nothing is written behind the last text */
    while (last && (!widths[last - 1] || (cells && !*cells[last - 1])))
        last--;
    bool first = true;
    for (size_t c = 0; c < last; c++) {
        if (!widths[c])
            continue;
        spaces(file, first ? 0 : GAP);
        first = false;
        put_cell(file, cells ? cells[c] : t->column[c].title, widths[c], t->column[c].right, c + 1 == last);
    }
    fputc('\n', file);
}

void sl_table_dims(sl_table *t, const uint32_t d[3])
{
    if (d[2] > 1)
        sl_table_cellf(t, "%ux%ux%u", d[0], d[1], d[2]);
    else if (d[1] > 1)
        sl_table_cellf(t, "%ux%u", d[0], d[1]);
    else
        sl_table_cellf(t, "%u", d[0]);
}

sl_status sl_table_print(const sl_table *t, FILE *file, size_t width, sl_error *error)
{
    size_t *widths = t->failed ? NULL : calloc(t->columns, sizeof *widths);
    if (!widths)
        return sl_fail_memory(error);
    measure(t, widths);
    shrink(t, widths, width);
    put_row(t, file, NULL, widths);
    for (size_t i = 0; i + t->columns <= t->cells.count; i += t->columns)
        put_row(t, file, t->cells.items + i, widths);
    free(widths);
    if (ferror(file))
        return sl_fail_io(error, "write", "the report");
    return SL_OK;
}
