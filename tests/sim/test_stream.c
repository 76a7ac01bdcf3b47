/* What the first level was asked for, and the fewest misses that follow from it. */
#include "sim/stream.h"
#include "support.h"

static sl_sim_stream *recorded(uint32_t caches, uint32_t sets, uint32_t ways)
{
    sl_error error;
    sl_sim_stream *stream = sl_sim_stream_create();
    assert_non_null(stream);
    assert_int_equal(sl_sim_stream_start(stream, caches, sets, ways, &error), SL_OK);
    return stream;
}

static sl_sim_bound bound_of(const sl_sim_stream *stream)
{
    sl_sim_bound bound;
    sl_error error;
    assert_int_equal(sl_sim_stream_bound(stream, NULL, &bound, &error), SL_OK);
    return bound;
}

/* One way, lines a b a b a: the second a hits where b goes past; LRU would hit never. */
static void a_policy_with_foresight_lets_lines_go_past(void **state)
{
    (void)state;
    sl_sim_stream *stream = recorded(1, 1, 1);
    for (int i = 0; i < 5; i++)
        assert_true(sl_sim_stream_add(stream, 0, 7 + (uint64_t)(i & 1), 0, true));
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(bound.requests, 5);
    assert_int_equal(bound.misses, 5);
    assert_int_equal(bound.fewest, 3); /* a, b, b */
    sl_sim_stream_destroy(stream);
}

static void caches_and_sets_do_not_share_ways(void **state)
{
    (void)state;
    sl_sim_stream *stream = recorded(2, 2, 1);
    for (int i = 0; i < 6; i++) {
        sl_sim_stream_add(stream, 0, 1, 0, i == 0);
        sl_sim_stream_add(stream, 0, 2, 1, i == 0);
        sl_sim_stream_add(stream, 1, 1, 0, i == 0);
    }
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(bound.requests, 18);
    assert_int_equal(bound.misses, 3);
    assert_int_equal(bound.fewest, 3);
    sl_sim_stream_destroy(stream);
}

static void a_launch_forgets_the_one_before(void **state)
{
    (void)state;
    sl_error error;
    sl_sim_stream *stream = recorded(1, 1, 1);
    sl_sim_stream_add(stream, 0, 1, 0, true);
    assert_int_equal(sl_sim_stream_start(stream, 3, 1, 1, &error), SL_OK);
    sl_sim_bound bound = bound_of(stream);
    assert_int_equal(bound.requests, 0);
    assert_int_equal(bound.fewest, 0);
    sl_sim_stream_destroy(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_with_foresight_lets_lines_go_past),
        cmocka_unit_test(caches_and_sets_do_not_share_ways),
        cmocka_unit_test(a_launch_forgets_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
