/* SPDX-License-Identifier: MIT */
#include "trace/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1 << 26, MAX_BLOCK_THREADS = 1 << 16 };

struct sl_thread_lines {
    sl_lines *lines;
};

sl_status sl_thread_lines_bad(const sl_thread_lines *t, sl_error *error, const char *what)
{
    return sl_fail_at(error, SL_SYNTAX, sl_lines_path(t->lines), sl_lines_number(t->lines), 0, "%s", what);
}

static sl_status read_block_size(sl_thread_lines *t, uint32_t b[3], sl_error *error)
{
    char *line;
    sl_status status = sl_lines_next(t->lines, &line, error);
    if (status)
        return status;
    if (!line || sscanf(line, "blocksize: %u %u %u", &b[0], &b[1], &b[2]) != 3)
        return sl_thread_lines_bad(t, error, "the first line is 'blocksize: X Y Z'");
    unsigned __int128 threads = (unsigned __int128)b[0] * b[1] * b[2];
    if (!threads || threads > MAX_BLOCK_THREADS)
        return sl_thread_lines_bad(t, error, "a block has at least one thread and at most 65536");
    return SL_OK;
}

sl_status sl_thread_lines_open(const char *path, uint32_t block[3], sl_thread_lines **lines, sl_error *error)
{
    sl_thread_lines *t = calloc(1, sizeof *t);
    if (!t)
        return sl_fail_memory(error);
    sl_status status = sl_lines_open(path, &t->lines, error);
    if (!status)
        status = read_block_size(t, block, error);
    if (status)
        sl_thread_lines_close(t);
    else
        *lines = t;
    return status;
}

void sl_thread_lines_close(sl_thread_lines *t)
{
    if (!t)
        return;
    sl_lines_close(t->lines);
    free(t);
}

static inline bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10;
}

static inline const char *read_number(const char *at, uint64_t max, uint64_t *value)
{
    const char *first;
    while (*at == ' ' || *at == '\t')
        at++;
    *value = 0;
    for (first = at; is_digit(*at); at++) {
        if (*value > (UINT64_MAX - 9) / 10)
            return NULL;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return at == first || *value > max ? NULL : at;
}

sl_status sl_thread_lines_next(sl_thread_lines *t, sl_thread_access *access, bool *more, sl_error *error)
{
    char *line;
    sl_status status;
    do
        status = sl_lines_next(t->lines, &line, error);
    while (!status && line && !line[strspn(line, " \t")]);
    *more = !status && line;
    if (!*more)
        return status;
    uint64_t store = 0, width = 0;
    const char *at = read_number(line, MAX_THREADS, &access->thread);
    at = at ? read_number(at, 1, &store) : NULL;
    at = at ? read_number(at, UINT64_MAX, &access->addr) : NULL;
    at = at ? read_number(at, UINT16_MAX, &width) : NULL;
    if (!at || at[strspn(at, " \t")] || !width)
        return sl_thread_lines_bad(t, error,
                                   "an access is 'thread direction address bytes', in decimal, direction 0 or 1");
    access->store = store;
    access->width = (uint16_t)width;
    return SL_OK;
}
