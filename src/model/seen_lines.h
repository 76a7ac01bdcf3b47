/* SPDX-License-Identifier: MIT */
/* What a first cache knows of every line that was ever accessed: an open-addressing table, in a file where it is large
 * and the trace spills (sl_trace_spill). An sl_index would need a record of each line. */
#ifndef SL_MODEL_SEEN_LINES_H
#define SL_MODEL_SEEN_LINES_H

#include "base/hash.h"
#include "base/large_array.h"

enum {
    SL_SEEN_FIRST_LOG2 = 8,
    SL_SEEN_IN_MEMORY = 32 << 20, /* bytes; more are in the file … */
    SL_SEEN_DROP_AFTER = 4096,    /* … whose pages are dropped after as many lookups */
};

typedef struct sl_seen_line {
    uint64_t tag;    /* line + 1; 0: the slot is free */
    uint32_t record; /* plus one; 0: it has none, and these are as in its last one: */
    uint16_t accessed, invalidated;
} sl_seen_line;

typedef struct sl_seen_lines {
    sl_large_array room;
    sl_seen_line *line; /* [2^log2] */
    unsigned log2;
    size_t count;
    uint32_t lookups; /* since pages were dropped */
} sl_seen_lines;

/* The slot of a line, or the free one where it belongs. */
static inline sl_seen_line *sl_seen_slot(const sl_seen_lines *s, uint64_t line)
{
    size_t mask = ((size_t)1 << s->log2) - 1, at = sl_hash_slot(line, s->log2);
    while (s->line[at].tag && s->line[at].tag != line + 1)
        at = (at + 1) & mask;
    return &s->line[at];
}

/* A larger table with the same lines; false: out of memory. */
static inline bool sl_seen_resize(sl_seen_lines *s, const char *spill, unsigned log2)
{
    sl_seen_lines larger = {
        .room = {.folder = spill, .limit = SL_SEEN_IN_MEMORY}, .log2 = log2, .count = s->count, .lookups = s->lookups};
    larger.line = sl_large_array_add(&larger.room, sizeof *larger.line << log2);
    if (!larger.line)
        return false;
    for (size_t i = 0; s->line && i < (size_t)1 << s->log2; i++) {
        if (s->line[i].tag)
            *sl_seen_slot(&larger, s->line[i].tag - 1) = s->line[i];
        if (larger.room.fd && i % (SL_SEEN_DROP_AFTER / 2) == 0)
            sl_large_array_drop(&larger.room), sl_large_array_drop(&s->room);
    }
    sl_large_array_free(&s->room);
    *s = larger;
    return true;
}

/* Room for one more line; false: out of memory. */
static inline bool sl_seen_reserve(sl_seen_lines *s)
{
    return (s->count + 1) * 4 <= (size_t)3 << s->log2 || sl_seen_resize(s, s->room.folder, s->log2 + 1);
}

static inline void sl_seen_count_lookup(sl_seen_lines *s)
{
    if (__builtin_expect(s->room.fd && ++s->lookups == SL_SEEN_DROP_AFTER, false)) {
        sl_large_array_drop(&s->room);
        s->lookups = 0;
    }
}

#endif
