/* SPDX-License-Identifier: MIT */
#include "reuse/belady.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"

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

static uint64_t line_of(const void *lines, uint32_t access)
{
    return ((const uint64_t *)lines)[access];
}

/* The next access to the line among those already seen, which `access` replaces; UINT32_MAX: there is none. */
static uint32_t replace_seen(sl_index *seen, const uint64_t *line, uint32_t access)
{
    sl_index_for(seen, line[access], at)
    {
        uint32_t next = sl_index_item(seen, at);
        if (line[next] == line[access]) {
            seen->slot[at] = access + 1;
            return next;
        }
    }
    return UINT32_MAX;
}

/* Goes backwards; the index has, for each line, the access that was seen last. */
static bool find_next_uses(bound *b, const uint64_t *line, size_t count)
{
    sl_index seen = {0};
    bool good = count < UINT32_MAX;
    for (size_t i = count; good && i-- > 0;) {
        uint32_t next = replace_seen(&seen, line, (uint32_t)i);
        b->next[i] = next == UINT32_MAX ? b->never : next;
        if (next == UINT32_MAX)
            good = sl_index_add(&seen, line[i], (uint32_t)i, line_of, line);
    }
    sl_index_fini(&seen);
    return good;
}

/* ---- a set ---- */

static void heap_set(bound *b, size_t *heap, uint32_t at, size_t use)
{
    heap[at] = use;
    b->position[use] = at;
}

static void sift_up(bound *b, size_t *heap, uint32_t at, size_t use)
{
    while (at && heap[(at - 1) / 2] < use) {
        heap_set(b, heap, at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_set(b, heap, at, use);
}

static void sift_down(bound *b, size_t *heap, uint32_t filled, uint32_t at, size_t use)
{
    for (;;) {
        size_t child = 2 * (size_t)at + 1;
        if (child + 1 < filled && heap[child + 1] > heap[child])
            child++;
        if (child >= filled || heap[child] <= use)
            break;
        heap_set(b, heap, at, heap[child]);
        at = (uint32_t)child;
    }
    heap_set(b, heap, at, use);
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
