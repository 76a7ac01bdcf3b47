/* SPDX-License-Identifier: MIT */
#include "model/shared.h"

#include <string.h>

#include "model/levels.h"
#include "support.h"

enum { SLOTS = 2 };

/* The second level of the tests: 4 lines of 128 bytes in sectors of 32, one set. */
static sl_level second_level(void)
{
    sl_level level = sectored_level(1, 4);
    level.write = SL_WRITE_BACK;
    return level;
}

static sl_shared *make(const sl_shared_config *config)
{
    sl_shared *shared;
    sl_error error;
    assert_int_equal(sl_shared_create(config, NULL, &shared, &error), SL_OK);
    return shared;
}

static void take_from(sl_shared *s, uint32_t source, sl_mem_access kind, uint64_t time, uint64_t line, uint16_t sectors)
{
    sl_traffic t = {time, line, sectors, (uint8_t)kind, kind == SL_ACCESS_LOAD, 0};
    assert_true(sl_shared_access(s, &t, source));
}

static void take(sl_shared *s, sl_mem_access kind, uint64_t time, uint64_t line, uint16_t sectors)
{
    take_from(s, 0, kind, time, line, sectors);
}

static void check(const sl_shared *s, uint32_t slot, sl_shared_counts expected)
{
    sl_shared_counts c = sl_shared_result(s)[slot];
    assert_int_equal(c.reads, expected.reads);
    assert_int_equal(c.read_hits, expected.read_hits);
    assert_int_equal(c.writes, expected.writes);
    assert_int_equal(c.filled, expected.filled);
    assert_int_equal(c.written, expected.written);
}

static void what_was_asked_for_is_there_for_the_next_request(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    take(s, SL_ACCESS_LOAD, 0, 5, 0x3);
    check(s, 0, (sl_shared_counts){.reads = 2, .filled = 2});
    take(s, SL_ACCESS_LOAD, 0, 5, 0x7);
    check(s, 0, (sl_shared_counts){.reads = 5, .read_hits = 2, .filled = 3});
    sl_shared_destroy(s);
}

static void a_miss_brings_as_much_as_the_level_fills(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    level.fill_bytes = 64;
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    take(s, SL_ACCESS_LOAD, 0, 5, 0x2); /* brings its neighbour along */
    check(s, 0, (sl_shared_counts){.reads = 1, .filled = 2});
    take(s, SL_ACCESS_LOAD, 1, 5, 0x5);
    check(s, 0, (sl_shared_counts){.reads = 3, .read_hits = 1, .filled = 4});
    take(s, SL_ACCESS_STORE, 2, 6, 0x1);
    take(s, SL_ACCESS_LOAD, 3, 6, 0x2); /* half of the fill is there already */
    check(s, 0, (sl_shared_counts){.reads = 4, .read_hits = 1, .writes = 1, .filled = 5});
    sl_shared_destroy(s);
}

/* Lines 5 and 6 are from the launch before; one of its sectors is read twice, which counts once. */
static void a_cache_that_keeps_its_lines_counts_what_it_kept(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    sl_error error;
    for (int keeps = 0; keeps < 2; keeps++) {
        sl_shared_config config = {.level = &level, .above = &above, .slots = SLOTS};
        sl_shared *s = make(&config), *next;
        take(s, SL_ACCESS_LOAD, 0, 5, 0x3);
        take(s, SL_ACCESS_STORE, 1, 6, 0x1);
        config.keeps = keeps;
        assert_int_equal(sl_shared_create(&config, s, &next, &error), SL_OK);
        take(next, SL_ACCESS_LOAD, 0, 5, 0x7);
        take(next, SL_ACCESS_LOAD, 1, 5, 0x1);
        take(next, SL_ACCESS_LOAD, 2, 6, 0x1);
        check(next, 0, (sl_shared_counts){.reads = 5, .read_hits = keeps ? 4 : 1, .filled = keeps ? 1 : 4});
        assert_int_equal(sl_shared_result(next)->kept, keeps ? 3 : 0);
        sl_shared_destroy(next);
    }
}

static void the_least_recently_used_line_makes_room(void **state)
{
    (void)state;
    sl_level above = plain_level(1, 1), level = plain_level(1, 2);
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    const uint64_t line[] = {0, 1, 0, 2, 0, 1}; /* 2 takes the place of 1 */
    for (uint64_t i = 0; i < 6; i++)
        take(s, SL_ACCESS_LOAD, i, line[i], 1);
    check(s, 0, (sl_shared_counts){.reads = 6, .read_hits = 2, .filled = 4});
    sl_shared_destroy(s);
}

