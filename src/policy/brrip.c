/* SPDX-License-Identifier: MIT */
/* Bimodal re-reference interval prediction: most new lines get a distant prediction and are evicted first, so that a
 * part of a working set larger than the cache stays. Jaleel et al., ISCA 2010, section 4. Every 32nd new line gets a
 * long prediction, where the paper has a probability of 1/32. */
#include "policy/policy.h"
#include "policy/rrip.h"

typedef struct brrip {
    sl_rrip rrip;
    uint64_t every, fills;
} brrip;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    brrip *b = self;
    b->every = value[SL_RRIP_FIRST];
    return sl_rrip_init(&b->rrip, geometry, value, arena, error);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_rrip_victim(&((brrip *)self)->rrip, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_rrip_hit(&((brrip *)self)->rrip, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    brrip *b = self;
    sl_rrip_fill(&b->rrip, access->set, way, ++b->fills % b->every);
}

static const sl_param params[] = {
    SL_RRIP_PARAMS,
    {"every", SL_PARAM_COUNT, 32, 1, 1u << 20, NULL,
     "one new line in this many gets a long instead of a distant prediction", NULL},
    {0},
};

const sl_policy_ops sl_policy_brrip = {
    .name = "brrip",
    .summary = "bimodal re-reference interval prediction: insert most lines as distant, which resists thrashing",
    .source = "Jaleel et al., ISCA 2010, section 4",
    .params = params,
    .state_bytes = sizeof(brrip),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
};
