/* SPDX-License-Identifier: MIT */
/* Video instructions: on words and parts of them, and on packed bytes and halves. */
#include "emu/run_ptx.h"

#define KERNEL_OF(inst)                                                                                                \
    ".version 9.0\n.target sm_75\n.address_size 64\n"                                                                  \
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"                                                          \
    "  .reg .b32 %r<8>;\n  .reg .b64 %a<6>;\n"                                                                         \
    "  ld.param.u64 %a1, [out];\n  ld.param.u64 %a2, [in];\n"                                                          \
    "  mov.u32 %r1, %tid.x;\n  mul.wide.u32 %a3, %r1, 4;\n  mul.wide.u32 %a4, %r1, 8;\n"                               \
    "  add.s64 %a2, %a2, %a4;\n  ld.global.v2.u32 {%r2, %r3}, [%a2];\n  mov.u32 %r4, 1000;\n"                          \
    "  " inst ";\n"                                                                                                    \
    "  add.s64 %a1, %a1, %a3;\n  st.global.u32 [%a1], %r5;\n  ret;\n}\n"

#define KERNEL(inst) KERNEL_OF(inst " %r5, %r2, %r3, %r4")

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
    assert_true(
        session_open(&s, &(machine){NULL, 32}, KERNEL_OF("vabsdiff4.u32.u32.u32.sat %r5, %r2.b0, %r3, %r4"), NULL));
    uint64_t params[2] = {0, 0};
    assert_int_equal(session_try(&s, "k", 1, 4, params, sizeof params), SL_UNSUPPORTED);
    assert_non_null(strstr(s.error.text, "vabsdiff4.u32.u32.u32.sat"));
    session_close(&s);
}

static void bytes_and_halves_are_computed_each_for_itself(void **state)
{
    (void)state;
    static const struct {
        const char *ptx;
        uint32_t expected[4];
    } cases[] = {
        {KERNEL("vadd4.u32.u32.u32"), {0xffff3030, 0xffff0003, 0xffffffff, 10}},
        {KERNEL("vsub4.s32.s32.s32.sat"), {0x01fff010, 0x800100ff, 0x01010101, 0}},
        {KERNEL("vadd2.u32.u32.u32.sat"), {0xffff3030, 0xffff0003, 0xffffffff, 10}},
        {KERNEL("vsub2.u32.u32.u32.sat"), {0, 0x00010000, 0, 0}},
        {KERNEL("vavrg4.u32.u32.u32"), {0x80801818, 0x80800002, 0x80808080, 5}},
        {KERNEL("vavrg2.s32.s32.s32"), {0xffff1818, 0xffff0002, 0xffffffff, 5}},
        {KERNEL("vset4.u32.u32.gt.add"), {1002, 1001, 1000, 1000}},
        {KERNEL("vset2.u32.u32.ne"), {0x00010001, 0x00010001, 0x00010001, 0}},
        {KERNEL("vmin4.s32.s32.s32"), {0xffff1010, 0x80ff0001, 0xffffffff, 5}},
        {KERNEL("vmax2.u32.u32.u32"), {0xff002010, 0x80000002, 0xffffffff, 5}},
        {KERNEL("vadd2.s32.s32.s32.add"), {13335, 1002, 998, 1010}},
        {KERNEL("vabsdiff2.u32.s32.s32.add"), {1000 + 511 + 4080, 1000 + 65535 + 1, 1002, 1000}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].ptx, cases[i].expected);
}

static void parts_of_words_are_selected_saturated_and_merged(void **state)
{
    (void)state;
    static const struct {
        const char *ptx;
        uint32_t expected[4];
    } cases[] = {
        {KERNEL_OF("vadd.s32.u32.s32.sat %r5, %r2.b0, %r3.h1"), {0xffffff20, 0x8000, 0xffffffff, 5}},
        {KERNEL_OF("vsub.u32.s32.u32 %r5, %r2.b3, %r3"), {0x00ffdff0, 0x8000ff7e, 1, 0xfffffffb}},
        {KERNEL_OF("vmin.s32.s32.s32 %r5.h0, %r2, %r3, %r4"), {0x2010, 1, 0xffff, 5}},
        {KERNEL_OF("vabsdiff.u32.u32.u32.min %r5, %r2, %r3, %r4"), {1000, 65535 < 1000 ? 65535 : 1000, 1000, 0}},
        {KERNEL_OF("vmad.s32.s32.s32.sat.shr15 %r5, %r2.h0, -%r3.h1, %r4"), {32, 0xffffffff, 0, 0}},
        {KERNEL_OF("vmad.u32.u32.u32.po %r5, %r2.h0, %r3.h1, %r4"), {0x100fe3e9, 33768, 1001, 1001}},
        {KERNEL_OF("vset.s32.u32.ge.add %r5, %r2, %r3, %r4"), {1000, 1000, 1000, 1001}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].ptx, cases[i].expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bytes_are_subtracted_each_for_itself),
        cmocka_unit_test(four_differences_add_up_with_a_start_value),
        cmocka_unit_test(two_halves_are_subtracted_each_for_itself),
        cmocka_unit_test(two_differences_add_up_with_a_start_value),
        cmocka_unit_test(bytes_and_halves_are_computed_each_for_itself),
        cmocka_unit_test(parts_of_words_are_selected_saturated_and_merged),
        cmocka_unit_test(whole_words_are_as_the_plain_instructions_say),
        cmocka_unit_test(other_forms_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
