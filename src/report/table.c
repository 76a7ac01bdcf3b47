/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/mangle.h"
#include "base/text.h"

struct sl_table {
    sl_arena arena;
    size_t columns;
    sl_column *column;
    SL_ARRAY(char *) cells;
    bool failed;
};

enum { MIN_SHRUNK = 8, MIN_WRAPPED = 24, PIPE_WIDTH = 100 };

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
    if (!t)
        return;
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

void sl_table_function(sl_table *t, const char *symbol)
{
    char name[256];
    sl_table_cell(t, sl_function_name(symbol, name, sizeof name));
}

/* The layout: widths of the columns (0: omitted), and the gap between them. */
typedef struct layout {
    size_t *widths, gap;
} layout;

/* Where a title is split into two lines: its last space; its end where it is not. */
static size_t split_at(const char *title, bool split)
{
    const char *space = split ? strrchr(title, ' ') : NULL;
    return space && space > title + strspn(title, " ") ? (size_t)(space - title) : strlen(title);
}

static size_t title_columns(const char *title, bool split)
{
    size_t at = split_at(title, split), below = title[at] ? sl_utf8_columns(title + at + 1) : 0;
    size_t above = sl_utf8_columns(title) - (title[at] ? below + 1 : 0);
    return above > below ? above : below;
}

static bool is_zero(const char *text)
{
    return !text[strspn(text, "0.%")];
}

/* A column without any text has width 0 and is left out. */
static void measure(const sl_table *t, size_t *widths, bool split)
{
    for (size_t c = 0; c < t->columns; c++) {
        bool occurs = t->column[c].fit != SL_FIT_OCCURS;
        widths[c] = 0;
        for (size_t i = c; i < t->cells.count; i += t->columns) {
            size_t columns = sl_utf8_columns(t->cells.items[i]);
            widths[c] = columns > widths[c] ? columns : widths[c];
            occurs |= !is_zero(t->cells.items[i]);
        }
        size_t title = title_columns(t->column[c].title, split);
        if ((widths[c] || !t->cells.count) && widths[c] < title)
            widths[c] = title;
        if (!occurs)
            widths[c] = 0;
    }
}

static size_t total_width(const sl_table *t, const layout *l)
{
    size_t total = 0;
    for (size_t c = 0; c < t->columns; c++)
        total += l->widths[c] + (total && l->widths[c] ? l->gap : 0);
    return total;
}

/* Takes columns from the last where it wraps, then from the widest of those that may shrink, until the table fits. The
 * last resort is less room between columns. */
