/* SPDX-License-Identifier: MIT */
/* Writes HTML as it comes, to a FILE. Whatever comes from a program, a trace or a file name goes through sl_html_text:
 * it is hostile until it is escaped. */
#ifndef SL_REPORT_HTML_H
#define SL_REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sluice/error.h"

/* Text, or the value of an attribute in double quotes. What is not UTF-8, control characters, and characters that turn
 * the direction of writing become U+FFFD. */
void sl_html_text(FILE *file, const char *text);
void sl_html_text_n(FILE *file, const char *text, size_t bytes);

/* As printf for %s, whose text is escaped, %u, %zu and %llu. */
void sl_htmlf(FILE *file, const char *format, ...) SL_PRINTF(2, 3);

/* Cells of a table: with the exact value for sorting, and in short form for people. Most tables are written by
 * sl_table_html. */
/* A name: a wide one is shortened in its middle. The whole of it, or `full` where that says more (not NULL), is shown
 * on hover. */
void sl_html_name(FILE *file, const char *name, const char *full);
void sl_html_cell_name(FILE *file, const char *name, const char *full);
void sl_html_cell_none(FILE *file);
/* Neither text is escaped. */
void sl_html_cell_classed(FILE *file, const char *class, const char *exact, const char *shown);

/* A paragraph. */
void sl_html_note(FILE *file, const char *text);

/* The head of a column; `title` (may be NULL) explains it. */
void sl_html_column(FILE *file, const char *text, const char *title, bool number);

/* The same of a class: "n", a number. */
void sl_html_column_classed(FILE *file, const char *class, const char *text, const char *title);

/* A table that scrolls within the page: <div><table id=… ><caption>…; then the columns, sl_html_table_rows, rows, end.
 */
void sl_html_table(FILE *file, const char *caption, const char *class);
void sl_html_table_rows(FILE *file);
void sl_html_table_end(FILE *file);

/* "4x4": dimensions, without those at the end that are 1. */
void sl_html_cell_dims(FILE *file, const uint32_t dims[3]);

#endif
