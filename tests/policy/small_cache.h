/* SPDX-License-Identifier: MIT */
/* A cache of tags around its policies, as small as the interface allows, for tests. Data is there at once. */
#ifndef TESTS_POLICY_SMALL_CACHE_H
#define TESTS_POLICY_SMALL_CACHE_H

#include <stdlib.h>
#include <string.h>

#include "policy/line_counts.h"
#include "policy/policy.h"
#include "support.h"

enum { SMALL_CACHE_MAX = 4096, SMALL_CACHE_WORDS = 8 };

typedef struct small_cache {
    sl_policy policy; /* chooses victims */
    sl_policy bypass; /* ops NULL: the first does all */
    uint32_t sets, ways;
    uint64_t line[SMALL_CACHE_MAX]; /* [sets * ways]: line + 1; 0: free */
    bool reused[SMALL_CACHE_MAX];
    uint64_t locked[SMALL_CACHE_WORDS]; /* ways that may not leave */
    uint64_t now;                       /* cycle of the next access */
    uint32_t warp;                      /* of the next access */
    bool slow;                          /* hits find lines that are still on their way */
    uint64_t misses, bypasses;
    sl_line_counts *no_counts; /* of a first run that saw nothing, where the test has none */
} small_cache;

/* The policies of a text; where it has none that replaces, LRU does. */
static inline void small_cache_init_in(small_cache *c, const char *policies, const sl_cache_geometry *given)
{
    sl_cache_geometry own = *given, *geometry = &own;
    sl_policy_pair pair;
    sl_error error = {0};
    memset(c, 0, sizeof *c);
    assert_true(geometry->sets * geometry->ways <= SMALL_CACHE_MAX && geometry->ways <= SMALL_CACHE_WORDS * 64);
    c->sets = geometry->sets;
    c->ways = geometry->ways;
    c->no_counts = sl_line_counts_create(1);
    if (!geometry->counts)
        geometry->counts = c->no_counts;
    assert_int_equal(sl_policies_parse(NULL, policies, &pair, &error), SL_OK);
    if (!pair.replacement.ops)
        assert_int_equal(sl_policy_parse("lru", &pair.replacement, &error), SL_OK);
    assert_int_equal(sl_policy_init(&c->policy, &pair.replacement, geometry, &error), SL_OK);
    if (pair.bypass.ops)
        assert_int_equal(sl_policy_init(&c->bypass, &pair.bypass, geometry, &error), SL_OK);
}

static inline void small_cache_init(small_cache *c, const char *policies, uint32_t sets, uint32_t ways)
{
    small_cache_init_in(c, policies, &(sl_cache_geometry){.sets = sets, .ways = ways, .seed = 7, .instances = 1});
}

static inline void small_cache_fini(small_cache *c)
{
    sl_error error;
    assert_int_equal(sl_policy_check(&c->policy, &error), SL_OK);
    if (c->bypass.ops)
        assert_int_equal(sl_policy_check(&c->bypass, &error), SL_OK);
    sl_policy_fini(&c->policy);
    sl_policy_fini(&c->bypass);
    sl_line_counts_destroy(c->no_counts);
}

/* The policy that decides on bypassing. */
static inline sl_policy *small_cache_asked(small_cache *c)
{
    return c->bypass.ops ? &c->bypass : &c->policy;
}

static inline uint32_t small_cache_find(const small_cache *c, uint64_t line)
{
    for (uint32_t w = 0; w < c->ways; w++)
        if (c->line[line % c->sets * c->ways + w] == line + 1)
            return w;
    return SL_NO_WAY;
}

/* Ways that are not locked: with lines, and free ones where these are asked for. */
static inline void small_cache_choices(const small_cache *c, uint32_t set, bool with_free, uint64_t *bits)
{
    memset(bits, 0, SMALL_CACHE_WORDS * sizeof *bits);
    for (uint32_t w = 0; w < c->ways; w++)
        if (c->line[set * c->ways + w] ? !(c->locked[w / 64] >> (w % 64) & 1) : with_free)
            bits[w / 64] |= UINT64_C(1) << (w % 64);
}

static inline void small_cache_evict(small_cache *c, uint32_t set, uint32_t way)
{
    sl_policy_evict(&c->policy, set, way, c->reused[set * c->ways + way]);
    if (c->bypass.ops)
        sl_policy_evict(&c->bypass, set, way, c->reused[set * c->ways + way]);
    c->line[set * c->ways + way] = 0;
}

/* A store, say, drops a line. */
static inline void small_cache_drop(small_cache *c, uint64_t line)
{
    uint32_t way = small_cache_find(c, line);
    assert_int_not_equal(way, SL_NO_WAY);
    small_cache_evict(c, (uint32_t)(line % c->sets), way);
}

