/* SPDX-License-Identifier: MIT */
/* The text by which `sluice run` tells the CUDA library what to do. */
#include "process/options.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

/* A value of each type that is not the default. No setting may be a flag at times. */
__attribute__((unused)) static bool example_FLAG(uint64_t min, const char *const *choices)
{
    (void)min, (void)choices;
    return true;
}

static uint64_t example_NUMBER(uint64_t min, const char *const *choices)
{
    (void)choices;
    return min ? min : 1;
}

static uint64_t example_VERSION(uint64_t min, const char *const *choices)
{
    return example_NUMBER(min, choices);
}

static int example_CHOICE(uint64_t min, const char *const *choices)
{
    (void)min, (void)choices;
    return 1;
}

static const char *example_NAME(uint64_t min, const char *const *choices)
{
    (void)min;
    return choices[1];
}

static const char *example_TEXT(uint64_t min, const char *const *choices)
{
    (void)min, (void)choices;
    return "a text";
}

static void every_option_survives_the_way_through_the_environment(void **state)
{
    (void)state;
    sl_proc_options out = {.settings = {.lanes = 64,
                                        .threads = 3,
                                        .max_instructions = UINT64_MAX,
                                        .check = SL_CHECK_UNINIT,
                                        .fp_contract = SL_FP_CONTRACT_OFF,
                                        .isa = "v2",
                                        .cudart_static = "/opt/a=b/libcudart_static.a",
                                        .compute_capability = 90},
                           .quiet = true,
                           .results = "/tmp/a folder = with signs",
                           .trace = "x.slt",
                           .producer = "sluice run 'a=b'",
                           .zstd_level = 19,
                           .counters = true,
                           .kernel_regex = "^k(1|2)=.*$",
                           .launches = "3,5-7/2",
                           .blocks = 9};
    sl_proc_options back;
    char *text, *again;
    assert_int_equal(sl_proc_options_encode(&out, &text, NULL), SL_OK);
    assert_int_equal(sl_proc_options_decode(text, &back, NULL), SL_OK);
    assert_int_equal(sl_proc_options_encode(&back, &again, NULL), SL_OK);
    assert_string_equal(text, again);
    assert_int_equal(back.settings.check, SL_CHECK_UNINIT);
    assert_int_equal(back.settings.compute_capability, 90);
    assert_string_equal(back.settings.isa, "v2");
    assert_string_equal(back.settings.cudart_static, "/opt/a=b/libcudart_static.a");
    assert_string_equal(back.results, out.results);
    sl_trace_filter filter = sl_proc_options_filter(&back);
    assert_string_equal(filter.kernel_regex, "^k(1|2)=.*$");
    assert_string_equal(filter.launches, "3,5-7/2");
    sl_proc_options_fini(&back);
    free(text);
    free(again);
}

static void no_text_means_the_defaults(void **state)
{
    (void)state;
    sl_proc_options zero = {0}, read;
    char *text;
    assert_int_equal(sl_proc_options_decode(NULL, &read, NULL), SL_OK);
    assert_memory_equal(&zero, &read, sizeof zero);
    assert_int_equal(sl_proc_options_encode(&zero, &text, NULL), SL_OK);
    assert_string_equal(text, "");
    assert_null(sl_proc_options_filter(&zero).kernel_regex);
    free(text);
}

static void expect(const char *text, sl_status status, const char *reason)
{
    sl_proc_options options;
    sl_error error = {0};
    assert_int_equal(sl_proc_options_decode(text, &options, &error), status);
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
    expect("lanes=16", SL_INVALID, "'16' is not a value of lanes");
    expect("quiet=2", SL_INVALID, "'2' is not a value of quiet");
    expect("check=uninitialized", SL_INVALID, "'uninitialized' is not a value of check");
    expect("isa=0123456789abcdef", SL_INVALID, "is not a value of isa");
}

/* Whatever is added to settings.def. */
static void every_setting_has_a_line_and_a_default_that_has_none(void **state)
{
    (void)state;
    sl_proc_options options = {0};
    char *text;
#define SL_SETTING(type, field, inputs, option, value, min, max, choices, help)                                        \
    options.settings.field = example_##type(min, choices);
#define SL_SETTING_INTERNAL(type, field, min, max) options.settings.field = example_##type(min, NULL);
#include "emu/settings.def"
#undef SL_SETTING
#undef SL_SETTING_INTERNAL
    assert_int_equal(sl_proc_options_encode(&options, &text, NULL), SL_OK);
#define SL_SETTING(type, field, ...)          assert_non_null(strstr(text, #field "="));
#define SL_SETTING_INTERNAL(type, field, ...) assert_non_null(strstr(text, #field "="));
#include "emu/settings.def"
    sl_proc_options back;
    char *again;
    assert_int_equal(sl_proc_options_decode(text, &back, NULL), SL_OK);
    assert_int_equal(sl_proc_options_encode(&back, &again, NULL), SL_OK);
    assert_string_equal(text, again);
    sl_proc_options_fini(&back);
    free(text);
    free(again);
}

static void a_line_break_in_a_value_is_refused(void **state)
{
    (void)state;
    sl_proc_options options = {.trace = "a\nlanes=64"};
    sl_error error = {0};
    char *text = NULL;
    assert_int_equal(sl_proc_options_encode(&options, &text, &error), SL_INVALID);
    assert_non_null(strstr(error.text, "trace"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_survives_the_way_through_the_environment),
        cmocka_unit_test(no_text_means_the_defaults),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(every_setting_has_a_line_and_a_default_that_has_none),
        cmocka_unit_test(a_line_break_in_a_value_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
