/* SPDX-License-Identifier: MIT */
/* Tree pseudo-LRU: every inner node points to the half that was not used last; the victim is where the pointers lead.
 * Al-Zoubi et al., "Performance evaluation of cache replacement policies for the
 * SPEC CPU2000 benchmark suite", ACM Southeast 2004, as PLRUt.
 *
 * Where the ways are no power of two, the tree is that of the next one. It never leads to ways that do not exist or are
 * not evictable. */
#include "policy/policy.h"

typedef struct plru {
    uint8_t *right; /* [sets * leaves]: node n has children 2n and 2n + 1, node 1 is the root; 1: points to 2n + 1 */
    uint32_t leaves;
} plru;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    plru *p = self;
    (void)value;
    for (p->leaves = 1; p->leaves < geometry->ways;)
        p->leaves *= 2;
    p->right = sl_arena_array(arena, uint8_t, (size_t)geometry->sets * p->leaves);
    return p->right ? SL_OK : sl_fail_memory(error);
}

static bool any_in(const sl_way_mask *mask, uint32_t from, uint32_t count)
{
    uint32_t way = sl_way_from(mask, from);
    return way != SL_NO_WAY && way < from + count;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const plru *p = self;
    const uint8_t *right = &p->right[(size_t)access->set * p->leaves];
    uint32_t first = 0, node = 1;
    for (uint32_t half = p->leaves / 2; half; half /= 2) {
        bool go_right = right[node];
        if (!any_in(evictable, go_right ? first + half : first, half))
            go_right = !go_right;
        first += go_right ? half : 0;
        node = 2 * node + go_right;
    }
    return first;
}

/* All nodes above the way point away from it. */
static void on_use(void *self, const sl_cache_access *access, uint32_t way)
{
    plru *p = self;
    uint8_t *right = &p->right[(size_t)access->set * p->leaves];
    for (uint32_t node = p->leaves + way; node > 1; node /= 2)
        right[node / 2] = !(node & 1);
}

const sl_policy_ops sl_policy_plru = {
    .name = "plru",
    .summary = "tree pseudo-LRU",
    .source = "Al-Zoubi et al., ACM Southeast 2004",
    .state_bytes = sizeof(plru),
    .init = init,
    .victim = victim,
    .on_hit = on_use,
    .on_fill = on_use,
};
