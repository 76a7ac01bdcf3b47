/* SPDX-License-Identifier: MIT */
#include "model/deal.h"

#include <stdlib.h>

typedef struct dealing {
    const sl_machine *machine;
    const sl_loaded *loaded;
    uint32_t resident_blocks;
} dealing;

static bool blocks_are_alike(const sl_loaded *loaded)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint64_t i = 0; i < sl_loaded_blocks(loaded); i++) {
        uint64_t bytes = sl_loaded_block_bytes(loaded, i);
        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
    }
    return most < 2 * least;
}

/* Places for blocks on cores, by when they become free; equal ones in the order of rounds. */
typedef struct place {
    uint64_t free_at;
    uint32_t rank, core;
} place;

static bool sooner(const place *a, const place *b)
{
    return a->free_at != b->free_at ? a->free_at < b->free_at : a->rank < b->rank;
}

static void sink(place *heap, size_t count, size_t at)
{
    place moved = heap[at];
    size_t child;
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count && sooner(&heap[child + 1], &heap[child]))
            child++;
        if (!sooner(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Rounds over the cores. A small cluster of cores (numbered first) has rounds of its own: one to begin with, and one
 * after every so many blocks of the others; a core that is full is passed over. */
typedef struct rounds {
    uint32_t apart, every; /* cores of the small cluster, and blocks of the others between its rounds */
    uint32_t next, next_apart, since;
    uint32_t stride; /* from a core to the next: the last few blocks of a launch go to cores far from each other */
} rounds;

static uint32_t next_core(const dealing *d, rounds *r, const uint32_t *held, uint32_t wave)
{
    for (uint32_t tries = 0; tries < 2 * d->machine->cores; tries++) {
        uint32_t core;
        if (r->next_apart < r->apart) {
            core = r->next_apart++;
        } else {
            core = r->apart + r->next;
            r->next = (r->next + r->stride) % (d->machine->cores - r->apart);
            if (r->apart && ++r->since == r->every)
                r->since = r->next_apart = 0;
        }
        if (held[core] < wave)
            return core;
    }
    return UINT32_MAX;
}

/* Deals the blocks before `end` in rounds; a core takes no more than its room before all are full. */
static void deal_in_rounds(const dealing *d, uint64_t end, uint32_t *core_of, uint32_t *held)
{
    rounds r = {.apart = d->machine->core.apart, .every = d->machine->core.apart_every};
    uint32_t wave = d->resident_blocks, group = d->machine->level[0].merge_group;
    for (uint64_t b = 0; b < end; b++) {
        r.stride = b + group >= end && group ? group : 1;
        uint32_t core = next_core(d, &r, held, wave);
        if (core == UINT32_MAX) {
            wave += d->resident_blocks;
            core = next_core(d, &r, held, wave);
        }
        held[core]++;
        core_of[b] = core;
    }
}

/* Deals the blocks behind the first `dealt`, which fill the cores, each to the core that is first to finish one. */
static void deal_by_size(const dealing *d, uint64_t dealt, uint32_t *core_of, place *heap)
{
    for (uint64_t i = 0; i < dealt; i++)
        heap[i] = (place){sl_loaded_block_bytes(d->loaded, i), (uint32_t)i, core_of[i]};
    for (uint64_t i = dealt / 2; i-- > 0;)
        sink(heap, dealt, i);
    for (uint64_t b = dealt; b < sl_loaded_blocks(d->loaded); b++) {
        core_of[b] = heap[0].core;
        heap[0].free_at += sl_loaded_block_bytes(d->loaded, b);
        sink(heap, dealt, 0);
    }
}

sl_status sl_deal_blocks(const sl_machine *machine, const sl_loaded *loaded, uint32_t resident_blocks,
                         uint32_t *core_of, sl_error *error)
{
    const dealing d = {machine, loaded, resident_blocks};
    uint64_t blocks = sl_loaded_blocks(loaded), places = (uint64_t)machine->cores * resident_blocks;
    bool rounds_only = blocks <= places || blocks_are_alike(loaded);
    uint32_t *held = calloc(machine->cores, sizeof *held);
    place *heap = rounds_only ? NULL : malloc(places * sizeof *heap);
    sl_status status = held && (heap || rounds_only) ? SL_OK : sl_fail_memory(error);
    if (!status)
        deal_in_rounds(&d, rounds_only ? blocks : places, core_of, held);
    if (!status && !rounds_only)
        deal_by_size(&d, places, core_of, heap);
    free(held);
    free(heap);
    return status;
}
