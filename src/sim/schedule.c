/* SPDX-License-Identifier: MIT */
/* Warp scheduling: loose round robin, greedy then oldest, greedy then youngest, two-level. */
#include "sim/core.h"

/* The first set bit from `from` on, wrapping around. */
static uint32_t in_turn(uint64_t mask, uint32_t from)
{
    uint64_t behind = from < 64 ? mask & ~UINT64_C(0) << from : 0;
    return (uint32_t)__builtin_ctzll(behind ? behind : mask);
}

static uint32_t by_age(const sl_sim_core *core, uint64_t mask, bool youngest)
{
    uint32_t best = (uint32_t)__builtin_ctzll(mask);
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(mask);
        if ((core->warp[w].age < core->warp[best].age) != youngest)
            best = w;
    }
    return best;
}

uint32_t sl_schedule_pick(const sl_sim *sim, const sl_sim_core *core, const sl_scheduler *s, uint64_t from)
{
    sl_scheduling way = sim->machine.core.scheduling;
    if (way == SL_SCHEDULE_LRR || way == SL_SCHEDULE_TWO_LEVEL)
        return in_turn(from, s->last + 1);
    if (from >> s->last & 1)
        return s->last;
    return by_age(core, from, way == SL_SCHEDULE_GTY);
}

void sl_schedule_refill(const sl_sim *sim, const sl_sim_core *core, sl_scheduler *s)
{
    uint64_t candidates = s->warps & core->in_state[SL_WARP_RUNS];
    s->active &= candidates;
    candidates &= ~s->active;
    while (candidates && (uint32_t)__builtin_popcountll(s->active) < sim->machine.core.active_warps) {
        uint64_t bit = UINT64_C(1) << in_turn(candidates, s->last + 1);
        s->active |= bit;
        candidates &= ~bit;
    }
}
