/* SPDX-License-Identifier: MIT */
/* Request coalescing across SMs: neighbouring cores (coalesce_cores) share a coalescer, which merges up to
 * coalesce_requests identical reads into one while the first of them is in flight to the second level. */
#ifndef SL_ACCESS_COALESCER_H
#define SL_ACCESS_COALESCER_H

#include "machine/machine.h"

static inline bool sl_coalescer_exists(const sl_level *first)
{
    return first->coalesce_requests > 1 && first->coalesce_cores > 1;
}

/* Which coalescer a core has. Cores of the small GPC (numbered first) share one in pairs, the others in groups; a
 * `small_gpc_cores` of 0 makes no difference between them. */
static inline uint32_t sl_coalescer_of(const sl_level *first, uint32_t small_gpc_cores, uint32_t core)
{
    if (!first->coalesce_cores)
        return core;
    return core < small_gpc_cores ? core / 2
                                  : (small_gpc_cores + 1) / 2 + (core - small_gpc_cores) / first->coalesce_cores;
}

/* Whether another read can be merged with one that already stands for `reads`. */
static inline bool sl_coalescer_takes(const sl_level *first, uint32_t reads)
{
    return reads < first->coalesce_requests;
}

#endif
