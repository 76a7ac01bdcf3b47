/* SPDX-License-Identifier: MIT */
/* Which launch stands for a kernel when the simulator times it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/tune_input.h"
#include "support.h"
#include "trace/loaded.h"

typedef struct visited {
    char kernel[8][64];
    uint64_t launch[8];
    int count;
} visited;

static sl_status note(void *context, const sl_timed_launch *launch, sl_error *error)
{
    visited *v = context;
    (void)error;
    snprintf(v->kernel[v->count], sizeof v->kernel[0], "%s", launch->kernel);
    v->launch[v->count++] = launch->launch;
    return SL_OK;
}

static void visit(const char *regex, visited *v, sl_recording *recording, sl_input *input)
{
    sl_error error;
    sl_machine machine;
    char scratch[] = "/tmp/test-tuning-XXXXXX";
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = "gaussian";
    spec.size = "small";
    assert_non_null(mkdtemp(scratch));
    if (sl_input_open(&spec, input, &error) ||
        sl_record(input, &(sl_record_options){.scratch = scratch}, recording, &error) ||
        sl_machine_load_with("fermi-gtx480", NULL, 0, &machine, &error))
        fail_msg("%s", error.text);
    rmdir(scratch);
    *v = (visited){0};
    const sl_timed_kernels kernels = {.input = input,
                                      .kernel_regex = regex,
                                      .machine = &machine,
                                      .recording = recording,
                                      .seed = 1,
                                      .visit = note,
                                      .context = v};
    if (sl_time_on_sim(&kernels, &error))
        fail_msg("%s", error.text);
}

static size_t encoded_bytes(const sl_recording *recording, uint32_t n)
{
    sl_loaded *loaded = NULL;
    sl_error error;
    if (sl_loaded_create(recording->trace, n, NULL, &loaded, &error))
        fail_msg("%s", error.text);
    size_t bytes = sl_loaded_bytes(loaded);
    sl_loaded_destroy(loaded);
    return bytes;
}

/* Of the second kernel of gaussian, the launch with the longest streams is not the one with the most instructions. */
static void the_largest_launch_is_the_one_with_the_most_warp_instructions(void **state)
{
    (void)state;
    sl_recording recording;
    sl_input input;
    sl_error error;
    visited v;
    visit("^fan2$", &v, &recording, &input);
    uint64_t max_insts = 0, by_insts = 0, by_bytes = 0;
    size_t max_bytes = 0;
    for (uint32_t i = 0; i < recording.launches; i++) {
        const sl_trace_launch *launch = sl_trace_launch_at(recording.trace, recording.launch[i]);
        sl_counts counts;
        if (strcmp(sl_trace_kernel_at(recording.trace, launch->kernel)->symbol, "fan2"))
            continue;
        if (sl_recording_count(&recording, recording.launch[i], NULL, &counts, &error))
            fail_msg("%s", error.text);
        uint64_t insts = counts.value[SL_COUNTER_warp_insts];
        size_t bytes = encoded_bytes(&recording, recording.launch[i]);
        if (insts > max_insts) {
            max_insts = insts;
            by_insts = launch->index;
        }
        if (bytes > max_bytes) {
            max_bytes = bytes;
            by_bytes = launch->index;
        }
    }
    assert_int_not_equal(by_insts, by_bytes);
    assert_int_equal(v.count, 1);
    assert_int_equal(v.launch[0], by_insts);
    sl_recording_close(&recording);
    sl_input_close(&input);
}

static void kernels_match_a_regular_expression(void **state)
{
    (void)state;
    sl_recording recording;
    sl_input input;
    visited v;
    visit("an1|an2", &v, &recording, &input);
    assert_int_equal(v.count, 2);
    sl_recording_close(&recording);
    sl_input_close(&input);
}

static double value_of(const sl_values *values, const char *name)
{
    const double *value = sl_values_find(values, name);
    if (!value)
        fail_msg("no value '%s'", name);
    return *value;
}

/* One batch, one call: of every strategy, and of one, whose cycles are the same. */
static void tuning_is_an_analysis_like_the_others(void **state)
{
    (void)state;
    sl_recording recording;
    sl_input input;
    visited v;
    sl_error error;
    sl_machine machine;
    sl_values values = {0};
    const sl_selector *paper;
    visit("^fan1$", &v, &recording, &input);
    if (sl_machine_load_with("fermi-gtx480", NULL, 0, &machine, &error) || sl_selector_find("paper", &paper, &error))
        fail_msg("%s", error.text);
    const sl_analysis_tuning every = {.input = &input, .kernel_regex = "^fan1$"};
    const sl_analysis_tuning one = {.input = &input,
                                    .kernel_regex = "^fan1$",
                                    .share = 1,
                                    .selectors = 1,
                                    .selector = &paper,
                                    .options = &sl_tuner_defaults};
    const sl_analysis analysis[] = {
        {.kind = SL_ANALYSIS_TUNE, .machine = &machine, .seed = 1, .tuning = &every},
        {.kind = SL_ANALYSIS_COUNT},
        {.kind = SL_ANALYSIS_TUNE, .machine = &machine, .seed = 1, .tuning = &one},
    };
    enum { COUNT = sizeof analysis / sizeof *analysis };
    sl_result result[COUNT];
    const sl_analysis_batch batch = {.recording = &recording, .count = COUNT, .analysis = analysis};
    if (sl_analyze_all(&batch, result, &error) || sl_result_values(&result[0], &values, &error))
        fail_msg("%s", error.text);
    assert_int_equal(result[2].tuned.kernels.count, 1);
    const sl_tuned_kernel *tuned = &result[2].tuned.kernels.items[0];
    assert_string_equal(tuned->kernel, "fan1");
    assert_int_equal(tuned->loads, (int)value_of(&values, "kernel_loads"));
    assert_int_equal(tuned->chosen, (int)value_of(&values, "paper_loads"));
    assert_float_equal(tuned->base, value_of(&values, "original_cycles"), 0.01);
    assert_true(result[1].launch[0].counts.value[SL_COUNTER_warp_insts] > 0);
    sl_array_free(&values);
    for (int i = 0; i < COUNT; i++)
        sl_result_fini(&result[i]);
    sl_recording_close(&recording);
    sl_input_close(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_launch_is_the_one_with_the_most_warp_instructions),
        cmocka_unit_test(kernels_match_a_regular_expression),
        cmocka_unit_test(tuning_is_an_analysis_like_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
