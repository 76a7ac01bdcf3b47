/* SPDX-License-Identifier: MIT */
/* Reading thread traces, access by access: "blocksize: X Y Z", then a line "thread direction address bytes" each. */
#ifndef SL_TRACE_THREAD_LINES_H
#define SL_TRACE_THREAD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "sluice/error.h"

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
