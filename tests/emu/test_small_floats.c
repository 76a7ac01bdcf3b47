/* SPDX-License-Identifier: MIT */
/* Conversions to and from floats of four to eight bits, and powers of two: values by hand. */
#include <math.h>

#include "emu/run_ptx.h"

/* Pairs of f32 become a pair of small floats: the first operand in the upper half. */
static void expect_small(const char *code, const float (*in)[2], const uint16_t *expected, size_t n)
{
    const char *types[4] = {"b16", "f32", "f32", "b32"};
    float a[8], b[8];
    assert_true(n <= 8);
    for (size_t i = 0; i < n; i++) {
        a[i] = in[i][0];
        b[i] = in[i][1];
    }
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        uint16_t out[8];
        if (!run_elements(&machines[m], code, types, n, out, (const void *const[3]){a, b, NULL}))
            continue;
        for (size_t i = 0; i < n; i++)
            assert_int_equal(out[i], expected[i]);
    }
}

static void expect_wide(const char *code, const uint16_t *in, const uint32_t *expected, size_t n)
{
    const char *types[4] = {"b32", "b16", "b32", "b32"};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        uint32_t out[8];
        if (!run_elements(&machines[m], code, types, n, out, (const void *const[3]){in, NULL, NULL}))
            continue;
        for (size_t i = 0; i < n; i++)
            assert_int_equal(out[i], expected[i]);
    }
}

static void four_bits_round_to_even_and_saturate(void **state)
{
    (void)state;
    const float in[][2] = {{1.25f, 5}, {7, -0.25f}, {NAN, -INFINITY}, {3.5f, 0.75f}};
    expect_small("{.reg .b8 %t; cvt.rn.satfinite.e2m1x2.f32 %t, %a, %b; cvt.u16.u8 %d, %t;}", in,
                 (const uint16_t[]){0x26, 0x78, 0x7f, 0x62}, 4);
    expect_small("{.reg .b8 %t; cvt.rn.satfinite.relu.e2m1x2.f32 %t, %a, %b; cvt.u16.u8 %d, %t;}", in,
                 (const uint16_t[]){0x26, 0x70, 0x70, 0x62}, 4);
    expect_wide("{.reg .b8 %t; cvt.u8.u16 %t, %a; cvt.rn.f16x2.e2m1x2 %d, %t;}", (const uint16_t[]){0x7f, 0x12, 0x80},
                (const uint32_t[]){0x4600c600, 0x38003c00, 0x80000000}, 3);
}

static void six_bits_stand_in_the_low_bits_of_a_byte(void **state)
{
    (void)state;
    const float in[][2] = {{1, 0.125f}, {8, -7.5f}, {0.0625f, 1.0625f}, {NAN, -0.0f}};
    expect_small("cvt.rn.satfinite.e2m3x2.f32 %d, %a, %b;", in, (const uint16_t[]){0x0801, 0x1f3f, 0x0008, 0x1f20}, 4);
    const float other[][2] = {{1, 0.0625f}, {30, -28}, {0.03125f, 5.5f}, {INFINITY, -1}};
    expect_small("cvt.rn.satfinite.e3m2x2.f32 %d, %a, %b;", other, (const uint16_t[]){0x0c01, 0x1f3f, 0x0016, 0x1f2c},
                 4);
    expect_wide("cvt.rn.f16x2.e2m3x2 %d, %a;", (const uint16_t[]){0x1f01, 0x3f08},
                (const uint32_t[]){0x47803000, 0xc7803c00}, 2);
    expect_wide("cvt.rn.relu.f16x2.e3m2x2 %d, %a;", (const uint16_t[]){0x1f01, 0x3f0c},
                (const uint32_t[]){0x4f002c00, 0x00003c00}, 2);
}

static void powers_of_two_have_no_sign(void **state)
{
    (void)state;
    const float in[][2] = {{1, 1.5f}, {0, -2}, {INFINITY, NAN}, {0x1.fffffep127f, 0x1p-127f}};
    expect_small("cvt.rz.ue8m0x2.f32 %d, %a, %b;", in, (const uint16_t[]){0x7f7f, 0x0080, 0xffff, 0xfe00}, 4);
    expect_small("cvt.rp.ue8m0x2.f32 %d, %a, %b;", in, (const uint16_t[]){0x7f80, 0x0080, 0xffff, 0xff00}, 4);
    expect_small("cvt.rp.satfinite.ue8m0x2.f32 %d, %a, %b;", in, (const uint16_t[]){0x7f80, 0x0080, 0xfeff, 0xfe00}, 4);
    expect_wide("cvt.rn.bf16x2.ue8m0x2 %d, %a;", (const uint16_t[]){0x7f00, 0xff80},
                (const uint32_t[]){0x3f800040, 0x7fff4000}, 2);
}

static void tf32_saturates_to_its_largest_number(void **state)
{
    (void)state;
    const char *types[4] = {"b32", "f32", "b32", "b32"};
    const float in[4] = {INFINITY, -INFINITY, 0x1.fffffep127f, 1.5f};
    const uint32_t expected[4] = {0x7f7fe000, 0xff7fe000, 0x7f7fe000, 0x3fc00000};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        uint32_t out[4];
        if (run_elements(&machines[m], "cvt.rn.satfinite.tf32.f32 %d, %a;", types, 4, out,
                         (const void *const[3]){in, NULL, NULL}))
            assert_memory_equal(out, expected, sizeof out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bits_round_to_even_and_saturate),
        cmocka_unit_test(six_bits_stand_in_the_low_bits_of_a_byte),
        cmocka_unit_test(powers_of_two_have_no_sign),
        cmocka_unit_test(tf32_saturates_to_its_largest_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
