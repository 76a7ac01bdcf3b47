/* SPDX-License-Identifier: MIT */
/* Points of one recording: together they say what each says alone. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/point.h"
#include "study/sweep.h"
#include "support.h"

static void assert_same_launches(const sl_result *a, const sl_result *b)
{
    assert_int_equal(a->launches, b->launches);
    for (uint32_t i = 0; i < a->launches; i++) {
        assert_memory_equal(&a->launch[i].counts, &b->launch[i].counts, sizeof(sl_counts));
        assert_memory_equal(a->launch[i].level, b->launch[i].level, sizeof a->launch[i].level);
        assert_int_equal(a->launch[i].l1_bytes, b->launch[i].l1_bytes);
    }
}

static void record(const char *name, sl_input *input, sl_recording *recording)
{
    sl_error error;
    char scratch[] = "/tmp/test-points-XXXXXX";
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = name;
    spec.size = "small";
    assert_non_null(mkdtemp(scratch));
    if (sl_input_open(&spec, input, &error) ||
        sl_record(input, &(sl_record_options){.scratch = scratch}, recording, &error))
        fail_msg("%s", error.text);
    rmdir(scratch);
}

static sl_machine fermi(void)
{
    sl_machine machine;
    sl_error error;
    if (sl_machine_load_with("fermi-gtx480", NULL, 0, &machine, &error))
        fail_msg("%s", error.text);
    return machine;
}

static void points_of_one_pass_say_what_each_says_alone(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {8192, 16384, 32768};
    const sl_sweep_list lists[4] = {{3, sizes}};
    sl_machine machine = fermi();
    sl_input input;
    sl_recording recording;
    sl_sweep sweep;
    sl_error error;
    sl_point like = SL_POINT_START;
    like.kind = SL_ANALYSIS_MODEL;
    like.resolved = &machine;
    like.without = "latency mshr divergence";
    record("bfs", &input, &recording);
    if (sl_sweep_init(&sweep, &like, true, &error) || sl_sweep_product(&sweep, lists, &error) ||
        sl_sweep_run(&sweep, &recording, NULL, NULL, &error))
        fail_msg("%s", error.text);
    assert_int_equal(sweep.points.count, 3);
    assert_int_equal(sweep.passes, 1);
    for (size_t i = 0; i < 3; i++) {
        const sl_point *point = &sweep.points.items[i].point;
        sl_point_result alone;
        const sl_point_batch batch = {
            .recording = &recording, .count = 1, .point = &point, .machine = &point->resolved};
        if (sl_points_run(&batch, &alone, &error))
            fail_msg("%s", error.text);
        assert_same_launches(&alone.result, &sweep.result[i].result);
        assert_int_equal(alone.result.launch[0].l1_bytes, sizes[i]);
        sl_point_results_free(&alone, 1);
    }
    sl_sweep_fini(&sweep);
    sl_recording_close(&recording);
    sl_input_close(&input);
}

/* Launches that are alone find nothing that others left: the order in which they run, and what ran, does not matter. */
static void a_launch_that_is_alone_does_not_depend_on_others(void **state)
{
    (void)state;
    sl_machine machine = fermi();
    const sl_machine *of[] = {&machine};
    sl_input input;
    sl_recording recording;
    sl_error error;
    sl_point_result all, last;
    sl_point point = SL_POINT_START;
    const sl_point *points[] = {&point};
    point.isolated = true;
    record("bfs", &input, &recording);
    sl_recording part = recording;
    part.launch = recording.launch + recording.launches - 1;
    part.launches = 1;
    const sl_point_batch whole = {.recording = &recording, .count = 1, .point = points, .machine = of};
    const sl_point_batch end = {.recording = &part, .count = 1, .point = points, .machine = of};
    if (sl_points_run(&whole, &all, &error) || sl_points_run(&end, &last, &error))
        fail_msg("%s", error.text);
    assert_memory_equal(&all.result.launch[recording.launches - 1].counts, &last.result.launch[0].counts,
                        sizeof(sl_counts));
    sl_point_results_free(&all, 1);
    sl_point_results_free(&last, 1);
    sl_recording_close(&recording);
    sl_input_close(&input);
}

/* Thresholds of profile-guided bypassing share the profiling run, and say what each says alone, also those between
 * which no line's count lies, of which one is simulated. */
static void points_of_one_profiling_run_say_what_each_says_alone(void **state)
{
    (void)state;
    enum { POINTS = 5 };
    static const char *const l1[POINTS] = {"profiled(threshold=2)", "profiled(threshold=5)",
                                           "profiled(threshold=1000000)", "profiled(threshold=2000000)", "lru"};
    char key[POINTS][SL_KEY_BYTES] = {{0}};
    sl_machine machine[POINTS];
    const sl_machine *of[POINTS];
    const sl_point *points[POINTS];
    sl_input input;
    sl_recording recording;
    sl_error error;
    sl_point_result together[POINTS];
    sl_point point = SL_POINT_START;
    record("bfs", &input, &recording);
    for (int i = 0; i < POINTS; i++) {
        points[i] = &point;
        of[i] = &machine[i];
        if (sl_machine_choose(&(sl_machine_choice){.gpu = "fermi-gtx480", .l1 = l1[i]}, &machine[i], &error))
            fail_msg("%s", error.text);
        assert_int_equal(sl_point_shares(&point, &machine[i], key[i]), i < POINTS - 1);
    }
    assert_string_equal(key[0], key[1]);
    const sl_point_batch batch = {.recording = &recording, .count = POINTS, .point = points, .machine = of};
    if (sl_points_run(&batch, together, &error))
        fail_msg("%s", error.text);
    for (int i = 0; i < POINTS; i++) {
        sl_point_result alone;
        const sl_point_batch one = {.recording = &recording, .count = 1, .point = points, .machine = &of[i]};
        if (sl_points_run(&one, &alone, &error))
            fail_msg("%s", error.text);
        assert_same_launches(&alone.result, &together[i].result);
        sl_point_results_free(&alone, 1);
    }
    assert_true(*sl_values_find(&together[0].values, "cycles") != *sl_values_find(&together[1].values, "cycles"));
    assert_true(*sl_values_find(&together[2].values, "cycles") == *sl_values_find(&together[3].values, "cycles"));
    sl_point_results_free(together, POINTS);
    point.cold = true;
    assert_true(sl_point_shares(&point, &machine[0], key[0]) && strcmp(key[0], key[1]));
    machine[0].level[0].size_bytes *= 2;
    point.cold = false;
    assert_true(sl_point_shares(&point, &machine[0], key[0]) && strcmp(key[0], key[1]));
    sl_recording_close(&recording);
    sl_input_close(&input);
}

static void the_default_gpu_is_one(void **state)
{
    (void)state;
    sl_machine machine;
    sl_error error;
    sl_point point = SL_POINT_START;
    assert_int_equal(sl_point_machine(&point, &machine, &error), SL_OK);
    assert_string_equal(machine.name, SL_DEFAULT_GPU);
    assert_int_equal(sl_machine_choose(&(sl_machine_choice){0}, &machine, &error), SL_OK);
    assert_string_equal(machine.name, SL_DEFAULT_GPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_one_pass_say_what_each_says_alone),
        cmocka_unit_test(points_of_one_profiling_run_say_what_each_says_alone),
        cmocka_unit_test(a_launch_that_is_alone_does_not_depend_on_others),
        cmocka_unit_test(the_default_gpu_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
