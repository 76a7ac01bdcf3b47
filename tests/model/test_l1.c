/* SPDX-License-Identifier: MIT */
#include "model/l1.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/levels.h"
#include "reuse/reuse.h"
#include "support.h"

#define NEVER SL_REUSE_NEVER

static sl_l1 *make(const sl_l1_config *config)
{
    sl_l1 *l1;
    sl_error error;
    assert_int_equal(sl_l1_create(config, &l1, &error), SL_OK);
    return l1;
}

/* The class of a load of one sector, which must be exactly one. */
static sl_load_class only_class(const sl_l1_outcome *o)
{
    int found = SL_LOAD_CLASSES;
    for (int k = 0; k < SL_LOAD_CLASSES; k++)
        if (o->sectors[k]) {
            assert_int_equal(o->sectors[k], 1);
            assert_int_equal(found, SL_LOAD_CLASSES);
            found = k;
        }
    assert_int_not_equal(found, SL_LOAD_CLASSES);
    return (sl_load_class)found;
}

/* A load instruction of one line, which misses only where it may. */
static bool load_if_free(sl_l1 *l1, uint64_t time, uint32_t warp, uint64_t line, uint32_t sectors, uint32_t waited,
                         sl_l1_outcome *outcome)
{
    if (!sl_l1_may_miss(l1, time, warp) && sl_l1_needs_mshr(l1, time, line, sectors))
        return false;
    sl_l1_load(l1, time, warp, line, sectors, waited, NULL, outcome);
    if (sectors & ~outcome->sectors[SL_LOAD_HIT] & ~outcome->sectors[SL_LOAD_PENDING])
        sl_l1_missed(l1, warp, outcome->done);
    return true;
}

static sl_load_class load_by(sl_l1 *l1, uint64_t time, uint32_t warp, uint64_t line)
{
    sl_l1_outcome outcome;
    sl_l1_load(l1, time, warp, line, 1, 0, NULL, &outcome);
    return only_class(&outcome);
}

static sl_load_class load(sl_l1 *l1, uint64_t time, uint64_t line)
{
    return load_by(l1, time, 0, line);
}

/* ---- the paper's tables ---- */

enum { COLUMNS = 8, THREADS = 4 };
static const uint64_t table_line[COLUMNS] = {0, 0, 1, 1, 0, 0, 1, 1}; /* four threads, x[2 tid] and x[2 tid + 1] */

/* A distance is below n exactly where a cache of n lines hits: the row "distance" of a table, told by caches of one to
 * three lines whose hits take as long as their misses. */
static void check_distances(const sl_l1_config *config, const uint64_t distance[COLUMNS])
{
    for (uint32_t ways = 1; ways <= 3; ways++) {
        sl_level level = plain_level(1, ways);
        level.hit_cycles = config->latency;
        sl_l1_config own = *config;
        own.level = &level;
        own.warps = THREADS;
        sl_l1 *l1 = make(&own);
        for (uint64_t t = 0; t < COLUMNS; t++)
            assert_int_equal(load_by(l1, t, t % THREADS, table_line[t]) == SL_LOAD_HIT, distance[t] < ways);
        sl_l1_destroy(l1);
    }
}

static void table_2_everything_takes_effect_at_once(void **state)
{
    (void)state;
    const uint64_t distance[COLUMNS] = {NEVER, 0, NEVER, 0, 1, 0, 1, 0};
    check_distances(&(sl_l1_config){.no_latency = true}, distance);
    check_distances(&(sl_l1_config){.latency = 0}, distance);
}

static void table_3_everything_takes_effect_two_steps_later(void **state)
{
    (void)state;
    const uint64_t distance[COLUMNS] = {NEVER, NEVER, NEVER, NEVER, 0, 1, 0, 1};
    check_distances(&(sl_l1_config){.latency = 2, .no_clipping = true}, distance);
}