/* Stores fetch nothing, and reach memory when their line leaves: sectors, for which no instruction answers. */
static void dirty_sectors_are_written_when_their_line_leaves(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    take(s, SL_ACCESS_STORE, 0, 0, 0x3);
    take(s, SL_ACCESS_STORE, 1, 0, 0x2);
    for (uint64_t line = 1; line <= 3; line++)
        take(s, SL_ACCESS_LOAD, line, line, 0x1);
    check(s, SLOTS, (sl_shared_counts){0});
    take(s, SL_ACCESS_LOAD, 4, 4, 0x1);
    check(s, SLOTS, (sl_shared_counts){.written = 2});
    check(s, 0, (sl_shared_counts){.reads = 4, .writes = 3, .filled = 4});
    take(s, SL_ACCESS_LOAD, 5, 5, 0x1); /* a clean line leaves: nothing is written */
    check(s, SLOTS, (sl_shared_counts){.written = 2});
    sl_shared_destroy(s);
}

/* An atomic reads and writes: its sector is fetched, and dirty. It is no load that profilers count. */
static void atomics_fetch_and_make_dirty(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    take(s, SL_ACCESS_ATOMIC, 0, 0, 0x1);
    check(s, 0, (sl_shared_counts){.filled = 1});
    for (uint64_t line = 1; line <= 4; line++)
        take(s, SL_ACCESS_LOAD, line, line, 0x1);
    check(s, SLOTS, (sl_shared_counts){.written = 1});
    sl_shared_destroy(s);
}

/* Two cores at most share a request; it can be joined for ten steps. */
static void requests_in_flight_join_as_the_level_above_says(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    above.coalesce_requests = above.coalesce_cores = 2;
    level.hit_cycles = 4;
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS, .miss_cycles = 10});
    take_from(s, 0, SL_ACCESS_LOAD, 0, 5, 0x1);
    take_from(s, 1, SL_ACCESS_LOAD, 9, 5, 0x1); /* joins: the first one's data comes at 10 */
    check(s, 0, (sl_shared_counts){.reads = 1, .filled = 1});
    take_from(s, 0, SL_ACCESS_LOAD, 9, 5, 0x1); /* the pair is complete: this one is the first of another */
    check(s, 0, (sl_shared_counts){.reads = 2, .read_hits = 1, .filled = 1});
    take_from(s, 1, SL_ACCESS_LOAD, 10, 5, 0x3); /* not the same request */
    check(s, 0, (sl_shared_counts){.reads = 4, .read_hits = 2, .filled = 2});
    take_from(s, 2, SL_ACCESS_LOAD, 11, 5, 0x1); /* another group */
    check(s, 0, (sl_shared_counts){.reads = 5, .read_hits = 3, .filled = 2});
    take_from(s, 1, SL_ACCESS_LOAD, 13, 5, 0x1); /* too late: a hit is back after 4, at 13 */
    check(s, 0, (sl_shared_counts){.reads = 6, .read_hits = 4, .filled = 2});
    take_from(s, 1, SL_ACCESS_STORE, 14, 5, 0x1); /* stores never join */
    check(s, 0, (sl_shared_counts){.reads = 6, .read_hits = 4, .writes = 1, .filled = 2});
    sl_shared_destroy(s);
}

static void a_read_of_other_sectors_closes_the_line(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = second_level();
    above.coalesce_requests = above.coalesce_cores = 4;
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS, .miss_cycles = 100});
    take_from(s, 0, SL_ACCESS_LOAD, 0, 5, 0x1);
    take_from(s, 1, SL_ACCESS_LOAD, 1, 5, 0x2); /* closes it, and is not open itself */
    take_from(s, 2, SL_ACCESS_LOAD, 2, 5, 0x2);
    check(s, 0, (sl_shared_counts){.reads = 3, .read_hits = 1, .filled = 2});
    take_from(s, 3, SL_ACCESS_LOAD, 3, 5, 0x2); /* joins the one before, which waits for the line as the second does */
    take_from(s, 0, SL_ACCESS_LOAD, 99, 5, 0x2);
    check(s, 0, (sl_shared_counts){.reads = 3, .read_hits = 1, .filled = 2});
    sl_shared_destroy(s);
}

/* Each part misses a line once, but only one of them fetches it: the other has it from there. A line that the part away
 * from its home reads first is at home then, too. */
static void parts_of_a_level_keep_copies_of_each_other(void **state)
{
    (void)state;
    enum { LINES = 64 };
    sl_level above = sectored_level(1, 1), level = sectored_level(16, 16);
    level.partitions = 2;
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    for (uint64_t line = 0; line < LINES; line++)
        take_from(s, 0, SL_ACCESS_LOAD, line, line, 0x1);
    check(s, 0, (sl_shared_counts){.reads = LINES, .filled = LINES});
    for (uint64_t line = 0; line < LINES; line++)
        take_from(s, 1, SL_ACCESS_LOAD, LINES + line, line, 0x1);
    uint64_t at_home = sl_shared_result(s)[0].read_hits;
    assert_true(at_home > LINES / 4 && at_home < 3 * LINES / 4);
    check(s, 0, (sl_shared_counts){.reads = 2 * LINES, .read_hits = at_home, .filled = LINES});
    for (uint32_t source = 0; source < 2; source++)
        for (uint64_t line = 0; line < LINES; line++)
            take_from(s, source, SL_ACCESS_LOAD, 3 * LINES, line, 0x1);
    check(s, 0, (sl_shared_counts){.reads = 4 * LINES, .read_hits = at_home + 2 * LINES, .filled = LINES});
    sl_shared_destroy(s);
}

