/* SPDX-License-Identifier: MIT */
#include "tune/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/store.h"
#include "support.h"
#include "tune/tune.h"

/* Algorithm 1 by hand. Loads 0 and 1 are a group, load 2 is alone. */
enum { LOADS = 3 };

typedef struct bench {
    sl_load load[LOADS];
    sl_load_group group[2];
    uint32_t member[LOADS];
    sl_load_graph graph;
    double a[LOADS][SL_BYPASS_MODES], g[2][SL_BYPASS_MODES];
    sl_mpache_rules rules;
    uint8_t mode[LOADS];
} bench;

static void set_up(bench *b)
{
    *b = (bench){.rules = {2, {SL_BYPASS_L2, SL_BYPASS_L1}, 1.5, 1, 0.1}};
    for (uint32_t i = 0; i < LOADS; i++) {
        b->load[i] = (sl_load){.function = "k", .inst = i, .modes = 15, .group = i / 2};
        b->member[i] = i;
    }
    b->group[0] = (sl_load_group){2, b->member};
    b->group[1] = (sl_load_group){1, b->member + 2};
    b->graph = (sl_load_graph){LOADS, LOADS, b->load, 2, b->group};
}

static void choose(bench *b)
{
    sl_arena arena;
    sl_error error;
    const char *why[LOADS] = {0};
    const sl_affinities affinities = {(const double(*)[SL_BYPASS_MODES])b->a, (const double(*)[SL_BYPASS_MODES])b->g};
    memset(b->mode, 0, sizeof b->mode);
    sl_arena_init(&arena);
    assert_int_equal(sl_mpache_select(&b->graph, &affinities, &b->rules, b->mode, why, &arena, &error), SL_OK);
    for (int i = 0; i < LOADS; i++)
        assert_int_equal(b->mode[i] != 0, why[i] != NULL);
    sl_arena_fini(&arena);
}

static void expect(bench *b, unsigned m0, unsigned m1, unsigned m2)
{
    choose(b);
    assert_int_equal(b->mode[0], m0);
    assert_int_equal(b->mode[1], m1);
    assert_int_equal(b->mode[2], m2);
}

static void nothing_gains_so_nothing_bypasses(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    expect(&b, 0, 0, 0);
}

static void a_group_that_gains_together_takes_one_mode(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    /* com = 5 - (1 + 0.5) = 3.5 > 1.5 * 2 */
    b.a[0][SL_BYPASS_L2] = 1;
    b.a[1][SL_BYPASS_L2] = 0.5;
    b.g[0][SL_BYPASS_L2] = 5;
    expect(&b, SL_BYPASS_L2, SL_BYPASS_L2, 0);
    /* 4.5 - 1.5 = 3 is not above 3 */
    b.g[0][SL_BYPASS_L2] = 4.5;
    expect(&b, 0, 0, 0);
}

static void the_mode_with_the_larger_combination_wins_and_the_first_among_equals(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    b.g[0][SL_BYPASS_L2] = 4;
    b.g[0][SL_BYPASS_L1] = 6;
    expect(&b, SL_BYPASS_L1, SL_BYPASS_L1, 0);
    b.g[0][SL_BYPASS_L1] = 4;
    expect(&b, SL_BYPASS_L2, SL_BYPASS_L2, 0);
}

static void a_slower_group_can_win_by_the_letter_of_the_paper(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    /* Together they lose 1 %, one by one 10 % and 12 %: com = 21. */
    b.a[0][SL_BYPASS_L1] = -10;
    b.a[1][SL_BYPASS_L1] = -12;
    b.g[0][SL_BYPASS_L1] = -1;
    expect(&b, SL_BYPASS_L1, SL_BYPASS_L1, 0);
}

static void loads_are_chosen_one_by_one_where_the_group_is_not(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    b.a[0][SL_BYPASS_L2] = 2;
    b.a[0][SL_BYPASS_L1] = 3;
    b.g[0][SL_BYPASS_L2] = 2;
    b.g[0][SL_BYPASS_L1] = 3; /* record is 0 in both: nothing is taken off */
    b.a[2][SL_BYPASS_L2] = 1; /* not above 1 */
    expect(&b, SL_BYPASS_L1, 0, 0);
    b.a[2][SL_BYPASS_L2] = 1.0001;
    expect(&b, SL_BYPASS_L1, 0, SL_BYPASS_L2);
    b.a[0][SL_BYPASS_L2] = 3; /* a tie: the first mode */
    b.g[0][SL_BYPASS_L2] = 3;
    expect(&b, SL_BYPASS_L2, 0, SL_BYPASS_L2);
}

