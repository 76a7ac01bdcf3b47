/* SPDX-License-Identifier: MIT */
/* Text tables: columns as wide as they need to be, made to fit a terminal by shortening those that may shrink. Columns
 * without any text are left out. */
#ifndef SL_REPORT_TABLE_H
#define SL_REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "sluice/error.h"

typedef struct sl_column {
    const char *title; /* must outlive the table */
    bool right;        /* aligned, as numbers are */
    bool shrinks;      /* long texts may be cut, with "…" in their middle */
} sl_column;

typedef struct sl_table sl_table;

/* NULL when memory runs out. A later lack of memory is remembered and told by sl_table_print. */
sl_table *sl_table_create(const sl_column *columns, size_t count);
void sl_table_destroy(sl_table *table); /* NULL is fine */
/* The next cell, row by row, left to right; the text is copied. */
void sl_table_cell(sl_table *table, const char *text);
void sl_table_cellf(sl_table *table, const char *format, ...) SL_PRINTF(2, 3);
/* "4x4": dimensions, without those at the end that are 1. */
void sl_table_dims(sl_table *table, const uint32_t dims[3]);
/* `width`: columns of the terminal; 0: as wide as it gets. */
sl_status sl_table_print(const sl_table *table, FILE *file, size_t width, sl_error *error);

#endif
