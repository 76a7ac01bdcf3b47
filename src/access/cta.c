/* SPDX-License-Identifier: MIT */
#include "access/cta.h"

#include <stdlib.h>

#include "base/heap.h"

/* ---- rounds ---- */

/* Cores of a GPC, the small one left out, numbered from `first`. Those that are left over in twos belong to the last.
 */
typedef struct gpc {
    uint32_t first, cores;
} gpc;

static gpc gpc_of(const sl_cta_config *c, uint32_t number)
{
    uint32_t gpcs = c->cores / c->neighbors, pairs = c->cores % c->neighbors / 2, small = c->small_gpc_cores;
    uint32_t each = pairs / gpcs, more = pairs % gpcs; /* pairs of all GPCs, and how many have one more */
    uint32_t before = number + more > gpcs ? number + more - gpcs : 0;
    uint32_t first = number * (c->neighbors + 2 * each) + 2 * before;
    uint32_t end = first + c->neighbors + 2 * (each + (number + more >= gpcs));
    end = number + 1 == gpcs ? c->cores : end;
    first = first < small ? small : first;
    return (gpc){first, end > first ? end - first : 0};
}

/* What a GPC gets of blocks that are dealt one by one until each GPC has `level`, if its cores are as many; at first
 * one core of each pair takes part. */
static uint32_t gpc_share(gpc g, uint32_t level, bool pairs)
{
    uint32_t half = (g.cores + 1) / 2, most = pairs ? g.cores : half, least = pairs ? half : 0;
    return level < least ? least : level > most ? most : level;
}

static uint32_t shares(const sl_cta_config *c, uint32_t level, bool pairs)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c->cores / c->neighbors; i++)
        sum += gpc_share(gpc_of(c, i), level, pairs);
    return sum;
}

/* The core of block `at` of the `blocks` of a round that does not come to all cores. */
static uint32_t last_round_core(const sl_cta_config *c, uint32_t blocks, uint32_t at)
{
    if (at < c->small_gpc_cores || !c->neighbors || c->neighbors > c->cores)
        return at;
    at -= c->small_gpc_cores;
    blocks -= c->small_gpc_cores;
    bool pairs = shares(c, UINT32_MAX, false) < blocks;
    uint32_t level = 0;
    while (level < c->cores && shares(c, level + 1, pairs) <= blocks)
        level++;
    uint32_t more = blocks - shares(c, level, pairs); /* GPCs that have one block more */
    for (uint32_t i = 0;; i++) {
        gpc g = gpc_of(c, i);
        uint32_t share = gpc_share(g, level, pairs), half = (g.cores + 1) / 2;
        if (more && gpc_share(g, level + 1, pairs) > share) {
            share++;
            more--;
        }
        uint32_t twos = share > half ? share - half : 0; /* pairs of which both cores have a block */
        if (at < share)
            return g.first + (at < 2 * twos ? at : 2 * (at - twos));
        at -= share;
    }
}

uint32_t sl_cta_next_core(const sl_cta_config *c, sl_cta_rounds *r, uint64_t left)
{
    r->total = r->total ? r->total : left;
    uint64_t whole = r->total / c->cores, last = whole * c->cores, done = r->total - left;
    bool at_once = r->total <= (uint64_t)c->cores * c->resident_blocks;
    if (at_once && done >= last)
        return last_round_core(c, (uint32_t)(r->total - last), (uint32_t)(done - last));
    if (r->next_small < c->small_gpc_cores && !(at_once && r->small >= whole)) {
        r->small += r->next_small + 1 == c->small_gpc_cores;
        return r->next_small++;
    }
    uint32_t core = c->small_gpc_cores + r->next, stride = !at_once && left <= c->neighbors ? c->neighbors : 1;
    r->next = (r->next + stride) % (c->cores - c->small_gpc_cores);
    if (c->small_gpc_cores && ++r->since == c->small_gpc_interval)
        r->since = r->next_small = 0;
    return core;
}

/* ---- beforehand ---- */

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
