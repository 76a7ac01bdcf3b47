/* SPDX-License-Identifier: MIT */
#include "model/l1.h"

#include <stdlib.h>
#include <string.h>

sl_status sl_policy_ways_init(sl_policy_ways *w, const sl_policy_choice *choice, const sl_cache_geometry *shape,
                              sl_error *error)
{
    size_t positions = (size_t)shape->sets * shape->ways;
    w->ways = shape->ways;
    w->held = calloc(shape->sets, sizeof *w->held);
    w->occupant = malloc(positions * sizeof *w->occupant);
    w->reused = calloc(positions, sizeof *w->reused);
    w->all_ways = calloc((shape->ways + 63) / 64, sizeof *w->all_ways);
    if (!w->held || !w->occupant || !w->reused || !w->all_ways)
        return sl_fail_memory(error);
    memset(w->occupant, 0xff, positions * sizeof *w->occupant);
    for (uint32_t way = 0; way < shape->ways; way++)
        w->all_ways[way / 64] |= UINT64_C(1) << (way % 64);
    return sl_policy_init(&w->policy, choice, shape, error);
}

void sl_policy_ways_fini(sl_policy_ways *w)
{
    sl_policy_fini(&w->policy);
    free(w->held);
    free(w->occupant);
    free(w->reused);
    free(w->all_ways);
}

static uint32_t free_way(const sl_policy_ways *w, uint32_t set)
{
    uint32_t way = 0;
    while (w->occupant[(size_t)set * w->ways + way] != SL_NOBODY)
        way++;
    return way;
}

void sl_policy_ways_hit(sl_policy_ways *w, const sl_cache_access *access, uint32_t way)
{
    w->reused[(size_t)access->set * w->ways + way] = true;
    sl_policy_hit(&w->policy, access, way);
}

uint32_t sl_policy_ways_enter(sl_policy_ways *w, const sl_cache_access *access, uint32_t line, uint32_t *way)
{
    uint32_t gone = SL_NOBODY;
    if (w->held[access->set] == w->ways) {
        sl_way_mask all = {w->all_ways, w->ways};
        *way = sl_policy_victim(&w->policy, access, &all);
        gone = w->occupant[(size_t)access->set * w->ways + *way];
        sl_policy_ways_evict(w, access->set, *way);
    } else {
        *way = free_way(w, access->set);
    }
    size_t position = (size_t)access->set * w->ways + *way;
    w->occupant[position] = line;
    w->reused[position] = false;
    w->held[access->set]++;
    sl_policy_fill(&w->policy, access, *way);
    return gone;
}

void sl_policy_ways_evict(sl_policy_ways *w, uint32_t set, uint32_t way)
{
    size_t position = (size_t)set * w->ways + way;
    sl_policy_evict(&w->policy, set, way, w->reused[position]);
    w->occupant[position] = SL_NOBODY;
    w->held[set]--;
}
