/* SPDX-License-Identifier: MIT */
/* What the first level was asked for; the lower bound of misses, and the reuse of lines, as they follow from it. */
#include "sim/l1_requests.h"
#include "support.h"

static sl_l1_requests *recorded(uint32_t caches, uint32_t sets, uint32_t ways)
{
    sl_error error;
    sl_l1_requests *stream = sl_l1_requests_create();
    assert_non_null(stream);
    assert_int_equal(sl_l1_requests_start(stream, caches, sets, ways, &error), SL_OK);
    return stream;
}

static sl_sim_bound bound_of(const sl_l1_requests *stream)
{
    sl_sim_bound bound;
    sl_error error;
    assert_int_equal(sl_l1_requests_bound(stream, NULL, &bound, &error), SL_OK);
    return bound;
}

static sl_sim_reuse reuse_of(const sl_l1_requests *stream)
{
    sl_sim_reuse reuse;
    sl_error error;
    assert_int_equal(sl_l1_requests_reuse(stream, &reuse, &error), SL_OK);
    return reuse;
}

/* Lines are letters; lower case: the request bypasses. */
static void ask(sl_l1_requests *stream, uint32_t cache, const char *lines)
{
    for (const char *at = lines; *at; at++)
        assert_true(sl_l1_requests_add(stream, cache, (uint64_t)(*at | 32), 0, *at & 32 ? SL_L1_BYPASS : SL_L1_MISS));
}

/* Bins hold 0, 1, 2-3, 4-7. */
static void assert_bins(const sl_distances *d, uint64_t never, uint64_t zero, uint64_t one, uint64_t two, uint64_t four)
{
    uint64_t sum = 0;
    for (int i = 0; i < SL_DISTANCE_BINS; i++)
        sum += d->bin[i];
    assert_int_equal(d->never, never);
    assert_int_equal(d->bin[0], zero);
    assert_int_equal(d->bin[1], one);
    assert_int_equal(d->bin[2], two);
    assert_int_equal(d->bin[3], four);
    assert_int_equal(sum, zero + one + two + four);
}

/* One way, lines a b a b a: the second a hits where b bypasses; LRU would hit never. */
static void a_policy_with_foresight_bypasses(void **state)
{
    (void)state;
    sl_l1_requests *stream = recorded(1, 1, 1);
    for (int i = 0; i < 5; i++)
        assert_true(sl_l1_requests_add(stream, 0, 7 + (uint64_t)(i & 1), 0, SL_L1_MISS));
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(bound.requests, 5);
    assert_int_equal(bound.misses, 5);
    assert_int_equal(bound.min_misses, 3); /* a, b, b */
    sl_l1_requests_destroy(stream);
}

static void caches_and_sets_do_not_share_ways(void **state)
{
    (void)state;
    sl_l1_requests *stream = recorded(2, 2, 1);
    for (int i = 0; i < 6; i++) {
        sl_l1_requests_add(stream, 0, 1, 0, i ? SL_L1_HIT : SL_L1_MISS);
        sl_l1_requests_add(stream, 0, 2, 1, i ? SL_L1_HIT : SL_L1_MISS);
        sl_l1_requests_add(stream, 1, 1, 0, i ? SL_L1_HIT : SL_L1_MISS);
    }
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(bound.requests, 18);
    assert_int_equal(bound.misses, 3);
    assert_int_equal(bound.min_misses, 3);
    sl_l1_requests_destroy(stream);
}

static void gaps_count_requests_and_distances_lines(void **state)
{
    (void)state;
    sl_l1_requests *stream = recorded(1, 1, 1);
    ask(stream, 0, "ABCCBBA"); /* C after 0, B after CC and after 0, A after BCCBB */
    sl_sim_reuse reuse = reuse_of(stream);
    assert_int_equal(reuse.requests, 7);
    assert_bins(&reuse.gap, 3, 2, 0, 1, 1);
    assert_bins(&reuse.distance, 3, 2, 1, 1, 0);
    sl_l1_requests_destroy(stream);
}

/* What is left is A C A B. All of it has A after 6, B after 0, 0 and 4, and C after 1. */
static void bypassed_requests_are_no_reuses_and_do_not_count(void **state)
{
    (void)state;
    sl_l1_requests *stream = recorded(1, 1, 1);
    ask(stream, 0, "AbbbcdCAB");
    sl_sim_reuse reuse = reuse_of(stream);
    assert_int_equal(reuse.requests, 4);
    assert_bins(&reuse.gap, 3, 0, 1, 0, 0);
    assert_bins(&reuse.distance, 3, 0, 1, 0, 0);
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(bound.requests, 9);
    assert_int_equal(bound.misses, 9);
    sl_l1_requests_destroy(stream);
}

static void what_is_brought_in_is_counted_apart(void **state)
{
    (void)state;
    sl_l1_requests *stream = recorded(1, 1, 1);
    ask(stream, 0, "AB");
    assert_true(sl_l1_requests_add(stream, 0, 'a', 0, SL_L1_HIT)); /* after B */
    ask(stream, 0, "aB");                                          /* after A */
    sl_sim_reuse reuse = reuse_of(stream);
    assert_int_equal(reuse.requests, 4);
    assert_int_equal(reuse.missed, 3);
    assert_bins(&reuse.gap, 2, 0, 2, 0, 0);
    assert_bins(&reuse.missed_gap, 2, 0, 1, 0, 0);
    sl_l1_requests_destroy(stream);
}

/* A comes to each of them for the first time, and what the other one is asked for lies not between. */
static void caches_see_their_own_requests(void **state)
{
    (void)state;
    sl_l1_requests *stream = recorded(2, 1, 1);
    ask(stream, 0, "A");
    ask(stream, 1, "BA");
    ask(stream, 0, "A");
    ask(stream, 1, "B");
    sl_sim_reuse reuse = reuse_of(stream);
    assert_int_equal(reuse.requests, 5);
    assert_bins(&reuse.gap, 3, 1, 1, 0, 0);
    sl_l1_requests_destroy(stream);
}

static void a_launch_forgets_the_one_before(void **state)
{
    (void)state;
    sl_error error;
    sl_l1_requests *stream = recorded(1, 1, 1);
    sl_l1_requests_add(stream, 0, 1, 0, SL_L1_BYPASS);
    assert_int_equal(sl_l1_requests_start(stream, 3, 1, 1, &error), SL_OK);
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(reuse_of(stream).requests, 0);
    assert_int_equal(bound.requests, 0);
    assert_int_equal(bound.min_misses, 0);
    sl_l1_requests_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_with_foresight_bypasses),
        cmocka_unit_test(caches_and_sets_do_not_share_ways),
        cmocka_unit_test(gaps_count_requests_and_distances_lines),
        cmocka_unit_test(bypassed_requests_are_no_reuses_and_do_not_count),
        cmocka_unit_test(what_is_brought_in_is_counted_apart),
        cmocka_unit_test(caches_see_their_own_requests),
        cmocka_unit_test(a_launch_forgets_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
