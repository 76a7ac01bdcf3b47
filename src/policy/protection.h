/* SPDX-License-Identifier: MIT */
/* Protected lines: each is protected for a number of accesses to its set after each use. Duong et al., MICRO 2012,
 * section 3. */
#ifndef SL_POLICY_PROTECTION_H
#define SL_POLICY_PROTECTION_H

#include "policy/policy.h"
#include "policy/stamps.h"

typedef struct sl_protection {
    sl_stamps stamps;
    uint32_t *left; /* [sets * ways]: accesses to the set for which the line stays protected; free ways have 0 */
    bool *reused;   /* [sets * ways] */
    uint32_t distance;
} sl_protection;

static inline sl_status sl_protection_init(sl_protection *p, const sl_cache_geometry *geometry, uint32_t distance,
                                           sl_arena *arena, sl_error *error)
{
    size_t lines = (size_t)geometry->sets * geometry->ways;
    p->distance = distance;
    p->left = sl_arena_array(arena, uint32_t, lines);
    p->reused = sl_arena_array(arena, bool, lines);
    if (!p->left || !p->reused)
        return sl_fail_memory(error);
    return sl_stamps_init(&p->stamps, geometry, arena, error);
}

static inline uint32_t *sl_protection_left(const sl_protection *p, uint32_t set)
{
    return &p->left[(size_t)set * p->stamps.ways];
}

/* An access to a set decrements its distances. */
static inline void sl_protection_advance(sl_protection *p, uint32_t set)
{
    uint32_t *left = sl_protection_left(p, set);
    for (uint32_t w = 0; w < p->stamps.ways; w++)
        left[w] -= left[w] > 0;
}

static inline void sl_protection_renew(sl_protection *p, uint32_t set, uint32_t way, bool reused)
{
    sl_protection_left(p, set)[way] = p->distance;
    p->reused[(size_t)set * p->stamps.ways + way] = reused;
    sl_stamps_renew(&p->stamps, set, way);
}

static inline void sl_protection_drop(sl_protection *p, uint32_t set, uint32_t way)
{
    sl_protection_left(p, set)[way] = 0;
}

/* Whether a line of the choices is unprotected; where all lines are in flight, whether one of these is. */
static inline bool sl_protection_admits(const sl_protection *p, uint32_t set, const sl_way_mask *choices)
{
    const uint32_t *left = sl_protection_left(p, set);
    uint32_t first = sl_way_from(choices, 0);
    for (uint32_t w = first; w != SL_NO_WAY; w = sl_way_from(choices, w + 1))
        if (!left[w])
            return true;
    for (uint32_t w = 0; first == SL_NO_WAY && w < p->stamps.ways; w++)
        if (!left[w])
            return true;
    return false;
}

/* Whether a is evicted rather than b: of unprotected lines the LRU line, of protected ones that with the longest
 * distance left, lines without a hit first. */
static inline bool sl_protection_is_worse(const sl_protection *p, uint32_t set, uint32_t a, uint32_t b)
{
    size_t first = (size_t)set * p->stamps.ways;
    const uint32_t *left = &p->left[first];
    const bool *reused = &p->reused[first];
    if (!left[a] || !left[b])
        return left[a] == left[b] ? p->stamps.stamp[first + a] < p->stamps.stamp[first + b] : !left[a];
    return reused[a] != reused[b] ? !reused[a] : left[a] > left[b];
}

static inline uint32_t sl_protection_victim(const sl_protection *p, uint32_t set, const sl_way_mask *evictable)
{
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (sl_protection_is_worse(p, set, w, victim))
            victim = w;
    return victim;
}

#endif
