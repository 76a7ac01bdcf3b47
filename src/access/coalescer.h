/* SPDX-License-Identifier: MIT */
/* Request coalescing across SMs: some first levels next to each other share a way to the second, and a read that is in
 * flight already for the same sectors is not sent again. So many identical reads reach the second level as one
 * (coalesce_requests), of a group of cores (coalesce_cores), while the first of them is in flight. */
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

/* Whether another read may go along with one that `reads` have been sent as. */
static inline bool sl_coalescer_takes(const sl_level *first, uint32_t reads)
{
    return reads < first->coalesce_requests;
}

#endif
