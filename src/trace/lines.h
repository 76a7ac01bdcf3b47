/* SPDX-License-Identifier: MIT */
/* Reading text files line by line, plain or compressed by xz, with memory for one line. */
#ifndef SL_TRACE_LINES_H
#define SL_TRACE_LINES_H

#include <stdbool.h>
#include <stdint.h>

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

/* Reading thread traces, access by access: "blocksize: X Y Z", then a line "thread direction address bytes" each. */

typedef struct sl_thread_access {
    uint64_t thread, addr;
    uint16_t width; /* bytes, at least 1 */
    bool store;
} sl_thread_access;

typedef struct sl_thread_lines sl_thread_lines;

/* Reads the first line too. A block has at least one thread and at most 65536. */
sl_status sl_thread_lines_open(const char *path, uint32_t block[3], sl_thread_lines **lines, sl_error *error);
void sl_thread_lines_close(sl_thread_lines *lines); /* NULL is fine */
/* The next access; *more false at the end. A malformed line is an error with its location. */
sl_status sl_thread_lines_next(sl_thread_lines *lines, sl_thread_access *access, bool *more, sl_error *error);
/* An error at the line that came last. */
sl_status sl_thread_lines_bad(const sl_thread_lines *lines, sl_error *error, const char *what);

#endif
