/* SPDX-License-Identifier: MIT */
/* Which launches of a program stand for all of them, and how sure their sum is: stratified sampling in two phases.
 *
 * Launches that count alike (kernel, grid, thread instructions, requests and sectors) are a stratum; the first launch
 * of each kernel is one of its own. Where that makes too many strata, launches that count nearly alike share one. A
 * stratum is ordered by size and time and cut into parts; of each part one launch, chosen at random, is analyzed, and
 * stands for the others. The first phase has up to three parts per stratum; then those whose results vary most are cut
 * further (Neyman allocation), until the interval is as narrow as it was asked for. */
#ifndef SL_ANALYSIS_LAUNCH_SAMPLE_H
#define SL_ANALYSIS_LAUNCH_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sluice/error.h"

/* What is known of a launch before it is analyzed. */
typedef struct sl_launch_sample_unit {
    uint32_t kernel;
    uint64_t blocks, warp_insts, thread_insts, requests, sectors;
} sl_launch_sample_unit;

typedef struct sl_launch_sample {
    uint32_t launches, strata, chosen_launches;
    uint64_t seed;
    sl_launch_sample_unit *unit; /* [launches] */
    uint32_t *order;             /* [launches]: of each stratum, by size and time */
    uint32_t *first;             /* [strata + 1]: where each begins in `order` */
    uint32_t *parts;             /* [strata] */
    bool *chosen;                /* [launches] */
    bool *known;                 /* [launches]: it has been analyzed; set by the caller */
} sl_launch_sample;

/* Puts the launches into strata and chooses those of the first phase. Takes over `unit`, also after a failure. */
sl_status sl_launch_sample_create(sl_launch_sample_unit *unit, uint32_t launches, uint64_t seed,
                                  sl_launch_sample *sample, sl_error *error);
void sl_launch_sample_fini(sl_launch_sample *sample); /* zeros are fine */

/* Chooses as many more launches as it takes for the interval of the sum of `value` (valid where known) to be at most
 * `target` of the sum to either side, as far as that can be known. Returns whether there are any. */
bool sl_launch_sample_refine(sl_launch_sample *sample, const double *value, double target);

/* [launches]: the analyzed launch that stands for each; UINT32_MAX where none was analyzed at all. */
void sl_launch_sample_stand_ins(const sl_launch_sample *sample, uint32_t *of);

typedef struct sl_interval {
    double total, half; /* the 95 % interval is total - half … total + half */
} sl_interval;

/* Of the sum of `value` over all launches. `by_sectors`: a number stands for others in proportion to their sectors.
 * `allowance` (may be NULL): for each launch, by how much a number that stands for another one may be off by the state
 * of the caches; it does not average out. */
sl_interval sl_launch_sample_interval(const sl_launch_sample *sample, const uint32_t *of, const double *value,
                                      bool by_sectors, const double *allowance);

#endif