static void table_4_misses_take_two_steps_and_hits_none(void **state)
{
    (void)state;
    const bool hit[COLUMNS] = {0, 0, 0, 0, 1, 1, 1, 1};
    const uint64_t latency[COLUMNS] = {2, 2, 2, 2, 0, 0, 0, 0}, effect_at[COLUMNS] = {2, 3, 4, 5, 4, 5, 6, 7};
    sl_level level = plain_level(1, 2);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 2, .warps = THREADS, .no_clipping = true});
    for (uint64_t t = 0; t < COLUMNS; t++) {
        sl_l1_outcome outcome;
        sl_l1_load(l1, t, t % THREADS, table_line[t], 1, 0, NULL, &outcome);
        assert_int_equal(only_class(&outcome) == SL_LOAD_HIT, hit[t]);
        assert_int_equal(outcome.done - t, latency[t]);
        assert_int_equal(outcome.done, effect_at[t]);
    }
    sl_l1_destroy(l1);
}

/* Of the four misses the first of each line is compulsory, the second finds it in flight; with clipping (the text below
 * table 4) it arrives with the first. */
static void table_4_with_clipping_shares_the_arrival(void **state)
{
    (void)state;
    const uint64_t effect_at[COLUMNS] = {2, 2, 4, 4, 4, 5, 6, 7};
    const sl_load_class class[COLUMNS] = {SL_LOAD_COMPULSORY, SL_LOAD_PENDING, SL_LOAD_COMPULSORY, SL_LOAD_PENDING,
                                          SL_LOAD_HIT,        SL_LOAD_HIT,     SL_LOAD_HIT,        SL_LOAD_HIT};
    sl_level level = plain_level(1, 2);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 2, .warps = THREADS});
    for (uint64_t t = 0; t < COLUMNS; t++) {
        sl_l1_outcome outcome;
        sl_l1_load(l1, t, t % THREADS, table_line[t], 1, 0, NULL, &outcome);
        assert_int_equal(only_class(&outcome), class[t]);
        assert_int_equal(outcome.done, effect_at[t]);
    }
    sl_l1_destroy(l1);
}

static void table_5_one_mshr_cancels_a_load_and_serves_two(void **state)
{
    (void)state;
    const struct {
        uint32_t thread;
        uint64_t line;
        bool used_before, used_after, cancelled; /* the rows "MSHRs used" */
        sl_load_class class;
        uint64_t effect_at;
    } column[] = {
        {0, 0, 0, 1, false, SL_LOAD_COMPULSORY, 2}, {2, 1, 1, 1, true, 0, 0},
        {0, 0, 0, 0, false, SL_LOAD_HIT, 2},        {2, 1, 0, 1, false, SL_LOAD_COMPULSORY, 5},
        {2, 1, 1, 1, false, SL_LOAD_PENDING, 6},
    };
    sl_level level = plain_level(1, 2);
    level.mshrs = 1;
    for (int asked = 0; asked < 2; asked++) { /* to ask for MSHRs changes nothing */
        sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 2, .warps = THREADS, .no_clipping = true});
        for (uint64_t t = 0; t < 5; t++) {
            sl_l1_outcome outcome;
            if (asked)
                assert_int_equal(!sl_l1_mshr_free(l1, t), column[t].used_before);
            assert_int_equal(!load_if_free(l1, t, column[t].thread, column[t].line, 1, 0, &outcome),
                             column[t].cancelled);
            if (asked)
                assert_int_equal(!sl_l1_mshr_free(l1, t), column[t].used_after);
            if (column[t].cancelled)
                continue;
            assert_int_equal(only_class(&outcome), column[t].class);
            assert_int_equal(outcome.done, column[t].effect_at);
        }
        sl_l1_destroy(l1);
    }
}

/* ---- classes ---- */

static void check_classes(const sl_level *level, const uint64_t *line, const sl_load_class *class, size_t count)
{
    sl_l1 *l1 = make(&(sl_l1_config){.level = level, .no_latency = true});
    for (size_t i = 0; i < count; i++)
        assert_int_equal(load(l1, i, line[i]), class[i]);
    sl_l1_destroy(l1);
}

