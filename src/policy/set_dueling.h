/* SPDX-License-Identifier: MIT */
/* Set dueling: leader sets of two kinds each use one design, and the follower sets use the one with fewer misses.
 * Qureshi et al., "Adaptive insertion policies for high performance caching", ISCA 2007.
 *
 * Sets form as many groups as there are leaders of a kind, each with one leader of both kinds, at positions that move
 * from group to group. A cache with fewer sets has fewer leaders; one with a single set has none and uses the first
 * design. */
#ifndef SL_POLICY_SET_DUELING_H
#define SL_POLICY_SET_DUELING_H

#include "policy/policy.h"

typedef struct sl_set_dueling {
    uint32_t leaders, group;         /* leaders of a kind; sets per group, 0: no set dueling */
    uint32_t selector, selector_max; /* PSEL; above the half, leaders of the first kind miss more */
    uint64_t misses[2];              /* of leaders */
} sl_set_dueling;

enum { SL_DUEL_FOLLOWER = 2 };

static inline void sl_set_dueling_init(sl_set_dueling *d, uint32_t sets, uint32_t leaders, uint32_t selector_bits)
{
    d->leaders = leaders < sets / 2 ? leaders : sets / 2;
    d->group = d->leaders ? sets / d->leaders : 0;
    d->selector_max = (1u << selector_bits) - 1;
    d->selector = d->selector_max / 2;
}

/* The kind of a set: leader of kind 0 or 1, or SL_DUEL_FOLLOWER. */
static inline uint32_t sl_set_dueling_kind(const sl_set_dueling *d, uint32_t set)
{
    if (!d->group || set / d->group >= d->leaders)
        return SL_DUEL_FOLLOWER;
    uint32_t number = set / d->group, position = set % d->group;
    if (position == number % d->group)
        return 0;
    return position == (number + d->group / 2) % d->group ? 1 : SL_DUEL_FOLLOWER;
}

/* The design that a set uses: 0 or 1. */
static inline uint32_t sl_set_dueling_side(const sl_set_dueling *d, uint32_t set)
{
    uint32_t kind = sl_set_dueling_kind(d, set);
    return kind != SL_DUEL_FOLLOWER ? kind : d->group && d->selector > d->selector_max / 2;
}

/* A leader of that kind was worse, or one of the other kind was better. */
static inline void sl_set_dueling_count(sl_set_dueling *d, uint32_t worse)
{
    if (worse == 0)
        d->selector += d->selector < d->selector_max;
    else
        d->selector -= d->selector > 0;
}

static inline void sl_set_dueling_miss(sl_set_dueling *d, uint32_t set)
{
    uint32_t kind = sl_set_dueling_kind(d, set);
    if (kind == SL_DUEL_FOLLOWER)
        return;
    d->misses[kind]++;
    sl_set_dueling_count(d, kind);
}

/* For caches that count hits instead: where nothing is reused, the selector stays where it is. */
static inline void sl_set_dueling_hit(sl_set_dueling *d, uint32_t set)
{
    uint32_t kind = sl_set_dueling_kind(d, set);
    if (kind != SL_DUEL_FOLLOWER)
        sl_set_dueling_count(d, !kind);
}

#endif
