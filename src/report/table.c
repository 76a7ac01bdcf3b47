/* SPDX-License-Identifier: MIT */
/* Tables and their cells, and tables as text. */
#include "report/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"
#include "base/text.h"
#include "report/table_cells.h"

enum {
    MIN_SHRUNK = 24, /* enough to tell names apart; half of a narrow terminal */
    MIN_WRAPPED = 24,
    PIPE_WIDTH = 100
};

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
    for (size_t i = 0; i < t->children.count; i++)
        sl_table_destroy(t->children.items[i]);
    sl_array_free(&t->children);
    sl_array_free(&t->cells);
    sl_array_free(&t->row_of);
    sl_arena_fini(&t->arena);
    free(t);
}

sl_table *sl_table_child(sl_table *parent, const char *name, unsigned forms, const sl_column *columns, size_t count)
{
    sl_table *t = parent ? sl_table_create(columns, count) : NULL;
    if (!t || !sl_array_push(&parent->children, t)) {
        if (parent)
            parent->failed = true;
        sl_table_destroy(t);
        return NULL;
    }
    t->parent = parent;
    t->name = name;
    t->forms = forms;
    return t;
}

bool sl_table_failed(const sl_table *t)
{
    bool failed = !t || t->failed;
    for (size_t i = 0; !failed && i < t->children.count; i++)
        failed = sl_table_failed(t->children.items[i]);
    return failed;
}

size_t sl_table_rows(const sl_table *t)
{
    return t && t->columns ? t->cells.count / t->columns : 0;
}

/* ---- cells ---- */

static void add(sl_table *t, sl_cell cell)
{
    if (!t)
        return;
    if (t->parent && t->cells.count % t->columns == 0) {
        uint32_t row = (uint32_t)sl_table_rows(t->parent) - 1;
        if (!sl_array_push(&t->row_of, row))
            t->failed = true;
    }
    if (!sl_array_push(&t->cells, cell))
        t->failed = true;
}

void sl_table_none(sl_table *t)
{
    add(t, (sl_cell){0});
}

void sl_table_cell(sl_table *t, const char *text)
{
    const char *copy = t && text ? sl_arena_strdup(&t->arena, text) : NULL;
    if (t && text && !copy)
        t->failed = true;
    add(t, copy ? (sl_cell){.kind = SL_CELL_TEXT, .text = copy} : (sl_cell){0});
}

