/* SPDX-License-Identifier: MIT */
/* A text that grows, with a zero at its end. Every function either does all it says or fails and leaves the text as it
 * was: there is no count that a caller could move past what was written. */
#ifndef SL_BASE_BUFFER_H
#define SL_BASE_BUFFER_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "sluice/error.h"

typedef struct sl_buffer {
    char *data; /* NULL: nothing was appended yet */
    size_t count, capacity;
} sl_buffer;

/* False: out of memory. */
static inline bool sl_buffer_append(sl_buffer *b, const char *data, size_t count)
{
    if (count >= PTRDIFF_MAX - b->count || !sl_array_grow((void **)&b->data, &b->capacity, b->count + count + 1, 1))
        return false;
    if (count)
        memcpy(b->data + b->count, data, count);
    b->count += count;
    b->data[b->count] = 0;
    return true;
}

/* Appends as printf formats. False: out of memory, or a format that printf refuses. */
SL_PRINTF(2, 3) static inline bool sl_buffer_format(sl_buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !sl_array_grow((void **)&b->data, &b->capacity, b->count + (size_t)length + 1, 1))
        return false;
    va_start(args, format);
    length = vsnprintf(b->data + b->count, b->capacity - b->count, format, args);
    va_end(args);
    b->count += length > 0 ? (size_t)length : 0;
    return length >= 0;
}

/* Empties it and keeps its memory. */
static inline void sl_buffer_clear(sl_buffer *b)
{
    b->count = 0;
    if (b->data)
        *b->data = 0;
}

static inline void sl_buffer_free(sl_buffer *b)
{
    free(b->data);
    *b = (sl_buffer){0};
}

#endif