/* Lines of 128 bytes without sectors above, lines of 64 in sectors of 32 here, and the other way round. */
static void levels_may_have_lines_of_different_sizes(void **state)
{
    (void)state;
    sl_level above = plain_level(1, 1), level = sectored_level(1, 4);
    level.line_bytes = 64;
    sl_shared *s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS});
    take(s, SL_ACCESS_LOAD, 0, 3, 0x1); /* bytes 384 to 511: lines 6 and 7, two sectors each */
    check(s, 0, (sl_shared_counts){.reads = 4, .filled = 4});
    take(s, SL_ACCESS_LOAD, 1, 3, 0x1);
    check(s, 0, (sl_shared_counts){.reads = 8, .read_hits = 4, .filled = 4});
    sl_shared_destroy(s);

    above.line_bytes = above.sector_bytes = 32;
    level = sectored_level(1, 4);
    s = make(&(sl_shared_config){.level = &level, .above = &above, .slots = SLOTS, .wants_traffic = true});
    take(s, SL_ACCESS_LOAD, 0, 6, 0x1); /* sector 2 of line 1 */
    size_t count;
    const sl_traffic *t = sl_traffic_of(sl_shared_traffic(s), &count);
    assert_int_equal(count, 1);
    assert_int_equal(t[0].line, 1);
    assert_int_equal(t[0].sectors, 0x4);
    sl_shared_destroy(s);
}

static void misses_and_lines_written_back_go_on_to_the_third_level(void **state)
{
    (void)state;
    sl_level first = sectored_level(1, 1), second = sectored_level(1, 1), third = second_level();
    second.write = SL_WRITE_BACK;
    sl_shared *s = make(&(sl_shared_config){.level = &second, .above = &first, .slots = SLOTS, .wants_traffic = true});
    take(s, SL_ACCESS_LOAD, 0, 0, 0x3);
    take(s, SL_ACCESS_LOAD, 1, 0, 0x1); /* hits: nothing is sent on */
    take(s, SL_ACCESS_STORE, 2, 0, 0x4);
    take(s, SL_ACCESS_LOAD, 3, 1, 0x1); /* line 0 leaves: its dirty sector first */
    size_t count;
    const sl_traffic *t = sl_traffic_of(sl_shared_traffic(s), &count);
    assert_int_equal(count, 3);
    assert_int_equal(t[0].kind, SL_ACCESS_LOAD);
    assert_int_equal(t[0].sectors, 0x3);
    assert_int_equal(t[1].kind, SL_ACCESS_STORE);
    assert_int_equal(t[1].time, 3);
    assert_int_equal(t[1].sectors, 0x4);
    assert_int_equal(t[1].slot, SLOTS);
    assert_int_equal(t[2].line, 1);

    sl_shared *below = make(&(sl_shared_config){.level = &third, .above = &second, .slots = SLOTS});
    for (size_t i = 0; i < count; i++)
        assert_true(sl_shared_access(below, &t[i], 0));
    check(below, 0, (sl_shared_counts){.reads = 3, .filled = 3});
    check(below, SLOTS, (sl_shared_counts){.writes = 1});
    sl_shared_destroy(below);
    sl_shared_destroy(s);
}

static void a_level_the_model_cannot_take_is_an_error(void **state)
{
    (void)state;
    sl_level above = sectored_level(1, 1), level = plain_level(1, 4); /* larger sectors than above */
    sl_shared *s = NULL;
    sl_error error;
    assert_int_equal(sl_shared_create(&(sl_shared_config){.level = &level, .above = &above}, NULL, &s, &error),
                     SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "sectors of 128 bytes below L1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_asked_for_is_there_for_the_next_request),
        cmocka_unit_test(a_miss_brings_as_much_as_the_level_fills),
        cmocka_unit_test(a_cache_that_keeps_its_lines_counts_what_it_kept),
        cmocka_unit_test(the_least_recently_used_line_makes_room),
        cmocka_unit_test(dirty_sectors_are_written_when_their_line_leaves),
        cmocka_unit_test(atomics_fetch_and_make_dirty),
        cmocka_unit_test(requests_in_flight_join_as_the_level_above_says),
        cmocka_unit_test(a_read_of_other_sectors_closes_the_line),
        cmocka_unit_test(parts_of_a_level_keep_copies_of_each_other),
        cmocka_unit_test(levels_may_have_lines_of_different_sizes),
        cmocka_unit_test(misses_and_lines_written_back_go_on_to_the_third_level),
        cmocka_unit_test(a_level_the_model_cannot_take_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
