/* SPDX-License-Identifier: MIT */
/* How tables hold their cells: for the files that write them. */
#ifndef SL_REPORT_TABLE_CELLS_H
#define SL_REPORT_TABLE_CELLS_H

#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "report/table.h"

typedef enum sl_cell_kind {
    SL_CELL_NONE,
    SL_CELL_TEXT,
    SL_CELL_COUNT,
    SL_CELL_EXACT,
    SL_CELL_BYTES,
    SL_CELL_BOOL,
    SL_CELL_NUMBER,
    SL_CELL_DIMS,
    SL_CELL_TIME, /* ns */
    SL_CELL_JSON,
    SL_CELL_COUNTERS, /* sl_packed_counts */
    SL_CELL_COUNTS,   /* sl_counts */
    SL_CELL_MARKUP,
} sl_cell_kind;

typedef struct sl_cell {
    uint8_t kind, digits; /* sl_cell_kind; of numbers */
    union {
        const char *text;
        uint64_t count;
        double number;
        const uint32_t *dims;
        const void *of; /* of values that JSON writes, and counters */
    };
    union {
        const char *unit; /* of numbers */
        sl_json_writer *write;
        sl_html_writer *markup;
    };
} sl_cell;

struct sl_table {
    sl_arena arena;
    size_t columns;
    sl_column *column;
    SL_ARRAY(sl_cell) cells;
    bool failed;
    /* of children */
    sl_table *parent;
    const char *name;
    unsigned forms;
    SL_ARRAY(uint32_t) row_of;     /* row of the parent, per row */
    size_t next;                   /* row that JSON writes next */
    SL_ARRAY(sl_table *) children; /* of its rows */
};

static inline const sl_cell *sl_table_row(const sl_table *table, size_t row)
{
    return table->cells.items + row * table->columns;
}

/* Whether a column is written in a form. */
static inline bool sl_column_in(const sl_column *column, unsigned form)
{
    unsigned forms = column->forms & ~(unsigned)SL_FORM_OPTIONAL;
    return (form == SL_FORM_TEXT ? column->title != NULL : column->key != NULL) && (!forms || (forms & form));
}

enum { SL_CELL_BYTES_MAX = 64 };
/* As people read it; the text itself, or `buffer`. */
const char *sl_cell_text(const sl_cell *cell, char buffer[SL_CELL_BYTES_MAX]);
/* "0", "0.0%". */
static inline bool sl_cell_is_zero(const char *text)
{
    return !text[strspn(text, "0.%")];
}

/* As a value of JSON; null where there is none. */
void sl_cell_json(const sl_cell *cell, sl_json *json);

#endif