void sl_table_known(sl_table *t, const char *text)
{
    sl_table_cell(t, text && *text ? text : NULL);
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

void sl_table_count(sl_table *t, uint64_t value)
{
    add(t, (sl_cell){.kind = SL_CELL_COUNT, .count = value});
}

void sl_table_exact(sl_table *t, uint64_t value)
{
    add(t, (sl_cell){.kind = SL_CELL_EXACT, .count = value});
}

void sl_table_bytes(sl_table *t, uint64_t value)
{
    add(t, (sl_cell){.kind = SL_CELL_BYTES, .count = value});
}

void sl_table_bool(sl_table *t, bool value)
{
    add(t, (sl_cell){.kind = SL_CELL_BOOL, .count = value});
}

void sl_table_number(sl_table *t, double value, int digits, const char *unit)
{
    add(t, isnan(value) ? (sl_cell){0}
                        : (sl_cell){.kind = SL_CELL_NUMBER, .digits = (uint8_t)digits, .number = value, .unit = unit});
}

void sl_table_share(sl_table *t, uint64_t part, uint64_t whole)
{
    sl_table_number(t, whole ? 100.0 * (double)part / (double)whole : NAN, 1, "%");
}

void sl_table_time(sl_table *t, uint64_t ns)
{
    add(t, (sl_cell){.kind = SL_CELL_TIME, .count = ns});
}

void sl_table_markup(sl_table *t, sl_html_writer *write, const void *of)
{
    add(t, (sl_cell){.kind = SL_CELL_MARKUP, .of = of, .markup = write});
}

void *sl_table_alloc(sl_table *t, size_t bytes)
{
    void *memory = t ? sl_arena_array(&t->arena, char, bytes) : NULL;
    if (t && !memory)
        t->failed = true;
    return memory;
}

void sl_table_dims(sl_table *t, const uint32_t dims[3])
{
    uint32_t *copy = t ? sl_arena_array(&t->arena, uint32_t, 3) : NULL;
    if (copy)
        memcpy(copy, dims, 3 * sizeof *dims);
    else if (t)
        t->failed = true;
    add(t, copy ? (sl_cell){.kind = SL_CELL_DIMS, .dims = copy} : (sl_cell){0});
}

void sl_table_function(sl_table *t, const char *symbol)
{
    char name[256];
    sl_table_cell(t, sl_function_name(symbol, name, sizeof name));
}

void sl_table_json_value(sl_table *t, sl_json_writer *write, const void *of)
{
    add(t, (sl_cell){.kind = SL_CELL_JSON, .of = of, .write = write});
}

void sl_table_counters(sl_table *t, const struct sl_packed_counts *counts)
{
    add(t, (sl_cell){.kind = SL_CELL_COUNTERS, .of = counts});
}

void sl_table_all_counts(sl_table *t, const struct sl_counts *counts)
{
    add(t, (sl_cell){.kind = SL_CELL_COUNTS, .of = counts});
}

static const char *dims_text(const uint32_t d[3], char buffer[SL_CELL_BYTES_MAX])
{
    int last = d[2] > 1 ? 2 : d[1] > 1 ? 1 : 0, used = 0;
    for (int i = 0; i <= last; i++)
        used += snprintf(buffer + used, SL_CELL_BYTES_MAX - (size_t)used, "%s%u", i ? "x" : "", d[i]);
    return buffer;
}

const char *sl_cell_text(const sl_cell *cell, char buffer[SL_CELL_BYTES_MAX])
{
    char text[SL_HUMAN_BYTES];
    switch ((sl_cell_kind)cell->kind) {
    case SL_CELL_TEXT:
        return cell->text;
    case SL_CELL_COUNT:
        return sl_human_count(cell->count, buffer);
    case SL_CELL_EXACT:
        snprintf(buffer, SL_CELL_BYTES_MAX, "%" PRIu64, cell->count);
        return buffer;
    case SL_CELL_BYTES:
        return sl_human_bytes(cell->count, buffer);
    case SL_CELL_BOOL:
        return cell->count ? "yes" : "";
    case SL_CELL_NUMBER:
        snprintf(buffer, SL_CELL_BYTES_MAX, "%s%s", sl_human_ratio(cell->number, cell->digits, text), cell->unit);
        return buffer;
    case SL_CELL_DIMS:
        return dims_text(cell->dims, buffer);
    case SL_CELL_TIME:
        return sl_human_time((double)cell->count, buffer);
    case SL_CELL_NONE:
    case SL_CELL_JSON:
    case SL_CELL_MARKUP:
    case SL_CELL_COUNTERS:
    case SL_CELL_COUNTS:
        break;
    }
    return "";
}

/* ---- text ---- */

/* The layout: cells as text, widths of the columns (0: omitted), and the gap between them. */
typedef struct layout {
    char **cells;
    size_t count;
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

/* A column without any text has width 0 and is left out. */
static void measure(const sl_table *t, const layout *l, bool split)
{
    size_t *widths = l->widths;
    for (size_t c = 0; c < t->columns; c++) {
        bool occurs = t->column[c].fit != SL_FIT_OCCURS;
        widths[c] = 0;
        if (!sl_column_in(&t->column[c], SL_FORM_TEXT) || (split && t->column[c].fit == SL_FIT_SPARE))
            continue;
        for (size_t i = c; i < l->count; i += t->columns) {
            size_t columns = sl_utf8_columns(l->cells[i]);
            widths[c] = columns > widths[c] ? columns : widths[c];
            occurs |= !sl_cell_is_zero(l->cells[i]);
        }
        size_t title = title_columns(t->column[c].title, split);
        if ((widths[c] || !l->count) && widths[c] < title)
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

/* The last column that is shown. */
static size_t last_shown(const sl_table *t)
{
    size_t last = t->columns - 1;
    while (last && !sl_column_in(&t->column[last], SL_FORM_TEXT))
        last--;
    return last;
}

/* Takes columns from the last where it wraps, then from the widest of those that may shrink, until the table fits. The
 * last resort is less room between columns. */
static void shrink(const sl_table *t, layout *l, size_t width)
{
    size_t *widths = l->widths, total = total_width(t, l), last = last_shown(t);
    size_t min = width / 2 < MIN_SHRUNK ? width / 2 : MIN_SHRUNK;
    while (width && total > width) {
        size_t widest = t->columns;
        for (size_t c = 0; c < t->columns; c++)
            if (t->column[c].fit == SL_FIT_SHRINKS && widths[c] > min &&
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
static void write_cell(FILE *file, const char *text, size_t width, bool right, bool last)
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
static void write_wrapped(FILE *file, const char *text, size_t width, size_t indent)
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

static void write_row(const sl_table *t, FILE *file, char *const *cells, const layout *l)
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
            write_wrapped(file, cells[c], l->widths[c], total_width(t, l) - l->widths[c]);
        else
            write_cell(file, cells[c], l->widths[c], t->column[c].right, c + 1 == last);
    }
    fputc('\n', file);
}

/* Headings of one word are in the lower of two lines. */
static bool write_titles(const sl_table *t, FILE *file, const layout *l, bool split)
{
    char **title = calloc(2 * t->columns, sizeof *title), **below = title ? title + t->columns : NULL;
    bool good = title, any = false;
    for (size_t c = 0; good && c < t->columns; c++) {
        const char *text = t->column[c].title ? t->column[c].title : "";
        size_t at = split_at(text, split);
        title[c] = strndup(text, split && !text[at] ? 0 : at);
        below[c] = strdup(text[at] ? text + at + 1 : text);
        good = title[c] && below[c];
        any |= good && *title[c] && l->widths[c];
    }
    if (good && split && any)
        write_row(t, file, title, l);
    if (good)
        write_row(t, file, below, l);
    for (size_t c = 0; title && c < 2 * t->columns; c++)
        free(title[c]);
    free(title);
    return good;
}

/* How many columns are repeated where a table continues below: those up to the first that names its rows, and further
 * ones of names (of texts, where nothing else names them) as long as these take three quarters of the width. */
static size_t leading(const sl_table *t, const layout *l, size_t width)
{
    size_t count = 0, used = 0;
    while (count < t->columns && (!t->column[count].title || t->column[count].fit != SL_FIT_SHRINKS))
        count++;
    bool named = count < t->columns;
    count = named ? count + 1 : 1;
    for (size_t c = 0; c < count; c++)
        used += l->widths[c] + l->gap;
    for (; count < t->columns; count++) {
        const sl_column *column = &t->column[count];
        bool names = column->fit == SL_FIT_SHRINKS || (!named && !column->right);
        used += l->widths[count] + l->gap;
        if (column->title && l->widths[count] && (!names || used > width / 4 * 3))
            break;
    }
    return count;
}

/* The table; in parts, each as wide as it may be, where it does not fit. */
static bool write_parts(const sl_table *t, FILE *file, layout *l, size_t width, bool split)
{
    if (width && total_width(t, l) > width) { /* there is room for names, then */
        measure(t, l, split);
        for (size_t c = 0; c < t->columns; c++)
            if (t->column[c].fit == SL_FIT_SHRINKS && l->widths[c] > width / 3)
                l->widths[c] = width / 3;
        l->gap = 2;
    }
    layout part = {
        .cells = l->cells, .count = l->count, .widths = calloc(t->columns, sizeof *part.widths), .gap = l->gap};
    size_t keys = leading(t, l, width), from = keys, to;
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
        good = good && write_titles(t, file, &part, split);
        for (size_t i = 0; good && i + t->columns <= l->count; i += t->columns)
            write_row(t, file, l->cells + i, &part);
        from = to;
    } while (good && from < t->columns);
    free(part.widths);
    return good;
}

/* The texts of all cells. */
static bool make_texts(const sl_table *t, sl_arena *arena, layout *l)
{
    l->count = sl_table_rows(t) * t->columns;
    l->cells = sl_arena_array(arena, char *, l->count + 1);
    for (size_t i = 0; l->cells && i < l->count; i++) {
        char buffer[SL_CELL_BYTES_MAX];
        const sl_cell *cell = &t->cells.items[i];
        const char *text = sl_column_in(&t->column[i % t->columns], SL_FORM_TEXT) ? sl_cell_text(cell, buffer) : "";
        /* Texts are only read; those of the table's own arena need no copy. */
        l->cells[i] = text == buffer ? sl_arena_strdup(arena, text) : (char *)(uintptr_t)text;
        if (!l->cells[i])
            return false;
    }
    return l->cells;
}

static bool print(const sl_table *t, FILE *file, size_t width, sl_arena *arena)
{
    layout l = {.widths = sl_arena_array(arena, size_t, t->columns), .gap = 2};
    bool wraps = t->column[last_shown(t)].fit == SL_FIT_WRAPS;
    if (!l.widths || !make_texts(t, arena, &l))
        return false;
    if (!width && wraps)
        width = PIPE_WIDTH;
    measure(t, &l, false);
    for (size_t c = 0; c < t->columns && width && total_width(t, &l) > width; c++)
        l.widths[c] = t->column[c].fit == SL_FIT_SPARE ? 0 : l.widths[c];
    bool split = width && total_width(t, &l) > width && !wraps;
    if (split)
        measure(t, &l, true);
    shrink(t, &l, width);
    return write_parts(t, file, &l, width, split);
}

sl_status sl_table_print(const sl_table *t, FILE *file, size_t width, sl_error *error)
{
    sl_arena arena;
    sl_arena_init(&arena);
    bool good = t && !t->failed && print(t, file, width, &arena);
    sl_arena_fini(&arena);
    if (!good)
        return sl_fail_memory(error);
    if (ferror(file))
        return sl_fail_io(error, "write", "the report");
    return SL_OK;
}

/* What headings of tables mean, where they are no metrics. */

const char *sl_heading_description(const char *title)
{
    static const struct {
        const char *title, *description;
    } headings[] = {
#define SL_HEADING(title, description) {title, description},
#include "report/headings.def"
    };
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (!strcmp(headings[i].title, title))
            return headings[i].description;
    return NULL;
}

/* ---- charts ---- */

char *sl_bar(double share, unsigned columns, char buffer[SL_BAR_BYTES])
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    columns = columns < SL_BAR_COLUMNS ? columns : SL_BAR_COLUMNS;
    share = share > 1 ? 1 : share;
    unsigned eighths = share > 0 ? (unsigned)(share * columns * 8 + 0.5) : 0;
    eighths = share > 0 && !eighths ? 1 : eighths;
    char *at = buffer;
    *at = 0;
    for (unsigned i = 0; i < eighths / 8; i++)
        at = stpcpy(at, "█");
    strcpy(at, parts[eighths % 8]);
    return buffer;
}

const char *sl_spark(uint64_t value, uint64_t max)
{
    static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    return heights[max && value ? 1 + (unsigned)((unsigned __int128)(value < max ? value : max) * 7 / max) : 0];
}
