/* SPDX-License-Identifier: MIT */
/* Static re-reference interval prediction: new lines get a long, not a distant, prediction, so that a scan does not
 * evict lines in use. Jaleel et al., ISCA 2010, section 4. */
#include "policy/policy.h"
#include "policy/rrip.h"

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    return sl_rrip_init(self, geometry, value, arena, error);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_rrip_victim(self, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_rrip_hit(self, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_rrip_fill(self, access->set, way, false);
}

static const sl_param params[] = {SL_RRIP_PARAMS, {0}};

const sl_policy_ops sl_policy_srrip = {
    .name = "srrip",
    .summary = "static re-reference interval prediction: insert lines with a long interval, which resists scans",
    .source = "Jaleel et al., ISCA 2010, section 4",
    .params = params,
    .state_bytes = sizeof(sl_rrip),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
};
