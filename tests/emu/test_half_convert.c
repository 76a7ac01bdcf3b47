/* SPDX-License-Identifier: MIT */
/* Conversions to and from half precision and smaller floats, against exact references. */
#include <float.h>

#include "emu/exact.h"
#include "emu/run_ptx.h"

enum { MOST = 16384 };

static const struct {
    const char *name;
    int mode;
} roundings[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/* f32 patterns around everything that can go wrong in `f`: ties, the smallest and largest numbers. */
static size_t hard_floats(float *out, const format *f)
{
    size_t n = 0;
    uint64_t state = 2;
    for (uint32_t h = 0; h < 0x8000; h += 13) {
        double low = value_of(h, f), high = value_of(h + 1, f);
        if (!isfinite(low))
            continue;
        double middle = isfinite(high) ? (low + high) / 2 : low + (low - value_of(h - 1, f)) / 2;
        float tie = (float)middle;
        float v[5] = {(float)low, tie, nextafterf(tie, INFINITY), nextafterf(tie, 0), -tie};
        for (int i = 0; i < 5; i++)
            out[n++] = v[i];
    }
    const float more[] = {0,         -0.0f,      INFINITY,   -INFINITY, NAN,    FLT_MAX,  -FLT_MAX,        FLT_MIN,
                          0x1p-149f, -0x1p-149f, 65519.996f, 65520,     -65520, 0x1p-25f, 0x1.000002p-25f, 0x1p-134f};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        out[n++] = more[i];
    for (int i = 0; i < 500; i++) {
        uint32_t bits = next_random(&state);
        memcpy(&out[n++], &bits, 4);
    }
    return n;
}

static uint32_t rounded_to(double x, const format *f, int mode)
{
    return isnan(x)   ? f->nan
           : isinf(x) ? (x < 0 ? f->sign : 0) | f->infinity
                      : exact_round(exact_of(x), f, mode, signbit(x));
}

static void floats_become_halves_in_every_rounding_mode(void **unused)
{
    (void)unused;
    static float in[MOST];
    static double wide[MOST];
    static uint16_t out[MOST];
    static const struct {
        const char *type;
        const format *f;
    } targets[] = {{"f16", &F16}, {"bf16", &BF16}};
    for (int t = 0; t < 2; t++) {
        size_t n = hard_floats(in, targets[t].f);
        for (size_t i = 0; i < n; i++)
            wide[i] = in[i];
        for (size_t r = 0; r < 4; r++) {
            for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
                for (int from_double = 0; from_double < 2; from_double++) {
                    char code[80];
                    snprintf(code, sizeof code, "cvt.%s.%s.%s %%d, %%a;", roundings[r].name, targets[t].type,
                             from_double ? "f64" : "f32");
                    const char *types[4] = {"b16", from_double ? "f64" : "f32", "b32", "b32"};
                    const void *sources[3] = {from_double ? (void *)wide : in, NULL, NULL};
                    if (!run_elements(&machines[m], code, types, n, out, sources))
                        continue;
                    for (size_t i = 0; i < n; i++) {
                        uint32_t want = rounded_to(in[i], targets[t].f, roundings[r].mode);
                        bool nan = from_double && isnan(in[i]) && is_nan(out[i], targets[t].f); /* any will do */
                        if (out[i] != want && !nan)
                            fail_msg("%s of %a is 0x%04x, not 0x%04x", code, (double)in[i], out[i], want);
                    }
                }
            }
        }
    }
}

static void every_half_becomes_the_float_of_the_same_value(void **unused)
{
    (void)unused;
    static uint16_t in[65536];
    static float out[65536];
    static double wide[65536];
    for (size_t i = 0; i < 65536; i++)
        in[i] = (uint16_t)i;
    for (int t = 0; t < 2; t++) {
        const format *f = t ? &BF16 : &F16;
        const char *types[4] = {"f32", "b16", "b32", "b32"};
        const char *wide_types[4] = {"f64", "b16", "b32", "b32"};
        const void *sources[3] = {in, NULL, NULL};
        for (size_t m = 0; m < 4; m++) {
            if (!run_elements(&machines[m], t ? "cvt.f32.bf16 %d, %a;" : "cvt.f32.f16 %d, %a;", types, 65536, out,
                              sources))
                continue;
            run_elements(&machines[m], t ? "cvt.f64.bf16 %d, %a;" : "cvt.f64.f16 %d, %a;", wide_types, 65536, wide,
                         sources);
            for (size_t i = 0; i < 65536; i++) {
                double want = value_of(in[i], f);
                bool same = isnan(want) ? isnan(out[i]) && isnan(wide[i]) : out[i] == want && wide[i] == want;
                if (!same || (!isnan(want) && !signbit(want) != !signbit(out[i])))
                    fail_msg("0x%04zx is %a, not %a", i, (double)out[i], want);
            }
        }
    }
}

