/* SPDX-License-Identifier: MIT */
/* Tables as JSON and CSV: every value exact. */
#include <inttypes.h>
#include <string.h>

#include "analysis/launch_log.h"
#include "base/text.h"
#include "report/table_cells.h"

/* ---- JSON ---- */

static sl_counts counts_of(const sl_cell *cell)
{
    if (cell->kind == SL_CELL_COUNTERS)
        return sl_unpack_counts(cell->of);
    return cell->kind == SL_CELL_COUNTS ? *(const sl_counts *)cell->of : (sl_counts){0};
}

static void json_counters(sl_json *j, const sl_cell *cell)
{
    sl_counts counts = counts_of(cell);
    sl_json_object(j, false);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(&counts, (sl_counter)i) && sl_counter_word((sl_counter)i, 0))
            sl_json_string_member(j, sl_counter_infos[i].name, sl_counter_word((sl_counter)i, counts.value[i]));
        else if (sl_counts_has(&counts, (sl_counter)i))
            sl_json_u64_member(j, sl_counter_infos[i].name, counts.value[i]);
    sl_json_close(j, '}');
}

void sl_cell_json(const sl_cell *cell, sl_json *j)
{
    switch ((sl_cell_kind)cell->kind) {
    case SL_CELL_TEXT:
        sl_json_string(j, cell->text);
        break;
    case SL_CELL_COUNT:
    case SL_CELL_EXACT:
    case SL_CELL_BYTES:
    case SL_CELL_TIME:
        sl_json_u64(j, cell->count);
        break;
    case SL_CELL_BOOL:
        sl_json_bool(j, cell->count);
        break;
    case SL_CELL_NUMBER:
        sl_json_double(j, cell->number);
        break;
    case SL_CELL_DIMS:
        sl_json_array(j, false);
        for (int d = 0; d < 3; d++)
            sl_json_u64(j, cell->dims[d]);
        sl_json_close(j, ']');
        break;
    case SL_CELL_JSON:
        cell->write(j, cell->of);
        break;
    case SL_CELL_COUNTERS:
    case SL_CELL_COUNTS:
        json_counters(j, cell);
        break;
    case SL_CELL_MARKUP:
    case SL_CELL_NONE:
        sl_json_null(j);
        break;
    }
}

/* Rows of a child that belong to a row of its parent: from `*first` on. */
static size_t rows_of(const sl_table *child, size_t first, size_t row)
{
    size_t end = first;
    while (end < child->row_of.count && child->row_of.items[end] == row)
        end++;
    return end;
}

static void json_rows(const sl_table *t, sl_json *j, size_t from, size_t to);

/* The tables of a row; `next` holds the first row of each that was not yet written. */
static void json_children(const sl_table *t, sl_json *j, size_t row)
{
    for (size_t i = 0; i < t->children.count; i++) {
        sl_table *child = t->children.items[i];
        size_t from = child->next, to = rows_of(child, from, row);
        child->next = to;
        if (!(child->forms & SL_FORM_JSON) || (from == to && !(child->forms & SL_FORM_EMPTY)))
            continue;
        sl_json_array_member(j, child->name, true);
        json_rows(child, j, from, to);
        sl_json_close(j, ']');
    }
}

/* Members of an object, those of "a.b" within "a". */
static void json_row(const sl_table *t, sl_json *j, size_t row)
{
    const sl_cell *cell = sl_table_row(t, row);
    const char *group = NULL;
    size_t length = 0;
    sl_json_object(j, t->children.count > 0);
    for (size_t c = 0; c < t->columns; c++) {
        const char *key = t->column[c].key;
        if (!sl_column_in(&t->column[c], SL_FORM_JSON) || cell[c].kind == SL_CELL_NONE)
            continue;
        const char *point = strchr(key, '.');
        bool same = group && point && (size_t)(point - key) == length && !strncmp(key, group, length);
        if (group && !same) {
            sl_json_close(j, '}');
            group = NULL;
        }
        if (point && !same) {
            char name[64];
            length = (size_t)(point - key);
            group = key;
            snprintf(name, sizeof name, "%.*s", (int)length, key);
            sl_json_object_member(j, name, false);
        }
        if (*key)
            sl_json_key(j, point ? point + 1 : key);
        sl_cell_json(&cell[c], j);
    }
    if (group)
        sl_json_close(j, '}');
    json_children(t, j, row);
    sl_json_close(j, '}');
}

