/* SPDX-License-Identifier: MIT */
/* Decoupled L1D step by step. Lines are letters; the ways of the only set are written as the letters in them. */
#include "base/random.h"
#include "policy/small_cache.h"
#include "policy/states.h"

static void a_line_is_given_at_the_second_reference(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "decoupled", 1, 4);
    check_after(&c, "a", "...."); /* a new tag: RC 1 */
    check_after(&c, "b", "....");
    check_after(&c, "a", "a..."); /* RC 2: the threshold */
    assert_int_equal(c.bypasses, 2);
    check_after(&c, "aaa", "a...");
    assert_int_equal(c.misses, 3);
    assert_int_equal(reported(&c, "new_tags"), 2);
    assert_int_equal(reported(&c, "below_threshold"), 0);
    assert_int_equal(reported(&c, "at_threshold"), 1);
    small_cache_fini(&c);
}

/* Each row of the policy's table: loads after which the set holds `ways`, and how many tags were new by then. */
static void tags_go_from_state_to_state_as_described(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *policy, *first, *then, *ways;
        uint64_t new_tags;
    } walk[] = {
        {"no tag", "candidate", "decoupled", "a", "a", "a.", 1},
        {"candidate", "candidate", "decoupled(threshold=3)", "aa", "a", "a.", 1},
        {"candidate", "committed", "decoupled", "aa", "a", "a.", 1},
        {"candidate", "no tag", "decoupled", "abcde", "a", "..", 6},
        {"committed", "committed", "decoupled", "aaaa", "a", "a.", 1},
        {"committed", "candidate", "decoupled", "aabbcc", "aa", "ca", 3},
        {"committed", "no tag", "decoupled", "aabbcde", "", ".b", 5},
    };
    size_t rows = sizeof walk / sizeof *walk;
    for (size_t i = 0; i < rows; i++) {
        small_cache c;
        small_cache_init(&c, walk[i].policy, 1, 2);
        const sl_policy_transition *row = &sl_policy_states(small_cache_asked(&c)->ops)[i];
        assert_string_equal(row->from, walk[i].from);
        assert_string_equal(row->to, walk[i].to);
        load(&c, walk[i].first);
        check_after(&c, walk[i].then, walk[i].ways);
        assert_int_equal(reported(&c, "new_tags"), walk[i].new_tags);
        assert_true(i + 1 < rows || !row[1].from);
        small_cache_fini(&c);
    }
}

static void the_first_reference_may_be_left_out(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "decoupled(rc_init=0)", 1, 4);
    check_after(&c, "a", "...."); /* a new tag: RC 0 */
    check_after(&c, "a", "...."); /* RC 1 */
    check_after(&c, "b", "....");
    check_after(&c, "a", "a..."); /* RC 2: the threshold */
    assert_int_equal(c.bypasses, 3);
    check_after(&c, "aaa", "a...");
    assert_int_equal(c.misses, 4);
    assert_int_equal(reported(&c, "new_tags"), 2);
    assert_int_equal(reported(&c, "below_threshold"), 1);
    assert_int_equal(reported(&c, "at_threshold"), 1);
    small_cache_fini(&c);
}

static void an_allocation_ages_the_other_tags_once(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "decoupled(rc_init=0, victims=candidates)", 1, 2);
    check_after(&c, "bb", "..");  /* b: RC 1 */
    check_after(&c, "aaa", "a."); /* a gets a line: b has 0 */
    check_after(&c, "b", "a.");   /* 1 */
    check_after(&c, "b", "ab");   /* 2 */
    check_after(&c, "ccdd", "ab");
    check_after(&c, "c", "cb"); /* evicts a, and ages d by one, not by two: 0; a's count is 0 as well */
    check_after(&c, "da", "cb");
    check_after(&c, "d", "cd"); /* evicts b */
    small_cache_fini(&c);
}

