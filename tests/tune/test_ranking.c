/* SPDX-License-Identifier: MIT */
/* The order in which choices are timed, and which of them where there is a limit. */
#include "tune/ranking.h"

#include <math.h>
#include <string.h>

#include "support.h"
#include "tune/tune.h"

/* Six loads, each a group. */
enum { LOADS = 6, MAX_TIMED = 256 };

typedef struct bench {
    sl_load load[LOADS];
    sl_load_group group[LOADS];
    uint32_t member[LOADS];
    sl_load_graph graph;
    sl_timer timer;
    sl_tuner tuner;
    sl_tuned tuned;
    char timed[MAX_TIMED][8]; /* "3:L2" for load 3 alone, in the order of timings */
    size_t count;
} bench;

/* Nothing ever gains, so that singles are all that is timed next to modes for all loads. */
static sl_status time_nothing(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                              sl_timing *timing, sl_error *error)
{
    bench *b = context;
    (void)rounds, (void)verify, (void)error;
    for (size_t i = 0; i < count; i++) {
        uint32_t changed = 0, last = 0;
        for (uint32_t k = 0; k < LOADS; k++)
            if (choice[i][k]) {
                changed++;
                last = k;
            }
        timing[i] = (sl_timing){1000, 1000, 0, 0, 1};
        if (changed == 1 && b->count < MAX_TIMED)
            snprintf(b->timed[b->count++], sizeof *b->timed, "%u:%.4s", last, sl_bypass_name(choice[i][last]));
    }
    return SL_OK;
}

/* Of the last load most, in mode `both` more than in others. */
static double expect_of_last(const sl_ranking *ranking, const uint8_t *choice)
{
    double sum = 0;
    for (uint32_t i = 0; i < LOADS; i++)
        sum += choice[i] ? 10 * i + (choice[i] == SL_BYPASS_BOTH) : 0;
    return sum + *(const double *)ranking->context;
}

static const double NOTHING_MORE = 0;
static const sl_ranking BY_LAST = {"by test", expect_of_last, &NOTHING_MORE}, NOT_RANKED = {.text = "not ranked: test"};

static void tune(bench *b, const sl_tuner_options *options, uint32_t modes)
{
    sl_error error = {0};
    *b = (bench){0};
    for (uint32_t i = 0; i < LOADS; i++) {
        b->load[i] = (sl_load){.function = "k", .inst = i, .modes = modes, .group = i};
        b->member[i] = i;
        b->group[i] = (sl_load_group){1, &b->member[i]};
    }
    b->graph = (sl_load_graph){LOADS, LOADS, b->load, LOADS, b->group};
    b->timer = (sl_timer){
        .name = "t", .unit = "cycles", .input = "i", .modes = modes, .exact = true, .context = b, .time = time_nothing};
    assert_int_equal(sl_tuner_init(&b->tuner, &b->graph, &b->timer, options, &error), SL_OK);
    if (sl_tune(&b->tuner, &sl_selectors[0], &b->tuned, &error))
        fail_msg("%s", error.text);
}