static void json_rows(const sl_table *t, sl_json *j, size_t from, size_t to)
{
    for (size_t row = from; row < to; row++)
        json_row(t, j, row);
}

static void rewind_children(const sl_table *t)
{
    for (size_t i = 0; i < t->children.count; i++) {
        t->children.items[i]->next = 0;
        rewind_children(t->children.items[i]);
    }
}

void sl_table_json(const sl_table *t, sl_json *j)
{
    sl_json_array(j, true);
    if (t) {
        rewind_children(t);
        json_rows(t, j, 0, sl_table_rows(t));
    }
    sl_json_close(j, ']');
}

void sl_table_json_object(const sl_table *t, sl_json *j)
{
    rewind_children(t);
    if (sl_table_rows(t))
        json_row(t, j, 0);
    else
        sl_json_null(j);
}

/* ---- CSV ---- */

/* What a column is in CSV: found once, not for each row. */
typedef struct csv_column {
    bool there;
    sl_cell_kind kind;    /* SL_CELL_NONE: no row has a value */
    sl_counter_set known; /* of counters: by some row */
} csv_column;

/* A CSV in the making. */
typedef struct csv {
    FILE *file;
    unsigned form;
    bool first; /* of a line */
    csv_column *own, *parent;
} csv;

static void csv_comma(csv *c)
{
    fputs(c->first ? "" : ",", c->file);
    c->first = false;
}

static void csv_text(csv *c, const char *text)
{
    csv_comma(c);
    sl_csv_field(c->file, text);
}

static void csv_end(csv *c)
{
    fputc('\n', c->file);
    c->first = true;
}

/* Adds the cells of a table; those of tables that follow each other in one CSV add up. */
static void add_cells(csv_column *of, const sl_table *t)
{
    for (size_t i = 0; i < t->cells.count; i++) {
        const sl_cell *cell = &t->cells.items[i];
        csv_column *column = &of[i % t->columns];
        if (cell->kind != SL_CELL_NONE && column->kind == SL_CELL_NONE)
            column->kind = (sl_cell_kind)cell->kind;
        if (cell->kind == SL_CELL_COUNTERS)
            sl_counter_set_join(&column->known, &((const sl_packed_counts *)cell->of)->known);
        if (cell->kind == SL_CELL_COUNTS)
            sl_counter_set_join(&column->known, &((const sl_counts *)cell->of)->known);
    }
}

/* Values that only JSON can write are left out, as are optional columns without any value; `id`: all but those that
 * say which row of the parent this is. */
static void choose(csv_column *of, const sl_table *t, unsigned form, bool id)
{
    for (size_t i = 0; i < t->columns; i++)
        of[i].there = sl_column_in(&t->column[i], form) && of[i].kind != SL_CELL_JSON &&
                      (of[i].kind != SL_CELL_NONE || !(t->column[i].forms & SL_FORM_OPTIONAL)) &&
                      (!id || (t->column[i].forms & SL_FORM_LOADS));
}

static bool is_counters(sl_cell_kind kind)
{
    return kind == SL_CELL_COUNTERS || kind == SL_CELL_COUNTS;
}

static void csv_keys(csv *c, const sl_table *t, const csv_column *of)
{
    for (size_t i = 0; i < t->columns; i++) {
        if (!of[i].there)
            continue;
        if (is_counters(of[i].kind)) {
            for (int k = 0; k < SL_COUNTERS; k++)
                if (sl_counter_set_has(&of[i].known, (sl_counter)k))
                    csv_text(c, sl_counter_infos[k].name);
        } else if (of[i].kind == SL_CELL_DIMS) {
            for (int d = 0; d < 3; d++) {
                csv_comma(c);
                fprintf(c->file, "%s_%c", t->column[i].key, "xyz"[d]);
            }
        } else {
            csv_text(c, t->column[i].key);
        }
    }
}

static void write_value(FILE *file, sl_counter counter, uint64_t value)
{
    const char *word = sl_counter_word(counter, value);
    if (word)
        fputs(word, file);
    else
        fprintf(file, "%" PRIu64, value);
}

