/* SPDX-License-Identifier: MIT */
/* Dynamic re-reference interval prediction: set dueling between SRRIP and BRRIP. Jaleel et al., ISCA 2010, section 4. A
 * cache with a single set is SRRIP. */
#include "policy/policy.h"
#include "policy/rrip.h"
#include "policy/set_dueling.h"

enum { EVERY = SL_RRIP_FIRST, LEADERS, SELECTOR_BITS };

typedef struct drrip {
    sl_rrip rrip;
    uint64_t every, bimodal_fills;
    sl_set_dueling dueling; /* the first kind is SRRIP */
} drrip;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    drrip *d = self;
    d->every = value[EVERY];
    sl_set_dueling_init(&d->dueling, geometry->sets, (uint32_t)value[LEADERS], (uint32_t)value[SELECTOR_BITS]);
    return sl_rrip_init(&d->rrip, geometry, value, arena, error);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_rrip_victim(&((drrip *)self)->rrip, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_rrip_hit(&((drrip *)self)->rrip, access->set, way);
}

/* A fill is a miss. */
static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    drrip *d = self;
    sl_set_dueling_miss(&d->dueling, access->set);
    bool bimodal = sl_set_dueling_side(&d->dueling, access->set);
    sl_rrip_fill(&d->rrip, access->set, way, bimodal && ++d->bimodal_fills % d->every);
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const drrip *d = self;
    statistics->number(statistics->to, "selector", d->dueling.selector);
    statistics->number(statistics->to, "static_leader_misses", d->dueling.misses[0]);
    statistics->number(statistics->to, "bimodal_leader_misses", d->dueling.misses[1]);
}

static const sl_param params[] = {
    SL_RRIP_PARAMS,
    {"every", SL_PARAM_COUNT, 32, 1, 1u << 20, NULL,
     "one BRRIP fill in this many gets a long instead of a distant prediction", NULL},
    {"leaders", SL_PARAM_COUNT, 32, 1, 1u << 16, NULL, "leader sets of each kind; at most half of the sets each", NULL},
    {"selector_bits", SL_PARAM_COUNT, 10, 1, 20, NULL, "bits of the selector of set dueling (PSEL)", NULL},
    {0},
};

const sl_policy_ops sl_policy_drrip = {
    .name = "drrip",
    .summary = "dynamic re-reference interval prediction: srrip or brrip, whichever misses less, by set dueling",
    .source = "Jaleel et al., ISCA 2010, section 4",
    .params = params,
    .state_bytes = sizeof(drrip),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .report = report,
};
