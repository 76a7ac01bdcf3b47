/* Least recently used: the line whose last use is longest ago leaves. Mattson et al., "Evaluation techniques for
 * storage hierarchies", IBM Systems Journal 9(2), 1970. */
#include "policy/policy.h"
#include "policy/stamps.h"

static sl_status init(void *self, const sl_cache_shape *shape, const uint64_t *value, sl_arena *arena, sl_error *error)
{
    (void)value;
    return sl_stamps_init(self, shape, arena, error);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_stamps_oldest(self, access->set, evictable);
}

static void on_use(void *self, const sl_cache_access *access, uint32_t way)
{
    sl_stamps_put(self, access->set, way);
}

const sl_policy_ops sl_policy_lru = {
    .name = "lru",
    .summary = "least recently used",
    .source = "Mattson et al., IBM Systems Journal 1970",
    .state_bytes = sizeof(sl_stamps),
    .init = init,
    .victim = victim,
    .on_hit = on_use,
    .on_fill = on_use,
};
