/* SPDX-License-Identifier: MIT */
/* Filling histograms over powers of two. */
#ifndef SL_CACHE_HISTOGRAM_H
#define SL_CACHE_HISTOGRAM_H

#include "reuse/reuse.h"
#include "sluice/profile.h"

static inline void sl_distances_add(sl_distances *d, uint64_t distance)
{
    unsigned bin = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
    if (distance == SL_REUSE_NEVER)
        d->never++;
    else
        d->bin[bin < SL_DISTANCE_BINS ? bin : SL_DISTANCE_BINS - 1]++;
}

/* Of the bins of line_reuses. */
static inline unsigned sl_reuse_bin(uint32_t reuses)
{
    return reuses < 3 ? reuses : 33 - (unsigned)__builtin_clz(reuses - 1);
}

#endif