static void a_line_that_was_never_asked_for_is_a_compulsory_miss(void **state)
{
    (void)state;
    sl_level level = plain_level(2, 1);
    const uint64_t line[] = {0, 1, 0, 5};
    const sl_load_class class[] = {SL_LOAD_COMPULSORY, SL_LOAD_COMPULSORY, SL_LOAD_HIT, SL_LOAD_COMPULSORY};
    check_classes(&level, line, class, 4);
}

/* Two sets of one line each. Line 0 makes room for 2, and two other lines came since: a cache of two lines has lost it
 * too. */
static void a_line_that_a_full_cache_has_lost_is_a_capacity_miss(void **state)
{
    (void)state;
    sl_level level = plain_level(2, 1);
    const uint64_t line[] = {0, 1, 2, 0};
    const sl_load_class class[] = {SL_LOAD_COMPULSORY, SL_LOAD_COMPULSORY, SL_LOAD_COMPULSORY, SL_LOAD_CAPACITY};
    check_classes(&level, line, class, 4);
}

/* Lines 0 and 2 share a set of one line; a fully associative cache of two lines holds both. */
/* 12 lines in turns: a cache of 12 would hold them, which is six quarters of one of 8. */
static void capacity_misses_tell_how_large_a_cache_would_have_to_be(void **state)
{
    (void)state;
    enum { LINES = 12, ROUNDS = 3 };
    sl_level level = plain_level(2, 4);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .warps = 1, .no_latency = true});
    for (uint64_t t = 0; t < LINES * ROUNDS; t++)
        assert_int_equal(load(l1, t, t % LINES), t < LINES ? SL_LOAD_COMPULSORY : SL_LOAD_CAPACITY);
    for (uint64_t i = 0; i < SL_FIT_BINS; i++)
        assert_int_equal(sl_l1_fit(l1)[i], i == 5 ? LINES * (ROUNDS - 1) : 0);
    sl_l1_destroy(l1);
}

static void a_line_that_only_its_set_has_lost_is_a_conflict_miss(void **state)
{
    (void)state;
    sl_level level = plain_level(2, 1);
    const uint64_t line[] = {0, 2, 0, 2, 2};
    const sl_load_class class[] = {SL_LOAD_COMPULSORY, SL_LOAD_COMPULSORY, SL_LOAD_CONFLICT, SL_LOAD_CONFLICT,
                                   SL_LOAD_HIT};
    check_classes(&level, line, class, 5);
}

/* Two sets of two lines. Lines 0, 2 and 4 share a set; between the loads of 0 lie two other lines: its set has lost it,
 * a cache of four lines has not. Without sets it is a hit. */
static void without_associativity_there_are_no_conflicts(void **state)
{
    (void)state;
    sl_level level = plain_level(2, 2);
    const uint64_t line[] = {0, 2, 4, 0};
    for (int off = 0; off < 2; off++) {
        sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true, .no_associativity = off});
        for (int i = 0; i < 3; i++)
            assert_int_equal(load(l1, (uint64_t)i, line[i]), SL_LOAD_COMPULSORY);
        assert_int_equal(load(l1, 3, 0), off ? SL_LOAD_HIT : SL_LOAD_CONFLICT);
        sl_l1_destroy(l1);
    }
}

static void a_load_of_a_line_in_flight_is_a_latency_miss_until_it_arrives(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 4);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 10});
    assert_int_equal(load(l1, 0, 7), SL_LOAD_COMPULSORY);
    assert_int_equal(load(l1, 9, 7), SL_LOAD_PENDING);
    assert_int_equal(load(l1, 10, 7), SL_LOAD_HIT);
    sl_l1_destroy(l1);
}

/* A cache of one line. Line 1 arrives at 20 and takes the place of line 0: the warp that waited for it finds line 0
 * gone at once, another one still there. */
