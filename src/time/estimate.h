/* SPDX-License-Identifier: MIT */
/* An estimate of the cycles of a launch, from what the model says of its caches and a sample of its blocks simulated on
 * one core (docs/time.md). The launch takes
 *
 *   launch + sqrt(core^2 + max(L2, DRAM, atomics, block starts)^2)
 *
 * where `core` is the time of the busiest core with everything below to itself, and the others are what all cores
 * share.
 */
#ifndef SL_TIME_ESTIMATE_H
#define SL_TIME_ESTIMATE_H

#include "model/model.h"
#include "time/sample.h"

/* What is known of a launch; times in cycles. */
typedef struct sl_time_facts {
    uint64_t launch_cycles; /* before the first instruction */
    sl_core_sample sample;  /* of the busiest core */
    uint64_t insts;         /* of all its warps, and of the longest */
    uint64_t longest_warp;
    uint64_t all_insts, cores; /* of all cores; cores that have blocks */
    uint64_t blocks;           /* of the launch, as the following */
    uint64_t l2_read_sectors, l2_write_sectors, atomic_sectors;
    uint64_t dram_read_sectors, dram_write_sectors;
    sl_hot_atomics atomics;
    uint64_t load_lines, fill_sectors; /* of the busiest core: requests to the first level, and what it fetches */
    uint64_t all_load_lines, all_fill_sectors;
    uint32_t resident_warps; /* at once, of the busiest core */
} sl_time_facts;

typedef struct sl_time_estimate {
    uint64_t cycles;
    sl_time_limit limit;
    double core, l2, dram, atomics, starts; /* the terms */
    uint64_t ideal_cycles[SL_TIME_IDEALS];
    double index_share; /* of what the sample issued */
} sl_time_estimate;

/* The formula. */
sl_time_estimate sl_time_of(const sl_machine *machine, const sl_time_facts *facts);

/* Simulates a sample, and adds est_cycles, est_limit and, where the machine's clock is known, est_ns to the total of
 * the result of the model, and its ideal_cycles. Without a sampler (NULL) nothing is added. */
sl_status sl_time_add(sl_sampler *sampler, const sl_machine *machine, const sl_loaded *loaded, sl_model_result *result,
                      sl_error *error);

#endif
