/* SPDX-License-Identifier: MIT */
/* Which loops ptxas unrolls: those whose counter goes up by a constant to a limit that stays, without a pragma. */
#include "ptx/cfg.h"

#include "ptx/ptx_test.h"

static bool unrolls(const char *pragma, const char *body)
{
    char text[2000];
    int length =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
                 ".reg .pred %%p<3>; .reg .b32 %%r<9>; .reg .b64 %%rd<3>;\n"
                 "ld.param.u64 %%rd1, [a]; ld.param.u32 %%r1, [n]; mov.u32 %%r2, 0; mov.u32 %%r3, 7;\n"
                 "LOOP:\n%s%s@%%p1 bra LOOP;\nret;\n}\n",
                 pragma, body);
    assert_true(length > 0 && (size_t)length < sizeof text);
    sl_ptx_module *module = parse_text(text);
    const sl_ptx_func *func = kernel_of(module);
    bool closes[64] = {false}, any = false;
    assert_true(func->insts < 64);
    sl_ptx_find_unrolled(func, closes);
    for (uint32_t i = 0; i < func->insts; i++)
        any |= closes[i];
    sl_ptx_free(module);
    return any;
}

#define LOAD_ "ld.global.u32 %r4, [%rd1]; add.s64 %rd1, %rd1, 4; "

static void counted_loops_are_unrolled(void **state)
{
    (void)state;
    assert_true(unrolls("", LOAD_ "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;\n"));
    assert_true(unrolls("", LOAD_ "add.s32 %r2, %r2, 32; setp.lt.u32 %p1, %r2, 512;\n"));
    assert_true(unrolls("", LOAD_ "add.s32 %r2, %r2, 4; setp.ne.s32 %p1, %r1, %r2;\n"));
}

static void other_loops_are_not(void **state)
{
    (void)state;
    assert_false(unrolls(".pragma \"nounroll\";\n", LOAD_ "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;\n"));
    assert_false(unrolls("", LOAD_ "add.s32 %r2, %r2, %r3; setp.lt.u32 %p1, %r2, %r1;\n")); /* any step */
    assert_false(unrolls("", LOAD_ "add.s32 %r2, %r2, -4; setp.ne.s32 %p1, %r1, %r2;\n"));  /* down */
    assert_false(unrolls("", LOAD_ "setp.ne.u32 %p1, %r4, 0;\n"));                          /* until data say so */
    assert_false(unrolls("", LOAD_ "add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4;\n"));   /* the limit changes */
    assert_false(unrolls("", LOAD_ "bar.sync 0; add.s32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1;\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_loops_are_unrolled),
        cmocka_unit_test(other_loops_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