static void shrink(const sl_table *t, layout *l, size_t width)
{
    size_t *widths = l->widths, total = total_width(t, l), last = t->columns - 1;
    while (width && total > width) {
        size_t widest = t->columns;
        for (size_t c = 0; c < t->columns; c++)
            if (t->column[c].fit == SL_FIT_SHRINKS && widths[c] > MIN_SHRUNK &&
                (widest == t->columns || widths[c] > widths[widest]))
                widest = c;
        if (t->column[last].fit == SL_FIT_WRAPS && widths[last] > MIN_WRAPPED)
            widest = last;
        if (widest == t->columns) {
            l->gap = 1;
            return;
        }
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

/* Word by word, the lines after the first below it. */
static void put_wrapped(FILE *file, const char *text, size_t width, size_t indent)
{
    while (sl_utf8_columns(text) > width) {
        size_t bytes = sl_utf8_prefix(text, width), cut = bytes;
        while (cut && text[cut] != ' ')
            cut--;
        cut = cut ? cut : bytes;
        fwrite(text, 1, cut, file);
        fputc('\n', file);
        spaces(file, indent);
        text += cut + (text[cut] == ' ');
    }
    fputs(text, file);
}

static void put_row(const sl_table *t, FILE *file, char *const *cells, const layout *l)
{
    size_t last = t->columns; /* nothing is written behind the last text */
    while (last && (!l->widths[last - 1] || !*cells[last - 1]))
        last--;
    bool first = true;
    for (size_t c = 0; c < last; c++) {
        if (!l->widths[c])
            continue;
        spaces(file, first ? 0 : l->gap);
        first = false;
        if (t->column[c].fit == SL_FIT_WRAPS)
            put_wrapped(file, cells[c], l->widths[c], total_width(t, l) - l->widths[c]);
        else
            put_cell(file, cells[c], l->widths[c], t->column[c].right, c + 1 == last);
    }
    fputc('\n', file);
}

/* Headings of one word are in the lower of two lines. */
static bool put_titles(const sl_table *t, FILE *file, const layout *l, bool split)
{
    char **title = calloc(2 * t->columns, sizeof *title), **below = title ? title + t->columns : NULL;
    bool good = title, any = false;
    for (size_t c = 0; good && c < t->columns; c++) {
        const char *text = t->column[c].title;
        size_t at = split_at(text, split);
        title[c] = strndup(text, split && !text[at] ? 0 : at);
        below[c] = strdup(text[at] ? text + at + 1 : text);
        good = title[c] && below[c];
        any |= good && *title[c] && l->widths[c];
    }
    if (good && split && any)
        put_row(t, file, title, l);
    if (good)
        put_row(t, file, below, l);
    for (size_t c = 0; title && c < 2 * t->columns; c++)
        free(title[c]);
    free(title);
    return good;
}

/* How many columns are repeated where a table goes on below: those up to the first that names its rows. */
static size_t leading(const sl_table *t)
{
    size_t count = 0;
    while (count < t->columns && t->column[count].fit != SL_FIT_SHRINKS)
        count++;
    return count < t->columns ? count + 1 : 1;
}

/* The table; in parts, each as wide as it may be, where it does not fit. */
static bool put_parts(const sl_table *t, FILE *file, layout *l, size_t width, bool split)
{
    if (width && total_width(t, l) > width) { /* there is room for names, then */
        measure(t, l->widths, split);
        for (size_t c = 0; c < t->columns; c++)
            if (t->column[c].fit == SL_FIT_SHRINKS && l->widths[c] > width / 3)
                l->widths[c] = width / 3;
        l->gap = 2;
    }
    layout part = {.widths = calloc(t->columns, sizeof *part.widths), .gap = l->gap};
    size_t keys = leading(t), from = keys, to;
    bool good = part.widths;
    do {
        for (size_t c = 0; good && c < t->columns; c++)
            part.widths[c] = c < keys ? l->widths[c] : 0;
        for (to = from; good && to < t->columns; to++) {
            part.widths[to] = l->widths[to];
            if (to > from && width && total_width(t, l) > width && total_width(t, &part) > width)
                break;
        }
        if (good && to < t->columns)
            part.widths[to] = 0;
        if (good && from > keys)
            fputc('\n', file);
        good = good && put_titles(t, file, &part, split);
        for (size_t i = 0; good && i + t->columns <= t->cells.count; i += t->columns)
            put_row(t, file, t->cells.items + i, &part);
        from = to;
    } while (good && from < t->columns);
    free(part.widths);
    return good;
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
    layout l = {.widths = !t || t->failed ? NULL : calloc(t->columns, sizeof *l.widths), .gap = 2};
    if (!l.widths)
        return sl_fail_memory(error);
    if (!width && t->column[t->columns - 1].fit == SL_FIT_WRAPS)
        width = PIPE_WIDTH;
    measure(t, l.widths, false);
    bool split = width && total_width(t, &l) > width && t->column[t->columns - 1].fit != SL_FIT_WRAPS;
    if (split)
        measure(t, l.widths, true);
    shrink(t, &l, width);
    bool good = put_parts(t, file, &l, width, split);
    free(l.widths);
    if (!good)
        return sl_fail_memory(error);
    if (ferror(file))
        return sl_fail_io(error, "write", "the report");
    return SL_OK;
}

sl_status sl_table_finish(sl_table *t, FILE *file, size_t width, sl_error *error)
{
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}
