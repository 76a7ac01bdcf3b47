/* SPDX-License-Identifier: MIT */
/* The caches of the model with the policies of src/policy. */
#include <string.h>

#include "base/random.h"
#include "model/l1.h"
#include "model/levels.h"
#include "model/shared.h"
#include "policy/policy.h"
#include "support.h"

static sl_l1 *make_l1(const sl_l1_config *config)
{
    sl_l1 *l1;
    sl_error error;
    assert_int_equal(sl_l1_create(config, &l1, &error), SL_OK);
    return l1;
}

static bool hits(sl_l1 *l1, uint64_t time, uint64_t line)
{
    sl_l1_outcome outcome;
    sl_l1_load(l1, time, 0, line, 1, 0, NULL, &outcome);
    return outcome.sectors[SL_LOAD_HIT];
}

static sl_level level_with(const char *policy, uint32_t sets, uint32_t ways)
{
    sl_level level = sectored_level(sets, ways);
    strcpy(level.replacement, policy);
    return level;
}

/* ---- the first level ---- */

static void srrip_keeps_a_line_in_use_through_a_scan(void **state)
{
    (void)state;
    for (int scan_resistant = 0; scan_resistant < 2; scan_resistant++) {
        sl_level level = level_with(scan_resistant ? "srrip" : "lru", 1, 4);
        sl_l1 *l1 = make_l1(&(sl_l1_config){.level = &level, .no_latency = true});
        uint64_t time = 0;
        assert_false(hits(l1, time++, 0));
        assert_true(hits(l1, time++, 0));
        for (uint64_t line = 1; line <= 6; line++)
            assert_false(hits(l1, time++, line));
        assert_int_equal(hits(l1, time, 0), scan_resistant);
        sl_l1_destroy(l1);
    }
}

/* Instruction 2 streams: after the first of its lines has left unused, the others leave before those of 1. */
static void ship_knows_which_instruction_asked(void **state)
{
    (void)state;
    sl_level level = level_with("ship", 1, 2);
    for (int takes_time = 0; takes_time < 2; takes_time++) {
        sl_l1 *l1 = make_l1(&(sl_l1_config){.level = &level, .latency = 5, .warps = 1, .no_latency = !takes_time});
        uint64_t time = 0;
        sl_l1_by(l1, 1);
        hits(l1, time += 10, 0);
        hits(l1, time += 10, 0);
        sl_l1_by(l1, 2);
        for (uint64_t line = 1; line < 20; line++)
            hits(l1, time += 10, line);
        sl_l1_by(l1, 1);
        assert_true(hits(l1, time + 10, 0));
        sl_l1_destroy(l1);
    }
}

/* Nothing has to leave for the next line. */
static void a_dropped_line_leaves_a_free_way(void **state)
{
    (void)state;
    sl_level level = level_with("random", 1, 4);
    sl_l1 *l1 = make_l1(&(sl_l1_config){.level = &level, .no_latency = true});
    uint64_t time = 0;
    for (uint64_t line = 0; line < 4; line++)
        hits(l1, time++, line);
    sl_l1_invalidate(l1, time++, 1);
    hits(l1, time++, 9);
    for (uint64_t line = 0; line < 4; line++)
        if (line != 1)
            assert_true(hits(l1, time++, line));
    assert_true(hits(l1, time, 9));
    sl_l1_destroy(l1);
}

/* Something happens to both caches: what they answer must be the same. */
static void do_the_same(sl_l1 *a, sl_l1 *b, sl_random *random, uint64_t *time)
{
    uint64_t line =
        sl_random_below(random, 8) ? *time / 60 + sl_random_below(random, 40) : sl_random_below(random, 500);
    uint32_t sectors = 1 + (uint32_t)sl_random_below(random, 15), warp = (uint32_t)sl_random_below(random, 4);
    uint64_t what = sl_random_below(random, 16);
    *time += sl_random_below(random, 4);
    if (what == 0) {
        sl_l1_invalidate(a, *time, line);
        sl_l1_invalidate(b, *time, line);
    } else if (what < 3) {
        sl_l1_store(a, *time, line, sectors, NULL, NULL);
        sl_l1_store(b, *time, line, sectors, NULL, NULL);
    } else {
        sl_l1_outcome left, right;
        memset(&left, 0, sizeof left);
        memset(&right, 0, sizeof right);
        sl_l1_load(a, *time, warp, line, sectors, 0, NULL, &left);
        sl_l1_load(b, *time, warp, line, sectors, 0, NULL, &right);
        assert_memory_equal(&left, &right, sizeof left);
    }
}

static void lists_do_what_the_interface_does(void **state)
{
    (void)state;
    static const char *const policies[] = {"lru", "fifo"};
    static const sl_write_policy writes[] = {SL_WRITE_EVICT, SL_WRITE_BACK, SL_WRITE_ALLOCATE};
    for (int p = 0; p < 2; p++)
        for (int w = 0; w < 3; w++)
            for (int no_latency = 0; no_latency < 2; no_latency++) {
                sl_level level = level_with(policies[p], 4, w == 1 ? 70 : 3);
                level.write = writes[w];
                level.mshrs = 8;
                sl_l1_config config = {.level = &level, .latency = 20, .sigma = 9, .warps = 4, .seed = 5};
                config.no_latency = no_latency;
                sl_l1 *lists = make_l1(&config);
                config.no_lists = true;
                sl_l1 *ways = make_l1(&config);
                sl_random random = sl_random_seed((uint64_t)(p * 8 + w));
                uint64_t time = 0;
                for (int i = 0; i < 20000; i++)
                    do_the_same(lists, ways, &random, &time);
                sl_l1_destroy(lists);
                sl_l1_destroy(ways);
            }
}

