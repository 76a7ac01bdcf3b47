/* SPDX-License-Identifier: MIT */
/* Statistics of the accesses of one core: distances, reuses, fills and the footprint, by memory instruction. */
#ifndef SL_PROFILE_ACCESSES_H
#define SL_PROFILE_ACCESSES_H

#include <stdbool.h>

#include "access/cta.h"
#include "profile/order.h"
#include "reuse/reuse.h"
#include "sluice/profile.h"
#include "trace/sparse_set.h"

/* Footprint over time: how many different lines are accessed in each of a number of windows of equal length, exact, in
 * one pass, without knowing beforehand how long the run will be. Time counts accesses.
 *
 * An access is the first of its line in a window if the line's previous access was before the window. Windows are 2^k
 * accesses long, so that two times are in different windows exactly when they differ in a bit at or above k: a window
 * keeps its accesses by the highest bit in which they differ from the previous one. When there are too many windows,
 * neighbors are added up and k grows by one; nothing is lost by that. */

enum { SL_FOOTPRINT_FIRST = 64, SL_FOOTPRINT_LEVELS }; /* beyond all bits: lines never accessed before */

typedef struct sl_footprint {
    uint32_t max; /* windows; there are at least half as many once there were as many accesses */
    unsigned log2_window;
    uint64_t accesses;
    uint64_t (*window)[SL_FOOTPRINT_LEVELS]; /* [max] */
} sl_footprint;

/* `windows`: at least that many and less than twice that many in the end. False when memory runs out. */
bool sl_footprint_init(sl_footprint *footprint, uint32_t windows);
void sl_footprint_fini(sl_footprint *footprint); /* an all-zero one is fine */
/* Adds up neighbors until windows are 2^log2_window accesses long (or longer already). */
void sl_footprint_coarsen(sl_footprint *footprint, unsigned log2_window);

/* The next access; the same line was last accessed at time `previous` (from 0), or never: UINT64_MAX. */
static inline void sl_footprint_access(sl_footprint *footprint, uint64_t previous)
{
    uint64_t now = footprint->accesses++;
    if (now >> footprint->log2_window >= footprint->max)
        sl_footprint_coarsen(footprint, footprint->log2_window + 1);
    unsigned level = previous == UINT64_MAX ? SL_FOOTPRINT_FIRST : 63 - (unsigned)__builtin_clzll(now ^ previous);
    footprint->window[now >> footprint->log2_window][level]++;
}

uint32_t sl_footprint_windows(const sl_footprint *footprint); /* begun so far */
sl_footprint_window sl_footprint_at(const sl_footprint *footprint, uint32_t index);

typedef struct sl_core_accesses {
    sl_profile_counts *slot; /* [mem_slots] */
    sl_footprint footprint;
    sl_sparse_set lines;
} sl_core_accesses;

/* Runs core number `core`'s share of the launch. On failure nothing needs to be freed. */
sl_status sl_core_accesses_run(const sl_loaded *loaded, const sl_walk_plan *plan, const sl_cta_lists *lists,
                               const sl_profile_options *options, uint32_t core, sl_core_accesses *result,
                               sl_error *error);
void sl_core_accesses_fini(sl_core_accesses *result); /* an all-zero one is fine */

#endif