static void an_evicted_line_leaves_its_tag_with_a_count_of_0(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "decoupled(tags=3, rc_init=0, victims=candidates)", 1, 1);
    check_after(&c, "aaa", "a");
    check_after(&c, "bbb", "b");
    check_after(&c, "a", "b"); /* RC 1 */
    check_after(&c, "a", "a");
    assert_int_equal(reported(&c, "new_tags"), 2);
    small_cache_drop(&c, 0); /* the same where a store drops it */
    check_after(&c, "a", ".");
    check_after(&c, "a", "a");
    assert_int_equal(reported(&c, "new_tags"), 2);
    small_cache_fini(&c);
}

static void the_tag_with_the_smallest_count_makes_room_and_of_several_the_oldest(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "decoupled(tags=3, threshold=9, rc_init=0, victims=candidates)", 1, 1);
    load(&c, "abbcd"); /* a 0, b 1, c 0: d takes the place of a */
    assert_int_equal(reported(&c, "new_tags"), 4);
    load(&c, "bc"); /* both are there: b 2, c 1, d 0 */
    assert_int_equal(reported(&c, "new_tags"), 4);
    load(&c, "a"); /* takes the place of d */
    assert_int_equal(reported(&c, "new_tags"), 5);
    load(&c, "cbd"); /* and d that of a */
    assert_int_equal(reported(&c, "new_tags"), 6);
    small_cache_fini(&c);
}

static void committed_tags_stay_unless_all_may_make_room(void **state)
{
    (void)state;
    const char *steps[] = {"aaa", "aaaa", "bbb", "cdd"};
    small_cache c;
    /* Hits do not count: a has RC 2, and 1 after b has got its line. c takes the free tag, d that of c: RC 1. */
    small_cache_init(&c, "decoupled(tags=3, rc_init=0, victims=candidates)", 1, 2);
    for (int i = 0; i < 4; i++)
        load(&c, steps[i]);
    check_after(&c, "e", "ab"); /* takes the place of d, the only candidate */
    small_cache_fini(&c);
    small_cache_init(&c, "decoupled(tags=3, rc_init=0)", 1, 2);
    for (int i = 0; i < 4; i++)
        load(&c, steps[i]);
    check_after(&c, "e", ".b"); /* a is as small as d, and older */
    small_cache_fini(&c);
    small_cache_init(&c, "decoupled(tags=3, rc_init=0)", 1, 2);
    for (int i = 0; i < 4; i++)
        load(&c, steps[i]);
    c.locked[0] = 0x1; /* the data of a is in flight */
    check_after(&c, "e", "ab");
    small_cache_fini(&c);
}

static void a_line_to_give_up_is_forgotten_with_its_request(void **state)
{
    (void)state;
    uint64_t all = 0x3;
    sl_way_mask ways = {&all, 2};
    small_cache c;
    small_cache_init(&c, "decoupled(tags=3, rc_init=0)", 2, 2);
    for (const char *l = "aaabbbcdd"; *l; l++)
        small_cache_load(&c, (uint64_t)(*l - 'a') * 2, 1);
    sl_cache_access e = {.line = 8, .set = 0, .kind = SL_ACCESS_LOAD},
                    other = {.line = 1, .set = 1, .kind = SL_ACCESS_LOAD};
    assert_int_equal(sl_policy_admit(&c.bypass, &e, &ways), SL_BYPASS); /* takes the tag of a, in way 0 */
    assert_int_equal(sl_policy_evict_on_bypass(&c.bypass, &other, &ways), SL_NO_WAY);
    assert_int_equal(sl_policy_evict_on_bypass(&c.bypass, &e, &ways), SL_NO_WAY);
    small_cache_fini(&c);
}

static void without_a_threshold_it_is_the_usual_cache(void **state)
{
    (void)state;
    small_cache a, b;
    sl_random random = sl_random_seed(11);
    small_cache_init(&a, "decoupled(threshold=0)+srrip", 4, 4);
    small_cache_init(&b, "srrip", 4, 4);
    for (int i = 0; i < 5000; i++) {
        uint64_t line = sl_random_below(&random, 40);
        assert_int_equal(small_cache_load(&a, line, 0), small_cache_load(&b, line, 0));
    }
    assert_int_equal(a.bypasses, 0);
    small_cache_fini(&a);
    small_cache_fini(&b);
}

