/* SPDX-License-Identifier: MIT */
/* Text files between `sluice` and the libraries inside of programs: one fact per line, a word
 * and its values. A table says which values a word has and where they are in a struct; reading, writing and freeing use
 * the same one. */
#ifndef SL_TUNE_LINE_FILE_H
#define SL_TUNE_LINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"

typedef enum sl_line_kind {
    SL_LINE_END, /* no more values */
    SL_LINE_U64,
    SL_LINE_U32,
    SL_LINE_BOOL,
    SL_LINE_DOUBLE, /* exact: written in hexadecimal */
    SL_LINE_HASH,   /* uint64_t, written as 16 hexadecimal digits */
    SL_LINE_TEXT    /* char *, malloc'ed: the rest of the line. NULL: the line is not written */
} sl_line_kind;

typedef struct sl_line_value {
    sl_line_kind kind;
    size_t offset; /* in the struct, or in the item of the list */
} sl_line_value;

enum { SL_LINE_VALUES = 7 };

typedef struct sl_line_format {
    const char *word;                    /* NULL: the end of the table */
    sl_line_value value[SL_LINE_VALUES]; /* up to the first SL_LINE_END */
    size_t item_bytes;                   /* 0: the struct has the values; else one line for each item of a list */
    size_t list;                         /* offset of the list, an SL_ARRAY */
} sl_line_format;

bool sl_lines_write(const sl_line_format *table, const void *from, const char *path);
/* Adds to a struct that is initialized. `strict`: a line that is not understood is an error; otherwise it is of a newer
 * program, and ignored. What was read stays after a failure, for sl_lines_free. */
sl_status sl_lines_read(const sl_line_format *table, const char *path, bool strict, void *into, sl_error *error);
/* Frees texts and lists, and sets them to NULL. */
void sl_lines_free(const sl_line_format *table, void *from);

#endif
