/* SPDX-License-Identifier: MIT */
/* A replacement policy for the program itself: most recently used. It evicts the line that was used last, so that a
 * part of a working set that is larger than the cache stays in it.
 *
 *   cc -shared -fPIC policy_plugin.c $(pkg-config --cflags sluice) -o policy_plugin.so
 *   sluice model gesummv --gpu fermi-gtx470 --policy-plugin policy_plugin.so --set L1.replacement=mru
 *   sluice sim gesummv --gpu fermi-gtx480 --policy-plugin policy_plugin.so --l1 'mru(spare=1)+decoupled' */
#include <sluice/policy.h>

typedef struct mru {
    uint64_t *last_use; /* [sets * ways] */
    uint64_t now;
    uint64_t spare;
    uint32_t ways;
} mru;

enum { SPARE };
static const sl_param mru_params[] = {
    {.name = "spare", .default_value = 0, .min = 0, .max = 63, .help = "so many of the lines used last are spared"},
    {0},
};

static sl_status mru_init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                          sl_error *error)
{
    mru *m = self;
    m->ways = geometry->ways;
    m->spare = value[SPARE];
    m->last_use = sl_arena_array(arena, uint64_t, (size_t)geometry->sets * geometry->ways);
    return m->last_use ? SL_OK : sl_fail_memory(error);
}

static void mru_use(void *self, const sl_cache_access *access, uint32_t way)
{
    mru *m = self;
    m->last_use[(size_t)access->set * m->ways + way] = ++m->now;
}

/* The latest use before `limit`; the first evictable way where there is none. */
static uint32_t latest(const uint64_t *last_use, const sl_way_mask *evictable, uint64_t limit)
{
    uint32_t found = SL_NO_WAY;
    for (uint32_t way = sl_way_from(evictable, 0); way != SL_NO_WAY; way = sl_way_from(evictable, way + 1))
        if (last_use[way] < limit && (found == SL_NO_WAY || last_use[way] > last_use[found]))
            found = way;
    return found == SL_NO_WAY ? sl_way_from(evictable, 0) : found;
}

static uint32_t mru_victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const mru *m = self;
    const uint64_t *last_use = &m->last_use[(size_t)access->set * m->ways];
    uint32_t way = latest(last_use, evictable, UINT64_MAX);
    for (uint64_t i = 0; i < m->spare; i++)
        way = latest(last_use, evictable, last_use[way]);
    return way;
}

static const sl_policy_ops mru_policy = {
    .name = "mru",
    .summary = "evicts the line that was used last",
    .source = "folklore",
    .params = mru_params,
    .state_bytes = sizeof(mru),
    .init = mru_init,
    .victim = mru_victim,
    .on_hit = mru_use,
    .on_fill = mru_use,
};

SL_POLICY_PLUGIN(&mru_policy)