static void stores_are_not_filtered(void **state)
{
    (void)state;
    small_cache c;
    small_cache_init(&c, "decoupled", 1, 2);
    small_cache_access(&c, 0, 1, SL_ACCESS_STORE);
    check_after(&c, "", "a.");
    small_cache_fini(&c);
}

static void check_refused(const char *text, const char *message)
{
    sl_policy_choice choice;
    sl_policy policy;
    sl_error error;
    assert_int_equal(sl_policy_parse(text, &choice, &error), SL_OK);
    assert_int_equal(sl_policy_init(&policy, &choice, &(sl_cache_geometry){.sets = 2, .ways = 4}, &error), SL_INVALID);
    assert_string_equal(error.text, message);
}

static void parameters_that_cannot_work_together_are_refused(void **state)
{
    (void)state;
    check_refused("decoupled(tags=4)", "policy 'decoupled': 'tags' must be more than the 4 ways of the cache");
    check_refused("decoupled(threshold=8, rc_bits=3)",
                  "policy 'decoupled': 'threshold' exceeds the maximum of a 3-bit counter");
    check_refused("decoupled(rc_init=2, rc_bits=1, threshold=1)",
                  "policy 'decoupled': 'rc_init' exceeds the maximum of a 1-bit counter");
}

/* ---- the duel ---- */

/* Caches of a level: the first runs the design, the second does not, the third follows. */
typedef struct level {
    small_cache cache[3];
    uint64_t shared[32];
} level;

static void level_init(level *l, const char *policies)
{
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < 3; i++) {
        small_cache_init_in(
            &l->cache[i], policies,
            &(sl_cache_geometry){.sets = 1, .ways = 2, .instance = i, .instances = 3, .shared = l->shared});
        assert_true(l->cache[i].bypass.ops->shared_bytes <= sizeof l->shared);
    }
}

static void level_fini(level *l)
{
    for (uint32_t i = 0; i < 3; i++)
        small_cache_fini(&l->cache[i]);
}

static void level_load(level *l, uint64_t now, uint32_t instance, const char *lines)
{
    l->cache[instance].now = now;
    load(&l->cache[instance], lines);
}

/* Whether the third cache filters, seen by a line that it was never asked for. */
static bool follower_filters(level *l, uint64_t now)
{
    uint64_t bypasses = l->cache[2].bypasses;
    l->cache[2].now = now;
    small_cache_load(&l->cache[2], 1000 + l->cache[2].misses, 1);
    return l->cache[2].bypasses > bypasses;
}

static void followers_do_as_usual_until_the_first_comparison(void **state)
{
    (void)state;
    level l;
    level_init(&l, "decoupled(threshold=1, rc_init=0)");
    level_load(&l, 10, 0, "abcdefghij");
    level_load(&l, 20, 1, "abcdefghij");
    assert_int_equal(l.cache[0].bypasses, 10);
    assert_int_equal(l.cache[1].bypasses, 0);
    assert_false(follower_filters(&l, 499));
    assert_true(follower_filters(&l, 500)); /* both miss always: a tie, with which the design begins */
    assert_int_equal(reported(&l.cache[2], "dueling_changes"), 1);
    level_fini(&l);
}

static void the_usual_design_wins_by_more_than_the_margin(void **state)
{
    (void)state;
    level l;
    level_init(&l, "decoupled(threshold=1, rc_init=0)");
    level_load(&l, 10, 0, "aaaaaaaaaa"); /* 8 hits of 10 */
    level_load(&l, 10, 1, "aaaaaaaaaa"); /* 9 of 10: 10 points more, not more than 10 */
    assert_true(follower_filters(&l, 500));
    level_fini(&l);
    level_init(&l, "decoupled(threshold=1, rc_init=0, margin=9)");
    level_load(&l, 10, 0, "aaaaaaaaaa");
    level_load(&l, 10, 1, "aaaaaaaaaa");
    assert_false(follower_filters(&l, 500));
    level_fini(&l);
}

