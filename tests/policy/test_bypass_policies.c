/* Policies that let requests go past a cache, step by step. Lines are letters, asked for by instruction 1 where they
 * are small and by 2 where they are capital; the ways of the only set are written as the letters in them. */
#include "base/random.h"
#include "policy/small_cache.h"

static void all_leaves_the_cache_empty(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "all", 1, 2);
    check_after(&c, "aabab", "..");
    assert_int_equal(c.bypasses, 5);
    small_cache_fini(&c);
}

/* ---- by instruction ---- */

static void pc_lets_loads_past_whose_lines_leave_unused(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2)", 1, 2);
    check_after(&c, "abc", "cb"); /* a was dead after instruction 1: its counter is 1 */
    check_after(&c, "d", "cd");   /* 2 */
    check_after(&c, "e", "cd");   /* goes past */
    assert_int_equal(c.bypasses, 1);
    check_after(&c, "F", "fd"); /* instruction 2 does not; c was dead as well: 3 */
    assert_int_equal(reported(&c, "predictions"), 6);
    assert_int_equal(reported(&c, "predicted_dead"), 1);
    small_cache_fini(&c);
}

static void pc_learns_from_hits_for_the_load_that_touched_the_line_last(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2)", 1, 2);
    load(&c, "abcd");           /* c d; instruction 1 has 2 */
    check_after(&c, "C", "cd"); /* c was alive after 1: 1. Its last load is 2 */
    check_after(&c, "e", "ce"); /* so this one is let in; d was dead: 2 */
    check_after(&c, "E", "ce"); /* 1 */
    check_after(&c, "f", "fe"); /* c leaves, which counts against 2: 1 */
    check_after(&c, "G", "fg"); /* e as well: 2 */
    check_after(&c, "H", "fg"); /* goes past */
    small_cache_fini(&c);
}

static void pc_is_corrected_by_the_next_level(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2)", 1, 2);
    load(&c, "abcd");
    check_after(&c, "e", "cd");
    small_cache_hear(&c, 4, 1, 0); /* it has nothing to say */
    check_after(&c, "e", "cd");
    small_cache_hear(&c, 4, 1, SL_FEEDBACK_BYPASS); /* e was asked for before, past this cache: 1 */
    check_after(&c, "e", "ed");
    assert_int_equal(reported(&c, "wrong_bypasses"), 1);
    small_cache_fini(&c);
    small_cache_init(&c, "pc(threshold=2, correction=off)", 1, 2);
    load(&c, "abcd");
    small_cache_hear(&c, 4, 1, SL_FEEDBACK_BYPASS);
    check_after(&c, "e", "cd");
    assert_int_equal(reported(&c, "wrong_bypasses"), 1);
    small_cache_fini(&c);
}

static void pc_counts_as_far_as_its_bits(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=3, bits=2, start=3, up=2, down=2)", 1, 2);
    check_after(&c, "a", ".."); /* it starts at the threshold */
    small_cache_hear(&c, 0, 1, SL_FEEDBACK_BYPASS);
    check_after(&c, "ab", "ab"); /* 1 */
    small_cache_hear(&c, 0, 1, SL_FEEDBACK_BYPASS);
    check_after(&c, "c", "cb"); /* 0, not -1; then 2 */
    check_after(&c, "d", "cd"); /* 3, not 4 */
    check_after(&c, "e", "cd");
    check_after(&c, "D", "cd"); /* 1 */
    check_after(&c, "e", "ed");
    small_cache_fini(&c);
}

static void pc_of_loads_that_share_a_counter_share_their_fate(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=2, counters=4)", 1, 1);
    small_cache_load(&c, 0, 1);
    small_cache_load(&c, 1, 1);
    small_cache_load(&c, 2, 1);
    small_cache_load(&c, 3, 5); /* 5 = 1 + 1 * 4, folded 1 ^ 1 = 0 */
    assert_int_equal(c.bypasses, 0);
    small_cache_load(&c, 4, 16); /* folded 1: instruction 1 has 3 */
    assert_int_equal(c.bypasses, 1);
    small_cache_fini(&c);
}

static void pc_keeps_learning_in_sampled_sets(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=0, sample=4, leaders=0)", 8, 1);
    for (uint64_t line = 0; line < 8; line++)
        small_cache_load(&c, line, 1);
    for (uint64_t line = 0; line < 8; line++)
        assert_int_equal(small_cache_find(&c, line) != SL_NO_WAY, line % 4 == 3);
    small_cache_fini(&c);
}

/* Eight sets: set 0 leads for bypassing, set 4 for letting all in; the last one is sampled. */
static void pc_follows_the_sets_that_miss_less(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "pc(threshold=0, sample=8, leaders=1, selector_bits=2)", 8, 1);
    small_cache_load(&c, 1, 1);
    assert_int_equal(c.bypasses, 1); /* a follower: bypassing leads at first */
    small_cache_load(&c, 4, 1);
    small_cache_load(&c, 7, 1);
    assert_int_equal(c.bypasses, 1); /* neither of these ever bypasses */
    small_cache_load(&c, 0, 1);      /* a miss for bypassing; 4 had one, too */
    assert_int_equal(reported(&c, "selector"), 1);
    small_cache_load(&c, 0, 1);
    assert_int_equal(c.bypasses, 3);
    assert_int_equal(reported(&c, "selector"), 2);
    small_cache_load(&c, 1, 1);
    assert_int_equal(c.bypasses, 3); /* bypassing misses more: followers let it in */
    small_cache_load(&c, 0, 1);
    assert_int_equal(c.bypasses, 4); /* set 0 goes on */
    assert_int_equal(reported(&c, "bypassing_leader_misses"), 3);
    assert_int_equal(reported(&c, "keeping_leader_misses"), 1);
    small_cache_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_leaves_the_cache_empty),
        cmocka_unit_test(pc_lets_loads_past_whose_lines_leave_unused),
        cmocka_unit_test(pc_learns_from_hits_for_the_load_that_touched_the_line_last),
        cmocka_unit_test(pc_is_corrected_by_the_next_level),
        cmocka_unit_test(pc_counts_as_far_as_its_bits),
        cmocka_unit_test(pc_of_loads_that_share_a_counter_share_their_fate),
        cmocka_unit_test(pc_keeps_learning_in_sampled_sets),
        cmocka_unit_test(pc_follows_the_sets_that_miss_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
