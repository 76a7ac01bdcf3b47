/* SPDX-License-Identifier: MIT */
#include "emu/repetition.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emu/warp.h"

enum {
    MAX_BYTES = 1 << 30,       /* of memory that is copied */
    BYTES_PER_INSTRUCTION = 2, /* of memory, for each thread instruction: else comparing is not worth while */
    MAX_MISSES = 6,            /* after so many launches that changed memory, only each 64th is watched */
};

/* What has to be the same, besides memory. */
typedef struct key {
    const sl_emu_kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes, preferred_shared;
    bool has_preferred_shared;
    uint64_t stream;
} key;

typedef struct entry {
    sl_known_launch known;
    key key;
    void *params;
    uint64_t epoch; /* in which it left memory as it was; 0: none */
    uint32_t misses, skip;
} entry;

struct sl_repetitions {
    entry entry[SL_REPEATABLE];
    uint32_t entries;
    uint64_t epoch, generation; /* of the copy, and of the heap when it was made; epoch 0: there is none */
    SL_ARRAY(unsigned char) copy;
};

sl_repetitions *sl_repetitions_create(void)
{
    return calloc(1, sizeof(sl_repetitions));
}

void sl_repetitions_clear(sl_repetitions *r)
{
    for (uint32_t i = 0; r && i < r->entries; i++)
        free(r->entry[i].params);
    if (!r)
        return;
    sl_array_free(&r->copy);
    memset(r, 0, sizeof *r);
}

void sl_repetitions_destroy(sl_repetitions *r)
{
    sl_repetitions_clear(r);
    free(r);
}

/* ---- memory ---- */

static bool counts(const sl_alloc *alloc)
{
    return alloc->live && alloc->kind != SL_ALLOC_INTERNAL;
}

/* Bytes of all allocations; UINT64_MAX: too many, or the program may take memory away without a word. */
static uint64_t memory_bytes(const sl_heap *heap)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < sl_heap_count(heap); i++) {
        const sl_alloc *alloc = sl_heap_at(heap, i);
        if (!counts(alloc))
            continue;
        if (alloc->mapped || alloc->bytes > MAX_BYTES)
            return UINT64_MAX;
        bytes += alloc->bytes;
    }
    return bytes <= MAX_BYTES ? bytes : UINT64_MAX;
}

static bool is_unchanged(const sl_repetitions *r, const sl_heap *heap)
{
    size_t at = 0;
    if (!r->epoch || r->generation != sl_heap_generation(heap))
        return false;
    for (size_t i = 0; i < sl_heap_count(heap); i++) {
        const sl_alloc *alloc = sl_heap_at(heap, i);
        if (!counts(alloc))
            continue;
        if (memcmp(&r->copy.items[at], sl_heap_host(heap, alloc->base), alloc->bytes) != 0)
            return false;
        at += alloc->bytes;
    }
    return true;
}

/* False: memory ran out. */
static bool copy_memory(sl_repetitions *r, const sl_heap *heap, uint64_t bytes)
{
    r->copy.count = 0;
    r->epoch++;
    r->generation = sl_heap_generation(heap);
    if (!sl_array_reserve(&r->copy, bytes + 1)) {
        r->generation = UINT64_MAX; /* of no copy */
        return false;
    }
    for (size_t i = 0; i < sl_heap_count(heap); i++) {
        const sl_alloc *alloc = sl_heap_at(heap, i);
        if (!counts(alloc))
            continue;
        memcpy(&r->copy.items[r->copy.count], sl_heap_host(heap, alloc->base), alloc->bytes);
        r->copy.count += alloc->bytes;
    }
    return true;
}

/* ---- launches ---- */

static bool is_eligible(const sl_emu_kernel *kernel, const sl_emu_launch *launch)
{
    const sl_code *code = &kernel->code;
    return !code->sees_more && !(code->specials_used >> SL_SLOT_GRIDID & 1) && !launch->cooperative &&
           !launch->has_parent;
}

static key key_of(const sl_emu_kernel *kernel, const sl_emu_launch *launch)
{
    key k;
    memset(&k, 0, sizeof k); /* the padding, too */
    k.kernel = kernel;
    memcpy(k.grid, launch->grid, sizeof k.grid);
    memcpy(k.block, launch->block, sizeof k.block);
    memcpy(k.cluster, launch->cluster, sizeof k.cluster);
    k.dynamic_shared_bytes = launch->dynamic_shared_bytes;
    k.preferred_shared = launch->preferred_shared;
    k.has_preferred_shared = launch->has_preferred_shared;
    k.stream = launch->stream;
    return k;
}

/* NULL: there are too many, or memory ran out; *found: it was there. */
static entry *find_or_add(sl_repetitions *r, const key *k, const void *params, size_t bytes, bool *found)
{
    for (uint32_t i = 0; i < r->entries; i++) {
        entry *e = &r->entry[i];
        *found = !memcmp(&e->key, k, sizeof *k) && (!bytes || !memcmp(e->params, params, bytes));
        if (*found)
            return e;
    }
    *found = false;
    if (r->entries == SL_REPEATABLE)
        return NULL;
    entry *e = &r->entry[r->entries];
    *e = (entry){.known.number = r->entries, .key = *k, .params = malloc(bytes + 1)};
    if (!e->params)
        return NULL;
    if (bytes)
        memcpy(e->params, params, bytes);
    r->entries++;
    return e;
}

sl_repetition sl_repetitions_look(sl_repetitions *r, const sl_heap *heap, const sl_emu_kernel *kernel,
                                  const sl_emu_launch *launch, sl_known_launch **known)
{
    bool again;
    *known = NULL;
    if (!r || !is_eligible(kernel, launch))
        return SL_LAUNCH_UNWATCHED;
    const key k = key_of(kernel, launch);
    entry *e = find_or_add(r, &k, launch->params, kernel->func->param_bytes, &again);
    *known = e ? &e->known : NULL;
    if (!e || !again)
        return SL_LAUNCH_UNWATCHED;
    if (e->skip) {
        e->skip--;
        return SL_LAUNCH_UNWATCHED;
    }
    uint64_t bytes = memory_bytes(heap);
    if (bytes / BYTES_PER_INSTRUCTION > e->known.stats.thread_insts)
        return SL_LAUNCH_UNWATCHED;
    if (is_unchanged(r, heap))
        return e->epoch == r->epoch ? SL_LAUNCH_KNOWN : SL_LAUNCH_WATCHED;
    return copy_memory(r, heap, bytes) ? SL_LAUNCH_WATCHED : SL_LAUNCH_UNWATCHED;
}

bool sl_repetitions_ran(sl_repetitions *r, const sl_heap *heap, sl_known_launch *known, sl_repetition how, bool lapsed,
                        const sl_launch_stats *stats, uint64_t cycles)
{
    if (!known)
        return false;
    entry *e = &r->entry[known->number];
    known->stats = *stats;
    known->cycles = cycles;
    known->recorded = false;
    e->epoch = 0;
    if (how == SL_LAUNCH_UNWATCHED)
        return false;
    if (!lapsed && is_unchanged(r, heap)) {
        e->epoch = r->epoch;
        e->misses = 0;
        return true;
    }
    e->misses += e->misses < MAX_MISSES;
    e->skip = (1u << e->misses) - 1;
    return false;
}
