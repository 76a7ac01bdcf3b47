/* SPDX-License-Identifier: MIT */
/* Random replacement. Smith, "Cache memories", ACM Computing Surveys 14(3), 1982, section 2.4. The generator is seeded
 * by the cache: runs are reproducible. */
#include "base/random.h"
#include "policy/policy.h"

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    (void)value, (void)arena, (void)error;
    *(sl_random *)self = sl_random_seed(geometry->seed);
    return SL_OK;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    (void)access;
    uint32_t count = 0;
    for (uint32_t word = 0; word < (evictable->ways + 63) / 64; word++)
        count += (uint32_t)__builtin_popcountll(evictable->bits[word]);
    uint32_t way = sl_way_from(evictable, 0);
    for (uint64_t skip = sl_random_below(self, count); skip; skip--)
        way = sl_way_from(evictable, way + 1);
    return way;
}

const sl_policy_ops sl_policy_random = {
    .name = "random",
    .summary = "random: every line with the same probability",
    .source = "Smith, ACM Computing Surveys 1982, section 2.4",
    .state_bytes = sizeof(sl_random),
    .init = init,
    .victim = victim,
};
