/* SPDX-License-Identifier: MIT */
#include "access/cta.h"

#include <stdlib.h>

#include "base/heap.h"

uint32_t sl_cta_next_core(const sl_cta_config *c, sl_cta_rounds *r, uint64_t left)
{
    if (r->next_small < c->small_gpc_cores)
        return r->next_small++;
    uint32_t core = c->small_gpc_cores + r->next, stride = left <= c->neighbors ? c->neighbors : 1;
    r->next = (r->next + stride) % (c->cores - c->small_gpc_cores);
    if (c->small_gpc_cores && ++r->since == c->small_gpc_interval)
        r->since = r->next_small = 0;
    return core;
}

/* Skips cores that hold `room` blocks already; UINT32_MAX: all do. */
static uint32_t next_with_room(const sl_cta_config *c, sl_cta_rounds *r, uint64_t left, const uint32_t *held,
                               uint32_t room)
{
    for (uint32_t tries = 0; tries < 2 * c->cores; tries++) {
        uint32_t core = sl_cta_next_core(c, r, left);
        if (held[core] < room)
            return core;
    }
    for (uint32_t core = 0; core < c->cores; core++) /* the rounds of the last blocks do not come to all of them */
        if (held[core] < room)
            return core;
    return UINT32_MAX;
}

/* Schedules the first `blocks` in rounds; a core takes no more than its room before all are full. */
static void schedule_rounds(const sl_cta_config *c, uint64_t blocks, uint32_t *core_of, uint32_t *held)
{
    sl_cta_rounds rounds = {0};
    uint32_t room = c->resident_blocks;
    for (uint64_t b = 0; b < blocks; b++) {
        uint32_t core = next_with_room(c, &rounds, blocks - b, held, room);
        if (core == UINT32_MAX) {
            room += c->resident_blocks;
            core = next_with_room(c, &rounds, blocks - b, held, room);
        }
        held[core]++;
        core_of[b] = core;
    }
}

/* Room for a block on a core, by when it becomes free; equal ones in the order of rounds. */
typedef struct room {
    uint64_t free_at;
    uint32_t rank, core;
} room;

static bool sooner(const room *a, const room *b)
{
    return a->free_at != b->free_at ? a->free_at < b->free_at : a->rank < b->rank;
}

/* Schedules the blocks behind the first `resident`, which fill the cores, each to the core that is first to finish one.
 */
static void schedule_by_cost(uint64_t resident, uint64_t blocks, const uint64_t *cost, uint32_t *core_of, room *heap)
{
    for (uint64_t i = 0; i < resident; i++)
        heap[i] = (room){cost[i], (uint32_t)i, core_of[i]};
    for (uint64_t i = resident / 2; i-- > 0;)
        SL_HEAP_SINK(heap, resident, i, heap[i], sooner);
    for (uint64_t b = resident; b < blocks; b++) {
        core_of[b] = heap[0].core;
        heap[0].free_at += cost[b];
        SL_HEAP_SINK(heap, resident, 0, heap[0], sooner);
    }
}

static bool costs_differ(const uint64_t *cost, uint64_t blocks)
{
    uint64_t min = UINT64_MAX, max = 0;
    for (uint64_t b = 0; cost && b < blocks; b++) {
        min = cost[b] < min ? cost[b] : min;
        max = cost[b] > max ? cost[b] : max;
    }
    return cost && max >= 2 * min;
}

static void make_lists(uint32_t cores, uint64_t blocks, const uint32_t *core_of, sl_cta_lists *lists)
{
    for (uint64_t b = 0; b < blocks; b++)
        lists->first[core_of[b] + 1]++;
    for (uint32_t c = 0; c < cores; c++)
        lists->first[c + 1] += lists->first[c];
    for (uint64_t b = 0; b < blocks; b++)
        lists->block[lists->first[core_of[b]]++] = (uint32_t)b;
    for (uint32_t c = cores; c > 0; c--)
        lists->first[c] = lists->first[c - 1];
    lists->first[0] = 0;
}

sl_status sl_cta_schedule(const sl_cta_config *c, uint64_t blocks, const uint64_t *cost, sl_cta_lists *lists,
                          sl_error *error)
{
    *lists = (sl_cta_lists){0};
    if (blocks > UINT32_MAX)
        return sl_fail(error, SL_LIMIT, "a launch of more than 4 billion blocks");
    uint64_t resident = (uint64_t)c->cores * c->resident_blocks;
    bool by_cost = blocks > resident && costs_differ(cost, blocks);
    uint32_t *held = calloc(c->cores, sizeof *held), *core_of = malloc((blocks + 1) * sizeof *core_of);
    room *heap = by_cost ? malloc(resident * sizeof *heap) : NULL;
    lists->block = malloc((blocks + 1) * sizeof *lists->block);
    lists->first = calloc(c->cores + 1u, sizeof *lists->first);
    sl_status status = SL_OK;
    if (!held || !core_of || (by_cost && !heap) || !lists->block || !lists->first) {
        sl_cta_lists_fini(lists);
        status = sl_fail_memory(error);
    } else {
        schedule_rounds(c, by_cost ? resident : blocks, core_of, held);
        if (by_cost)
            schedule_by_cost(resident, blocks, cost, core_of, heap);
        make_lists(c->cores, blocks, core_of, lists);
    }
    free(held);
    free(core_of);
    free(heap);
    return status;
}

void sl_cta_lists_fini(sl_cta_lists *lists)
{
    free(lists->block);
    free(lists->first);
    *lists = (sl_cta_lists){0};
}