/* 128 ways, as an H200 has. */
static void every_policy_is_the_same_twice_and_chooses_what_it_may(void **state)
{
    (void)state;
    for (size_t p = 0; p < sl_policy_count(); p++)
        for (uint32_t ways = 2; sl_policy_replaces(sl_policy_at(p)) && ways <= 128; ways *= 8) {
            sl_level level = level_with(sl_policy_at(p)->name, 2, ways);
            sl_l1_config config = {.level = &level, .latency = 20, .sigma = 9, .warps = 4, .seed = 5, .no_lists = true};
            sl_l1 *a = make_l1(&config), *b = make_l1(&config);
            sl_random random = sl_random_seed(ways);
            uint64_t time = 0;
            sl_error error;
            for (int i = 0; i < 5000; i++)
                do_the_same(a, b, &random, &time);
            assert_int_equal(sl_l1_check(a, &error), SL_OK);
            assert_false(sl_l1_failed(a));
            sl_l1_destroy(a);
            sl_l1_destroy(b);
        }
}

/* ---- levels that are shared ---- */

static sl_shared *make_shared(const sl_shared_config *config)
{
    sl_shared *shared;
    sl_error error;
    assert_int_equal(sl_shared_create(config, NULL, &shared, &error), SL_OK);
    return shared;
}

static void take(sl_shared *s, uint64_t time, uint64_t line, sl_mem_access kind, uint16_t sectors, uint32_t source)
{
    sl_traffic t = {time, line, sectors, (uint8_t)kind, kind == SL_ACCESS_LOAD, 0};
    assert_true(sl_shared_access(s, &t, source));
}

static void a_shared_level_replaces_as_it_says(void **state)
{
    (void)state;
    const struct {
        const char *policy;
        uint64_t hits;
    } expected[] = {{"lru", 2}, {"fifo", 1}, {"srrip", 2}, {"lfu", 2}};
    for (size_t p = 0; p < sizeof expected / sizeof expected[0]; p++) {
        sl_level above = sectored_level(1, 1), level = level_with(expected[p].policy, 1, 2);
        sl_shared *s = make_shared(&(sl_shared_config){.level = &level, .above = &above, .slots = 1});
        const uint64_t lines[] = {0, 1, 0, 2, 0}; /* 2 takes the place of 1, or of 0, which came first */
        for (uint64_t i = 0; i < 5; i++)
            take(s, i, lines[i], SL_ACCESS_LOAD, 1, 0);
        assert_int_equal(sl_shared_result(s)->read_hits, expected[p].hits);
        sl_shared_destroy(s);
    }
}

static void stamps_do_what_the_interface_does(void **state)
{
    (void)state;
    for (uint32_t parts = 1; parts <= 2; parts++) {
        sl_level above = sectored_level(1, 1), level = level_with("lru", 4, 6);
        level.write = SL_WRITE_BACK;
        level.partitions = parts;
        sl_shared_config config = {.level = &level, .above = &above, .slots = 1, .wants_traffic = true};
        sl_shared *stamps = make_shared(&config);
        config.no_stamps = true;
        sl_shared *ways = make_shared(&config);
        sl_random random = sl_random_seed(parts);
        for (uint64_t i = 0; i < 30000; i++) {
            uint64_t line = i / 100 + sl_random_below(&random, 40);
            sl_mem_access kind = (sl_mem_access)sl_random_below(&random, 3);
            uint16_t sectors = (uint16_t)(1 + sl_random_below(&random, 15));
            uint32_t source = (uint32_t)sl_random_below(&random, 4);
            take(stamps, i, line, kind, sectors, source);
            take(ways, i, line, kind, sectors, source);
        }
        assert_memory_equal(sl_shared_result(stamps), sl_shared_result(ways), 2 * sizeof(sl_shared_counts));
        size_t count, other;
        const sl_traffic *a = sl_traffic_of(sl_shared_traffic(stamps), &count),
                         *b = sl_traffic_of(sl_shared_traffic(ways), &other);
        assert_int_equal(count, other);
        for (size_t i = 0; i < count; i++)
            assert_true(a[i].time == b[i].time && a[i].line == b[i].line && a[i].sectors == b[i].sectors);
        sl_error error;
        assert_int_equal(sl_shared_check(ways, &error), SL_OK);
        sl_shared_destroy(stamps);
        sl_shared_destroy(ways);
    }
}

static void a_policy_that_is_none_is_an_error(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = level_with("lruu", 1, 2);
    sl_error error;
    sl_l1 *l1;
    sl_shared *s;
    assert_int_equal(sl_l1_create(&(sl_l1_config){.level = &level}, &l1, &error), SL_NOT_FOUND);
    assert_string_equal(error.text, "no policy is called 'lruu'; the nearest is 'lru'");
    assert_int_equal(sl_shared_create(&(sl_shared_config){.level = &level, .above = &above}, NULL, &s, &error),
                     SL_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srrip_keeps_a_line_in_use_through_a_scan),
        cmocka_unit_test(ship_knows_which_instruction_asked),
        cmocka_unit_test(a_dropped_line_leaves_a_free_way),
        cmocka_unit_test(lists_do_what_the_interface_does),
        cmocka_unit_test(every_policy_is_the_same_twice_and_chooses_what_it_may),
        cmocka_unit_test(a_shared_level_replaces_as_it_says),
        cmocka_unit_test(stamps_do_what_the_interface_does),
        cmocka_unit_test(a_policy_that_is_none_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
