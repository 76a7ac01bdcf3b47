/* SPDX-License-Identifier: MIT */
/* SIEVE: lines stay in the order in which they came; a hit only marks a line. A hand goes from the oldest line to the
 * newest and round again: it clears marks, and evicts the first line without one. Zhang et al., "SIEVE is simpler than
 * LRU: an efficient turn-key eviction algorithm for web caches", NSDI 2024, section 3.
 *
 * As published (compared with libCacheSim, by its authors): one mark, new lines without it, and the hand, which after
 * an eviction is at the next newer line; where the newest was evicted it begins again at the oldest, so that the line
 * that replaces the evicted one is not the next to be looked at.
 * Ours: a queue and a hand for each set, because a line cannot leave its set. Lines that may not leave are passed over
 * and keep their mark. */
#include "policy/policy.h"
#include "policy/stamps.h"

typedef struct sieve {
    sl_stamps came;
    bool *marked;   /* [sets * ways] */
    uint64_t *hand; /* [sets]: the stamp of the line that it passed last; 0: it is at the oldest */
} sieve;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    sieve *s = self;
    (void)value;
    s->marked = sl_arena_array(arena, bool, (size_t)geometry->sets * geometry->ways);
    s->hand = sl_arena_array(arena, uint64_t, geometry->sets);
    if (!s->marked || !s->hand)
        return sl_fail_memory(error);
    return sl_stamps_init(&s->came, geometry, arena, error);
}

/* The oldest line that came behind the hand; SL_NO_WAY: the hand is at the end. */
static uint32_t next_of(const sieve *s, uint32_t set, const sl_way_mask *among)
{
    const uint64_t *stamp = &s->came.stamp[(size_t)set * s->came.ways];
    uint32_t next = SL_NO_WAY;
    for (uint32_t w = sl_way_from(among, 0); w != SL_NO_WAY; w = sl_way_from(among, w + 1))
        if (stamp[w] > s->hand[set] && (next == SL_NO_WAY || stamp[w] < stamp[next]))
            next = w;
    return next;
}

static bool is_newest(const sieve *s, uint32_t set, uint32_t way)
{
    const uint64_t *stamp = &s->came.stamp[(size_t)set * s->came.ways];
    for (uint32_t w = 0; w < s->came.ways; w++)
        if (stamp[w] > stamp[way])
            return false;
    return true;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    sieve *s = self;
    uint64_t *hand = &s->hand[access->set];
    for (;;) {
        uint32_t way = next_of(s, access->set, evictable);
        if (way == SL_NO_WAY) {
            *hand = 0;
            continue;
        }
        size_t at = (size_t)access->set * s->came.ways + way;
        *hand = s->came.stamp[at];
        if (!s->marked[at]) {
            if (is_newest(s, access->set, way))
                *hand = 0;
            return way;
        }
        s->marked[at] = false;
    }
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    sieve *s = self;
    s->marked[(size_t)access->set * s->came.ways + way] = true;
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    sieve *s = self;
    s->marked[(size_t)access->set * s->came.ways + way] = false;
    sl_stamps_renew(&s->came, access->set, way);
}

const sl_policy_ops sl_policy_sieve = {
    .name = "sieve",
    .summary = "a hand goes over lines in the order they came, and evicts the first without a hit since it passed",
    .source = "Zhang et al., NSDI 2024, section 3",
    .state_bytes = sizeof(sieve),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
};