static void a_group_that_loses_together_weighs_on_its_loads(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    /* record = -4 - (1.5 + 0) = -5.5; the score is 1.5 - 0.55 = 0.95 */
    b.a[0][SL_BYPASS_L2] = 1.5;
    b.g[0][SL_BYPASS_L2] = -4;
    expect(&b, 0, 0, 0);
    b.rules.weight = 0.05; /* 1.225 */
    expect(&b, SL_BYPASS_L2, 0, 0);
    b.rules.weight = 0.1;
    b.a[0][SL_BYPASS_L2] = 1.7; /* 1.7 - 0.57 */
    expect(&b, SL_BYPASS_L2, 0, 0);
}

static void a_positive_record_below_the_threshold_changes_nothing(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    b.a[0][SL_BYPASS_L2] = 0.9;
    b.g[0][SL_BYPASS_L2] = 3; /* record 2.1: below 3, and not added to the score */
    expect(&b, 0, 0, 0);
}

static void loads_that_cannot_take_a_mode_are_passed_over(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    b.a[1][SL_BYPASS_L2] = NAN;
    b.g[0][SL_BYPASS_L2] = 6; /* of load 0 alone: com = 6 - 2 */
    b.a[0][SL_BYPASS_L2] = 2;
    expect(&b, SL_BYPASS_L2, 0, 0);
    b.a[2][SL_BYPASS_L2] = NAN;
    b.a[2][SL_BYPASS_L1] = NAN;
    expect(&b, SL_BYPASS_L2, 0, 0);
}

static void thresholds_are_settings(void **state)
{
    (void)state;
    bench b;
    set_up(&b);
    b.a[2][SL_BYPASS_L1] = 1.5;
    b.rules.thresh2 = 2;
    expect(&b, 0, 0, 0);
    b.g[0][SL_BYPASS_L1] = 3.5;
    expect(&b, SL_BYPASS_L1, SL_BYPASS_L1, 0);
    b.rules.thresh1 = 2;
    expect(&b, 0, 0, 0);
}

/* ---- with a timer ---- */

/* Takes 1000, less what each load's mode gains, and what two loads gain together. Noise of `noise` percent. */
typedef struct fake {
    sl_timer face;
    const double (*gain)[SL_BYPASS_MODES];
    double together; /* when loads 0 and 1 both bypass L1 */
    double noise;
    uint32_t modes; /* 0: those by level */
    uint32_t calls, choices, state;
    bool differs; /* its results */
} fake;

static double noise_of(fake *f)
{
    f->state = f->state * 1664525u + 1013904223u;
    return f->noise * ((double)(f->state >> 8) / (1 << 24) - 0.5);
}

static sl_status fake_time(void *context, const uint8_t *const *choice, size_t count, uint32_t rounds, bool verify,
                           sl_timing *timing, sl_error *error)
{
    fake *f = context;
    f->calls++;
    f->choices += (uint32_t)count;
    if (verify && f->differs)
        return sl_fail(error, SL_MISMATCH, "other bytes");
    for (size_t i = 0; i < count; i++) {
        double gain = noise_of(f) / (rounds ? 2 : 1);
        for (uint32_t k = 0; k < LOADS; k++)
            gain += choice[i][k] ? f->gain[k][choice[i][k]] : 0;
        if (choice[i][0] == SL_BYPASS_L1 && choice[i][1] == SL_BYPASS_L1)
            gain += f->together;
        timing[i] = (sl_timing){1000, 1000 - 10 * gain, gain, f->noise / 4, rounds ? rounds : 11};
    }
    return SL_OK;
}

static void tune_with(bench *b, fake *f, const char *name, const sl_tuner_options *options, sl_tuned *tuned,
                      sl_tuner *tuner)
{
    const sl_selector *selector;
    sl_error error = {0};
    f->face = (sl_timer){.name = "fake",
                         .unit = "cycles",
                         .input = "i",
                         .modes = f->modes ? f->modes : 15,
                         .context = f,
                         .time = fake_time};
    f->face.exact = !f->noise;
    assert_int_equal(sl_selector_find(name, &selector, &error), SL_OK);
    assert_int_equal(sl_tuner_init(tuner, &b->graph, &f->face, options, &error), SL_OK);
    if (sl_tune(tuner, selector, tuned, &error))
        fail_msg("%s", error.text);
}