/* Lines that are asked for once. */
static void level_scan(level *l, uint64_t now, uint32_t instance, uint64_t count)
{
    l->cache[instance].now = now;
    for (uint64_t i = 0; i < count; i++)
        small_cache_load(&l->cache[instance], 5000 + l->cache[instance].misses, 1);
}

static void play(level *l, const char *policies)
{
    level_init(l, policies);
    level_load(l, 10, 0, "abcdefghij"); /* 0 of 10 */
    level_load(l, 10, 1, "aaaaaaaaaa"); /* 9 of 10 */
    assert_false(follower_filters(l, 100));
    for (int i = 0; i < 9; i++)
        level_load(l, 110, 0, "kkkkkkkkkk"); /* 88 of 100: within the margin */
}

static void within_the_margin_the_design_or_the_side_of_before_is_taken(void **state)
{
    (void)state;
    level l;
    play(&l, "decoupled(threshold=1, rc_init=0, epoch=100, tie=keep)");
    assert_false(follower_filters(&l, 200));
    level_scan(&l, 210, 1, 3); /* 9 of 13: now the design is ahead by 18 points */
    assert_false(follower_filters(&l, 299));
    assert_true(follower_filters(&l, 750)); /* an epoch is noticed when the next access comes */
    assert_int_equal(reported(&l.cache[2], "dueling_changes"), 1);
    level_fini(&l);
    play(&l, "decoupled(threshold=1, rc_init=0, epoch=100)"); /* a tie goes to the design */
    assert_true(follower_filters(&l, 200));
    level_fini(&l);
}

/* Whether a leader filters. */
static bool leader_filters(level *l, uint32_t instance, uint64_t now)
{
    uint64_t bypasses = l->cache[instance].bypasses;
    level_scan(l, now, instance, 1);
    return l->cache[instance].bypasses > bypasses;
}

static void leaders_follow_the_decision_until_the_next_sample(void **state)
{
    (void)state;
    level l;
    level_init(&l, "decoupled(threshold=1, rc_init=0, epoch=100, leaders=follow, sample=4)");
    level_load(&l, 10, 0, "abcdefghij");
    level_load(&l, 20, 1, "abcdefghij"); /* a tie: the design */
    for (uint64_t now = 100; now < 400; now += 100)
        assert_true(leader_filters(&l, 1, now));
    assert_true(leader_filters(&l, 0, 400)); /* the fifth epoch is a sample again */
    assert_false(leader_filters(&l, 1, 401));
    level_load(&l, 410, 1, "aaaaaaaaaa"); /* 9 of 21, and none of 11 with the design */
    assert_false(leader_filters(&l, 0, 500));
    assert_false(leader_filters(&l, 1, 799));
    assert_true(leader_filters(&l, 0, 800));
    assert_int_equal(reported(&l.cache[2], "dueling_changes"), 2);
    level_fini(&l);
}

static void a_sample_lasts_until_both_leaders_were_asked(void **state)
{
    (void)state;
    level l;
    level_init(&l, "decoupled(threshold=1, rc_init=0, epoch=100, leaders=follow, sample=4)");
    level_load(&l, 10, 0, "abcdefghij");
    assert_true(leader_filters(&l, 0, 250));
    assert_false(leader_filters(&l, 1, 350)); /* now both were */
    assert_true(leader_filters(&l, 1, 400));
    level_fini(&l);
}

static void only_loads_count_in_the_duel(void **state)
{
    (void)state;
    level l;
    level_init(&l, "decoupled(threshold=1, rc_init=0)");
    level_load(&l, 10, 0, "aa");
    level_load(&l, 10, 1, "ab");
    for (int i = 0; i < 100; i++)
        small_cache_access(&l.cache[1], 0, 1, SL_ACCESS_STORE); /* hits */
    assert_true(follower_filters(&l, 500));
    level_fini(&l);
}

