/* SPDX-License-Identifier: MIT */
/* Least recently used. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970.
 */
#include "policy/policy.h"

/* Each set is a ring in the order of use: caches of many ways would search long for the oldest stamp. */
typedef struct neighbours {
    uint16_t older, newer;
} neighbours;

typedef struct lru {
    neighbours *ring; /* [sets * (ways + 1)]; the last of a set is its end, next to the newest and the oldest */
    uint32_t ways;
} lru;

static sl_status init(void *self, const sl_cache_shape *shape, const uint64_t *value, sl_arena *arena, sl_error *error)
{
    lru *l = self;
    size_t row = (size_t)shape->ways + 1;
    (void)value;
    if (row > UINT16_MAX)
        return sl_fail(error, SL_UNSUPPORTED, "policy 'lru' supports less than %u ways", UINT16_MAX);
    l->ways = shape->ways;
    l->ring = sl_arena_array(arena, neighbours, shape->sets * row);
    if (!l->ring)
        return sl_fail_memory(error);
    for (size_t i = 0; i < shape->sets * row; i++) { /* the lowest way is the oldest */
        size_t way = i % row;
        l->ring[i] = (neighbours){(uint16_t)(way ? way - 1 : row - 1), (uint16_t)(way + 1 < row ? way + 1 : 0)};
    }
    return SL_OK;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const lru *l = self;
    const neighbours *ring = &l->ring[(size_t)access->set * (l->ways + 1)];
    uint32_t way = ring[l->ways].newer;
    while (!sl_way_in(evictable, way))
        way = ring[way].newer;
    return way;
}

static void on_use(void *self, const sl_cache_access *access, uint32_t way)
{
    const lru *l = self;
    neighbours *ring = &l->ring[(size_t)access->set * (l->ways + 1)], *end = &ring[l->ways];
    if (end->older == way)
        return;
    ring[ring[way].older].newer = ring[way].newer;
    ring[ring[way].newer].older = ring[way].older;
    ring[way] = (neighbours){end->older, (uint16_t)l->ways};
    ring[end->older].newer = (uint16_t)way;
    end->older = (uint16_t)way;
}

static uint32_t likely(const void *self, uint32_t set)
{
    const lru *l = self;
    return l->ring[(size_t)set * (l->ways + 1) + l->ways].newer;
}

const sl_policy_ops sl_policy_lru = {
    .name = "lru",
    .summary = "least recently used",
    .source = "Mattson et al., IBM Systems Journal 1970",
    .state_bytes = sizeof(lru),
    .init = init,
    .victim = victim,
    .on_hit = on_use,
    .on_fill = on_use,
    .likely = likely,
};