static void expect_tuned(const double (*gain)[SL_BYPASS_MODES], double together, double noise, const char *name,
                         const char *modes)
{
    bench b;
    fake f = {.gain = gain, .together = together, .noise = noise};
    sl_tuned tuned;
    sl_tuner tuner;
    char got[LOADS + 1] = "";
    set_up(&b);
    tune_with(&b, &f, name, NULL, &tuned, &tuner);
    for (int i = 0; i < LOADS; i++)
        got[i] = "-12b"[tuned.mode[i]];
    assert_string_equal(got, modes);
    sl_tuner_fini(&tuner);
}

/* By mode: none, L1, L2, both. */
static const double STREAM[LOADS][SL_BYPASS_MODES] = {{0, -3, -2, -5}, {0, 0.4, -1, -1}, {0, 5, 2, 6}};
static const double NOTHING[LOADS][SL_BYPASS_MODES] = {{0, -3, -2, -5}, {0, 0, -1, -1}, {0, -0.1, -2, -2}};
static const double HURTS[LOADS][SL_BYPASS_MODES] = {{0, -10, -9, -9}, {0, -12, -9, -9}, {0, 0, 0, 0}};

static void each_way_chooses_as_it_says(void **state)
{
    (void)state;
    expect_tuned(STREAM, 0, 0, "CacheAll", "---");
    expect_tuned(STREAM, 0, 0, "PassL2", "222");
    expect_tuned(STREAM, 0, 0, "PassL0/1", "111");
    expect_tuned(STREAM, 0, 0, "SelectL2", "--2");
    expect_tuned(STREAM, 0, 0, "SelectL0/1", "--1");
    expect_tuned(STREAM, 0, 0, "Liang", "--1"); /* 0.4 is below the threshold */
    expect_tuned(STREAM, 0, 0, "paper", "--1");
    expect_tuned(STREAM, 0, 0, "ours", "-1b"); /* without noise 0.4 counts */
    expect_tuned(STREAM, 0, 0, "bound", "-1b");
    expect_tuned(STREAM, 0, 1, "ours", "--b"); /* with it, it does not */
}

static void the_original_stays_where_nothing_gains(void **state)
{
    (void)state;
    expect_tuned(NOTHING, 0, 0, "ours", "---");
    expect_tuned(NOTHING, 0, 1, "ours", "---");
    expect_tuned(NOTHING, 0, 1, "bound", "---");
}

static void ours_wants_a_group_to_be_faster_itself(void **state)
{
    (void)state;
    expect_tuned(HURTS, 21, 0, "paper", "11-"); /* loses 1 % */
    expect_tuned(HURTS, 21, 0, "ours", "---");
    expect_tuned(HURTS, 25, 0, "ours", "11-"); /* gains 3 % */
}

static void few_plans_are_all_timed_and_many_are_climbed(void **state)
{
    (void)state;
    bench b;
    fake f = {.gain = STREAM, .together = 9};
    sl_tuned tuned;
    sl_tuner tuner;
    sl_tuner_options options = sl_tuner_defaults;
    set_up(&b);
    tune_with(&b, &f, "bound", &options, &tuned, &tuner);
    assert_memory_equal(tuned.mode, ((uint8_t[]){1, 1, 3}), LOADS); /* -3 + 0.4 + 9 + 6 */
    assert_true(f.choices >= 63);
    sl_tuner_fini(&tuner);
    options.search = 40; /* of 64 */
    f.choices = 0;
    tune_with(&b, &f, "bound", &options, &tuned, &tuner);
    assert_memory_equal(tuned.mode, ((uint8_t[]){1, 1, 3}), LOADS);
    sl_tuner_fini(&tuner);
}

static void a_gain_that_the_last_timing_does_not_show_is_given_up(void **state)
{
    (void)state;
    bench b;
    /* Singles look like +2, but the noise is as large. */
    static const double faint[LOADS][SL_BYPASS_MODES] = {{0, 2, 0, 0}, {0}, {0}};
    fake f = {.gain = faint, .noise = 12};
    sl_tuned tuned;
    sl_tuner tuner;
    set_up(&b);
    tune_with(&b, &f, "ours", NULL, &tuned, &tuner);
    assert_int_equal(tuned.chosen, 0);
    for (int i = 0; i < LOADS; i++)
        assert_int_equal(tuned.mode[i], SL_BYPASS_NONE);
    sl_tuner_fini(&tuner);
}

