/* SPDX-License-Identifier: MIT */
/* Specs of sweeps: which points they mean, and what keys of points depend on. */
#include <string.h>

#include "study/sweep_file.h"
#include "support.h"

static sl_status parse(const char *text, sl_sweep_file *spec, sl_error *error)
{
    return sl_sweep_file_parse("folder/spec.yaml", text, strlen(text), NULL, spec, error);
}

static void all_combinations_the_first_key_slowest(void **state)
{
    (void)state;
    sl_sweep_file spec;
    sl_error error;
    if (parse("workloads: [spmv, bfs vertices=500]\nmachines: fermi-gtx480\nl1: [lru, all]\nset: {L1.size: [16K, 32K], "
              "cores: 3}\nseed: 4\n"
              "stream: yes\n",
              &spec, &error))
        fail_msg("%s", error.text);
    assert_int_equal(spec.points, 8);
    assert_string_equal(spec.point[0].input.name, "spmv");
    assert_string_equal(spec.point[1].settings, "L1.size=32K cores=3");
    assert_string_equal(spec.point[2].l1, "all");
    assert_string_equal(spec.point[4].input.name, "bfs");
    assert_string_equal(spec.point[4].input.params, "vertices=500");
    assert_int_equal(spec.point[7].seed, 4);
    assert_true(spec.point[7].requests);
    sl_sweep_file_fini(&spec);
}

static void files_lie_beside_the_spec(void **state)
{
    (void)state;
    sl_sweep_file spec;
    sl_error error;
    if (parse("workloads: spmv\ntraces: [a.slt, /b.slt]\n", &spec, &error))
        fail_msg("%s", error.text);
    assert_int_equal(spec.points, 3);
    assert_string_equal(spec.point[0].input.name, "spmv");
    assert_string_equal(spec.point[1].input.name, "folder/a.slt");
    assert_string_equal(spec.point[2].input.name, "/b.slt");
    sl_sweep_file_fini(&spec);
}

static void too_many_points_are_refused(void **state)
{
    (void)state;
    sl_sweep_file spec;
    sl_error error;
    char text[4096] = "workloads: spmv\nset:\n";
    const char *const keys[] = {"core.warps", "core.blocks", "core.memory_queue", "memory.queue",
                                "L1.mshrs",   "L2.mshrs",    "L1.miss_queue"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        snprintf(text + strlen(text), 100, "  %s: [", keys[k]);
        for (int i = 1; i <= 8; i++)
            snprintf(text + strlen(text), 10, "%s%d", i > 1 ? ", " : "", i);
        snprintf(text + strlen(text), 10, "]\n");
    }
    assert_int_equal(parse(text, &spec, &error), SL_SYNTAX);
    assert_string_equal(error.text, "the sweep has more than 1000000 points");
    assert_string_equal(error.file, "folder/spec.yaml");
    sl_sweep_file_fini(&spec);
}

static void key_of(const sl_point *point, char key[SL_KEY_BYTES], char trace[SL_KEY_BYTES])
{
    sl_machine machine;
    sl_error error;
    if (sl_point_machine(point, &machine, &error) || sl_point_keys(point, &machine, key, trace, &error))
        fail_msg("%s", error.text);
}

/* The sweeps of papers/frc/RESULTS.md can be run: each point has a machine, a workload and policies that exist. */
static void sweeps_of_the_papers_can_be_run(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t points;
    } specs[] = {
        {SL_TEST_DATA "/../../papers/frc-bypass.yaml", 5 * 2 * 9 * 3},
        {SL_TEST_DATA "/../../papers/frc-machines.yaml", 7 * 3 * 3 * 2},
        {SL_TEST_DATA "/../../papers/frc-h200.yaml", 5 * 3 * 2},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        sl_sweep_file spec;
        sl_error error;
        char key[SL_KEY_BYTES], trace[SL_KEY_BYTES];
        if (sl_sweep_file_load(specs[i].path, NULL, &spec, &error))
            fail_msg("%s", error.text);
        assert_int_equal(spec.points, specs[i].points);
        for (size_t k = 0; k < spec.points; k++)
            key_of(&spec.point[k], key, trace);
        sl_sweep_file_fini(&spec);
    }
}

static void a_key_changes_with_what_the_result_depends_on_and_only_then(void **state)
{
    (void)state;
    sl_point base = SL_POINT_START;
    base.input.name = "spmv";
    base.input.size = "small";
    base.machine = "fermi-gtx480";
    char key[SL_KEY_BYTES], trace[SL_KEY_BYTES], other[SL_KEY_BYTES], other_trace[SL_KEY_BYTES];
    key_of(&base, key, trace);
    sl_point same = base;
    same.settings = "L1.size=16K"; /* as it is */
    same.l1 = "lru";
    same.scheduler = "gto";
    key_of(&same, other, other_trace);
    assert_string_equal(key, other);
    assert_string_equal(trace, other_trace);
    enum { POINTS = 10 };
    sl_point points[POINTS];
    for (int i = 0; i < POINTS; i++)
        points[i] = base;
    points[0].settings = "L1.mshrs=16";
    points[1].l1 = "decoupled";
    points[2].l1 = "decoupled(threshold=1)";
    points[3].kind = SL_ANALYSIS_MODEL;
    points[4].kind = SL_ANALYSIS_TUNE;
    points[5] = points[4];
    points[5].kernel = "spmv";
    points[6].requests = true;
    points[7].input.params = "rows=100";
    points[8].input.seed = 2;
    points[9].input.size = "default";
    char tuned[SL_KEY_BYTES];
    key_of(&points[4], tuned, other_trace);
    for (int i = 0; i < POINTS; i++) {
        key_of(&points[i], other, other_trace);
        assert_string_not_equal(key, other);
        assert_int_equal(!strcmp(trace, other_trace), i < 7);
        assert_int_equal(!strcmp(tuned, other), i == 4);
    }
}

static void only_a_simulation_has_a_stream(void **state)
{
    (void)state;
    sl_point point = SL_POINT_START;
    sl_machine machine;
    sl_error error;
    char key[SL_KEY_BYTES], trace[SL_KEY_BYTES];
    point.input.name = "spmv";
    point.kind = SL_ANALYSIS_PROFILE;
    point.requests = true;
    assert_int_equal(sl_point_machine(&point, &machine, &error), SL_OK);
    assert_int_equal(sl_point_keys(&point, &machine, key, trace, &error), SL_INVALID);
    assert_string_equal(error.text, "'stream: yes' requires 'kind: sim'");
}

static void values_add_up_by_name(void **state)
{
    (void)state;
    sl_values values = {0};
    assert_true(sl_values_add(&values, "cycles", 2) && sl_values_add(&values, "other", 1) &&
                sl_values_add(&values, "cycles", 3));
    assert_int_equal(values.count, 2);
    assert_true(*sl_values_find(&values, "cycles") == 5);
    assert_null(sl_values_find(&values, "cycle"));
    sl_array_free(&values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_combinations_the_first_key_slowest),
        cmocka_unit_test(files_lie_beside_the_spec),
        cmocka_unit_test(too_many_points_are_refused),
        cmocka_unit_test(sweeps_of_the_papers_can_be_run),
        cmocka_unit_test(a_key_changes_with_what_the_result_depends_on_and_only_then),
        cmocka_unit_test(only_a_simulation_has_a_stream),
        cmocka_unit_test(values_add_up_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