static void expect_timed(const bench *b, const char *const *timed, size_t count)
{
    assert_true(b->count >= count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(b->timed[i], timed[i]);
}

static void what_promises_most_is_timed_first(void **state)
{
    (void)state;
    bench b;
    sl_tuner_options options = sl_tuner_defaults;
    options.ranking = &BY_LAST;
    tune(&b, &options, 15);
    static const char *const first[] = {"5:both", "5:L1", "5:L2", "4:both", "4:L1"};
    expect_timed(&b, first, 5);
    assert_int_equal(b.count, 3 * LOADS); /* and nothing is left out */
    sl_tuner_fini(&b.tuner);
}

static void without_a_ranking_the_order_is_that_of_the_code(void **state)
{
    (void)state;
    static const char *const first[] = {"0:L1", "1:L1", "2:L1", "3:L1", "4:L1", "5:L1", "0:L2"};
    bench b;
    sl_tuner_options options = sl_tuner_defaults;
    for (int i = 0; i < 2; i++) {
        options.ranking = i ? &NOT_RANKED : NULL;
        tune(&b, &options, 15);
        expect_timed(&b, first, 7);
        assert_int_equal(b.count, 3 * LOADS);
        sl_tuner_fini(&b.tuner);
    }
}

static void a_limit_on_timings_leaves_out_what_promises_least(void **state)
{
    (void)state;
    bench b;
    sl_tuner_options options = sl_tuner_defaults;
    options.ranking = &BY_LAST;
    options.max = 4;
    tune(&b, &options, 15);
    static const char *const all[] = {"5:both", "5:L1", "5:L2", "4:both"};
    expect_timed(&b, all, 4);
    assert_int_equal(b.count, 4);
    assert_true(isnan(b.tuner.load[0][SL_BYPASS_L1]) && !isnan(b.tuner.load[4][SL_BYPASS_BOTH]));
    sl_tuner_fini(&b.tuner);
}

/* Eight are timed before anybody looks at the time. */
static void a_limit_on_seconds_leaves_out_what_promises_least(void **state)
{
    (void)state;
    bench b;
    sl_tuner_options options = sl_tuner_defaults;
    options.ranking = &BY_LAST;
    options.seconds = 1e-9;
    tune(&b, &options, 15);
    static const char *const first[] = {"5:both", "5:L1", "5:L2", "4:both", "4:L1", "4:L2", "3:both", "3:L1"};
    expect_timed(&b, first, 8);
    assert_true(isnan(b.tuner.load[0][SL_BYPASS_BOTH]));
    sl_tuner_fini(&b.tuner);
}

static void other_controls_are_ranked_across_loads_and_modes(void **state)
{
    (void)state;
    enum { MODES = 1 | 1u << SL_BYPASS_L1_LAST | 1u << SL_BYPASS_L2_LAST | 1u << SL_BYPASS_FETCH_64 };
    bench b;
    sl_tuner_options options = sl_tuner_defaults;
    options.max = 5;
    tune(&b, &options, MODES);
    assert_string_equal(b.timed[0], "0:L1-l"); /* as in the code */
    assert_int_equal(b.count, 6);              /* whole groups */
    sl_tuner_fini(&b.tuner);
    options.ranking = &BY_LAST;
    tune(&b, &options, MODES);
    static const char *const all[] = {"5:L1-l", "5:L2-l", "5:L2-6", "4:L1-l", "4:L2-l"};
    expect_timed(&b, all, 5);
    assert_int_equal(b.count, 5);
    sl_tuner_fini(&b.tuner);
}

static void ranking_alone_times_nothing_and_tells_all(void **state)
{
    (void)state;
    bench b;
    sl_error error;
    sl_plan plan;
    sl_tuner_options options = sl_tuner_defaults;
    options.ranking = &BY_LAST;
    options.rank_only = true;
    tune(&b, &options, 15);
    sl_plan_init(&plan);
    assert_int_equal(sl_plan_add(&plan, &b.tuner, "k", &b.tuned, &error), SL_OK);
    assert_int_equal(b.tuner.timed, 0);
    assert_string_equal(plan.kernel[0].ranking, "by test");
    assert_int_equal(plan.loads, LOADS);
    assert_true(plan.load[4].predicted[SL_BYPASS_L1] == 40 && plan.load[4].predicted[SL_BYPASS_BOTH] == 41);
    assert_true(isnan(plan.load[4].predicted[SL_BYPASS_L1_LAST]) && isnan(plan.load[4].affinity[SL_BYPASS_L1]));
    sl_plan_fini(&plan);
    sl_tuner_fini(&b.tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_promises_most_is_timed_first),
        cmocka_unit_test(without_a_ranking_the_order_is_that_of_the_code),
        cmocka_unit_test(a_limit_on_timings_leaves_out_what_promises_least),
        cmocka_unit_test(a_limit_on_seconds_leaves_out_what_promises_least),
        cmocka_unit_test(other_controls_are_ranked_across_loads_and_modes),
        cmocka_unit_test(ranking_alone_times_nothing_and_tells_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
