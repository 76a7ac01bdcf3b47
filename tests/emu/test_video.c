/* SPDX-License-Identifier: MIT */
/* The video instructions that are executed: absolute differences of packed bytes and halves, and those on whole words.
 */
#include "emu/run_ptx.h"

#define KERNEL(inst)                                                                                                   \
    ".version 9.0\n.target sm_75\n.address_size 64\n"                                                                  \
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"                                                          \
    "  .reg .b32 %r<8>;\n  .reg .b64 %a<6>;\n"                                                                         \
    "  ld.param.u64 %a1, [out];\n  ld.param.u64 %a2, [in];\n"                                                          \
    "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %a3, %r1, 4;\n  mul.wide.u32 %a4, %r1, 8;\n"                               \
    "  add.s64 %a2, %a2, %a4;\n  ld.global.v2.u32 {%r2, %r3}, [%a2];\n  mov.u32 %r4, 1000;\n"                          \
    "  " inst " %r5, %r2, %r3, %r4;\n"                                                                                 \
    "  add.s64 %a1, %a1, %a3;\n  st.global.u32 [%a1], %r5;\n  ret;\n}\n"

static const uint32_t PAIRS[4][2] = {{0x00ff1020, 0xff002010}, {0x80000001, 0x7fff0002}, {0, 0xffffffff}, {5, 5}};

static void expect(const char *ptx, const uint32_t expected[4])
{
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        session s;
        if (!session_open(&s, &machines[m], ptx, NULL))
            continue;
        uint32_t *out = device_memory(&s, NULL, sizeof PAIRS / 2);
        void *params[2] = {out, device_memory(&s, PAIRS, sizeof PAIRS)};
        session_run(&s, "k", 1, 4, params, sizeof params);
        assert_memory_equal(out, expected, 4 * sizeof *expected);
        session_close(&s);
    }
}

static void four_bytes_are_subtracted_each_for_itself(void **state)
{
    (void)state;
    expect(KERNEL("vabsdiff4.u32.u32.u32"), (const uint32_t[4]){0xffff1010, 0x01ff0001, 0xffffffff, 0});
}

static void four_differences_add_up_with_a_start_value(void **state)
{
    (void)state;
    expect(KERNEL("vabsdiff4.u32.u32.u32.add"),
           (const uint32_t[4]){1000 + 255 + 255 + 16 + 16, 1000 + 1 + 255 + 1, 1000 + 4 * 255, 1000});
}

static void two_halves_are_subtracted_each_for_itself(void **state)
{
    (void)state;
    expect(KERNEL("vabsdiff2.u32.u32.u32"), (const uint32_t[4]){0xfe010ff0, 0x00010001, 0xffffffff, 0});
}

static void two_differences_add_up_with_a_start_value(void **state)
{
    (void)state;
    expect(KERNEL("vabsdiff2.u32.u32.u32.add"),
           (const uint32_t[4]){1000 + 0xfe01 + 0x0ff0, 1002, 1000 + 2 * 65535, 1000});
}

static void whole_words_are_as_the_plain_instructions_say(void **state)
{
    (void)state;
    expect(KERNEL("vadd.u32.u32.u32.add"),
           (const uint32_t[4]){0xffff3030 + 1000, 0xffff0003 + 1000, 0xffffffff + 1000u, 1010});
    expect(KERNEL("vabsdiff.s32.s32.s32.add"),
           (const uint32_t[4]){0x01fef010 + 1000, 0xffff0001 + 1000u, 1 + 1000, 1000});
    expect(KERNEL("vabsdiff.u32.u32.u32.add"),
           (const uint32_t[4]){0xfe010ff0 + 1000u, 0x0000ffff + 1000, 0xffffffff + 1000u, 1000});
    expect(KERNEL("vmin.s32.s32.s32.add"),
           (const uint32_t[4]){0xff002010 + 1000u, 0x80000001 + 1000u, 0xffffffff + 1000u, 1005});
    expect(KERNEL("vshr.u32.u32.u32.clamp.add"), (const uint32_t[4]){1000, 1000, 1000, 1000});
    expect(KERNEL("vshr.u32.u32.u32.wrap.add"),
           (const uint32_t[4]){(0x00ff1020 >> 16) + 1000, (0x80000001 >> 2) + 1000, 1000, 1000});
    expect(KERNEL("vshl.u32.u32.u32.wrap.add"),
           (const uint32_t[4]){(0x00ff1020u << 16) + 1000, (0x80000001u << 2) + 1000, 1000, (5 << 5) + 1000});
}

static void other_forms_are_refused_by_name(void **state)
{
    (void)state;
    session s;
    assert_true(session_open(&s, &(machine){NULL, 32}, KERNEL("vabsdiff4.s32.s32.s32.sat"), NULL));
    uint64_t params[2] = {0, 0};
    assert_int_equal(session_try(&s, "k", 1, 4, params, sizeof params), SL_UNSUPPORTED);
    assert_non_null(strstr(s.error.text, "vabsdiff4.s32.s32.s32.sat"));
    session_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bytes_are_subtracted_each_for_itself),
        cmocka_unit_test(four_differences_add_up_with_a_start_value),
        cmocka_unit_test(two_halves_are_subtracted_each_for_itself),
        cmocka_unit_test(two_differences_add_up_with_a_start_value),
        cmocka_unit_test(whole_words_are_as_the_plain_instructions_say),
        cmocka_unit_test(other_forms_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
