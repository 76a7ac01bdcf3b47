/* SPDX-License-Identifier: MIT */
/* The text by which `sluice run` tells the CUDA library what to do. */
#include "cuda/options.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

static void every_option_survives_the_way_through_the_environment(void **state)
{
    (void)state;
    sl_cuda_options out = {.lanes = 64,
                           .threads = 3,
                           .max_instructions = UINT64_MAX,
                           .quiet = true,
                           .check_address = true,
                           .check_uninit = true,
                           .isa = "v2",
                           .results = "/tmp/a folder = with signs",
                           .trace = "x.slt",
                           .producer = "sluice run 'a=b'",
                           .zstd_level = 19,
                           .counters = true,
                           .kernel_regex = "^k(1|2)=.*$",
                           .ranged = true,
                           .first_launch = 5,
                           .last_launch = 7,
                           .blocks = 9};
    sl_cuda_options back;
    char *text;
    assert_int_equal(sl_cuda_options_encode(&out, &text, NULL), SL_OK);
    assert_int_equal(sl_cuda_options_decode(text, &back, NULL), SL_OK);
    assert_memory_equal(&out, &back, sizeof out);
    sl_trace_filter filter = sl_cuda_options_filter(&back);
    assert_string_equal(filter.kernel_regex, "^k(1|2)=.*$");
    assert_int_equal(filter.last_launch, 7);
    free(text);
}

static void no_text_means_the_defaults(void **state)
{
    (void)state;
    sl_cuda_options zero = {0}, read;
    char *text;
    assert_int_equal(sl_cuda_options_decode(NULL, &read, NULL), SL_OK);
    assert_memory_equal(&zero, &read, sizeof zero);
    assert_int_equal(sl_cuda_options_encode(&zero, &text, NULL), SL_OK);
    assert_string_equal(text, "");
    assert_null(sl_cuda_options_filter(&zero).kernel_regex);
    free(text);
}

static void expect(const char *text, sl_status status, const char *reason)
{
    sl_cuda_options options;
    sl_error error = {0};
    assert_int_equal(sl_cuda_options_decode(text, &options, &error), status);
    assert_non_null(strstr(error.text, reason));
}

static void wrong_options_are_named(void **state)
{
    (void)state;
    expect("lane=32", SL_NOT_FOUND, "unknown option 'lane'; did you mean 'lanes'?");
    expect("lanes", SL_NOT_FOUND, "");
    expect("threads=4\nlanes=many\n", SL_INVALID, "'many' is not a value of lanes");
    expect("lanes=-1", SL_INVALID, "'-1' is not a value of lanes");
    expect("lanes=4294967296", SL_INVALID, "is not a value of lanes");
    expect("check_uninit=2", SL_INVALID, "'2' is not a value of check_uninit");
    expect("isa=0123456789abcdef", SL_INVALID, "longer than 15 characters");
}

static void a_line_break_in_a_value_is_refused(void **state)
{
    (void)state;
    sl_cuda_options options = {.trace = "a\nlanes=64"};
    sl_error error = {0};
    char *text = NULL;
    assert_int_equal(sl_cuda_options_encode(&options, &text, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "trace"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_survives_the_way_through_the_environment),
        cmocka_unit_test(no_text_means_the_defaults),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(a_line_break_in_a_value_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
