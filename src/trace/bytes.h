/* SPDX-License-Identifier: MIT */
/* Appending to and reading from runs of bytes, as files of traces are made of. A writer that runs out of memory and a
 * reader that runs out of bytes remember it, so that only the end needs a check. */
#ifndef SL_TRACE_BYTES_H
#define SL_TRACE_BYTES_H

#include <stdlib.h>

#include "base/array.h"
#include "trace/codec.h"

static inline bool sl_bytes_room(sl_bytes *b, size_t extra)
{
    return sl_array_grow((void **)&b->data, &b->capacity, b->count + extra, 1);
}

static inline void sl_bytes_free(sl_bytes *b)
{
    free(b->data);
    *b = (sl_bytes){0};
}

static inline bool sl_bytes_append(sl_bytes *b, const void *data, size_t count)
{
    if (!sl_bytes_room(b, count))
        return false;
    if (count)
        memcpy(b->data + b->count, data, count);
    b->count += count;
    return true;
}

static inline bool sl_bytes_varint(sl_bytes *b, uint64_t value)
{
    if (!sl_bytes_room(b, SL_VARINT_MAX))
        return false;
    b->count = (size_t)(sl_encode_varint(b->data + b->count, value) - b->data);
    return true;
}

/* Length, then the bytes. */
static inline bool sl_bytes_string(sl_bytes *b, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    return sl_bytes_varint(b, length) && sl_bytes_append(b, text, length);
}

typedef struct sl_reading {
    const uint8_t *at, *end;
    bool bad; /* something was missing or made no sense; everything read since is 0 */
} sl_reading;

/* Reads `bytes`; nothing at all counts as damage. */
static inline sl_reading sl_reading_of(const sl_bytes *bytes)
{
    return bytes->count ? (sl_reading){bytes->data, bytes->data + bytes->count, false} : (sl_reading){.bad = true};
}

static inline uint64_t sl_read_varint(sl_reading *r)
{
    uint64_t value = 0;
    const uint8_t *after = r->bad ? NULL : sl_decode_varint(r->at, r->end, &value);
    if (!after) {
        r->bad = true;
        return 0;
    }
    r->at = after;
    return value;
}

/* A value that must not exceed `max`. */
static inline uint64_t sl_read_upto(sl_reading *r, uint64_t max)
{
    uint64_t value = sl_read_varint(r);
    if (value <= max)
        return value;
    r->bad = true;
    return 0;
}

static inline size_t sl_reading_left(const sl_reading *r)
{
    return r->bad ? 0 : (size_t)(r->end - r->at);
}

/* The next `count` bytes, or NULL. */
static inline const uint8_t *sl_read_bytes(sl_reading *r, size_t count)
{
    const uint8_t *at = r->at;
    if (r->bad || (size_t)(r->end - r->at) < count) {
        r->bad = true;
        return NULL;
    }
    r->at += count;
    return at;
}

#endif