static void a_warp_finds_the_cache_as_its_own_data_has_left_it(void **state)
{
    (void)state;
    for (uint32_t warp = 0; warp < 2; warp++) {
        sl_level level = plain_level(1, 1);
        sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 10, .warps = 2});
        load_by(l1, 0, 0, 0);
        load_by(l1, 10, 0, 1);
        assert_int_equal(load_by(l1, 20, warp, 0), warp ? SL_LOAD_HIT : SL_LOAD_CAPACITY);
        sl_l1_destroy(l1);
    }
}

/* A cache of one line. A warp wants lines 1 and 0; for line 1 it must wait, while line 0 is there. When its turn comes
 * line 0 has made room for another: that miss would not have been without the limit. */
static void a_line_lost_while_its_warp_waited_is_an_mshr_miss(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 1);
    sl_l1_outcome outcome;
    level.mshrs = 1;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 5});
    assert_int_equal(load(l1, 0, 0), SL_LOAD_COMPULSORY);
    assert_int_equal(load(l1, 6, 9), SL_LOAD_COMPULSORY); /* arrives at 11, and then line 0 leaves */
    uint32_t waited = sl_l1_present(l1, 7, 0);
    assert_int_equal(waited, 1);
    assert_false(load_if_free(l1, 7, 0, 1, 1, 0, &outcome));
    assert_true(load_if_free(l1, 12, 0, 1, 1, 0, &outcome));
    assert_int_equal(only_class(&outcome), SL_LOAD_COMPULSORY);
    assert_true(load_if_free(l1, 20, 0, 0, 1, waited, &outcome));
    assert_int_equal(only_class(&outcome), SL_LOAD_MSHR);
    sl_l1_destroy(l1);
}

/* ---- MSHRs ---- */

static void mshrs_of_what_arrives_now_are_free_now(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 8);
    sl_l1_outcome outcome;
    level.mshrs = 2;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 10});
    assert_int_equal(load(l1, 0, 0), SL_LOAD_COMPULSORY);
    assert_int_equal(load(l1, 1, 1), SL_LOAD_COMPULSORY);
    assert_int_equal(sl_l1_next_effect(l1), 10);
    assert_false(load_if_free(l1, 9, 0, 2, 1, 0, &outcome));
    assert_true(load_if_free(l1, 10, 0, 2, 1, 0, &outcome));
    assert_false(load_if_free(l1, 10, 0, 3, 1, 0, &outcome));
    assert_true(load_if_free(l1, 11, 0, 3, 1, 0, &outcome));
    sl_l1_destroy(l1);
}

static void a_warp_has_no_more_loads_in_flight_than_its_own_limit(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 64);
    sl_l1_outcome outcome;
    level.mshrs = 8;
    level.mshrs_per_warp = 3;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 100, .warps = 4});
    for (uint64_t i = 0; i < 3; i++)
        assert_true(load_if_free(l1, i, 1, i, 1, 0, &outcome));
    assert_false(load_if_free(l1, 3, 1, 3, 1, 0, &outcome));
    assert_true(sl_l1_mshr_free(l1, 3)); /* for others */
    for (uint64_t i = 0; i < 3; i++)
        assert_true(load_if_free(l1, 3 + i, 2, 10 + i, 1, 0, &outcome));
    for (uint64_t i = 0; i < 2; i++)
        assert_true(load_if_free(l1, 6 + i, 3, 20 + i, 1, 0, &outcome));
    assert_false(load_if_free(l1, 8, 3, 22, 1, 0, &outcome)); /* the core's limit */
    assert_true(load_if_free(l1, 8, 1, 10, 1, 0, &outcome));  /* in flight already */
    assert_int_equal(only_class(&outcome), SL_LOAD_PENDING);
    assert_true(load_if_free(l1, 100, 1, 3, 1, 0, &outcome));
    sl_l1_destroy(l1);
}

