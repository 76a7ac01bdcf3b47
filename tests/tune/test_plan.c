/* SPDX-License-Identifier: MIT */
#include "tune/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

#define HEAD "{\"sluice_plan\": 1, \"code_hash\": \"00000000000000ab\", \"form\": \"ptx\", "
#define LOAD "{\"function\": \"k\", \"instruction\": 3, \"mode\": \"L1\"}"

static void expect_error(const char *text, const char *part)
{
    sl_plan plan;
    sl_error error = {0};
    char message[2048];
    if (!sl_plan_parse(text, strlen(text), "p.json", &plan, &error))
        fail_msg("'%s' was taken", text);
    sl_error_format(&error, message, sizeof message);
    if (!strstr(message, part))
        fail_msg("'%s' does not say '%s'", message, part);
}

static void a_plan_is_read_as_it_was_written(void **state)
{
    (void)state;
    sl_plan plan, again;
    sl_error error = {0};
    char *text = NULL;
    size_t length;
    sl_plan_init(&plan);
    sl_plan_load loads[2] = {{.function = "k",
                              .inst = 7,
                              .line = 12,
                              .source = "k.cu",
                              .source_line = 3,
                              .opcode = "ld.global.f32",
                              .array = "a|b",
                              .group = 1,
                              .mode = SL_BYPASS_BOTH,
                              .affinity = {NAN, 1.5, NAN, -2},
                              .spread = {NAN, 0.25, NAN, 0.5},
                              .why = "because \"it\" is"},
                             {.function = "k", .inst = 9, .affinity = {NAN, NAN, NAN, NAN}}};
    sl_plan_kernel kernel = {.function = "k", .base = 10, .planned = 8, .gain = 20, .verdict = "faster"};
    for (int m = 0; m < SL_BYPASS_MODES; m++)
        loads[1].spread[m] = NAN;
    plan.code_hash = 0x0123456789abcdef;
    plan.code = "k.ptx";
    plan.thresh1 = 1.5;
    plan.kernels = 1;
    plan.kernel = &kernel;
    plan.loads = 2;
    plan.load = loads;
    FILE *file = open_memstream(&text, &length);
    assert_int_equal(sl_plan_write(&plan, file, &error), SL_OK);
    fclose(file);
    assert_int_equal(sl_plan_parse(text, length, "p.json", &again, &error), SL_OK);
    assert_true(again.code_hash == plan.code_hash && again.thresh1 == 1.5 && again.loads == 2);
    assert_string_equal(again.code, "k.ptx");
    assert_null(again.timer);
    assert_true(again.kernel[0].base == 10 && again.kernel[0].gain == 20);
    const sl_plan_load *l = &again.load[0];
    assert_true(l->inst == 7 && l->line == 12 && l->source_line == 3 && l->group == 1 && l->mode == SL_BYPASS_BOTH);
    assert_true(l->affinity[1] == 1.5 && isnan(l->affinity[2]) && l->affinity[3] == -2 && l->spread[3] == 0.5);
    assert_string_equal(l->why, "because \"it\" is");
    assert_string_equal(l->array, "a|b");
    assert_null(again.load[1].array);
    assert_int_equal(sl_plan_mode(&again, "k", 7), SL_BYPASS_BOTH);
    assert_int_equal(sl_plan_mode(&again, "k", 8), SL_BYPASS_NONE);
    assert_int_equal(sl_plan_mode(&again, "other", 7), SL_BYPASS_NONE);
    sl_plan_fini(&again);
    sl_plan_fini(&plan);
    free(text);
}

