/* SPDX-License-Identifier: MIT */
/* Modifiers and types are checked as ptxas checks them. */
#include "ptx_test.h"

/* Operands do not matter here. */
static sl_status parse_instruction(const char *text, sl_error *error)
{
    char ptx[1024];
    sl_ptx_module *module;
    snprintf(ptx, sizeof ptx, ".version 9.0\n.target sm_100a\n.address_size 64\n.entry k()\n{\n%s;\n}\n", text);
    sl_status status = sl_ptx_parse(ptx, strlen(ptx), "t.ptx", &module, error);
    sl_ptx_free(module);
    return status;
}

static void what_ptxas_said_is_said_here(void **state)
{
    (void)state;
    size_t length, count = 0, wrong = 0;
    char *text = read_file(SL_TEST_DATA "/ptx/modifiers.txt", &length), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        sl_error error;
        if (*line != '+' && *line != '-')
            continue;
        bool right = parse_instruction(line + 2, &error) == SL_OK;
        count++;
        if (right != (*line == '+')) {
            wrong++;
            print_error("%s: %s\n", line, right ? "accepted" : error.text);
        }
    }
    free(text);
    assert_true(count > 1500);
    assert_int_equal(wrong, 0);
}

static void expect(const char *instruction, const char *expected)
{
    sl_error error;
    char message[2048];
    assert_int_equal(parse_instruction(instruction, &error), SL_SYNTAX);
    assert_string_equal(sl_error_format(&error, message, sizeof message), expected);
}

static void a_wrong_modifier_has_its_place_and_the_nearest_name(void **state)
{
    (void)state;
    expect("add.sta.s32", "t.ptx:6:4: add has no modifier .sta; did you mean '.sat'?");
    expect("fma.zz.f32", "t.ptx:6:4: fma has no modifier .zz; did you mean '.rz'?");
    expect("  ld.shred.u32", "t.ptx:6:5: ld has no modifier .shred; did you mean '.shared'?");
    expect("ld.global.L1::no_alocate.u32",
           "t.ptx:6:10: ld has no modifier .L1::no_alocate; did you mean '.L1::no_allocate'?");
}

static void a_wrong_type_is_told_the_right_ones(void **state)
{
    (void)state;
    expect("popc.u32", "t.ptx:6:5: popc has no type .u32; it takes .b32 or .b64");
    expect("add.rn.s32",
           "t.ptx:6:7: add.rn takes no .s32 here; it takes .f32, .f32x2, .f64, .f16, .f16x2, .bf16 or .bf16x2");
}

static void modifiers_that_are_missing_or_do_not_go_together_are_named(void **state)
{
    (void)state;
    expect("fma.f32", "t.ptx:6:1: fma.f32 needs .rn, .rz, .rm or .rp");
    expect("add.ftz.ftz.f32", "t.ptx:6:8: add.ftz takes no .ftz here");
    expect("mma.sync.aligned.m16n8k8.col.row.f32.f16.f16.f32",
           "t.ptx:6:25: mma.sync.aligned.m16n8k8 takes no .col here");
}

/* ptxas takes them in any order, types excepted. */
static void the_order_of_modifiers_is_free(void **state)
{
    (void)state;
    sl_error error;
    assert_int_equal(parse_instruction("ld.u32.global", &error), SL_OK);
    assert_int_equal(parse_instruction("add.f32.rn.ftz", &error), SL_OK);
    assert_int_equal(parse_instruction("cvt.s32.rzi.f32", &error), SL_OK);
    assert_int_equal(parse_instruction("cvt.f32.rzi.s32", &error), SL_SYNTAX);
}

/* PTX 1.x names no rounding of a mad.f32. */
static void the_oldest_modules_may_leave_modifiers_out(void **state)
{
    (void)state;
    sl_ptx_free(
        parse_text(".version 1.4\n.target sm_10\n.entry k()\n{\n.reg .f32 %f<3>;\nmad.f32 %f1, %f1, %f2, %f1;\n}\n"));
    sl_error error;
    assert_int_equal(parse_instruction("mad.f32", &error), SL_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ptxas_said_is_said_here),
        cmocka_unit_test(a_wrong_modifier_has_its_place_and_the_nearest_name),
        cmocka_unit_test(a_wrong_type_is_told_the_right_ones),
        cmocka_unit_test(modifiers_that_are_missing_or_do_not_go_together_are_named),
        cmocka_unit_test(the_order_of_modifiers_is_free),
        cmocka_unit_test(the_oldest_modules_may_leave_modifiers_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
