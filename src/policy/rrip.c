/* SPDX-License-Identifier: MIT */
#include "policy/rrip.h"

const char *const sl_rrip_hit_words[] = {"priority", "frequency", NULL};

sl_status sl_rrip_init(sl_rrip *r, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                       sl_error *error)
{
    r->ways = geometry->ways;
    r->distant = (uint8_t)((1u << value[SL_RRIP_BITS]) - 1);
    r->hit = (uint8_t)value[SL_RRIP_HIT];
    r->value = sl_arena_array(arena, uint8_t, (size_t)geometry->sets * geometry->ways);
    return r->value ? SL_OK : sl_fail_memory(error);
}

/* Ages once, by what the maximum of the evictable lines lacks to distant. */
uint32_t sl_rrip_victim(sl_rrip *r, uint32_t set, const sl_way_mask *evictable)
{
    uint8_t *value = &r->value[(size_t)set * r->ways];
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (value[w] > value[victim])
            victim = w;
    unsigned lacks = (unsigned)r->distant - value[victim];
    for (uint32_t w = 0; lacks && w < r->ways; w++)
        value[w] = (uint8_t)(value[w] + lacks < r->distant ? value[w] + lacks : r->distant);
    return victim;
}

void sl_rrip_hit(sl_rrip *r, uint32_t set, uint32_t way)
{
    uint8_t *value = &r->value[(size_t)set * r->ways + way];
    *value = (uint8_t)(r->hit == SL_RRIP_HIT_PRIORITY || !*value ? 0 : *value - 1);
}

void sl_rrip_fill(sl_rrip *r, uint32_t set, uint32_t way, bool distant)
{
    r->value[(size_t)set * r->ways + way] = (uint8_t)(distant ? r->distant : r->distant - 1);
}
