/* SPDX-License-Identifier: MIT */
#include "cache/belady.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* The lines of a set are a heap by next use, the latest on top. A line's next use is its key: no two have the same. An
 * accessed line has the smallest key, as its next use is now. A hit changes one key: `position` has the heap position
 * of each line, by the access that is its next use. */
enum { NOWHERE = 0xffffffff };

typedef struct bound {
    size_t *next;       /* [accesses]: the next one of the same line, or `never` */
    size_t never;       /* as many as there are accesses */
    uint32_t *position; /* [accesses]: in the heap of its set, the line with this next use; NOWHERE: it is not there */
    size_t *heap;       /* [sets * ways]: next uses */
    uint32_t *filled;   /* [sets] */
    uint32_t ways;
} bound;

/* ---- next uses ---- */

/* Goes backwards; the table has, for each line seen, the access that was seen last. */
static bool find_next_uses(bound *b, const uint64_t *line, size_t count)
{
    size_t slots = 16;
    while (slots < 2 * count)
        slots *= 2;
    size_t *seen = malloc(slots * sizeof *seen); /* access + 1; 0: free */
    if (!seen)
        return false;
    memset(seen, 0, slots * sizeof *seen);
    for (size_t i = count; i-- > 0;) {
        uint64_t mixed = line[i];
        size_t at = sl_splitmix64(&mixed) & (slots - 1);
        while (seen[at] && line[seen[at] - 1] != line[i])
            at = (at + 1) & (slots - 1);
        b->next[i] = seen[at] ? seen[at] - 1 : b->never;
        seen[at] = i + 1;
    }
    free(seen);
    return true;
}

/* ---- a set ---- */

static void put(bound *b, size_t *heap, uint32_t at, size_t use)
{
    heap[at] = use;
    b->position[use] = at;
}

static void sift_up(bound *b, size_t *heap, uint32_t at, size_t use)
{
    while (at && heap[(at - 1) / 2] < use) {
        put(b, heap, at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(b, heap, at, use);
}

static void sift_down(bound *b, size_t *heap, uint32_t filled, uint32_t at, size_t use)
{
    for (;;) {
        size_t child = 2 * (size_t)at + 1;
        if (child + 1 < filled && heap[child + 1] > heap[child])
            child++;
        if (child >= filled || heap[child] <= use)
            break;
        put(b, heap, at, heap[child]);
        at = (uint32_t)child;
    }
    put(b, heap, at, use);
}

/* An access. True: a miss. */
static bool misses(bound *b, size_t access, uint32_t set)
{
    size_t *heap = &b->heap[(size_t)set * b->ways], next = b->next[access];
    uint32_t *filled = &b->filled[set], at = b->position[access];
    if (at != NOWHERE && next == b->never) { /* a last use: the smallest key is a leaf, and the last leaf replaces it */
        size_t last = heap[--*filled];
        if (at < *filled)
            sift_up(b, heap, at, last);
    } else if (at != NOWHERE) {
        sift_up(b, heap, at, next);
    } else if (next != b->never && *filled < b->ways) {
        sift_up(b, heap, (*filled)++, next);
    } else if (next != b->never && heap[0] > next) {
        b->position[heap[0]] = NOWHERE;
        sift_down(b, heap, *filled, 0, next);
    }
    return at == NOWHERE;
}

sl_status sl_belady_misses(const uint64_t *line, const uint32_t *set, size_t count, uint32_t sets, uint32_t ways,
                           uint64_t *missed, sl_error *error)
{
    size_t positions = count ? count : 1;
    bound b = {.never = count, .ways = ways};
    b.next = malloc(positions * sizeof *b.next);
    b.position = malloc(positions * sizeof *b.position);
    b.heap = calloc((size_t)sets * ways, sizeof *b.heap);
    b.filled = calloc(sets, sizeof *b.filled);
    bool ok = b.next && b.position && b.heap && b.filled && find_next_uses(&b, line, count);
    *missed = 0;
    if (ok) {
        memset(b.position, 0xff, positions * sizeof *b.position);
        for (size_t i = 0; i < count; i++)
            *missed += misses(&b, i, set ? set[i] : (uint32_t)(line[i] % sets));
    }
    free(b.next);
    free(b.position);
    free(b.heap);
    free(b.filled);
    return ok ? SL_OK : sl_fail_memory(error);
}
