/* SPDX-License-Identifier: MIT */
/* Many first caches in one pass: each must do, access by access, what a cache of its own does. */
#include "model/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support.h"

enum { LEVELS = 6 };

/* Sizes, ways and hashes of all kinds; lines of four sectors. */
static void make_levels(sl_level level[LEVELS], sl_write_policy write)
{
    static const struct {
        uint32_t sets, ways;
        sl_set_index index;
    } shape[LEVELS] = {{1, 8, SL_INDEX_MODULO}, {1, 3, SL_INDEX_MODULO}, {4, 2, SL_INDEX_MODULO},
                       {4, 5, SL_INDEX_MODULO}, {4, 2, SL_INDEX_BITS},   {3, 4, SL_INDEX_MIX}};
    for (int i = 0; i < LEVELS; i++) {
        level[i] = (sl_level){.line_bytes = 128,
                              .sector_bytes = 32,
                              .sets = shape[i].sets,
                              .ways = shape[i].ways,
                              .size_bytes = (uint64_t)128 * shape[i].sets * shape[i].ways,
                              .index = shape[i].index,
                              .set_bits = {1 << 7 | 1 << 9, 1 << 8 | 1 << 10},
                              .write = write,
                              .replacement = "lru"};
    }
}

/* What caches of their own say of the same accesses. */
typedef struct caches {
    sl_l1 *l1[LEVELS];
    uint64_t result[LEVELS][SL_LOAD_CLASSES];
} caches;

static void caches_load(caches *c, uint64_t time, uint64_t line, uint32_t sectors)
{
    for (int i = 0; i < LEVELS; i++) {
        sl_l1_outcome outcome;
        sl_l1_load(c->l1[i], time, 0, line, sectors, 0, NULL, &outcome);
        for (int k = 0; k < SL_LOAD_CLASSES; k++)
            c->result[i][k] += (uint64_t)__builtin_popcount(outcome.sectors[k]);
    }
}

static void caches_bypass(caches *c, uint64_t time, uint64_t line, uint32_t sectors, bool lookup)
{
    for (int i = 0; i < LEVELS; i++) {
        sl_l1_outcome outcome;
        sl_l1_bypass(c->l1[i], time, line, sectors, lookup, &outcome);
        for (int k = 0; k < SL_LOAD_CLASSES; k++)
            c->result[i][k] += (uint64_t)__builtin_popcount(outcome.sectors[k]);
    }
}

static void check(uint64_t seed, uint64_t lines, sl_write_policy write, bool no_associativity)
{
    sl_level level[LEVELS];
    sl_error error;
    sl_stacks *stacks;
    caches c = {0};
    make_levels(level, write);
    for (int i = 0; i < LEVELS; i++) {
        sl_l1_config config = {
            .level = &level[i], .warps = 1, .no_latency = true, .no_mshr = true, .no_associativity = no_associativity};
        assert_int_equal(sl_l1_create(&config, &c.l1[i], &error), SL_OK);
    }
    assert_int_equal(sl_stacks_create(level, LEVELS, no_associativity, &stacks, &error), SL_OK);
    sl_random random = sl_random_seed(seed);
    for (uint64_t time = 0; time < 4000; time++) {
        uint64_t line = 1000 + sl_random_below(&random, lines), kind = sl_random_below(&random, 16);
        uint32_t sectors = 1 + (uint32_t)sl_random_below(&random, 15);
        if (kind < 12) {
            caches_load(&c, time, line, sectors);
            sl_stacks_load(stacks, line, sectors, true);
        } else if (kind == 12) {
            caches_bypass(&c, time, line, sectors, time & 1);
            sl_stacks_bypass(stacks, line, sectors, time & 1);
        } else if (kind == 13) {
            for (int i = 0; i < LEVELS; i++)
                sl_l1_invalidate(c.l1[i], time, line);
            sl_stacks_invalidate(stacks, line);
        } else {
            for (int i = 0; i < LEVELS; i++)
                sl_l1_store(c.l1[i], time, line, sectors, NULL, NULL);
            sl_stacks_store(stacks, line, sectors);
        }
        assert_memory_equal(sl_stacks_result(stacks), c.result, sizeof c.result);
    }
    assert_false(sl_stacks_failed(stacks));
    for (int i = 0; i < LEVELS; i++)
        sl_l1_destroy(c.l1[i]);
    sl_stacks_destroy(stacks);
}

static void stacks_do_what_each_cache_does(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        check(seed, 6 + seed * 7, SL_WRITE_THROUGH, false);
}

static void stacks_do_so_when_stores_evict(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        check(seed, 6 + seed * 7, SL_WRITE_EVICT, false);
}

static void stacks_do_so_when_stores_stay(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        check(seed, 6 + seed * 7, SL_WRITE_BACK, false);
}

static void stacks_do_so_without_sets(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        check(seed, 6 + seed * 7, SL_WRITE_EVICT, true);
}

/* Loads that are not counted move lines all the same; loads that are not looked up are bypassed by all. */
static void only_counted_loads_show(void **state)
{
    (void)state;
    sl_level level[LEVELS];
    sl_error error;
    sl_stacks *stacks;
    make_levels(level, SL_WRITE_THROUGH);
    assert_int_equal(sl_stacks_create(level, 1, false, &stacks, &error), SL_OK);
    sl_stacks_load(stacks, 5, 3, false);
    sl_stacks_load(stacks, 5, 7, true);
    sl_stacks_bypass(stacks, 5, 15, false);
    assert_int_equal(sl_stacks_result(stacks)[0][SL_LOAD_HIT], 2);
    assert_int_equal(sl_stacks_result(stacks)[0][SL_LOAD_COMPULSORY], 1);
    assert_int_equal(sl_stacks_result(stacks)[0][SL_LOAD_BYPASSED], 4);
    sl_stacks_destroy(stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_do_what_each_cache_does), cmocka_unit_test(stacks_do_so_when_stores_evict),
        cmocka_unit_test(stacks_do_so_when_stores_stay),  cmocka_unit_test(stacks_do_so_without_sets),
        cmocka_unit_test(only_counted_loads_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