static void integers_become_halves_with_one_rounding(void **unused)
{
    (void)unused;
    static const struct {
        int64_t value;
        uint16_t rn, rz, rp, bf16;
    } cases[] = {
        {0, 0, 0, 0, 0},
        {2049, 0x6800, 0x6800, 0x6801, 0x4500}, /* a tie between 2048 and 2050 */
        {2051, 0x6802, 0x6801, 0x6802, 0x4500},
        {-2049, 0xe800, 0xe800, 0xe800, 0xc500},
        {65519, 0x7bff, 0x7bff, 0x7c00, 0x4780},
        {65520, 0x7c00, 0x7bff, 0x7c00, 0x4780},
        {-70000, 0xfc00, 0xfbff, 0xfbff, 0xc789},
        {0x4040000000000001, 0x7c00, 0x7bff, 0x7c00, 0x5e81}, /* just above a tie of bf16, beyond 53 bits */
        {0x4040000000000000, 0x7c00, 0x7bff, 0x7c00, 0x5e80},
    };
    enum { N = sizeof cases / sizeof *cases };
    int64_t in[N];
    uint16_t out[N];
    const char *types[4] = {"b16", "b64", "b32", "b32"};
    const void *sources[3] = {in, NULL, NULL};
    for (int i = 0; i < N; i++)
        in[i] = cases[i].value;
    const char *code[4] = {"cvt.rn.f16.s64 %d, %a;", "cvt.rz.f16.s64 %d, %a;", "cvt.rp.f16.s64 %d, %a;",
                           "cvt.rn.bf16.s64 %d, %a;"};
    for (int k = 0; k < 4; k++) {
        assert_true(run_elements(&machines[4], code[k], types, N, out, sources));
        for (int i = 0; i < N; i++)
            assert_int_equal(out[i], k == 0   ? cases[i].rn
                                     : k == 1 ? cases[i].rz
                                     : k == 2 ? cases[i].rp
                                              : cases[i].bf16);
    }
    /* narrow sources are read with their own sign */
    const char *short_types[4] = {"b16", "b16", "b32", "b32"};
    uint16_t small[2] = {0xffff, 0x00ff}, got[2];
    const void *small_sources[3] = {small, NULL, NULL};
    assert_true(run_elements(&machines[4], "cvt.rn.f16.s16 %d, %a;", short_types, 2, got, small_sources));
    assert_int_equal(got[0], 0xbc00);
    assert_int_equal(got[1], 0x5bf8);
    assert_true(run_elements(&machines[4], "cvt.rn.f16.u16 %d, %a;", short_types, 2, got, small_sources));
    assert_int_equal(got[0], 0x7c00);
    assert_true(run_elements(&machines[4], "cvt.rn.f16.s8 %d, %a;", short_types, 2, got, small_sources));
    assert_int_equal(got[1], 0xbc00);
}

