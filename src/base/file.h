/* SPDX-License-Identifier: MIT */
/* Whole files. */
#ifndef SL_BASE_FILE_H
#define SL_BASE_FILE_H

#include <stddef.h>

#include "sluice/error.h"

/* Reads a file to its end. *text is malloc'ed and ends with a zero that *length does not count. */
sl_status sl_file_read(const char *path, char **text, size_t *length, sl_error *error);
/* The same, for files that are never large: one of more than `max_bytes` is an error. */
sl_status sl_file_read_max(const char *path, size_t max_bytes, char **text, size_t *length, sl_error *error);

#endif
