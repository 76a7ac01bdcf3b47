/* SPDX-License-Identifier: MIT */
/* What long work says it is doing: its phases, in order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "support.h"

typedef struct heard {
    char phases[512];
    char unit[16]; /* of the last phase; "": a share of all launches */
} heard;

static void note(void *context, const char *what, uint64_t done, uint64_t total)
{
    heard *h = context;
    size_t used = strlen(h->phases);
    assert_true(!total || done <= total);
    if (!done && !total) {
        snprintf(h->phases + used, sizeof h->phases - used, "%s\n", what);
    } else if (done < total) {
        snprintf(h->unit, sizeof h->unit, "%s", what);
    }
}

static void each_launch_is_a_phase_of_recording_modeling_and_simulating(void **state)
{
    (void)state;
    sl_input input;
    sl_recording recording;
    sl_machine machine;
    sl_error error;
    heard h = {0};
    const sl_progress progress = {note, &h};
    char scratch[] = "/tmp/test-phases-XXXXXX";
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = "stencil2d";
    spec.size = "small";
    assert_non_null(mkdtemp(scratch));
    const sl_record_options options = {.scratch = scratch, .progress = &progress};
    if (sl_input_open(&spec, &input, &error) || sl_record(&input, &options, &recording, &error) ||
        sl_machine_load("fermi-gtx480", &machine, &error))
        fail_msg("%s", error.text);
    rmdir(scratch);
    assert_string_equal(h.phases, "recording\nkernel stencil2d\nkernel stencil2d\n");
    assert_string_equal(h.unit, "blocks");

    h = (heard){.unit = "none"};
    sl_result result;
    sl_analysis analysis = {.kind = SL_ANALYSIS_MODEL, .machine = &machine, .details = true, .seed = 1};
    assert_int_equal(sl_analyze(&recording, &analysis, NULL, &progress, &result, &error), SL_OK);
    sl_result_fini(&result);
    assert_string_equal(h.phases, "modeling launch 1 of 2, stencil2d\nmodeling launch 2 of 2, stencil2d\n");
    assert_string_equal(h.unit, "");

    h = (heard){.unit = "none"};
    analysis.kind = SL_ANALYSIS_SIM;
    assert_int_equal(sl_analyze(&recording, &analysis, NULL, &progress, &result, &error), SL_OK);
    sl_result_fini(&result);
    assert_string_equal(h.phases, "simulating launch 1 of 2, stencil2d\nsimulating launch 2 of 2, stencil2d\n");
    assert_string_equal(h.unit, "");
    sl_recording_close(&recording);
    sl_input_close(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_launch_is_a_phase_of_recording_modeling_and_simulating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