static void without_mshrs_any_number_is_in_flight(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 64);
    level.mshrs = level.mshrs_per_warp = 1;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 100, .no_mshr = true});
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(load(l1, i, i), SL_LOAD_COMPULSORY);
    sl_l1_destroy(l1);
}

/* ---- latencies ---- */

/* |N(0, sigma)| has a mean of sigma * sqrt(2 / pi). */
static void latencies_are_half_normal_above_the_least(void **state)
{
    (void)state;
    enum { LOADS = 100000, LEAST = 100, SIGMA = 20 };
    sl_level level = plain_level(1, 4);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = LEAST, .sigma = SIGMA, .seed = 3});
    uint64_t sum = 0, within_sigma = 0;
    for (uint64_t i = 0; i < LOADS; i++) {
        sl_l1_outcome outcome;
        sl_l1_load(l1, i, 0, i, 1, 0, NULL, &outcome);
        assert_true(outcome.done >= i + LEAST);
        sum += outcome.done - i - LEAST;
        within_sigma += outcome.done - i - LEAST <= SIGMA;
    }
    assert_in_range(sum, LOADS * 15.7, LOADS * 16.2);          /* 15.96 */
    assert_in_range(within_sigma, LOADS * 0.67, LOADS * 0.72); /* 0.683, and half a step of rounding */
    sl_l1_destroy(l1);
}

/* ---- sectors ---- */

static void sectors_of_a_line_come_one_by_one(void **state)
{
    (void)state;
    sl_level level = sectored_level(1, 2);
    sl_l1_outcome outcome;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 10});
    sl_l1_load(l1, 0, 0, 0, 0x3, 0, NULL, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_COMPULSORY], 0x3);
    assert_int_equal(outcome.done, 10);
    sl_l1_load(l1, 5, 0, 0, 0x6, 0, NULL, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_PENDING], 0x2);
    assert_int_equal(outcome.sectors[SL_LOAD_COMPULSORY], 0x4);
    assert_int_equal(outcome.done, 15);
    assert_int_equal(sl_l1_present(l1, 6, 0), 0x7);
    sl_l1_load(l1, 12, 0, 0, 0xf, 0, NULL, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0x3);
    assert_int_equal(outcome.sectors[SL_LOAD_PENDING], 0x4);
    assert_int_equal(outcome.sectors[SL_LOAD_COMPULSORY], 0x8);
    sl_l1_destroy(l1);
}

/* A cache of one line: line 1 takes its place, then only the sectors asked for come again. */
static void a_line_that_leaves_takes_its_sectors_along(void **state)
{
    (void)state;
    sl_level level = sectored_level(1, 1);
    sl_l1_outcome outcome;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true});
    sl_l1_load(l1, 0, 0, 0, 0xf, 0, NULL, &outcome);
    sl_l1_load(l1, 1, 0, 1, 0x1, 0, NULL, &outcome);
    sl_l1_load(l1, 2, 0, 0, 0x1, 0, NULL, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_CAPACITY], 0x1);
    sl_l1_load(l1, 3, 0, 0, 0x3, 0, NULL, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0x1);
    assert_int_equal(outcome.sectors[SL_LOAD_CAPACITY], 0x2);
    sl_l1_destroy(l1);
}

/* ---- stores ---- */

static sl_load_class load_after_store(sl_write_policy write, bool there)
{
    sl_level level = plain_level(1, 2);
    level.write = write;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 1});
    if (there)
        load(l1, 0, 5);
    sl_l1_store(l1, 10, 5, 1, NULL, NULL);
    sl_load_class class = load(l1, 11, 5);
    sl_l1_destroy(l1);
    return class;
}

