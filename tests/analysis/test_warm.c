/* SPDX-License-Identifier: MIT */
/* What launches find of those before them in the caches that all cores share: the same for the model and the simulator,
 * and for launches that a sample leaves out. */
#include <stdlib.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "support.h"

typedef struct recorded_program {
    sl_input input;
    sl_recording recording;
    sl_machine machine;
} recorded_program;

/* Two matrix products: the second reads what the first has stored. */
static void record(recorded_program *p)
{
    sl_error error;
    char scratch[] = "/tmp/test-warm-XXXXXX";
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = "mm2";
    spec.size = "small";
    assert_non_null(mkdtemp(scratch));
    const sl_record_options options = {.scratch = scratch};
    if (sl_input_open(&spec, &p->input, &error) || sl_record(&p->input, &options, &p->recording, &error) ||
        sl_machine_load("h200", &p->machine, &error))
        fail_msg("%s", error.text);
    rmdir(scratch);
    assert_int_equal(p->recording.launches, 2);
}

static void drop(recorded_program *p)
{
    sl_recording_close(&p->recording);
    sl_input_close(&p->input);
}

static sl_result analyze(const recorded_program *p, const sl_analysis *wanted)
{
    sl_result result;
    sl_error error;
    sl_analysis analysis = *wanted;
    analysis.machine = &p->machine;
    analysis.seed = 1;
    if (sl_analyze(&p->recording, &analysis, NULL, NULL, &result, &error))
        fail_msg("%s", error.text);
    return result;
}

static uint64_t value(const sl_result *result, uint32_t launch, sl_counter counter)
{
    return result->launch[launch].counts.value[counter];
}

static uint64_t memory_reads(const sl_result *result, uint32_t launch)
{
    return value(result, launch, SL_COUNTER_dram_read_sectors);
}

static void model_and_simulator_find_what_launches_before_left(void **state)
{
    static const sl_analysis_kind kinds[] = {SL_ANALYSIS_MODEL, SL_ANALYSIS_SIM};
    (void)state;
    recorded_program p;
    uint64_t found[2];
    record(&p);
    for (int k = 0; k < 2; k++) {
        sl_result warm = analyze(&p, &(sl_analysis){.kind = kinds[k]});
        sl_result cold = analyze(&p, &(sl_analysis){.kind = kinds[k], .cold = true});
        sl_result isolated = analyze(&p, &(sl_analysis){.kind = kinds[k], .isolated = true});
        assert_int_equal(memory_reads(&warm, 0), memory_reads(&cold, 0));
        assert_true(memory_reads(&warm, 1) < memory_reads(&cold, 1));
        assert_int_equal(memory_reads(&cold, 1), memory_reads(&isolated, 1));
        assert_int_equal(value(&warm, 1, SL_COUNTER_ld_sector_hits), value(&cold, 1, SL_COUNTER_ld_sector_hits));
        found[k] = memory_reads(&warm, 1);
        sl_result_fini(&warm);
        sl_result_fini(&cold);
        sl_result_fini(&isolated);
    }
    assert_int_equal(found[0], found[1]);
    drop(&p);
}

static void details_change_nothing(void **state)
{
    (void)state;
    recorded_program p;
    record(&p);
    for (int cold = 0; cold < 2; cold++) {
        sl_result plain = analyze(&p, &(sl_analysis){.kind = SL_ANALYSIS_MODEL, .cold = cold});
        sl_result detailed = analyze(&p, &(sl_analysis){.kind = SL_ANALYSIS_MODEL, .cold = cold, .details = true});
        for (uint32_t n = 0; n < 2; n++)
            assert_memory_equal(&plain.launch[n].counts, &detailed.launch[n].counts, sizeof plain.launch[n].counts);
        sl_result_fini(&plain);
        sl_result_fini(&detailed);
    }
    drop(&p);
}

static void launches_that_are_left_out_leave_their_lines(void **state)
{
    static const uint32_t last[] = {1, 1};
    (void)state;
    recorded_program p;
    record(&p);
    sl_result all = analyze(&p, &(sl_analysis){.kind = SL_ANALYSIS_MODEL});
    sl_result some = analyze(&p, &(sl_analysis){.kind = SL_ANALYSIS_MODEL, .sampling.stand_in = last});
    assert_false(some.launch[0].analyzed);
    assert_int_equal(memory_reads(&some, 1), memory_reads(&all, 1));
    sl_result_fini(&all);
    sl_result_fini(&some);
    drop(&p);
}

/* A recording of the second launch alone. */
static void launches_that_are_not_asked_for_count_where_that_is_wanted(void **state)
{
    (void)state;
    recorded_program p;
    record(&p);
    sl_result all = analyze(&p, &(sl_analysis){.kind = SL_ANALYSIS_MODEL});
    recorded_program second = p;
    second.recording.launch++;
    second.recording.launches = 1;
    sl_result alone = analyze(&second, &(sl_analysis){.kind = SL_ANALYSIS_MODEL});
    sl_result behind = analyze(&second, &(sl_analysis){.kind = SL_ANALYSIS_MODEL, .warms_gaps = true});
    assert_true(memory_reads(&alone, 0) > memory_reads(&all, 1));
    assert_int_equal(memory_reads(&behind, 0), memory_reads(&all, 1));
    sl_result_fini(&all);
    sl_result_fini(&alone);
    sl_result_fini(&behind);
    drop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_and_simulator_find_what_launches_before_left),
        cmocka_unit_test(details_change_nothing),
        cmocka_unit_test(launches_that_are_left_out_leave_their_lines),
        cmocka_unit_test(launches_that_are_not_asked_for_count_where_that_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