static void halves_become_integers_by_the_rounding_named_and_clamp(void **unused)
{
    (void)unused;
    /* 2.5, -2.5, 3.5, 0.75, -0.75, 65504, -inf, NaN */
    uint16_t in[8] = {0x4100, 0xc100, 0x4300, 0x3a00, 0xba00, 0x7bff, 0xfc00, 0x7e00};
    static const struct {
        const char *code;
        int32_t want[8];
    } cases[] = {
        {"cvt.rni.s32.f16 %d, %a;", {2, -2, 4, 1, -1, 65504, INT32_MIN, 0}},
        {"cvt.rzi.s32.f16 %d, %a;", {2, -2, 3, 0, 0, 65504, INT32_MIN, 0}},
        {"cvt.rmi.s32.f16 %d, %a;", {2, -3, 3, 0, -1, 65504, INT32_MIN, 0}},
        {"cvt.rpi.s32.f16 %d, %a;", {3, -2, 4, 1, 0, 65504, INT32_MIN, 0}},
        {"cvt.rni.u32.f16 %d, %a;", {2, 0, 4, 1, 0, 65504, 0, 0}},
        {"cvt.rzi.s16.f16 %h1, %a; cvt.s32.s16 %d, %h1;", {2, -2, 3, 0, 0, 32767, -32768, 0}},
        {"cvt.rzi.u8.f16 %d, %a;", {2, 0, 3, 0, 0, 255, 0, 0}},
    };
    const char *types[4] = {"b32", "b16", "b32", "b32"};
    const void *sources[3] = {in, NULL, NULL};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int32_t out[8];
        assert_true(run_elements(&machines[4], cases[k].code, types, 8, out, sources));
        for (int i = 0; i < 8; i++)
            if (out[i] != cases[k].want[i])
                fail_msg("%s of 0x%04x is %d, not %d", cases[k].code, in[i], out[i], cases[k].want[i]);
    }
    uint16_t whole[8];
    static const uint16_t rounded_to_even[8] = {0x4000, 0xc000, 0x4400, 0x3c00, 0xbc00, 0x7bff, 0xfc00, 0x7fff};
    const char *half_types[4] = {"b16", "b16", "b32", "b32"};
    assert_true(run_elements(&machines[4], "cvt.rni.f16.f16 %d, %a;", half_types, 8, whole, sources));
    for (int i = 0; i < 8; i++)
        assert_int_equal(whole[i], rounded_to_even[i]);
}

static void two_floats_become_a_pair_with_the_first_in_the_upper_half(void **unused)
{
    (void)unused;
    float a[4] = {1.0f, -2.0f, 1e9f, NAN}, b[4] = {0.5f, 65520.0f, -0x1p-25f, 3.0f};
    static const struct {
        const char *code;
        uint32_t want[4];
    } cases[] = {
        {"cvt.rn.f16x2.f32 %d, %a, %b;", {0x3c003800, 0xc0007c00, 0x7c008000, 0x7fff4200}},
        {"cvt.rz.f16x2.f32 %d, %a, %b;", {0x3c003800, 0xc0007bff, 0x7bff8000, 0x7fff4200}},
        {"cvt.rn.relu.f16x2.f32 %d, %a, %b;", {0x3c003800, 0x00007c00, 0x7c000000, 0x7fff4200}},
        {"cvt.rn.satfinite.f16x2.f32 %d, %a, %b;", {0x3c003800, 0xc0007bff, 0x7bff8000, 0x7fff4200}},
        {"cvt.rn.bf16x2.f32 %d, %a, %b;", {0x3f803f00, 0xc0004780, 0x4e6eb300, 0x7fff4040}},
        {"cvt.rz.bf16x2.f32 %d, %a, %b;", {0x3f803f00, 0xc000477f, 0x4e6eb300, 0x7fff4040}},
    };
    const char *types[4] = {"b32", "f32", "f32", "b32"};
    const void *sources[3] = {a, b, NULL};
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            uint32_t out[4];
            if (!run_elements(&machines[m], cases[k].code, types, 4, out, sources))
                continue;
            for (int i = 0; i < 4; i++)
                if (out[i] != cases[k].want[i])
                    fail_msg("%s of %g, %g is 0x%08x, not 0x%08x", cases[k].code, (double)a[i], (double)b[i], out[i],
                             cases[k].want[i]);
        }
}

static void tf32_keeps_ten_bits_and_rounds_ties_away_from_zero(void **unused)
{
    (void)unused;
    uint32_t in[7] = {0x3f800000, 0x3f800fff, 0x3f801000, 0xbf801000, 0x3f803000, 0x7f7fffff, 0xffc01234};
    static const uint32_t rna[7] = {0x3f800000, 0x3f800000, 0x3f802000, 0xbf802000, 0x3f804000, 0x7f800000, 0xffc00000};
    static const uint32_t rn[7] = {0x3f800000, 0x3f800000, 0x3f800000, 0xbf800000, 0x3f804000, 0x7f800000, 0x7fffe000};
    uint32_t out[7];
    const char *types[4] = {"b32", "b32", "b32", "b32"};
    const void *sources[3] = {in, NULL, NULL};
    assert_true(run_elements(&machines[4], "cvt.rna.tf32.f32 %d, %a;", types, 7, out, sources));
    assert_memory_equal(out, rna, sizeof rna);
    assert_true(run_elements(&machines[4], "cvt.rn.tf32.f32 %d, %a;", types, 7, out, sources));
    assert_memory_equal(out, rn, sizeof rn);
}