static void loads_of_lines_on_their_way_are_hits_in_the_duel_unless_told_otherwise(void **state)
{
    (void)state;
    static const char *const policies[] = {"decoupled(threshold=1, rc_init=0, misses=pending)",
                                           "decoupled(threshold=1, rc_init=0)"};
    for (int hits = 0; hits < 2; hits++) {
        level l;
        level_init(&l, policies[hits]);
        l.cache[1].slow = true;
        level_load(&l, 10, 0, "abcdefghij"); /* 0 of 10 */
        level_load(&l, 10, 1, "aaaaaaaaaa"); /* 9 of 10, or none */
        assert_int_equal(follower_filters(&l, 500), !hits);
        level_fini(&l);
    }
}

static void bypassed_loads_are_misses_in_the_duel_unless_told_otherwise(void **state)
{
    (void)state;
    static const char *const policies[] = {"decoupled(threshold=1, rc_init=0, misses=only)",
                                           "decoupled(threshold=1, rc_init=0)"};
    for (int counted = 0; counted < 2; counted++) {
        level l;
        level_init(&l, policies[counted]);
        level_load(&l, 10, 0, "abcdefghij"); /* no access, and so no miss; or 10 misses of 10 */
        level_load(&l, 10, 1, "aaaaaaaaaa"); /* 1 of 10 */
        assert_int_equal(follower_filters(&l, 500), !counted);
        level_fini(&l);
    }
}

static void without_a_third_cache_or_a_duel_all_filter(void **state)
{
    (void)state;
    small_cache c;
    uint64_t shared[32] = {0};
    small_cache_init_in(&c, "decoupled",
                        &(sl_cache_geometry){.sets = 1, .ways = 2, .instance = 1, .instances = 2, .shared = shared});
    check_after(&c, "a", "..");
    small_cache_fini(&c);
    small_cache_init_in(&c, "decoupled(dueling=off)",
                        &(sl_cache_geometry){.sets = 1, .ways = 2, .instance = 1, .instances = 15, .shared = shared});
    check_after(&c, "a", "..");
    small_cache_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_given_at_the_second_reference),
        cmocka_unit_test(tags_go_from_state_to_state_as_described),
        cmocka_unit_test(the_first_reference_may_be_left_out),
        cmocka_unit_test(an_allocation_ages_the_other_tags_once),
        cmocka_unit_test(an_evicted_line_leaves_its_tag_with_a_count_of_0),
        cmocka_unit_test(the_tag_with_the_smallest_count_makes_room_and_of_several_the_oldest),
        cmocka_unit_test(committed_tags_stay_unless_all_may_make_room),
        cmocka_unit_test(a_line_to_give_up_is_forgotten_with_its_request),
        cmocka_unit_test(without_a_threshold_it_is_the_usual_cache),
        cmocka_unit_test(stores_are_not_filtered),
        cmocka_unit_test(parameters_that_cannot_work_together_are_refused),
        cmocka_unit_test(followers_do_as_usual_until_the_first_comparison),
        cmocka_unit_test(the_usual_design_wins_by_more_than_the_margin),
        cmocka_unit_test(within_the_margin_the_design_or_the_side_of_before_is_taken),
        cmocka_unit_test(leaders_follow_the_decision_until_the_next_sample),
        cmocka_unit_test(a_sample_lasts_until_both_leaders_were_asked),
        cmocka_unit_test(only_loads_count_in_the_duel),
        cmocka_unit_test(loads_of_lines_on_their_way_are_hits_in_the_duel_unless_told_otherwise),
        cmocka_unit_test(bypassed_loads_are_misses_in_the_duel_unless_told_otherwise),
        cmocka_unit_test(without_a_third_cache_or_a_duel_all_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