static void stores_and_settings_are_read_as_they_were_written(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "\"loads\": [" LOAD "], \"stores\": [{\"function\": \"k\", \"instruction\": 9, \"mode\": \"cs\", "
        "\"affinity\": {\"wt\": 2.5}}], \"settings\": [{\"function\": \"k\", \"setting\": \"carve-out\", \"mode\": "
        "\"carve-L1\"}, {\"function\": \"k\", \"setting\": \"window 2\", \"mode\": \"window\", \"array\": \"c\"}]}";
    sl_plan plan, again;
    sl_error error = {0};
    char *written = NULL, call[512];
    size_t length = 0;
    assert_int_equal(sl_plan_parse(text, strlen(text), "p.json", &plan, &error), SL_OK);
    FILE *file = open_memstream(&written, &length);
    assert_int_equal(sl_plan_write(&plan, file, &error), SL_OK);
    fclose(file);
    assert_int_equal(sl_plan_parse(written, length, "p.json", &again, &error), SL_OK);
    assert_int_equal(again.loads, 4);
    assert_true(again.load[1].node == SL_NODE_STORE && again.load[1].affinity[SL_BYPASS_STORE_WT] == 2.5);
    assert_int_equal(sl_plan_mode(&again, "k", 9), SL_BYPASS_STORE_CS);
    assert_int_equal(sl_plan_mode(&again, "k", SL_SETTING_CARVE_OUT), SL_BYPASS_CARVE_L1);
    assert_int_equal(sl_plan_mode(&again, "k", SL_SETTING_WINDOW + 2), SL_BYPASS_WINDOW);
    assert_non_null(strstr(sl_setting_call(&again.load[2], call, sizeof call), "cudaSharedmemCarveoutMaxL1"));
    assert_non_null(strstr(sl_setting_call(&again.load[3], call, sizeof call), "parameter 2"));
    sl_plan_fini(&plan);
    sl_plan_fini(&again);
    free(written);
    expect_error(HEAD "\"loads\": [], \"settings\": [{\"function\": \"k\", \"setting\": \"x\", \"mode\": \"none\"}]}",
                 "unknown setting 'x'");
    expect_error(HEAD
                 "\"loads\": [], \"settings\": [{\"function\": \"k\", \"setting\": \"blocks\", \"mode\": \"none\"}, "
                 "{\"function\": \"k\", \"setting\": \"blocks\", \"mode\": \"none\"}]}",
                 "setting blocks of k is in the plan twice");
    expect_error(HEAD "\"loads\": [" LOAD "], \"stores\": [" LOAD "]}", "is in the plan twice");
    expect_error(HEAD "\"loads\": [{\"function\": \"k\", \"instruction\": 2147483648, \"mode\": \"L1\"}]}",
                 "no function has an instruction");
}