/* All e4m3 or e5m2 values, from their definition. */
static double fp8_value(uint32_t bits, int fraction_bits, int bias)
{
    int exponent = (int)(bits & 0x7f) >> fraction_bits, fraction = (int)bits & ((1 << fraction_bits) - 1);
    double value = exponent ? ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits)
                            : ldexp(fraction, 1 - bias - fraction_bits);
    return bits & 0x80 ? -value : value;
}

static void eight_bit_floats_convert_to_the_nearest_and_saturate(void **unused)
{
    (void)unused;
    for (int t = 0; t < 2; t++) {
        int fraction_bits = t ? 2 : 3, bias = t ? 15 : 7;
        uint32_t largest = t ? 0x7b : 0x7e;
        float in[2048];
        size_t n = 0;
        for (uint32_t code = 0; code < largest; code++) { /* every number, every tie and both sides of it */
            double low = fp8_value(code, fraction_bits, bias), high = fp8_value(code + 1, fraction_bits, bias);
            float tie = (float)((low + high) / 2);
            float v[5] = {(float)low, tie, nextafterf(tie, INFINITY), nextafterf(tie, 0), -tie};
            for (int i = 0; i < 5; i++)
                in[n++] = v[i];
        }
        const float more[] = {1e10f, -1e10f, INFINITY, -INFINITY, NAN, -0.0f, 464, 61440};
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            in[n++] = more[i];
        uint16_t out[2048];
        const char *types[4] = {"b16", "f32", "f32", "b32"};
        const void *sources[3] = {in, in + 1, NULL};
        assert_true(run_elements(
            &machines[4], t ? "cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;" : "cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;",
            types, n - 1, out, sources));
        for (size_t i = 0; i + 1 < n; i++) {
            uint32_t best = 0; /* search all numbers for the nearest, even fractions first */
            double x = fabs((double)in[i]);
            for (uint32_t code = 1; code <= largest; code++) {
                double now = fabs(fp8_value(code, fraction_bits, bias) - x);
                double before = fabs(fp8_value(best, fraction_bits, bias) - x);
                if (now < before || (now == before && !(code & 1)))
                    best = code;
            }
            uint32_t want = isnan(in[i]) ? 0x7f : (isinf(in[i]) ? largest : best) | (signbit(in[i]) ? 0x80 : 0);
            if (out[i] >> 8 != want)
                fail_msg("%a becomes 0x%02x, not 0x%02x", (double)in[i], out[i] >> 8, want);
            if (i > 0 && (out[i - 1] & 0xff) != want)
                fail_msg("%a becomes 0x%02x in the lower half", (double)in[i], out[i - 1] & 0xff);
        }
        uint16_t codes[128];
        uint32_t back[128];
        const char *back_types[4] = {"b32", "b16", "b32", "b32"};
        const void *back_sources[3] = {codes, NULL, NULL};
        for (uint32_t i = 0; i < 128; i++)
            codes[i] = (uint16_t)(i | (i | 0x80) << 8);
        assert_true(run_elements(&machines[4], t ? "cvt.rn.f16x2.e5m2x2 %d, %a;" : "cvt.rn.f16x2.e4m3x2 %d, %a;",
                                 back_types, 128, back, back_sources));
        for (uint32_t i = 0; i <= largest; i++) {
            assert_true(value_of(back[i] & 0xffff, &F16) == fp8_value(i, fraction_bits, bias));
            assert_true(value_of(back[i] >> 16, &F16) == -fp8_value(i, fraction_bits, bias));
        }
        assert_true(is_nan(back[127] & 0xffff, &F16));
    }
}