static inline uint32_t small_cache_room(small_cache *c, const sl_cache_access *access)
{
    uint64_t evictable[SMALL_CACHE_WORDS];
    for (uint32_t w = 0; w < c->ways; w++)
        if (!c->line[access->set * c->ways + w])
            return w;
    small_cache_choices(c, access->set, false, evictable);
    sl_way_mask mask = {evictable, c->ways};
    uint32_t way = c->policy.ops->victim(c->policy.self, access, &mask);
    assert_true(sl_way_in(&mask, way));
    small_cache_evict(c, access->set, way);
    return way;
}

/* An access that misses bypasses, if the policy says so. */
static inline bool small_cache_past(small_cache *c, const sl_cache_access *access)
{
    uint64_t bits[SMALL_CACHE_WORDS];
    sl_way_mask mask = {bits, c->ways};
    small_cache_choices(c, access->set, true, bits);
    if (sl_policy_admit(small_cache_asked(c), access, &mask) == SL_ADMIT)
        return false;
    c->bypasses++;
    small_cache_choices(c, access->set, false, bits);
    uint32_t way = sl_policy_evict_on_bypass(small_cache_asked(c), access, &mask);
    if (way != SL_NO_WAY)
        small_cache_evict(c, access->set, way);
    return true;
}

/* An access to a line by an instruction. True: a hit. */
static inline bool small_cache_access(small_cache *c, uint64_t line, uint32_t pc, sl_mem_access kind)
{
    sl_cache_access access = {
        .line = line, .set = (uint32_t)(line % c->sets), .pc = pc, .kind = kind, .now = c->now, .warp = c->warp};
    uint32_t way = small_cache_find(c, line);
    if (way != SL_NO_WAY) {
        c->reused[access.set * c->ways + way] = true;
        access.pending = c->slow;
        sl_policy_hit(&c->policy, &access, way);
        if (c->bypass.ops)
            sl_policy_hit(&c->bypass, &access, way);
        return true;
    }
    c->misses++;
    if (small_cache_past(c, &access))
        return false;
    way = small_cache_room(c, &access);
    c->line[access.set * c->ways + way] = line + 1;
    c->reused[access.set * c->ways + way] = false;
    sl_policy_fill(&c->policy, &access, way);
    if (c->bypass.ops)
        sl_policy_fill(&c->bypass, &access, way);
    return false;
}

static inline bool small_cache_load(small_cache *c, uint64_t line, uint32_t pc)
{
    return small_cache_access(c, line, pc, SL_ACCESS_LOAD);
}

/* A miss that cannot continue; the next level's word on a line. */
static inline sl_admission small_cache_stall(small_cache *c, uint64_t line, sl_stall reason)
{
    sl_cache_access access = {.line = line, .set = (uint32_t)(line % c->sets), .kind = SL_ACCESS_LOAD, .now = c->now};
    return sl_policy_stall(small_cache_asked(c), &access, reason);
}

static inline void small_cache_hear(small_cache *c, uint64_t line, uint32_t pc, uint32_t flags)
{
    sl_cache_access access = {
        .line = line, .set = (uint32_t)(line % c->sets), .pc = pc, .kind = SL_ACCESS_LOAD, .now = c->now};
    sl_policy_feedback(small_cache_asked(c), &access, flags);
}

/* ---- as text, for a cache of one set ---- */

/* Loads these lines into the only set; small letters by instruction 1, capital ones, the same lines, by 2. */
static inline void load(small_cache *c, const char *lines)
{
    for (; *lines; lines++) {
        bool capital = *lines >= 'A' && *lines <= 'Z';
        small_cache_load(c, (uint64_t)(capital ? *lines - 'A' : *lines - 'a'), capital ? 2 : 1);
    }
}

/* Loads some more lines, and says what the set holds then. */
static inline void check_after(small_cache *c, const char *lines, const char *ways)
{
    char found[65] = {0};
    load(c, lines);
    for (uint32_t w = 0; w < c->ways; w++)
        found[w] = (char)(c->line[w] ? 'a' + (char)(c->line[w] - 1) : '.');
    assert_string_equal(found, ways);
}

/* ---- what a policy reports ---- */

typedef struct small_cache_told {
    const char *name;
    uint64_t value;
} small_cache_told;

static inline void small_cache_note(void *to, const char *name, uint64_t value)
{
    small_cache_told *told = to;
    if (!strcmp(name, told->name))
        told->value = value;
}

/* The number of that name; UINT64_MAX: there is none. */
static inline uint64_t reported(small_cache *c, const char *name)
{
    small_cache_told told = {name, UINT64_MAX};
    sl_policy *policy = small_cache_asked(c);
    policy->ops->report(policy->self, &(sl_policy_statistics){small_cache_note, &told});
    return told.value;
}

#endif