static void a_store_drops_updates_or_allocates_the_line(void **state)
{
    (void)state;
    assert_int_equal(load_after_store(SL_WRITE_EVICT, true), SL_LOAD_STORE);
    assert_int_equal(load_after_store(SL_WRITE_EVICT, false), SL_LOAD_COMPULSORY);
    assert_int_equal(load_after_store(SL_WRITE_THROUGH, true), SL_LOAD_HIT);
    assert_int_equal(load_after_store(SL_WRITE_THROUGH, false), SL_LOAD_COMPULSORY);
    assert_int_equal(load_after_store(SL_WRITE_BACK, true), SL_LOAD_HIT);
    assert_int_equal(load_after_store(SL_WRITE_BACK, false), SL_LOAD_HIT);
}

/* One sector of 32 bytes, of which a store writes the first four. */
static void stores_that_allocate_leave_the_bytes_they_write(void **state)
{
    (void)state;
    const uint64_t written[2] = {0xf, 0}, others[2] = {0xf0, 0}, rest[2] = {0xfffffff0, 0};
    sl_level level = sectored_level(1, 2);
    level.write = SL_WRITE_ALLOCATE;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true});
    sl_l1_outcome outcome;
    assert_false(sl_l1_has_parts(l1, 7));
    sl_l1_store(l1, 0, 7, 0x1, written, NULL);
    assert_true(sl_l1_has_parts(l1, 7));
    sl_l1_load(l1, 1, 0, 7, 0x1, 0, written, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0x1);
    sl_l1_load(l1, 2, 0, 7, 0x1, 0, others, &outcome);        /* brings the whole sector */
    assert_int_equal(outcome.sectors[SL_LOAD_COMPULSORY], 0); /* it was accessed before, by the first load */
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0);
    assert_false(sl_l1_has_parts(l1, 7));
    sl_l1_store(l1, 3, 7, 0x1, written, NULL); /* what is there stays there */
    sl_l1_load(l1, 4, 0, 7, 0x1, 0, others, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0x1);
    sl_l1_store(l1, 5, 9, 0x1, written, NULL); /* two stores make a sector whole */
    sl_l1_store(l1, 6, 9, 0x1, rest, NULL);
    assert_false(sl_l1_has_parts(l1, 9));
    sl_l1_load(l1, 7, 0, 9, 0x1, 0, NULL, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0x1);
    sl_l1_destroy(l1);
}

/* Whether the first word of a sector hits after two stores, the second of them to another word, `later` steps after the
 * first, which is sent on after 10. */
static bool first_word_hits_after(uint64_t later, uint32_t second_warp, bool joins)
{
    const uint64_t first[2] = {0xf, 0}, second[2] = {0xf0, 0};
    sl_level level = sectored_level(1, 2);
    level.write = SL_WRITE_ALLOCATE;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true});
    sl_l1_outcome outcome;
    sl_l1_store(l1, 0, 7, 0x1, first, &(sl_l1_sender){0, joins, 10});
    sl_l1_store(l1, later, 7, 0x1, second, &(sl_l1_sender){second_warp, joins, later + 10});
    sl_l1_load(l1, later + 1, 0, 7, 0x1, 0, second, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_HIT], 0x1);
    sl_l1_load(l1, later + 2, 0, 7, 0x1, 0, first, &outcome);
    sl_l1_destroy(l1);
    return outcome.sectors[SL_LOAD_HIT];
}

static void a_store_that_meets_one_to_other_words_makes_them_forgotten(void **state)
{
    (void)state;
    assert_false(first_word_hits_after(5, 0, false));
    assert_true(first_word_hits_after(10, 0, false)); /* the first one has gone */
    assert_true(first_word_hits_after(5, 0, true));   /* to few lines: they join */
    assert_false(first_word_hits_after(5, 1, true));  /* not with those of another warp */
}

/* The classes of a load of one sector that allocates nothing. */
static sl_load_class bypass(sl_l1 *l1, uint64_t time, uint64_t line, bool lookup)
{
    sl_l1_outcome outcome;
    sl_l1_bypass(l1, time, line, 1, lookup, &outcome);
    for (int k = 0; k < SL_LOAD_CLASSES; k++)
        if (outcome.sectors[k])
            return (sl_load_class)k;
    return SL_LOAD_CLASSES;
}