static void six_and_four_bit_floats_convert_to_the_nearest_and_saturate(void **unused)
{
    (void)unused;
    static const float in[] = {0,     0.24f, 0.25f, 0.26f, 0.5f, -1.25f, 1.75f, 2.5f,
                               -3.5f, 5,     7,     7.4f,  100,  -1e9f,  NAN,   0.0625f};
    static const uint8_t e2m1[] = {0, 0, 0, 1, 1, 0xa, 4, 4, 0xe, 6, 7, 7, 7, 0xf, 7, 0};
    static const uint8_t e2m3[] = {0, 2, 2, 2, 4, 0x2a, 0xe, 0x12, 0x36, 0x1a, 0x1e, 0x1f, 0x1f, 0x3f, 0x1f, 0};
    static const uint8_t e3m2[] = {0, 4, 4, 4, 8, 0x2d, 0xf, 0x11, 0x33, 0x15, 0x17, 0x17, 0x1f, 0x3f, 0x1f, 1};
    static const struct {
        const char *to, *from;
        const uint8_t *want;
        int shift;
    } kinds[] = {{"{\n.reg .b8 %x;\ncvt.rn.satfinite.e2m1x2.f32 %x, %a, %b;\nmov.b16 %d, {%x, 0};\n}", NULL, e2m1, 4},
                 {"cvt.rn.satfinite.e2m3x2.f32 %d, %a, %b;", "cvt.rn.f16x2.e2m3x2 %d, %a;", e2m3, 8},
                 {"cvt.rn.satfinite.e3m2x2.f32 %d, %a, %b;", "cvt.rn.f16x2.e3m2x2 %d, %a;", e3m2, 8}};
    for (int t = 0; t < 3; t++) {
        uint16_t out[16] = {0};
        uint32_t back[16];
        const char *types[4] = {"b16", "f32", "f32", "b32"};
        const void *sources[3] = {in, in + 1, NULL};
        assert_true(run_elements(&machines[4], kinds[t].to, types, 15, out, sources));
        for (int i = 0; i < 15; i++) {
            assert_int_equal(out[i] >> kinds[t].shift, kinds[t].want[i]);
            assert_int_equal(out[i] & ((1 << kinds[t].shift) - 1), kinds[t].want[i + 1]);
        }
        if (!kinds[t].from)
            continue;
        const char *back_types[4] = {"b32", "b16", "b32", "b32"};
        const void *back_sources[3] = {out, NULL, NULL};
        assert_true(run_elements(&machines[4], kinds[t].from, back_types, 15, back, back_sources));
        assert_true(value_of(back[5] >> 16, &F16) == -1.25);
        assert_true(value_of(back[4] & 0xffff, &F16) == -1.25);
        assert_true(value_of(back[7] >> 16, &F16) == 2.5);
    }
}

static void scales_are_powers_of_two(void **unused)
{
    (void)unused;
    static const float in[] = {1, 1.5f, -2, 0, INFINITY, NAN, 3e38f, 0x1p-126f, 0x1.8p-127f, 0x1p-127f, 0x1p-128f};
    static const uint8_t down[] = {127, 127, 128, 0, 0xfe, 0xff, 0xfe, 1, 0, 0, 0};
    static const uint8_t up[] = {127, 128, 128, 0, 0xfe, 0xff, 0xfe, 1, 1, 0, 0};
    uint16_t out[11];
    uint32_t back[11];
    const char *types[4] = {"b16", "f32", "f32", "b32"}, *back_types[4] = {"b32", "b16", "b32", "b32"};
    const void *sources[3] = {in, in, NULL}, *back_sources[3] = {out, NULL, NULL};
    assert_true(run_elements(&machines[4], "cvt.rz.satfinite.ue8m0x2.f32 %d, %a, %b;", types, 11, out, sources));
    for (int i = 0; i < 11; i++)
        assert_int_equal(out[i], down[i] * 0x101);
    assert_true(run_elements(&machines[4], "cvt.rp.satfinite.ue8m0x2.f32 %d, %a, %b;", types, 11, out, sources));
    for (int i = 0; i < 11; i++)
        assert_int_equal(out[i], up[i] * 0x101);
    assert_true(run_elements(&machines[4], "cvt.rn.bf16x2.ue8m0x2 %d, %a;", back_types, 11, back, back_sources));
    assert_int_equal(back[0], 0x3f803f80);
    assert_int_equal(back[3], 0x00400040);
    assert_int_equal(back[5], 0x7fff7fff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_halves_in_every_rounding_mode),
        cmocka_unit_test(every_half_becomes_the_float_of_the_same_value),
        cmocka_unit_test(integers_become_halves_with_one_rounding),
        cmocka_unit_test(halves_become_integers_by_the_rounding_named_and_clamp),
        cmocka_unit_test(two_floats_become_a_pair_with_the_first_in_the_upper_half),
        cmocka_unit_test(tf32_keeps_ten_bits_and_rounds_ties_away_from_zero),
        cmocka_unit_test(eight_bit_floats_convert_to_the_nearest_and_saturate),
        cmocka_unit_test(six_and_four_bit_floats_convert_to_the_nearest_and_saturate),
        cmocka_unit_test(scales_are_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
