/* SPDX-License-Identifier: MIT */
/* What goes in comes out: sums that hold for every launch, whatever the machine and its policies. */
#ifndef TESTS_SIM_CONSERVES_H
#define TESTS_SIM_CONSERVES_H

#include <stdio.h>

#include "sim/sim.h"

/* Requests that a level sends on: misses, bypasses, dirty lines, and stores where it does not keep them; less
 * those that join others, and those that another partition answers. */
static inline uint64_t sent_on(const sl_level *level, const sl_sim_level_result *r)
{
    uint64_t stores = r->accesses - r->hits - r->pending - r->misses - r->bypasses;
    return r->misses + r->bypasses + r->writebacks + (level->write == SL_WRITE_BACK ? 0 : stores) - r->coalesced -
           r->copies;
}

/* NULL, or the sum that does not hold. */
static inline const char *wrong_sum(const sl_machine *m, const sl_sim_result *r)
{
    const uint64_t *c = r->counts.total.value;
    uint64_t cycles = 0;
    for (int i = 0; i < SL_CYCLES; i++)
        cycles += r->scheduler_cycles[i];
    if (cycles != r->cycles * m->cores * m->core.schedulers)
        return "cycles of schedulers";
    if (r->scheduler_cycles[SL_CYCLE_ISSUE] != r->warp_insts)
        return "an instruction for each cycle of issue";
    if (c[SL_COUNTER_ld_sector_hits] + c[SL_COUNTER_ld_sector_misses] != c[SL_COUNTER_ld_sectors])
        return "hits and misses of loads";
    for (uint32_t i = 0; i < m->levels; i++) {
        const sl_sim_level_result *l = &r->level[i];
        uint64_t below = i + 1 < m->levels ? l[1].accesses : r->dram_row_hits + r->dram_row_misses;
        if (l->accesses < l->hits + l->pending + l->misses + l->bypasses)
            return "outcomes of requests";
        if (sent_on(&m->level[i], l) != below)
            return i + 1 < m->levels ? "requests from level to level" : "requests from the last level to memory";
        if (l->read_hit_sectors > l->read_sectors || l->unused_evictions > l->evictions ||
            l->unaccessed_evictions > l->unused_evictions)
            return "parts of a whole";
        if (!l->misses != !l->fill_sectors && m->level[i].partitions <= 1)
            return "a miss for each fill";
    }
    return NULL;
}

#endif
