/* SPDX-License-Identifier: MIT */
/* Least frequently used, with aging: the line with the lowest use count is evicted, LRU among equals. After `age_every`
 * accesses to a set all its counts are halved, so that once popular lines do not stay for ever. Robinson and
 * Devarakonda, "Data cache management using frequency-based replacement", SIGMETRICS 1990; they age by the mean count
 * instead. */
#include "policy/policy.h"
#include "policy/stamps.h"

enum { BITS, AGE_EVERY };

typedef struct lfu {
    sl_stamps stamps;
    uint32_t *uses;     /* [sets * ways] */
    uint32_t *accesses; /* [sets]: since its counts were halved */
    uint32_t max, age_every;
} lfu;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    lfu *l = self;
    l->max = (1u << value[BITS]) - 1;
    l->age_every = (uint32_t)value[AGE_EVERY];
    l->uses = sl_arena_array(arena, uint32_t, (size_t)geometry->sets * geometry->ways);
    l->accesses = sl_arena_array(arena, uint32_t, geometry->sets);
    if (!l->uses || !l->accesses)
        return sl_fail_memory(error);
    return sl_stamps_init(&l->stamps, geometry, arena, error);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const lfu *l = self;
    size_t first = (size_t)access->set * l->stamps.ways;
    const uint32_t *uses = &l->uses[first];
    const uint64_t *stamp = &l->stamps.stamp[first];
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (uses[w] < uses[victim] || (uses[w] == uses[victim] && stamp[w] < stamp[victim]))
            victim = w;
    return victim;
}

/* An access to a set; ages its counts when due. */
static void note(lfu *l, uint32_t set, uint32_t way)
{
    sl_stamps_renew(&l->stamps, set, way);
    if (!l->age_every || ++l->accesses[set] < l->age_every)
        return;
    l->accesses[set] = 0;
    for (uint32_t w = 0; w < l->stamps.ways; w++)
        l->uses[(size_t)set * l->stamps.ways + w] /= 2;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    lfu *l = self;
    uint32_t *uses = &l->uses[(size_t)access->set * l->stamps.ways + way];
    *uses += *uses < l->max;
    note(l, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    lfu *l = self;
    l->uses[(size_t)access->set * l->stamps.ways + way] = 1;
    note(l, access->set, way);
}

static const sl_param params[] = {
    {"bits", SL_PARAM_COUNT, 8, 1, 31, NULL, "bits of a line's use counter", NULL},
    {"age_every", SL_PARAM_COUNT, 256, 0, UINT32_MAX, NULL,
     "accesses to a set after which its counts are halved; 0: never", NULL},
    {0},
};

const sl_policy_ops sl_policy_lfu = {
    .name = "lfu",
    .summary = "least frequently used, with aging",
    .source = "Robinson and Devarakonda, SIGMETRICS 1990",
    .params = params,
    .state_bytes = sizeof(lfu),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
};
