/* SPDX-License-Identifier: MIT */
/* Reading text files line by line, plain or compressed by xz, with memory for one line. */
#ifndef SL_TRACE_LINES_H
#define SL_TRACE_LINES_H

#include <stdbool.h>

#include "sluice/error.h"

typedef struct sl_lines sl_lines;

/* xz is recognized by its first bytes, whatever the name. */
sl_status sl_lines_open(const char *path, sl_lines **lines, sl_error *error);
void sl_lines_close(sl_lines *lines); /* NULL is fine */
/* The next line without its end (LF or CR LF), NUL-terminated, valid until the next call; *line NULL at the end. */
sl_status sl_lines_next(sl_lines *lines, char **line, sl_error *error);
/* For messages: the file, and the number of the line that came last. */
const char *sl_lines_path(const sl_lines *lines);
uint32_t sl_lines_number(const sl_lines *lines);

#endif