static void csv_counters(csv *c, const sl_counter_set *known, const sl_cell *cell)
{
    sl_counts counts = counts_of(cell);
    for (int i = 0; i < SL_COUNTERS; i++) {
        if (!sl_counter_set_has(known, (sl_counter)i))
            continue;
        csv_comma(c);
        if (sl_counts_has(&counts, (sl_counter)i))
            write_value(c->file, (sl_counter)i, counts.value[i]);
    }
}

static void csv_dims(csv *c, const sl_cell *cell)
{
    for (int d = 0; d < 3; d++) {
        csv_comma(c);
        if (cell->kind == SL_CELL_DIMS)
            fprintf(c->file, "%u", cell->dims[d]);
    }
}

static void csv_cell(csv *c, const sl_cell *cell)
{
    char number[SL_DOUBLE_BYTES];
    csv_comma(c);
    if (cell->kind == SL_CELL_TEXT)
        sl_csv_field(c->file, cell->text);
    else if (cell->kind == SL_CELL_NUMBER)
        fputs(sl_double_text(cell->number, number), c->file);
    else if (cell->kind != SL_CELL_NONE)
        fprintf(c->file, "%" PRIu64, cell->count);
}

static void csv_row(csv *c, const sl_table *t, size_t row, const csv_column *of)
{
    const sl_cell *cell = sl_table_row(t, row);
    for (size_t i = 0; i < t->columns; i++) {
        if (!of[i].there)
            continue;
        if (is_counters(of[i].kind))
            csv_counters(c, &of[i].known, &cell[i]);
        else if (of[i].kind == SL_CELL_DIMS)
            csv_dims(c, &cell[i]);
        else
            csv_cell(c, &cell[i]);
    }
}

/* Rows of a table's tables, behind the columns of the parent that say which row they belong to. Tables of one form have
 * the same columns. */
static void write_children(csv *c, const sl_table *t)
{
    const sl_table *any = NULL;
    rewind_children(t);
    add_cells(c->parent, t);
    choose(c->parent, t, c->form, true);
    for (size_t i = 0; i < t->children.count; i++)
        if (t->children.items[i]->forms & c->form)
            add_cells(c->own, any = t->children.items[i]);
    if (!any)
        return;
    choose(c->own, any, c->form, false);
    csv_keys(c, t, c->parent);
    csv_keys(c, any, c->own);
    csv_end(c);
    for (size_t row = 0; row < sl_table_rows(t); row++)
        for (size_t i = 0; i < t->children.count; i++) {
            sl_table *child = t->children.items[i];
            size_t end = rows_of(child, child->next, row);
            for (; child->next < end; child->next++) {
                if (!(child->forms & c->form))
                    continue;
                csv_row(c, t, row, c->parent);
                csv_row(c, child, child->next, c->own);
                csv_end(c);
            }
        }
}

static void write_table(csv *c, const sl_table *t)
{
    add_cells(c->own, t);
    choose(c->own, t, c->form, false);
    csv_keys(c, t, c->own);
    csv_end(c);
    for (size_t row = 0; row < sl_table_rows(t); row++) {
        csv_row(c, t, row, c->own);
        csv_end(c);
    }
}

static size_t max_columns(const sl_table *t)
{
    size_t columns = t->columns;
    for (size_t i = 0; i < t->children.count; i++)
        columns = t->children.items[i]->columns > columns ? t->children.items[i]->columns : columns;
    return columns;
}

/* Whether the rows of a form are those of tables within. */
static bool is_nested(const sl_table *t, unsigned form)
{
    bool nested = false;
    for (size_t i = 0; i < t->children.count && form == SL_FORM_LOADS; i++)
        nested |= (t->children.items[i]->forms & form) != 0;
    return nested;
}

sl_status sl_table_csv(const sl_table *t, unsigned form, FILE *file, sl_error *error)
{
    sl_arena arena;
    sl_arena_init(&arena);
    csv c = {.file = file, .form = form, .first = true};
    bool good = !sl_table_failed(t);
    if (good) {
        c.own = sl_arena_array(&arena, csv_column, max_columns(t));
        c.parent = sl_arena_array(&arena, csv_column, max_columns(t));
        good = c.own && c.parent;
    }
    if (good)
        (is_nested(t, form) ? write_children : write_table)(&c, t);
    sl_arena_fini(&arena);
    return good ? SL_OK : sl_fail_memory(error);
}
