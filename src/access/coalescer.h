/* SPDX-License-Identifier: MIT */
/* Request coalescing across SMs: of the reads of neighboring cores (coalesce_cores, a GPC) the second level takes up
 * to coalesce_requests identical ones as one while the first of them is there. One read of a line is open to that at a
 * time; a read of other sectors of the line closes it, and is not open itself. */
#ifndef SL_ACCESS_COALESCER_H
#define SL_ACCESS_COALESCER_H

#include "machine/machine.h"

static inline bool sl_coalescer_exists(const sl_level *first)
{
    return first->coalesce_requests > 1 && first->coalesce_cores > 1;
}

/* Which coalescer a core has. */
static inline uint32_t sl_coalescer_of(const sl_level *first, uint32_t core)
{
    return first->coalesce_cores ? core / first->coalesce_cores : core;
}

/* Whether another read can be merged with one that already stands for `reads`. */
static inline bool sl_coalescer_takes(const sl_level *first, uint32_t reads)
{
    return reads < first->coalesce_requests;
}

#endif
