/* SPDX-License-Identifier: MIT */
/* Whole files. */
#ifndef SL_BASE_FILE_H
#define SL_BASE_FILE_H

#include <stddef.h>

#include "sluice/error.h"

/* Reads a file to its end; *text is malloc'ed and not terminated. */
sl_status sl_file_read(const char *path, char **text, size_t *length, sl_error *error);

#endif
