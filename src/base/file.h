/* SPDX-License-Identifier: MIT */
/* Whole files, and files that are written compressed. */
#ifndef SL_BASE_FILE_H
#define SL_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "sluice/error.h"

/* Some inputs have no end, such as /dev/zero: this is more than any PTX has. */
enum { SL_FILE_MAX_BYTES = 1 << 29 };

/* Reads a file to its end. *text is malloc'ed and ends with a zero that *length does not count. Of what is no regular
 * file, more than SL_FILE_MAX_BYTES are an error; programs and libraries may be larger. */
sl_status sl_file_read(const char *path, char **text, size_t *length, sl_error *error);
/* The same with another limit. */
sl_status sl_file_read_max(const char *path, size_t max_bytes, char **text, size_t *length, sl_error *error);

/* Opens a regular file for reading; NULL for everything else, without waiting for the other end of a FIFO. */
FILE *sl_file_open_regular(const char *path);

/* gzip, by zlib, for files that other programs open compressed. There is no name or time in it: the same data gives the
 * same bytes. What is written to the stream goes to `to`, compressed; closing it ends the compressed data and leaves
 * `to` open. An error of `to` is one of the stream. NULL: no memory. */
FILE *sl_gzip_open(FILE *to);

#endif
