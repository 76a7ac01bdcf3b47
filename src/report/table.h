/* SPDX-License-Identifier: MIT */
/* Text tables: columns as wide as they need to be. To fit a terminal, titles of several words get two lines, then
 * columns that may shrink are cut; what is still too wide goes on below, behind the first columns again. Columns
 * without any text are left out. */
#ifndef SL_REPORT_TABLE_H
#define SL_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sluice/error.h"

typedef enum sl_fit {
    SL_FIT_FIXED,
    SL_FIT_SHRINKS, /* long texts may be cut, with "…" in their middle */
    SL_FIT_WRAPS,   /* of the last column: long texts go on in the next line, also where there is no terminal */
    SL_FIT_OCCURS,  /* left out where it has nothing but zeros */
} sl_fit;

typedef struct sl_column {
    const char *title; /* must outlive the table */
    bool right;        /* aligned, as numbers are */
    sl_fit fit;
} sl_column;

typedef struct sl_table sl_table;

/* Columns of numbers, of texts, and of texts that may be cut. */
#define SL_NUMBERS(title)                                                                                              \
    {                                                                                                                  \
        title, true, SL_FIT_FIXED                                                                                      \
    }
#define SL_TEXTS(title)                                                                                                \
    {                                                                                                                  \
        title, false, SL_FIT_FIXED                                                                                     \
    }
#define SL_NAMES(title)                                                                                                \
    {                                                                                                                  \
        title, false, SL_FIT_SHRINKS                                                                                   \
    }
#define SL_PROSE(title)                                                                                                \
    {                                                                                                                  \
        title, false, SL_FIT_WRAPS                                                                                     \
    }

/* NULL when memory runs out. All functions take that, and a later lack of memory is remembered: it is returned by
 * sl_table_print and sl_table_finish. */
sl_table *sl_table_create(const sl_column *columns, size_t count);
#define SL_TABLE(columns) sl_table_create(columns, sizeof(columns) / sizeof *(columns))
void sl_table_destroy(sl_table *table);
/* The next cell, row by row, left to right; the text is copied. */
void sl_table_cell(sl_table *table, const char *text);
void sl_table_cellf(sl_table *table, const char *format, ...) SL_PRINTF(2, 3);
/* A function by its symbol, demangled. */
void sl_table_function(sl_table *table, const char *symbol);
/* "4x4": dimensions, without those at the end that are 1. */
void sl_table_dims(sl_table *table, const uint32_t dims[3]);
/* `width`: columns of the terminal; 0: as wide as it gets. */
sl_status sl_table_print(const sl_table *table, FILE *file, size_t width, sl_error *error);
/* Prints it and destroys it. */
sl_status sl_table_finish(sl_table *table, FILE *file, size_t width, sl_error *error);

#endif
