/* SPDX-License-Identifier: MIT */
/* Least recently used. Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970.
 */
#include "policy/policy.h"

/* Each set is a ring in the order of use: caches of many ways would search long for the oldest stamp. Of each way it
 * has the older and the newer neighbor, behind the last way those of its end: the newest and the oldest. Most sets
 * have so few ways that a byte names one, and less of the host's cache is used. */
typedef struct lru {
    void *ring;    /* [sets * row] of uint8_t, or uint16_t if `wide` */
    uint32_t ways; /* the number of the end, too */
    uint32_t row;
    bool wide;
} lru;

enum { OLDER, NEWER, NEIGHBORS };

static inline size_t index_of(const lru *l, uint32_t set, uint32_t way, uint32_t neighbor)
{
    return (size_t)set * l->row + NEIGHBORS * way + neighbor;
}
static inline uint32_t get_neighbor(const lru *l, uint32_t set, uint32_t way, uint32_t neighbor)
{
    size_t at = index_of(l, set, way, neighbor);
    return l->wide ? ((const uint16_t *)l->ring)[at] : ((const uint8_t *)l->ring)[at];
}
static inline void set_neighbor(const lru *l, uint32_t set, uint32_t way, uint32_t neighbor, uint32_t to)
{
    size_t at = index_of(l, set, way, neighbor);
    if (l->wide)
        ((uint16_t *)l->ring)[at] = (uint16_t)to;
    else
        ((uint8_t *)l->ring)[at] = (uint8_t)to;
}
/* `newer` follows `older`. */
static inline void join(const lru *l, uint32_t set, uint32_t older, uint32_t newer)
{
    set_neighbor(l, set, older, NEWER, newer);
    set_neighbor(l, set, newer, OLDER, older);
}

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    lru *l = self;
    (void)value;
    if (geometry->ways >= UINT16_MAX)
        return sl_fail(error, SL_UNSUPPORTED, "policy 'lru' supports less than %u ways", UINT16_MAX);
    l->ways = geometry->ways;
    l->wide = geometry->ways > UINT8_MAX;
    l->row = NEIGHBORS * (geometry->ways + 1);
    l->ring = l->wide ? (void *)sl_arena_array(arena, uint16_t, (size_t)geometry->sets * l->row)
                      : (void *)sl_arena_array(arena, uint8_t, (size_t)geometry->sets * l->row);
    if (!l->ring)
        return sl_fail_memory(error);
    for (uint32_t set = 0; set < geometry->sets; set++)
        for (uint32_t way = 0; way <= l->ways; way++) /* the lowest way is the oldest */
            join(l, set, way ? way - 1 : l->ways, way);
    return SL_OK;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const lru *l = self;
    uint32_t way = get_neighbor(l, access->set, l->ways, NEWER);
    while (!sl_way_in(evictable, way))
        way = get_neighbor(l, access->set, way, NEWER);
    return way;
}

static void on_use(void *self, const sl_cache_access *access, uint32_t way)
{
    const lru copy = *(const lru *)self, *l = &copy;
    uint32_t set = access->set, newest = get_neighbor(l, set, l->ways, OLDER);
    if (newest == way)
        return;
    join(l, set, get_neighbor(l, set, way, OLDER), get_neighbor(l, set, way, NEWER));
    join(l, set, newest, way);
    join(l, set, way, l->ways);
}

static uint32_t likely(const void *self, uint32_t set)
{
    const lru *l = self;
    const char *ring = (const char *)l->ring + index_of(l, set, 0, 0) * (l->wide ? 2 : 1);
    for (uint32_t at = 0; at < l->row * (l->wide ? 2 : 1); at += 64)
        __builtin_prefetch(ring + at);
    return get_neighbor(l, set, l->ways, NEWER);
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
    .predict_victim = likely,
};
