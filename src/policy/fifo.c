/* SPDX-License-Identifier: MIT */
/* First in, first out: the line that was filled first is evicted. Smith, "Cache memories", ACM Computing Surveys 14(3),
 * 1982, section 2.4. */
#include "policy/policy.h"
#include "policy/stamps.h"

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    (void)value;
    return sl_stamps_init(self, geometry, arena, error);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_stamps_oldest(self, access->set, evictable);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_stamps_renew(self, access->set, way);
}

const sl_policy_ops sl_policy_fifo = {
    .name = "fifo",
    .summary = "first in, first out",
    .source = "Smith, ACM Computing Surveys 1982, section 2.4",
    .state_bytes = sizeof(sl_stamps),
    .init = init,
    .victim = victim,
    .on_fill = on_fill,
};
