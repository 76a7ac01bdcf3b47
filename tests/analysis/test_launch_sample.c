/* SPDX-License-Identifier: MIT */
/* Which launches stand for all: strata, phases, intervals. */
#include <math.h>
#include <stdlib.h>

#include "analysis/launch_sample.h"
#include "base/random.h"
#include "support.h"

enum { MANY = 1000 };

/* Launches of two kernels in turn; those of the second have two sizes. */
static sl_launch_sample_unit *units(uint32_t launches)
{
    sl_launch_sample_unit *unit = calloc(launches, sizeof *unit);
    for (uint32_t n = 0; n < launches; n++) {
        uint64_t size = n % 2 && n % 4 == 1 ? 2000 : 1000;
        unit[n] = (sl_launch_sample_unit){n % 2, 16, size, 32 * size, size / 10, size};
    }
    return unit;
}

static void analyze(sl_launch_sample *s)
{
    for (uint32_t n = 0; n < s->launches; n++)
        s->known[n] = s->chosen[n];
}

static double sum(const double *value, uint32_t count)
{
    double all = 0;
    for (uint32_t n = 0; n < count; n++)
        all += value[n];
    return all;
}

static void test_strata_are_what_counts_alike(void **state)
{
    (void)state;
    sl_launch_sample s;
    sl_error error;
    assert_int_equal(sl_launch_sample_create(units(MANY), MANY, 1, &s, &error), SL_OK);
    assert_int_equal(s.strata, 5); /* the first of each kernel; kernel 0; kernel 1 in two sizes */
    assert_int_equal(s.chosen_launches, 1 + 1 + 3 * 3);
    assert_true(s.chosen[0]);
    assert_true(s.chosen[1]);
    sl_launch_sample_fini(&s);
}

static void test_a_stand_in_is_of_the_same_stratum(void **state)
{
    (void)state;
    sl_launch_sample s;
    sl_error error;
    uint32_t of[MANY];
    assert_int_equal(sl_launch_sample_create(units(MANY), MANY, 1, &s, &error), SL_OK);
    analyze(&s);
    sl_launch_sample_stand_ins(&s, of);
    for (uint32_t n = 2; n < MANY; n++) {
        assert_true(s.chosen[of[n]]);
        assert_int_equal(s.unit[of[n]].warp_insts, s.unit[n].warp_insts);
        assert_int_equal(s.unit[of[n]].kernel, s.unit[n].kernel);
        assert_true(!s.chosen[n] || of[n] == n);
    }
    sl_launch_sample_fini(&s);
}

static void test_equal_launches_are_not_taken_for_certain(void **state)
{
    (void)state;
    sl_launch_sample s;
    sl_error error;
    uint32_t of[MANY];
    double value[MANY];
    assert_int_equal(sl_launch_sample_create(units(MANY), MANY, 1, &s, &error), SL_OK);
    for (uint32_t n = 0; n < MANY; n++)
        value[n] = (double)s.unit[n].warp_insts;
    analyze(&s);
    while (sl_launch_sample_refine(&s, value, 0.01))
        analyze(&s);
    sl_launch_sample_stand_ins(&s, of);
    sl_interval interval = sl_launch_sample_interval(&s, of, value, false, NULL);
    assert_float_equal(interval.total, sum(value, MANY), 1e-6);
    assert_true(interval.half > 0 && interval.half < 0.015 * interval.total);
    assert_true(s.chosen_launches < 50);
    sl_launch_sample_fini(&s);
}