/* What the neutral hint gains too is not the cache's. */
static void gains_by_code_order_are_told_from_gains_by_caches(void **state)
{
    (void)state;
    static const struct {
        unsigned mode, neutral_mode;
        double neutral;
        const char *verdict;
    } rows[] = {{SL_BYPASS_L2, SL_BYPASS_NEUTRAL, 0, "faster"},
                {SL_BYPASS_L2, SL_BYPASS_NEUTRAL, 5, "by code order, not cache"},
                {SL_BYPASS_L2, SL_BYPASS_NEUTRAL, 2, "in part by code order"},
                {SL_BYPASS_PREFETCH_4, SL_BYPASS_PREFETCH_0, 5, "by code order, not cache"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bench b;
        double gain[LOADS][SL_BYPASS_MODES] = {0};
        fake f = {.gain = (const double(*)[SL_BYPASS_MODES])gain,
                  .noise = 0.2,
                  .modes = 1 | 1u << rows[i].mode | 1u << rows[i].neutral_mode};
        sl_tuned tuned;
        sl_tuner tuner;
        gain[2][rows[i].mode] = 5;
        gain[2][rows[i].neutral_mode] = rows[i].neutral;
        set_up(&b);
        for (int k = 0; k < LOADS; k++)
            b.load[k].modes = f.modes;
        tune_with(&b, &f, "ours", NULL, &tuned, &tuner);
        assert_int_equal(tuned.mode[2], rows[i].mode);
        assert_non_null(strstr(tuned.verdict, rows[i].verdict));
        assert_true(i || !strcmp(tuned.verdict, "faster"));
        assert_true(isnan(tuner.load[2][rows[i].neutral_mode])); /* it is no candidate */
        sl_tuner_fini(&tuner);
    }
}

/* Other modes than those by level: groups, and single loads only where the group gains by the mode. */
static void other_modes_are_timed_by_group_first(void **state)
{
    (void)state;
    enum { LAST = SL_BYPASS_L1_LAST, FETCH = SL_BYPASS_FETCH_128 };
    bench b;
    double gain[LOADS][SL_BYPASS_MODES] = {0};
    fake f = {.gain = (const double(*)[SL_BYPASS_MODES])gain, .modes = 1 | 1u << LAST | 1u << FETCH};
    sl_tuned tuned;
    sl_tuner tuner;
    gain[0][LAST] = 3;
    gain[1][LAST] = -1;
    gain[2][FETCH] = -2;
    set_up(&b);
    for (int k = 0; k < LOADS; k++)
        b.load[k].modes = f.modes;
    tune_with(&b, &f, "ours", NULL, &tuned, &tuner);
    /* the group and the load that is alone, in two modes; the loads of the group in the one by which it gains */
    assert_int_equal(tuner.measured, 4 + 2);
    assert_true(tuner.group[0][LAST] == 2 && tuner.load[0][LAST] == 3 && isnan(tuner.load[0][FETCH]));
    assert_memory_equal(tuned.mode, ((uint8_t[]){LAST, 0, 0}), LOADS);
    sl_tuner_fini(&tuner);
    sl_tuner_options options = sl_tuner_defaults;
    options.controls = 1u << FETCH;
    tune_with(&b, &f, "ours", &options, &tuned, &tuner);
    assert_int_equal(tuner.measured, 2);
    assert_int_equal(tuned.chosen, 0);
    sl_tuner_fini(&tuner);
}

/* The time is over after the first eight of nine: the last is not timed, and nothing is taken for a gain of it. */
static void what_does_not_fit_the_time_is_not_timed(void **state)
{
    (void)state;
    bench b;
    fake f = {.gain = STREAM};
    sl_tuned tuned;
    sl_tuner tuner;
    sl_tuner_options options = sl_tuner_defaults;
    options.seconds = 1e-9;
    set_up(&b);
    tune_with(&b, &f, "ours", &options, &tuned, &tuner);
    unsigned timed = 0, left = 0;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        for (uint32_t i = 0; i < b.graph.nodes; i++)
            if (tuner.load[i][m] == tuner.load[i][m])
                timed++;
            else
                left += m <= SL_BYPASS_BOTH;
    assert_true(timed <= 8 && left);
    sl_tuner_fini(&tuner);
    options.seconds = 1e9;
    tune_with(&b, &f, "ours", &options, &tuned, &tuner);
    assert_false(isnan(tuner.load[b.graph.nodes - 1][SL_BYPASS_BOTH]));
    sl_tuner_fini(&tuner);
}

static void of_many_loads_groups_come_first(void **state)
{
    (void)state;
    bench b;
    fake f = {.gain = STREAM}; /* of load 3 nothing depends */
    sl_tuned tuned;
    sl_tuner tuner;
    sl_tuner_options options = sl_tuner_defaults;
    sl_load load[4];
    uint32_t member[4] = {0, 1, 2, 3};
    sl_load_group group[2] = {{2, member}, {2, member + 2}};
    set_up(&b);
    for (uint32_t i = 0; i < 4; i++)
        load[i] = (sl_load){.function = "k", .inst = i, .modes = 15, .group = i / 2};
    b.graph = (sl_load_graph){4, 4, load, 2, group};
    options.max = 6; /* of 18: the groups in three modes */
    tune_with(&b, &f, "ours", &options, &tuned, &tuner);
    assert_int_equal(tuner.measured, 6);
    assert_true(isnan(tuner.load[0][SL_BYPASS_L1]) && isnan(tuner.load[2][SL_BYPASS_L1]));
    assert_memory_equal(tuned.mode, ((uint8_t[]){0, 0, 3, 3}), 4);
    sl_tuner_fini(&tuner);
    options.max = 12; /* there is room for the loads of one group */
    tune_with(&b, &f, "ours", &options, &tuned, &tuner);
    assert_int_equal(tuner.measured, 12);
    sl_tuner_fini(&tuner);
    static const double flat[LOADS][SL_BYPASS_MODES] = {{0}, {0}, {0, 5, 2, 6}};
    f.gain = flat; /* the first makes none, and stays closed whatever there is room for */
    options.max = 17;
    tune_with(&b, &f, "ours", &options, &tuned, &tuner);
    assert_int_equal(tuner.measured, 12);
    assert_true(isnan(tuner.load[0][SL_BYPASS_L1]) && !isnan(tuner.load[2][SL_BYPASS_L1]));
    assert_memory_equal(tuned.mode, ((uint8_t[]){0, 0, 3}), 3);
    sl_tuner_fini(&tuner);
}

static void verdicts_say_what_is_known(void **state)
{
    (void)state;
    static const double little[LOADS][SL_BYPASS_MODES] = {{0, -0.1, 0, 0}, {0}, {0}};
    static const double loses[LOADS][SL_BYPASS_MODES] = {{0, -30, 0, 0}, {0}, {0}};
    static const double wins[LOADS][SL_BYPASS_MODES] = {{0, 30, 0, 0}, {0}, {0}};
    const struct {
        const double (*gain)[SL_BYPASS_MODES];
        const char *verdict;
    } cases[] = {{little, "the same within noise"}, {loses, "slower"}, {wins, "faster"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        fake f = {.gain = cases[i].gain, .noise = 2};
        sl_tuned tuned;
        sl_tuner tuner;
        set_up(&b);
        tune_with(&b, &f, "PassL0/1", NULL, &tuned, &tuner);
        assert_string_equal(tuned.verdict, cases[i].verdict);
        sl_tuner_fini(&tuner);
    }
}

static sl_status two_percent(void *context, double *percent, sl_error *error)
{
    (void)error;
    ((fake *)context)->calls += 100;
    *percent = 2;
    return SL_OK;
}

static void a_timer_may_know_its_noise_itself(void **state)
{
    (void)state;
    static const double five[LOADS][SL_BYPASS_MODES] = {{0, 5, 0, 0}, {0}, {0}};
    bench b;
    fake f = {.gain = five};
    sl_tuned tuned;
    sl_tuner tuner;
    sl_error error = {0};
    set_up(&b);
    f.face = (sl_timer){.name = "fake",
                        .unit = "cycles",
                        .input = "i",
                        .modes = 15,
                        .exact = true,
                        .context = &f,
                        .time = fake_time,
                        .deviation = two_percent,
                        .last_rounds = 4};
    assert_int_equal(sl_tuner_init(&tuner, &b.graph, &f.face, NULL, &error), SL_OK);
    assert_int_equal(sl_tune(&tuner, &sl_selectors[0], &tuned, &error), SL_OK);
    assert_true(tuner.noise > 5.99 && tuner.noise < 6.01);
    assert_int_equal(tuned.chosen, 0); /* in one round 5 % are not above three times 2 % */
    const sl_selector *pass;
    assert_int_equal(sl_selector_find("PassL0/1", &pass, &error), SL_OK);
    assert_int_equal(sl_tune(&tuner, pass, &tuned, &error), SL_OK);
    assert_string_equal(tuned.verdict, "faster"); /* in four they are: noise is half as large */
    assert_int_equal(f.calls / 100, 1);
    sl_tuner_fini(&tuner);
}

static void other_bytes_in_memory_are_an_error(void **state)
{
    (void)state;
    bench b;
    fake f = {.gain = STREAM, .differs = true};
    sl_tuned tuned;
    sl_tuner tuner;
    sl_error error = {0};
    const sl_selector *selector;
    set_up(&b);
    f.face = (sl_timer){
        .name = "fake", .unit = "cycles", .input = "i", .modes = 15, .exact = true, .context = &f, .time = fake_time};
    assert_int_equal(sl_selector_find("ours", &selector, &error), SL_OK);
    assert_int_equal(sl_tuner_init(&tuner, &b.graph, &f.face, NULL, &error), SL_OK);
    assert_int_equal(sl_tune(&tuner, selector, &tuned, &error), SL_MISMATCH);
    sl_tuner_fini(&tuner);
}

static void timings_are_taken_once_and_outlive_a_run(void **state)
{
    (void)state;
    char path[] = "/tmp/sluice-timings-XXXXXX";
    close(mkstemp(path));
    sl_point_store *store;
    sl_timing_store timings;
    bench b;
    fake f = {.gain = STREAM, .noise = 0.5};
    sl_tuned first, second;
    sl_tuner tuner;
    sl_tuner_options options = sl_tuner_defaults;
    sl_error error = {0};
    set_up(&b);
    assert_int_equal(sl_point_store_open(path, &store, &error), SL_OK);
    timings = sl_point_store_timings(store);
    options.store = &timings;
    tune_with(&b, &f, "ours", &options, &first, &tuner);
    uint32_t before = f.choices;
    uint8_t modes[LOADS];
    memcpy(modes, first.mode, LOADS);
    sl_tuner_fini(&tuner);
    sl_point_store_close(store);
    assert_int_equal(sl_point_store_open(path, &store, &error), SL_OK);
    timings = sl_point_store_timings(store);
    tune_with(&b, &f, "ours", &options, &second, &tuner);
    assert_int_equal(f.choices, before);
    assert_memory_equal(second.mode, modes, LOADS);
    assert_true(second.timing.gain == first.timing.gain);
    sl_tuner_fini(&tuner);
    options.code_hash = 5; /* other code: nothing is known of it */
    tune_with(&b, &f, "ours", &options, &second, &tuner);
    assert_true(f.choices > before);
    sl_tuner_fini(&tuner);
    sl_point_store_close(store);
    unlink(path);
}

static void a_wrong_name_is_answered_with_the_nearest(void **state)
{
    (void)state;
    const sl_selector *selector;
    sl_error error = {0};
    assert_int_equal(sl_selector_find("papr", &selector, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "'paper'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gains_so_nothing_bypasses),
        cmocka_unit_test(a_group_that_gains_together_takes_one_mode),
        cmocka_unit_test(the_mode_with_the_larger_combination_wins_and_the_first_among_equals),
        cmocka_unit_test(a_slower_group_can_win_by_the_letter_of_the_paper),
        cmocka_unit_test(loads_are_chosen_one_by_one_where_the_group_is_not),
        cmocka_unit_test(a_group_that_loses_together_weighs_on_its_loads),
        cmocka_unit_test(a_positive_record_below_the_threshold_changes_nothing),
        cmocka_unit_test(loads_that_cannot_take_a_mode_are_passed_over),
        cmocka_unit_test(thresholds_are_settings),
        cmocka_unit_test(each_way_chooses_as_it_says),
        cmocka_unit_test(the_original_stays_where_nothing_gains),
        cmocka_unit_test(ours_wants_a_group_to_be_faster_itself),
        cmocka_unit_test(few_plans_are_all_timed_and_many_are_climbed),
        cmocka_unit_test(a_gain_that_the_last_timing_does_not_show_is_given_up),
        cmocka_unit_test(gains_by_code_order_are_told_from_gains_by_caches),
        cmocka_unit_test(other_modes_are_timed_by_group_first),
        cmocka_unit_test(what_does_not_fit_the_time_is_not_timed),
        cmocka_unit_test(of_many_loads_groups_come_first),
        cmocka_unit_test(verdicts_say_what_is_known),
        cmocka_unit_test(a_timer_may_know_its_noise_itself),
        cmocka_unit_test(other_bytes_in_memory_are_an_error),
        cmocka_unit_test(timings_are_taken_once_and_outlive_a_run),
        cmocka_unit_test(a_wrong_name_is_answered_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