static void a_mode_of_another_kind_of_node_is_refused(void **state)
{
    (void)state;
    sl_plan plan;
    sl_error error = {0};
    const char *text = HEAD "\"loads\": [{\"function\": \"k\", \"instruction\": 3, \"mode\": \"cs\"}]}";
    sl_load load = {.function = "k", .inst = 3, .opcode = "ld.global.f32", .modes = 15};
    sl_load_graph graph = {.loads = 1, .nodes = 1, .load = &load};
    assert_int_equal(sl_plan_parse(text, strlen(text), "p.json", &plan, &error), SL_OK);
    assert_int_equal(sl_plan_check(&plan, "ptx", 0xab, "k.ptx", &graph, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cannot take mode cs: it is a mode of stores"));
    plan.form = "llvm-ir";
    assert_int_equal(sl_plan_check(&plan, "llvm-ir", 0xab, "k.ll", &graph, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "mode cs of k cannot be written into LLVM IR"));
    plan.form = "ptx";
    plan.load[0].mode = SL_BYPASS_NC;
    load.not_nc = "the kernel writes";
    assert_int_equal(sl_plan_check(&plan, "ptx", 0xab, "k.ptx", &graph, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "the kernel writes"));
    sl_plan_fini(&plan);
}

static void lists_of_modes_are_read_by_name(void **state)
{
    (void)state;
    uint32_t modes;
    sl_error error = {0};
    assert_int_equal(sl_bypass_parse_list("L1,L2-last,cs", &modes, &error), SL_OK);
    assert_int_equal(modes, 1u << SL_BYPASS_L1 | 1u << SL_BYPASS_L2_LAST | 1u << SL_BYPASS_STORE_CS);
    assert_int_equal(sl_bypass_parse_list("all", &modes, &error), SL_OK);
    assert_int_equal(modes, UINT32_MAX);
    assert_int_equal(sl_bypass_parse_list("L1,L2-lost", &modes, &error), SL_NOT_FOUND);
    assert_non_null(strstr(error.text, "did you mean L2-last"));
    assert_int_equal(sl_bypass_parse_list("", &modes, &error), SL_NOT_FOUND);
}

static void what_is_no_plan_is_refused_with_its_location(void **state)
{
    (void)state;
    expect_error("[]", "p.json:1:1: not a plan");
    expect_error("{\"sluice_plan\": 2}", "p.json:1:17: the plan has version 2");
    expect_error("{\"sluice_plan\": 1, \"form\": \"ptx\", \"loads\": []}", "no 'code_hash'");
    expect_error("{\"sluice_plan\": 1, \"form\": \"ptx\", \"code_hash\": \"12\", \"loads\": []}",
                 "16 hexadecimal digits");
    expect_error(HEAD "\"x\": 1}", "unknown key 'x' in a plan");
    expect_error(HEAD "\"loads\": [{\"function\": \"k\", \"instructoin\": 3, \"mode\": \"L1\"}]}",
                 "did you mean 'instruction'?");
    expect_error(HEAD "\"loads\": [{\"function\": \"k\", \"mode\": \"L1\"}]}", "a load has no 'instruction'");
    expect_error(HEAD "\"loads\": [{\"function\": \"k\", \"instruction\": 1.5, \"mode\": \"L1\"}]}", "a whole number");
    expect_error(HEAD "\"loads\": [{\"function\": \"k\", \"instruction\": -1, \"mode\": \"L1\"}]}", "a whole number");
    expect_error(HEAD "\"loads\": [{\"function\": 4, \"instruction\": 1, \"mode\": \"L1\"}]}",
                 "a string here, not a number");
    expect_error(HEAD "\"loads\": [{\"function\": \"k\", \"instruction\": 1, \"mode\": \"L3\"}]}", "unknown mode 'L3'");
    expect_error(HEAD "\"loads\": [" LOAD ", " LOAD "]}", "is in the plan twice");
    expect_error(HEAD "\"loads\": {}}", "an array here, not an object");
    expect_error(HEAD "\"kernels\": []}", "the plan has no 'loads'");
    expect_error(HEAD "\"loads\": [", "ends where a value is expected");
}

static void a_plan_fits_only_the_code_it_was_made_for(void **state)
{
    (void)state;
    sl_plan plan;
    sl_error error = {0};
    const char *text = HEAD "\"loads\": [" LOAD "]}";
    sl_load load = {.function = "k", .inst = 3, .opcode = "ld.global.f32", .modes = 1 | 1 << SL_BYPASS_L1};
    sl_load_graph graph = {.loads = 1, .nodes = 1, .load = &load};
    assert_int_equal(sl_plan_parse(text, strlen(text), "p.json", &plan, &error), SL_OK);
    assert_int_equal(sl_plan_check(&plan, "ptx", 0xab, "k.ptx", &graph, &error), SL_OK);
    assert_int_equal(sl_plan_check(&plan, "ptx", 0xac, "k.ptx", &graph, &error), SL_MISMATCH);
    assert_non_null(strstr(error.text, "00000000000000ab"));
    assert_int_equal(sl_plan_check(&plan, "llvm-ir", 0xab, "k.ll", &graph, &error), SL_INVALID);
    load.inst = 4;
    assert_int_equal(sl_plan_check(&plan, "ptx", 0xab, "k.ptx", &graph, &error), SL_NOT_FOUND);
    load.inst = 3;
    load.modes = 1;
    load.fixed = "volatile";
    assert_int_equal(sl_plan_check(&plan, "ptx", 0xab, "k.ptx", &graph, &error), SL_UNSUPPORTED);
    assert_non_null(strstr(error.text, "volatile"));
    sl_plan_fini(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_read_as_it_was_written),
        cmocka_unit_test(stores_and_settings_are_read_as_they_were_written),
        cmocka_unit_test(a_mode_of_another_kind_of_node_is_refused),
        cmocka_unit_test(lists_of_modes_are_read_by_name),
        cmocka_unit_test(what_is_no_plan_is_refused_with_its_location),
        cmocka_unit_test(a_plan_fits_only_the_code_it_was_made_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
