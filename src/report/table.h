/* SPDX-License-Identifier: MIT */
/* Tables: what results are made of. A table has columns, each with a heading for people and a key for programs, and
 * rows of typed cells; a row may have tables of its own (the loads of a launch). Writers show the same cells as text,
 * CSV, JSON or HTML.
 *
 * As text: columns as wide as they need to be. To fit a terminal, headings of several words get two lines, then columns
 * that may shrink are cut; what is still too wide continues below, behind the first columns again. Columns without any
 * text are left out. */
#ifndef SL_REPORT_TABLE_H
#define SL_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json_write.h"
#include "sluice/error.h"

typedef enum sl_fit {
    SL_FIT_FIXED,
    SL_FIT_SHRINKS, /* long texts may be cut, with "…" in their middle */
    SL_FIT_WRAPS,   /* of the last column: long texts continue in the next line, also where there is no terminal */
    SL_FIT_OCCURS,  /* left out where it has nothing but zeros */
    SL_FIT_SPARE,   /* left out where the terminal has no room for it; on a page shown on request */
} sl_fit;

/* The forms that a table or a column is written in. */
enum {
    SL_FORM_TEXT = 1,
    SL_FORM_JSON = 2,
    SL_FORM_CSV = 4,
    SL_FORM_LOADS = 8,      /* the CSV of memory instructions */
    SL_FORM_EMPTY = 16,     /* tables of rows: an empty array in JSON where there are no rows */
    SL_FORM_OBJECT = 64,    /* tables with one row: an object in JSON */
    SL_FORM_MARKDOWN = 128, /* what text has, as GitHub and GitLab show it */
    SL_FORM_OPTIONAL = 32,  /* columns: left out of CSV where no row has a value */
    SL_FORM_DATA = SL_FORM_JSON | SL_FORM_CSV,
    SL_FORM_ALL = SL_FORM_TEXT | SL_FORM_DATA,
};

/* Texts must outlive the table. */
typedef struct sl_column {
    const char *title; /* heading, for people; NULL: for programs only */
    bool right;        /* aligned, as numbers are */
    sl_fit fit;
    /* Name in JSON and CSV; NULL: for people only. "a.b" is member b of an object a in JSON. */
    const char *key;
    unsigned forms; /* 0: all but SL_FORM_LOADS of parents */
    /* On a page, on hover; NULL: what 'sluice explain' says of the title. */
    const char *description;
} sl_column;

typedef struct sl_table sl_table;

/* Columns of numbers, of texts, and of texts that may be cut, for people; the same with a key; for programs alone. */
#define SL_NUMBERS(text)                                                                                               \
    {                                                                                                                  \
        .title = text, .right = true                                                                                   \
    }
#define SL_TEXTS(text)                                                                                                 \
    {                                                                                                                  \
        .title = text                                                                                                  \
    }
#define SL_NAMES(text)                                                                                                 \
    {                                                                                                                  \
        .title = text, .fit = SL_FIT_SHRINKS                                                                           \
    }
#define SL_PROSE(text)                                                                                                 \
    {                                                                                                                  \
        .title = text, .fit = SL_FIT_WRAPS                                                                             \
    }
#define SL_NUMBERS_AS(text, name)                                                                                      \
    {                                                                                                                  \
        .title = text, .right = true, .key = name                                                                      \
    }
#define SL_TEXTS_AS(text, name)                                                                                        \
    {                                                                                                                  \
        .title = text, .key = name                                                                                     \
    }
#define SL_NAMES_AS(text, name)                                                                                        \
    {                                                                                                                  \
        .title = text, .fit = SL_FIT_SHRINKS, .key = name                                                              \
    }
#define SL_PROSE_AS(text, name)                                                                                        \
    {                                                                                                                  \
        .title = text, .fit = SL_FIT_WRAPS, .key = name                                                                \
    }
#define SL_DATA(name)                                                                                                  \
    {                                                                                                                  \
        .key = name                                                                                                    \
    }
#define SL_DATA_IN(name, in)                                                                                           \
    {                                                                                                                  \
        .key = name, .forms = in                                                                                       \
    }

/* What a heading means, for pages and 'sluice explain'; NULL: it is unknown, or a metric (metrics.h). */
const char *sl_heading_description(const char *title);

/* NULL when memory runs out. All functions take that, and a later lack of memory is remembered: it is returned by
 * whatever writes the table. */