static void a_load_that_does_not_allocate_uses_what_is_there_and_fills_nothing(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 2);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true});
    assert_int_equal(bypass(l1, 0, 4, true), SL_LOAD_BYPASSED);
    assert_int_equal(load(l1, 1, 4), SL_LOAD_COMPULSORY);
    assert_int_equal(bypass(l1, 2, 4, true), SL_LOAD_HIT);
    assert_int_equal(bypass(l1, 2, 4, false), SL_LOAD_BYPASSED);
    sl_l1_invalidate(l1, 3, 4);
    assert_int_equal(bypass(l1, 4, 4, true), SL_LOAD_BYPASSED);
    sl_l1_destroy(l1);
}

static void a_load_that_does_not_allocate_waits_for_what_is_in_flight(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 2);
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 100, .warps = 1});
    sl_l1_outcome outcome;
    assert_int_equal(load(l1, 0, 4), SL_LOAD_COMPULSORY);
    sl_l1_bypass(l1, 10, 4, 1, true, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_PENDING], 1);
    assert_int_equal(outcome.done, 100);
    sl_l1_bypass(l1, 10, 4, 1, false, &outcome);
    assert_int_equal(outcome.sectors[SL_LOAD_BYPASSED], 1);
    assert_int_equal(outcome.done, 110);
    sl_l1_destroy(l1);
}

static void fifo_does_not_care_for_hits(void **state)
{
    (void)state;
    sl_level level = plain_level(1, 2);
    strcpy(level.replacement, "fifo");
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true});
    load(l1, 0, 0);
    load(l1, 1, 1);
    assert_int_equal(load(l1, 2, 0), SL_LOAD_HIT);
    load(l1, 3, 2); /* takes the place of line 0 */
    assert_int_equal(load(l1, 4, 1), SL_LOAD_HIT);
    assert_int_not_equal(load(l1, 5, 0), SL_LOAD_HIT);
    sl_l1_destroy(l1);
}

/* ---- properties ---- */

/* Lines of which most lie near each other, so that all classes occur. */
static uint64_t random_line(sl_random *random, uint64_t i)
{
    return sl_random_below(random, 8) ? i / 40 + sl_random_below(random, 12) : sl_random_below(random, 500);
}

static void switched_off_it_is_a_textbook_cache(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 16; ways *= 4) {
        sl_level level = plain_level(4, ways);
        level.mshrs = 2;
        sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .no_latency = true, .no_mshr = true, .seed = 1});
        sl_reuse *set[4], *full = sl_reuse_create();
        sl_random random = sl_random_seed(ways);
        for (int s = 0; s < 4; s++)
            set[s] = sl_reuse_create();
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t line = random_line(&random, i);
            uint64_t in_set = sl_reuse_access(set[line % 4], line), in_all = sl_reuse_access(full, line);
            sl_load_class expected = in_set < ways        ? SL_LOAD_HIT
                                     : in_set == NEVER    ? SL_LOAD_COMPULSORY
                                     : in_all < 4u * ways ? SL_LOAD_CONFLICT
                                                          : SL_LOAD_CAPACITY;
            assert_int_equal(load(l1, i, line), expected);
        }
        for (int s = 0; s < 4; s++)
            sl_reuse_destroy(set[s]);
        sl_reuse_destroy(full);
        sl_l1_destroy(l1);
    }
}

