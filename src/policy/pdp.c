/* SPDX-License-Identifier: MIT */
/* Protecting distance: a line is protected for `pd` accesses to its set after each use; where all lines are protected,
 * requests bypass. Duong et al., "Improving cache management policies using dynamic reuse distances", MICRO 2012,
 * section 3, with a static distance (SPDP-B; without bypassing, SPDP-NB).
 *
 * A set full of lines in flight, of which one is unprotected, makes a request wait and not bypass.
 *
 * Among unprotected lines the LRU line is evicted, which the paper leaves open. If all are protected and one must be
 * evicted, it is the one with the longest remaining distance, lines without a hit first. */
#include "policy/protection.h"

enum { PD };

typedef struct pdp {
    sl_protection lines;
    bool is_asked; /* the cache calls admit: misses are seen there */
    uint64_t bypasses;
} pdp;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    return sl_protection_init(&((pdp *)self)->lines, geometry, (uint32_t)value[PD], arena, error);
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    pdp *p = self;
    p->is_asked = true;
    sl_protection_advance(&p->lines, access->set);
    if (!sl_access_reads(access) || sl_protection_admits(&p->lines, access->set, choices))
        return SL_ADMIT;
    p->bypasses++;
    return SL_BYPASS;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_protection_victim(&((pdp *)self)->lines, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    pdp *p = self;
    sl_protection_advance(&p->lines, access->set);
    sl_protection_renew(&p->lines, access->set, way, true);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    pdp *p = self;
    if (!p->is_asked)
        sl_protection_advance(&p->lines, access->set);
    sl_protection_renew(&p->lines, access->set, way, false);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    (void)reused;
    sl_protection_drop(&((pdp *)self)->lines, set, way);
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "bypasses", ((const pdp *)self)->bypasses);
}

static const uint64_t distances[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 0};

static const sl_param params[] = {
    {"pd", SL_PARAM_COUNT, 16, 1, 1u << 20, NULL,
     "protecting distance: accesses to the set for which a line is protected after a use", distances},
    {0},
};

const sl_policy_ops sl_policy_pdp = {
    .name = "pdp",
    .summary =
        "static protecting distance: protect lines for a number of accesses to their set; bypass if all are protected",
    .source = "Duong et al., MICRO 2012, section 3",
    .params = params,
    .state_bytes = sizeof(pdp),
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