/* Launches that count alike, and vary by a tenth. */
static bool interval_holds(uint64_t seed, double *error_of, double *half)
{
    sl_launch_sample s;
    sl_error error;
    uint32_t of[MANY];
    double value[MANY];
    sl_random random = sl_random_seed(seed);
    assert_int_equal(sl_launch_sample_create(units(MANY), MANY, seed, &s, &error), SL_OK);
    for (uint32_t n = 0; n < MANY; n++)
        value[n] = (double)s.unit[n].warp_insts * (0.83 + 0.34 * (double)(sl_random_u64(&random) >> 11) * 0x1p-53);
    analyze(&s);
    for (int i = 0; i < 2 && sl_launch_sample_refine(&s, value, 0.01); i++)
        analyze(&s);
    sl_launch_sample_stand_ins(&s, of);
    sl_interval interval = sl_launch_sample_interval(&s, of, value, false, NULL);
    double off = fabs(interval.total - sum(value, MANY));
    *error_of += off / sum(value, MANY);
    *half += interval.half / interval.total;
    sl_launch_sample_fini(&s);
    return off <= interval.half;
}

static void test_intervals_hold_as_often_as_they_say(void **state)
{
    (void)state;
    enum { TRIES = 400 };
    double off = 0, half = 0;
    int hold = 0;
    for (uint64_t seed = 1; seed <= TRIES; seed++)
        hold += interval_holds(seed, &off, &half);
    assert_true(hold >= TRIES * 93 / 100);
    assert_true(off / TRIES < 0.01);
    assert_true(half / TRIES < 0.02);
}

static void test_many_sizes_share_strata(void **state)
{
    (void)state;
    sl_launch_sample s;
    sl_error error;
    sl_launch_sample_unit *unit = units(MANY);
    for (uint32_t n = 0; n < MANY; n++)
        unit[n] = (sl_launch_sample_unit){0, 1000 - n, 1000 + n, 32000 + 32 * n, 100 + n, 1000 + n};
    assert_int_equal(sl_launch_sample_create(unit, MANY, 1, &s, &error), SL_OK);
    assert_true(s.chosen_launches <= MANY / 20);
    for (uint32_t h = 0; h < s.strata; h++)
        for (uint32_t i = s.first[h] + 1; i < s.first[h + 1]; i++)
            assert_true(s.unit[s.order[i - 1]].thread_insts <= s.unit[s.order[i]].thread_insts);
    /* What is in proportion to sectors, which are known, is known, too. */
    uint32_t of[MANY];
    double value[MANY];
    for (uint32_t n = 0; n < MANY; n++)
        value[n] = 3 * ((double)s.unit[n].sectors + 1);
    analyze(&s);
    sl_launch_sample_stand_ins(&s, of);
    sl_interval as_it_is = sl_launch_sample_interval(&s, of, value, false, NULL);
    sl_interval in_proportion = sl_launch_sample_interval(&s, of, value, true, NULL);
    assert_float_equal(in_proportion.total, sum(value, MANY), 1e-3);
    assert_true(in_proportion.half < 0.01 * in_proportion.total && in_proportion.half < as_it_is.half / 4);
    sl_launch_sample_fini(&s);
}

static void test_a_run_that_was_stopped_has_wider_intervals(void **state)
{
    (void)state;
    sl_launch_sample s;
    sl_error error;
    uint32_t of[MANY];
    double value[MANY], half[2];
    assert_int_equal(sl_launch_sample_create(units(MANY), MANY, 1, &s, &error), SL_OK);
    for (uint32_t n = 0; n < MANY; n++)
        value[n] = (double)s.unit[n].warp_insts;
    for (int i = 0; i < 2; i++) {
        for (uint32_t n = 0; n < MANY; n++)
            s.known[n] = i ? n < 1 : n < 500;
        sl_launch_sample_stand_ins(&s, of);
        half[i] = sl_launch_sample_interval(&s, of, value, false, NULL).half;
        for (uint32_t n = 0; n < MANY; n++)
            assert_true(s.known[of[n]]);
    }
    assert_true(half[1] > 10 * half[0]);
    sl_launch_sample_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strata_are_what_counts_alike),
        cmocka_unit_test(test_a_stand_in_is_of_the_same_stratum),
        cmocka_unit_test(test_equal_launches_are_not_taken_for_certain),
        cmocka_unit_test(test_intervals_hold_as_often_as_they_say),
        cmocka_unit_test(test_many_sizes_share_strata),
        cmocka_unit_test(test_a_run_that_was_stopped_has_wider_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