/* Every sector of every load has one class, whatever else happens, and what has come stays known. */
static void classes_share_out_every_sector(void **state)
{
    (void)state;
    sl_level level = sectored_level(4, 4);
    level.mshrs = 6;
    level.mshrs_per_warp = 3;
    level.hit_cycles = 3;
    sl_l1 *l1 = make(&(sl_l1_config){.level = &level, .latency = 20, .sigma = 9, .warps = 4, .seed = 5});
    sl_random random = sl_random_seed(9);
    uint64_t time = 0, seen[SL_LOAD_CLASSES] = {0};
    for (uint64_t i = 0; i < 50000; i++) {
        time += sl_random_below(&random, 4);
        uint64_t line = random_line(&random, i);
        uint32_t sectors = 1 + (uint32_t)sl_random_below(&random, 15), waited = 0, all = 0;
        uint32_t warp = (uint32_t)sl_random_below(&random, 4);
        if (sl_random_below(&random, 16) == 0) {
            sl_l1_store(l1, time, line, sectors, NULL, NULL);
            continue;
        }
        uint32_t present = sl_l1_present(l1, time, line);
        sl_l1_outcome outcome;
        bool bypasses = i % 16 == 0;
        if (bypasses)
            sl_l1_bypass(l1, time, line, sectors, i % 32 == 0, &outcome);
        while (!bypasses && !load_if_free(l1, time, warp, line, sectors, waited, &outcome)) {
            assert_int_not_equal(sl_l1_next_effect(l1), UINT64_MAX);
            waited = present;
            time++;
        }
        for (int k = 0; k < SL_LOAD_CLASSES; k++) {
            assert_int_equal(all & outcome.sectors[k], 0);
            all |= outcome.sectors[k];
            seen[k] += outcome.sectors[k] != 0;
        }
        assert_int_equal(all, sectors);
        assert_true(outcome.done >= time);
    }
    for (int k = 0; k < SL_LOAD_CLASSES; k++)
        assert_true(seen[k]);
    assert_false(sl_l1_failed(l1));
    sl_l1_destroy(l1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_2_everything_takes_effect_at_once),
        cmocka_unit_test(table_3_everything_takes_effect_two_steps_later),
        cmocka_unit_test(table_4_misses_take_two_steps_and_hits_none),
        cmocka_unit_test(table_4_with_clipping_shares_the_arrival),
        cmocka_unit_test(table_5_one_mshr_cancels_a_load_and_serves_two),
        cmocka_unit_test(a_line_that_was_never_asked_for_is_a_compulsory_miss),
        cmocka_unit_test(a_line_that_a_full_cache_has_lost_is_a_capacity_miss),
        cmocka_unit_test(capacity_misses_tell_how_large_a_cache_would_have_to_be),
        cmocka_unit_test(a_line_that_only_its_set_has_lost_is_a_conflict_miss),
        cmocka_unit_test(without_associativity_there_are_no_conflicts),
        cmocka_unit_test(a_load_of_a_line_in_flight_is_a_latency_miss_until_it_arrives),
        cmocka_unit_test(a_warp_finds_the_cache_as_its_own_data_has_left_it),
        cmocka_unit_test(a_line_lost_while_its_warp_waited_is_an_mshr_miss),
        cmocka_unit_test(mshrs_of_what_arrives_now_are_free_now),
        cmocka_unit_test(a_warp_has_no_more_loads_in_flight_than_its_own_limit),
        cmocka_unit_test(without_mshrs_any_number_is_in_flight),
        cmocka_unit_test(latencies_are_half_normal_above_the_least),
        cmocka_unit_test(sectors_of_a_line_come_one_by_one),
        cmocka_unit_test(a_line_that_leaves_takes_its_sectors_along),
        cmocka_unit_test(a_store_drops_updates_or_allocates_the_line),
        cmocka_unit_test(stores_that_allocate_leave_the_bytes_they_write),
        cmocka_unit_test(a_store_that_meets_one_to_other_words_makes_them_forgotten),
        cmocka_unit_test(a_load_that_does_not_allocate_uses_what_is_there_and_fills_nothing),
        cmocka_unit_test(a_load_that_does_not_allocate_waits_for_what_is_in_flight),
        cmocka_unit_test(fifo_does_not_care_for_hits),
        cmocka_unit_test(switched_off_it_is_a_textbook_cache),
        cmocka_unit_test(classes_share_out_every_sector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
