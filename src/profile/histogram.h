/* Histograms over powers of two. */
#ifndef SL_PROFILE_HISTOGRAM_H
#define SL_PROFILE_HISTOGRAM_H

#include <stdint.h>

#include "cache/reuse.h"

enum { SL_DISTANCE_BINS = 48, SL_REUSE_BINS = 34 };

/* Bin 0 holds 0, bin k > 0 holds 2^(k-1) … 2^k - 1. */
typedef struct sl_distances {
    uint64_t never; /* first touches */
    uint64_t bin[SL_DISTANCE_BINS];
} sl_distances;

static inline void sl_distances_add(sl_distances *d, uint64_t distance)
{
    unsigned bin = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
    if (distance == SL_REUSE_NEVER)
        d->never++;
    else
        d->bin[bin < SL_DISTANCE_BINS ? bin : SL_DISTANCE_BINS - 1]++;
}
static inline uint64_t sl_distance_least(unsigned bin)
{
    return bin ? UINT64_C(1) << (bin - 1) : 0;
}
static inline uint64_t sl_distance_most(unsigned bin)
{
    return (UINT64_C(1) << bin) - 1;
}

/* Bins 0, 1 and 2 hold 0, 1 and 2; bin k > 2 holds 2^(k-2) + 1 … 2^(k-1): 3-4, 5-8, … */
static inline unsigned sl_reuse_bin(uint32_t reuses)
{
    return reuses < 3 ? reuses : 33 - (unsigned)__builtin_clz(reuses - 1);
}
static inline uint64_t sl_reuse_least(unsigned bin)
{
    return bin < 3 ? bin : (UINT64_C(1) << (bin - 2)) + 1;
}
static inline uint64_t sl_reuse_most(unsigned bin)
{
    return bin < 3 ? bin : UINT64_C(1) << (bin - 1);
}

#endif
