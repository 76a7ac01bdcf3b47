/* SPDX-License-Identifier: MIT */
/* Time stamps of ways, by which FIFO, LFU and others order lines. Must be the first member of a policy's state. */
#ifndef SL_POLICY_STAMPS_H
#define SL_POLICY_STAMPS_H

#include "policy/policy.h"

typedef struct sl_stamps {
    uint64_t *stamp; /* [sets * ways] */
    uint64_t now;
    uint32_t ways;
} sl_stamps;

static inline sl_status sl_stamps_init(sl_stamps *s, const sl_cache_geometry *geometry, sl_arena *arena,
                                       sl_error *error)
{
    s->ways = geometry->ways;
    s->stamp = sl_arena_array(arena, uint64_t, (size_t)geometry->sets * geometry->ways);
    return s->stamp ? SL_OK : sl_fail_memory(error);
}

static inline void sl_stamps_renew(sl_stamps *s, uint32_t set, uint32_t way)
{
    s->stamp[(size_t)set * s->ways + way] = ++s->now;
}

static inline uint32_t sl_stamps_oldest(const sl_stamps *s, uint32_t set, const sl_way_mask *among)
{
    const uint64_t *stamp = &s->stamp[(size_t)set * s->ways];
    uint32_t oldest = sl_way_from(among, 0);
    for (uint32_t w = oldest; w != SL_NO_WAY; w = sl_way_from(among, w + 1))
        if (stamp[w] < stamp[oldest])
            oldest = w;
    return oldest;
}

/* Of those whose flag is `flag`; flags: [sets * ways]. SL_NO_WAY: there is none. */
static inline uint32_t sl_stamps_oldest_of(const sl_stamps *s, uint32_t set, const bool *flags, bool flag,
                                           const sl_way_mask *among)
{
    size_t first = (size_t)set * s->ways;
    uint32_t oldest = SL_NO_WAY;
    for (uint32_t w = sl_way_from(among, 0); w != SL_NO_WAY; w = sl_way_from(among, w + 1))
        if (flags[first + w] == flag && (oldest == SL_NO_WAY || s->stamp[first + w] < s->stamp[first + oldest]))
            oldest = w;
    return oldest;
}

#endif
