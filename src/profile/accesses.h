/* SPDX-License-Identifier: MIT */
/* Statistics of the accesses of one core: distances, reuses, fills and the footprint, by memory instruction. */
#ifndef SL_PROFILE_ACCESSES_H
#define SL_PROFILE_ACCESSES_H

#include "access/cta.h"
#include "profile/footprint.h"
#include "profile/order.h"
#include "reuse/histogram.h"
#include "sluice/profile.h"
#include "trace/sparse_set.h"

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