sl_table *sl_table_create(const sl_column *columns, size_t count);
#define SL_TABLE(columns) sl_table_create(columns, sizeof(columns) / sizeof *(columns))
void sl_table_destroy(sl_table *table);
/* A table that every row of `parent` has; the parent owns it. Its rows belong to the row of the parent that was
 * completed last. */
sl_table *sl_table_child(sl_table *parent, const char *name, unsigned forms, const sl_column *columns, size_t count);
bool sl_table_failed(const sl_table *table);
size_t sl_table_rows(const sl_table *table);

/* ---- cells: the next one, row by row, left to right ---- */

void sl_table_cell(sl_table *table, const char *text); /* copied; NULL: no value */
void sl_table_cellf(sl_table *table, const char *format, ...) SL_PRINTF(2, 3);
void sl_table_none(sl_table *table);
/* Empty where it is "" or NULL: not written in JSON. */
void sl_table_known(sl_table *table, const char *text);
void sl_table_count(sl_table *table, uint64_t value); /* "1.05 M" */
void sl_table_exact(sl_table *table, uint64_t value); /* all its digits, also for people */
void sl_table_bytes(sl_table *table, uint64_t value); /* "24.0 MiB" */
void sl_table_bool(sl_table *table, bool value);      /* 1 and 0 in CSV */
/* With `digits` behind the point and a unit (which must outlive the table) for people. Not a number: no value. */
void sl_table_number(sl_table *table, double value, int digits, const char *unit);
void sl_table_share(sl_table *table, uint64_t part, uint64_t whole); /* in percent; no value where there is no whole */
/* "4x4": dimensions, without those at the end that are 1. An array in JSON, three columns in CSV. */
void sl_table_dims(sl_table *table, const uint32_t dims[3]);
/* A function by its symbol, demangled. */
void sl_table_function(sl_table *table, const char *symbol);
/* A value that only JSON has the form for; in a column whose key is "" it writes members of the row's object. `of` must
 * outlive the table. */
typedef void sl_json_writer(sl_json *json, const void *of);
void sl_table_json_value(sl_table *table, sl_json_writer *write, const void *of);
void sl_table_time(sl_table *table, uint64_t ns); /* "3.20 us" */
/* A cell that only a page has: `write` writes all of it, <td> and </td>. `of` must outlive the table. */
typedef void sl_html_writer(FILE *file, const void *of);
void sl_table_markup(sl_table *table, sl_html_writer *write, const void *of);
/* Memory that lives as long as the table; NULL where there is none, which is remembered. */
void *sl_table_alloc(sl_table *table, size_t bytes);
/* Counters: an object of those that are known in JSON; in CSV a column for each that some row knows. Borrowed. */
struct sl_packed_counts;
void sl_table_counters(sl_table *table, const struct sl_packed_counts *counts);
struct sl_counts;
void sl_table_all_counts(sl_table *table, const struct sl_counts *counts);

/* ---- writers ---- */

/* `width`: columns of the terminal; 0: as wide as it gets. */
sl_status sl_table_print(const sl_table *table, FILE *file, size_t width, sl_error *error);
/* As a table of Markdown, with what `sl_markdown` escapes. */
sl_status sl_table_markdown(const sl_table *table, FILE *file, sl_error *error);
void sl_markdown(FILE *file, const char *text, size_t bytes);
/* An array of objects, the tables of its rows among their members. Cells without a value are left out. */
void sl_table_json(const sl_table *table, sl_json *json);
void sl_table_json_object(const sl_table *table, sl_json *json); /* its first row */
/* A line of keys, and a line per row. With SL_FORM_LOADS: the rows of its children that have that form, behind the
 * columns of the parent that have it. */
sl_status sl_table_csv(const sl_table *table, unsigned form, FILE *file, sl_error *error);
/* A <table> that scrolls within the page, and sorts where its class says so. Destroys the table; a lack of memory is
 * returned. */
sl_status sl_table_html(sl_table *table, FILE *file, const char *caption, const char *class, sl_error *error);

/* ---- charts made of block characters ---- */

enum { SL_BAR_COLUMNS = 40, SL_BAR_BYTES = 3 * SL_BAR_COLUMNS + 1 };

/* A horizontal bar of `share` (0 to 1) of `columns` (at most SL_BAR_COLUMNS), in eighths; anything above 0 is seen.
 * Returns `buffer`. */
char *sl_bar(double share, unsigned columns, char buffer[SL_BAR_BYTES]);

/* A character of eight heights for `value` of `max`; a space for 0. */
const char *sl_spark(uint64_t value, uint64_t max);

#endif
