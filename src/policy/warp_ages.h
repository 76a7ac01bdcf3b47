/* SPDX-License-Identifier: MIT */
/* Which warps of a core have not ended, and in which order they began. Warps that began between two updates are of the
 * same age, and the lower place is the older; that a warp has ended is seen at an update, too. */
#ifndef SL_POLICY_WARP_AGES_H
#define SL_POLICY_WARP_AGES_H

#include "policy/policy.h"

enum { SL_MAX_CORE_WARPS = 64 };

typedef struct sl_warp_ages {
    uint64_t live; /* a bit each */
    uint64_t issued[SL_MAX_CORE_WARPS], began[SL_MAX_CORE_WARPS];
    uint64_t next; /* number of the next warp that begins */
} sl_warp_ages;

/* The warps that began since the last update. One that has issued less than before began in the place of another. */
static inline uint64_t sl_warp_ages_update(sl_warp_ages *a, const sl_core_work *work)
{
    uint64_t began = work->warps & ~a->live;
    for (uint64_t left = work->warps & a->live; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        began |= (uint64_t)(work->instructions[warp] < a->issued[warp]) << warp;
    }
    a->live = work->warps;
    for (uint64_t left = began; left; left &= left - 1)
        a->began[__builtin_ctzll(left)] = a->next++;
    for (uint64_t left = work->warps; left; left &= left - 1)
        a->issued[__builtin_ctzll(left)] = work->instructions[__builtin_ctzll(left)];
    return began;
}

/* Of some warps, at least one. */
static inline uint32_t sl_warp_ages_oldest(const sl_warp_ages *a, uint64_t warps)
{
    uint32_t best = (uint32_t)__builtin_ctzll(warps);
    for (uint64_t left = warps & (warps - 1); left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        best = a->began[warp] < a->began[best] ? warp : best;
    }
    return best;
}

/* Those that have not ended, without the `count` oldest. */
static inline uint64_t sl_warp_ages_younger(const sl_warp_ages *a, uint32_t count)
{
    uint64_t left = a->live;
    for (uint32_t i = 0; i < count && left; i++)
        left &= ~(UINT64_C(1) << sl_warp_ages_oldest(a, left));
    return left;
}

#endif
