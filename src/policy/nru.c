/* SPDX-License-Identifier: MIT */
/* Random among the ways that were not used recently: a bit per way says that it was; when all of a set have it, those
 * of the others are cleared. The UltraSPARC T2 has such bits for its L2 (Sun Microsystems, OpenSPARC T2 Core
 * Microarchitecture Specification, 2007), with a pointer in place of chance. The generator is seeded by the cache. */
#include "base/random.h"
#include "policy/policy.h"

typedef struct nru {
    uint64_t *used; /* [sets * words]: a bit per way */
    uint32_t words, ways;
    sl_random random;
} nru;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    nru *n = self;
    (void)value;
    n->ways = geometry->ways;
    n->words = (geometry->ways + 63) / 64;
    n->random = sl_random_seed(geometry->seed);
    n->used = sl_arena_array(arena, uint64_t, (size_t)geometry->sets * n->words);
    return n->used ? SL_OK : sl_fail_memory(error);
}

/* Any of the ways that may leave: used or not. */
static uint64_t choices(const sl_way_mask *evictable, const uint64_t *used, uint32_t word, bool any)
{
    return evictable->bits[word] & (any ? UINT64_MAX : ~used[word]);
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    nru *n = self;
    const uint64_t *used = &n->used[(size_t)access->set * n->words];
    uint32_t count = 0;
    bool any = false;
    for (uint32_t word = 0; word < n->words; word++)
        count += (uint32_t)__builtin_popcountll(choices(evictable, used, word, false));
    if (!count) {
        any = true;
        for (uint32_t word = 0; word < n->words; word++)
            count += (uint32_t)__builtin_popcountll(evictable->bits[word]);
    }
    uint64_t skip = sl_random_below(&n->random, count);
    for (uint32_t word = 0; word < n->words; word++)
        for (uint64_t bits = choices(evictable, used, word, any); bits; bits &= bits - 1)
            if (!skip--)
                return word * 64 + (uint32_t)__builtin_ctzll(bits);
    return sl_way_from(evictable, 0);
}

static void on_use(void *self, const sl_cache_access *access, uint32_t way)
{
    nru *n = self;
    uint64_t *used = &n->used[(size_t)access->set * n->words];
    uint32_t count = 0;
    used[way / 64] |= UINT64_C(1) << way % 64;
    for (uint32_t word = 0; word < n->words; word++)
        count += (uint32_t)__builtin_popcountll(used[word]);
    if (count < n->ways)
        return;
    for (uint32_t word = 0; word < n->words; word++)
        used[word] = 0;
    used[way / 64] = UINT64_C(1) << way % 64;
}

const sl_policy_ops sl_policy_nru = {
    .name = "nru",
    .summary = "random among the ways that were not recently used",
    .source = "OpenSPARC T2 Core Microarchitecture Specification, 2007",
    .state_bytes = sizeof(nru),
    .init = init,
    .victim = victim,
    .on_hit = on_use,
    .on_fill = on_use,
};
