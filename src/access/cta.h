/* SPDX-License-Identifier: MIT */
/* CTA scheduling: which core runs which block of a launch.
 *
 * Blocks are issued round robin, one to each core, until all cores hold as many as they can; then each goes to the core
 * that is first to finish one. A GPU may have a small GPC, whose cores (numbered first) are scheduled in separate
 * rounds: one at the start, and one after every small_gpc_interval blocks of the other cores. Where all blocks of a
 * launch are resident at the same time, no core gets two more than another: the small GPC has no more rounds than there
 * are whole ones, and what is left is spread over the GPCs (cores that share a coalescer), to one core of each TPC
 * (pair of neighbors) before the second (measured: papers/h200-micro/places.csv). Otherwise the last few blocks go to
 * cores that do not share a coalescer.
 *
 * The simulator knows when a core has room, and takes cores from the rounds as it goes. The profile and the model do
 * not simulate time: they schedule all blocks beforehand, by what is known of their cost. */
#ifndef SL_ACCESS_CTA_H
#define SL_ACCESS_CTA_H

#include "machine/machine.h"

typedef struct sl_cta_config {
    uint32_t cores, resident_blocks; /* cores, and the blocks that each holds at once */
    uint32_t small_gpc_cores, small_gpc_interval;
    uint32_t neighbors; /* cores that share a coalescer; 0: none do */
} sl_cta_config;

static inline sl_cta_config sl_cta_config_of(const sl_machine *m, uint32_t resident_blocks)
{
    return (sl_cta_config){m->cores, resident_blocks, m->core.small_gpc_cores, m->core.small_gpc_interval,
                           m->level[0].coalesce_cores};
}

/* State of the rounds over the cores; starts as zeroes. */
typedef struct sl_cta_rounds {
    uint64_t total;      /* blocks of the launch */
    uint32_t next;       /* core, of those that are not in the small GPC */
    uint32_t next_small; /* of those that are; as many as there are: their round is over */
    uint32_t since;      /* blocks of the others since then */
    uint64_t small;      /* rounds over the small GPC that are over */
} sl_cta_rounds;

/* The next core of the rounds, whether it has room or not; `left`: blocks still to be scheduled. */
uint32_t sl_cta_next_core(const sl_cta_config *config, sl_cta_rounds *rounds, uint64_t left);

/* The blocks of each core, in the order in which it runs them. */
typedef struct sl_cta_lists {
    uint32_t *block; /* [blocks] */
    size_t *first;   /* [cores + 1]: core c runs block[first[c]] … block[first[c + 1] - 1] */
} sl_cta_lists;

/* Schedules all blocks. `cost`: of each block, in any unit, where that is known: blocks whose costs differ by a factor
 * of two and more go to the core that is first to finish one. NULL: all cost the same. */
sl_status sl_cta_schedule(const sl_cta_config *config, uint64_t blocks, const uint64_t *cost, sl_cta_lists *lists,
                          sl_error *error);
void sl_cta_lists_fini(sl_cta_lists *lists); /* zeroes are fine */

#endif
