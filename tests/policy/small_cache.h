/* A cache of tags around a policy, as small as the interface allows, for tests. */
#ifndef TESTS_POLICY_SMALL_CACHE_H
#define TESTS_POLICY_SMALL_CACHE_H

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"
#include "support.h"

enum { SMALL_CACHE_MOST = 4096, SMALL_CACHE_WORDS = 8 };

typedef struct small_cache {
    sl_policy policy;
    uint32_t sets, ways;
    uint64_t line[SMALL_CACHE_MOST]; /* [sets * ways]: line + 1; 0: free */
    bool reused[SMALL_CACHE_MOST];
    uint64_t locked[SMALL_CACHE_WORDS]; /* ways that may not leave */
    uint64_t misses;
} small_cache;

static inline void small_cache_init(small_cache *c, const char *policy, uint32_t sets, uint32_t ways)
{
    sl_policy_choice choice;
    sl_error error = {0};
    memset(c, 0, sizeof *c);
    assert_true(sets * ways <= SMALL_CACHE_MOST && ways <= SMALL_CACHE_WORDS * 64);
    c->sets = sets;
    c->ways = ways;
    assert_int_equal(sl_policy_parse(policy, &choice, &error), SL_OK);
    assert_int_equal(
        sl_policy_init(&c->policy, &choice, &(sl_cache_shape){.sets = sets, .ways = ways, .seed = 7}, &error), SL_OK);
}

static inline void small_cache_fini(small_cache *c)
{
    sl_error error;
    assert_int_equal(sl_policy_check(&c->policy, &error), SL_OK);
    sl_policy_fini(&c->policy);
}

static inline uint32_t small_cache_find(const small_cache *c, uint64_t line)
{
    for (uint32_t w = 0; w < c->ways; w++)
        if (c->line[line % c->sets * c->ways + w] == line + 1)
            return w;
    return SL_NO_WAY;
}

static inline uint32_t small_cache_room(small_cache *c, const sl_cache_access *access)
{
    uint64_t evictable[SMALL_CACHE_WORDS] = {0};
    for (uint32_t w = 0; w < c->ways; w++) {
        if (!c->line[access->set * c->ways + w])
            return w;
        evictable[w / 64] |= ~c->locked[w / 64] & UINT64_C(1) << (w % 64);
    }
    sl_way_mask mask = {evictable, c->ways};
    uint32_t way = c->policy.ops->victim(c->policy.self, access, &mask);
    assert_true(sl_way_in(&mask, way));
    sl_policy_evict(&c->policy, access->set, way, c->reused[access->set * c->ways + way]);
    return way;
}

/* A load of a line by an instruction. True: a hit. */
static inline bool small_cache_load(small_cache *c, uint64_t line, uint32_t pc)
{
    sl_cache_access access = {.line = line, .set = (uint32_t)(line % c->sets), .pc = pc, .kind = SL_ACCESS_LOAD};
    uint32_t way = small_cache_find(c, line);
    bool hit = way != SL_NO_WAY;
    if (hit) {
        c->reused[access.set * c->ways + way] = true;
        sl_policy_hit(&c->policy, &access, way);
        return true;
    }
    way = small_cache_room(c, &access);
    c->line[access.set * c->ways + way] = line + 1;
    c->reused[access.set * c->ways + way] = false;
    sl_policy_fill(&c->policy, &access, way);
    c->misses++;
    return false;
}

#endif
