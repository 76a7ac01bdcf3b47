/* SPDX-License-Identifier: MIT */
/* Arithmetic and comparison of half precision and other small types, against exact references. */
#include "emu/exact.h"
#include "emu/run_ptx.h"

/* ---- inputs ---- */

enum { RANDOM = 4096, SPECIALS = 22, MOST = 16384 };

static const uint16_t F16_SPECIAL[SPECIALS] = {0,      0x8000, 1,      0x8001, 2,      0x3ff,  0x83ff, 0x400,
                                               0x8400, 0x401,  0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4400, 0x6bff,
                                               0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xffff};
static const uint16_t BF16_SPECIAL[SPECIALS] = {0,      0x8000, 1,      0x8001, 2,      0x7f,   0x807f, 0x80,
                                                0x8080, 0x81,   0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x4080, 0x1f7f,
                                                0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffff};

typedef struct inputs {
    size_t n;
    uint16_t a[MOST], b[MOST], c[MOST];
} inputs;

/* All pairs (or a share of the triples) of special values, then random ones; every fourth with close exponents. */
static void make_inputs(inputs *in, const uint16_t *special, const format *f)
{
    uint64_t state = 1;
    in->n = 0;
    for (int i = 0; i < SPECIALS; i++)
        for (int k = 0; k < SPECIALS; k++)
            for (int j = (i + k) % 3; j < SPECIALS; j += 3) {
                in->a[in->n] = special[i];
                in->b[in->n] = special[k];
                in->c[in->n++] = special[j];
            }
    for (int i = 0; i < 2 * RANDOM; i++, in->n++) {
        in->a[in->n] = (uint16_t)next_random(&state);
        in->b[in->n] = (uint16_t)next_random(&state);
        in->c[in->n] = (uint16_t)next_random(&state);
        if (i % 4 == 0) { /* c near the product: cancellation and ties */
            double product = value_of(in->a[in->n], f) * value_of(in->b[in->n], f);
            if (isfinite(product))
                in->c[in->n] =
                    (uint16_t)(exact_round(exact_of(product), f, FE_TONEAREST, 0) ^ (next_random(&state) & 0x8001));
        }
    }
    assert_true(in->n <= MOST);
}

/* ---- reference operations ---- */

typedef uint32_t (*reference)(uint32_t a, uint32_t b, uint32_t c, const format *f);

/* a * b + c with one rounding; `has_product` false: a + c. */
static uint32_t rounded(double product, double c, const format *f)
{
    double plain = product + c; /* right about NaN, infinity and the sign of zero */
    if (isnan(plain))
        return f->nan;
    if (isinf(product) || isinf(c))
        return signbit(plain) ? f->sign | f->infinity : f->infinity;
    bool negative_zero = signbit(product) && signbit(c);
    return exact_round(exact_sum(exact_of(product), exact_of(c)), f, FE_TONEAREST, negative_zero);
}

static uint32_t ref_add(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return rounded(value_of(a, f), value_of(b, f), f);
}

static uint32_t ref_sub(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return rounded(value_of(a, f), -value_of(b, f), f);
}

static uint32_t ref_mul(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    double product = value_of(a, f) * value_of(b, f);
    return isnan(product) ? f->nan : rounded(product, signbit(product) ? -0.0 : 0.0, f);
}

static uint32_t ref_fma(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    return rounded(value_of(a, f) * value_of(b, f), value_of(c, f), f);
}

static uint32_t ref_fma_relu(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    uint32_t r = ref_fma(a, b, c, f);
    return is_nan(r, f) ? f->nan : value_of(r, f) > 0 ? r : 0;
}

static uint32_t saturated(uint32_t r, const format *f)
{
    double value = value_of(r, f);
    return value > 0 ? (value < 1 ? r : exact_round(exact_of(1), f, FE_TONEAREST, 0)) : 0;
}

static uint32_t ref_add_sat(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    return saturated(ref_add(a, b, c, f), f);
}

static uint32_t ref_fma_sat(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    return saturated(ref_fma(a, b, c, f), f);
}

static uint32_t flushed(uint32_t a, const format *f)
{
    return fabs(value_of(a, f)) < ldexp(1, f->min) ? a & f->sign : a;
}

/* Flushed is what would be too small if it were rounded to as many bits without a lower bound. */
static uint32_t ref_fma_ftz(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    a = flushed(a, f);
    b = flushed(b, f);
    c = flushed(c, f);
    uint32_t result = ref_fma(a, b, c, f);
    if (is_nan(result, f) || isinf(value_of(result, f)))
        return result;
    format unbounded = {f->fraction, -300 + f->fraction, UINT32_MAX, f->nan, 0};
    exact sum = exact_sum(exact_of(value_of(a, f) * value_of(b, f)), exact_of(value_of(c, f)));
    if (sum.w[WORDS - 1] >> 63)
        exact_negate(&sum);
    double size = value_of(exact_round(sum, &unbounded, FE_TONEAREST, false), &unbounded);
    return size < ldexp(1, f->min) ? result & f->sign : result;
}

static uint32_t pick(uint32_t a, uint32_t b, const format *f, bool smaller, bool nan)
{
    double x = value_of(a, f), y = value_of(b, f);
    if (isnan(x) || isnan(y))
        return nan || (isnan(x) && isnan(y)) ? f->nan : isnan(x) ? b : a;
    if (x == y)
        return (a >> 15 & 1) == smaller ? a : b;
    return (x < y) == smaller ? a : b;
}

static uint32_t ref_min(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return pick(a, b, f, true, false);
}

static uint32_t ref_max(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return pick(a, b, f, false, false);
}

static uint32_t ref_min_nan(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return pick(a, b, f, true, true);
}

static uint32_t ref_max_nan(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return pick(a, b, f, false, true);
}

static uint32_t ref_min_xorsign(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    uint32_t min = pick(a & 0x7fff, b & 0x7fff, f, true, false);
    return is_nan(min, f) ? f->nan : (min & 0x7fff) | ((a ^ b) & 0x8000);
}

static uint32_t ref_neg(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)b, (void)c;
    return is_nan(a, f) ? f->nan : a ^ 0x8000;
}

static uint32_t ref_abs(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)b, (void)c;
    return is_nan(a, f) ? f->nan : a & 0x7fff;
}

static uint32_t ref_set_gtu(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)c;
    return value_of(a, f) <= value_of(b, f) ? 0 : exact_round(exact_of(1), f, FE_TONEAREST, 0);
}

static const struct {
    const char *code; /* T stands for the type */
    reference expected;
} operations[] = {
    {"add.T %d, %a, %b;", ref_add},
    {"add.rn.T %d, %a, %b;", ref_add},
    {"sub.T %d, %a, %b;", ref_sub},
    {"mul.T %d, %a, %b;", ref_mul},
    {"fma.rn.T %d, %a, %b, %c;", ref_fma},
    {"fma.rn.relu.T %d, %a, %b, %c;", ref_fma_relu},
    {"add.sat.T %d, %a, %b;", ref_add_sat},
    {"fma.rn.sat.T %d, %a, %b, %c;", ref_fma_sat},
    {"fma.rn.ftz.T %d, %a, %b, %c;", ref_fma_ftz},
    {"min.T %d, %a, %b;", ref_min},
    {"max.T %d, %a, %b;", ref_max},
    {"min.NaN.T %d, %a, %b;", ref_min_nan},
    {"max.NaN.T %d, %a, %b;", ref_max_nan},
    {"min.xorsign.abs.T %d, %a, %b;", ref_min_xorsign},
    {"neg.T %d, %a;", ref_neg},
    {"abs.T %d, %a;", ref_abs},
    {"set.gtu.T.T %d, %a, %b;", ref_set_gtu},
};

static void with_type(char *code, size_t size, const char *pattern, const char *type)
{
    size_t used = 0;
    for (; *pattern && used + 10 < size; pattern++) {
        if (*pattern == 'T' && pattern[-1] == '.')
            used += (size_t)snprintf(code + used, size - used, "%s", type);
        else
            code[used++] = *pattern;
    }
    code[used] = 0;
}

/* PTX flushes and saturates f16 alone. */
static bool is_missing(const char *code, const char *type)
{
    return *type == 'b' && (strstr(code, ".ftz") || strstr(code, ".sat"));
}

static void check_singles(const char *type, const format *f, const inputs *in)
{
    static uint16_t out[MOST];
    const char *types[4] = {"b16", "b16", "b16", "b16"};
    const void *sources[3] = {in->a, in->b, in->c};
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        char code[120];
        if (is_missing(operations[k].code, type))
            continue;
        with_type(code, sizeof code, operations[k].code, type);
        for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
            if (!run_elements(&machines[m], code, types, in->n, out, sources))
                continue;
            for (size_t i = 0; i < in->n; i++) {
                uint32_t want = operations[k].expected(in->a[i], in->b[i], in->c[i], f);
                if (out[i] != want)
                    fail_msg("%s of 0x%04x, 0x%04x, 0x%04x is 0x%04x, not 0x%04x (%u lanes)", code, in->a[i], in->b[i],
                             in->c[i], out[i], want, machines[m].lanes);
            }
        }
    }
}

static void f16_operations_round_once_and_treat_special_values_as_ieee_says(void **unused)
{
    (void)unused;
    static inputs in;
    make_inputs(&in, F16_SPECIAL, &F16);
    check_singles("f16", &F16, &in);
}

static void bf16_operations_round_once_and_treat_special_values_as_ieee_says(void **unused)
{
    (void)unused;
    static inputs in;
    make_inputs(&in, BF16_SPECIAL, &BF16);
    check_singles("bf16", &BF16, &in);
}

/* The upper halves hold the same inputs in another order, so that a mix-up of halves shows. */
static void check_pairs(const char *type, const format *f, const inputs *in)
{
    static uint32_t a[MOST], b[MOST], c[MOST], out[MOST];
    const char *types[4] = {"b32", "b32", "b32", "b32"};
    const void *sources[3] = {a, b, c};
    size_t n = in->n;
    for (size_t i = 0; i < n; i++) {
        size_t k = (i * 7 + 3) % n;
        a[i] = in->a[i] | (uint32_t)in->a[k] << 16;
        b[i] = in->b[i] | (uint32_t)in->b[k] << 16;
        c[i] = in->c[i] | (uint32_t)in->c[k] << 16;
    }
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        char code[120];
        if (is_missing(operations[k].code, type))
            continue;
        with_type(code, sizeof code, operations[k].code, type);
        for (size_t m = 0; m < 2; m++) {
            if (!run_elements(&machines[m], code, types, n, out, sources))
                continue;
            for (size_t i = 0; i < n; i++) {
                uint32_t low = operations[k].expected(a[i] & 0xffff, b[i] & 0xffff, c[i] & 0xffff, f);
                uint32_t want = low | operations[k].expected(a[i] >> 16, b[i] >> 16, c[i] >> 16, f) << 16;
                if (out[i] != want)
                    fail_msg("%s of 0x%08x, 0x%08x, 0x%08x is 0x%08x, not 0x%08x", code, a[i], b[i], c[i], out[i],
                             want);
            }
        }
    }
}

static void pairs_of_halves_are_computed_each_by_itself(void **unused)
{
    (void)unused;
    static inputs in;
    make_inputs(&in, F16_SPECIAL, &F16);
    check_pairs("f16x2", &F16, &in);
    make_inputs(&in, BF16_SPECIAL, &BF16);
    check_pairs("bf16x2", &BF16, &in);
}

/* ---- comparisons ---- */

static void comparisons_of_halves_are_false_for_nan_unless_they_are_unordered(void **unused)
{
    (void)unused;
    static inputs in;
    static uint16_t out[MOST];
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const char *types[4] = {"b16", "b16", "b16", "b16"};
    make_inputs(&in, F16_SPECIAL, &F16);
    const void *sources[3] = {in.a, in.b, in.c};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char code[300];
        /* p is the comparison and "c has an even pattern", q its negation and the same */
        snprintf(code, sizeof code,
                 "and.b16 %%h1, %%c, 1; setp.eq.u16 %%p3, %%h1, 0; setp.%s.and.f16 %%p1|%%p2, %%a, %%b, %%p3;"
                 "selp.b16 %%d, 1, 0, %%p1; @%%p2 or.b16 %%d, %%d, 2;",
                 names[k]);
        assert_true(run_elements(&machines[4], code, types, in.n, out, sources));
        for (size_t i = 0; i < in.n; i++) {
            double x = value_of(in.a[i], &F16), y = value_of(in.b[i], &F16);
            bool unordered = isunordered(x, y), even = !(in.c[i] & 1);
            bool base = names[k][0] == 'e'                                    ? x == y
                        : !strcmp(names[k], "ne") || !strcmp(names[k], "neu") ? isless(x, y) || isgreater(x, y)
                        : names[k][0] == 'l' ? (names[k][1] == 't' ? isless(x, y) : islessequal(x, y))
                        : names[k][0] == 'g' ? (names[k][1] == 't' ? isgreater(x, y) : isgreaterequal(x, y))
                        : names[k][1] == 'u' ? !unordered
                                             : unordered;
            bool u = strlen(names[k]) == 3 && names[k][2] == 'u' && names[k][0] != 'n';
            bool holds = base || ((u || !strcmp(names[k], "neu")) && unordered);
            uint32_t want = (holds && even ? 1 : 0) | (!holds && even ? 2 : 0);
            if (out[i] != want)
                fail_msg("setp.%s.and of 0x%04x, 0x%04x gives %u, not %u", names[k], in.a[i], in.b[i], out[i], want);
        }
    }
}

static void setp_on_pairs_gives_one_predicate_for_each_half_and_set_fills_each_half(void **unused)
{
    (void)unused;
    /* a = {1, 3}, b = {2, 2}; lower halves first in memory order, upper in bits 16..31 */
    uint32_t a[1] = {0x42003c00}, b[1] = {0x40004000}, out[1];
    const char *types[4] = {"b32", "b32", "b32", "b32"};
    const void *sources[3] = {a, b, NULL};
    assert_true(run_elements(&machines[4],
                             "setp.gt.f16x2 %p1|%p2, %a, %b; selp.b32 %d, 1, 0, %p1; @%p2 or.b32 %d, %d, 2;", types, 1,
                             out, sources));
    assert_int_equal(out[0], 2);
    assert_true(run_elements(&machines[4], "set.gt.u32.f16x2 %d, %a, %b;", types, 1, out, sources));
    assert_int_equal(out[0], 0xffff0000);
    assert_true(run_elements(&machines[4], "set.le.f16x2.f16x2 %d, %a, %b;", types, 1, out, sources));
    assert_int_equal(out[0], 0x00003c00);
    assert_true(run_elements(&machines[4], "set.ne.bf16x2.bf16x2 %d, %a, %b;", types, 1, out, sources));
    assert_int_equal(out[0], 0x3f803f80);
}

/* ---- packed integers and singular forms ---- */

static void pairs_of_integers_do_not_carry_into_each_other(void **unused)
{
    (void)unused;
    uint32_t a[3] = {0x0001ffff, 0x80007fff, 0xfffe0005}, b[3] = {0x00010001, 0x7fff8000, 0x0001fffb}, out[3];
    static const struct {
        const char *code;
        uint32_t want[3];
    } cases[] = {
        {"add.u16x2 %d, %a, %b;", {0x00020000, 0xffffffff, 0xffff0000}},
        {"min.u16x2 %d, %a, %b;", {0x00010001, 0x7fff7fff, 0x00010005}},
        {"max.u16x2 %d, %a, %b;", {0x0001ffff, 0x80008000, 0xfffefffb}},
        {"min.s16x2 %d, %a, %b;", {0x0001ffff, 0x80008000, 0xfffefffb}},
        {"max.s16x2 %d, %a, %b;", {0x00010001, 0x7fff7fff, 0x00010005}},
        {"min.relu.s16x2 %d, %a, %b;", {0x00010000, 0x00000000, 0x00000000}},
        {"min.relu.s32 %d, %a, %b;", {0x00010001, 0, 0}},
    };
    const char *types[4] = {"b32", "b32", "b32", "b32"};
    const void *sources[3] = {a, b, NULL};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(run_elements(&machines[4], cases[k].code, types, 3, out, sources));
        for (int i = 0; i < 3; i++)
            if (out[i] != cases[k].want[i])
                fail_msg("%s of 0x%08x, 0x%08x is 0x%08x, not 0x%08x", cases[k].code, a[i], b[i], out[i],
                         cases[k].want[i]);
    }
}

static void pairs_of_floats_are_computed_each_by_itself(void **unused)
{
    (void)unused;
    float a[4] = {1.5f, -2.0f, 1e38f, 0x1p-149f}, b[4] = {4.0f, 0.25f, 1e38f, 0.5f}, c[4] = {1, 2, 3, 4}, out[4];
    const char *types[4] = {"b64", "b64", "b64", "b64"};
    const void *sources[3] = {a, b, c};
    assert_true(run_elements(&machines[4], "fma.rn.f32x2 %d, %a, %b, %c;", types, 2, out, sources));
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == fmaf(a[i], b[i], c[i]));
    assert_true(run_elements(&machines[4], "add.rz.f32x2 %d, %a, %b;", types, 2, out, sources));
    assert_true(out[0] == 5.5f && out[1] == -1.75f && out[2] == 2e38f);
    assert_true(run_elements(&machines[4], "add.ftz.f32x2 %d, %a, %b;", types, 2, out, sources));
    assert_true(out[3] == 0.5f);
}

static void min_and_max_take_three_inputs_and_the_sign_of_both(void **unused)
{
    (void)unused;
    float a[3] = {1, -3, NAN}, b[3] = {2, 2, -5}, c[3] = {-7, 9, 4}, out[3];
    const char *types[4] = {"f32", "f32", "f32", "f32"};
    const void *sources[3] = {a, b, c};
    assert_true(run_elements(&machines[4], "max.f32 %d, %a, %b, %c;", types, 3, out, sources));
    assert_true(out[0] == 2 && out[1] == 9 && out[2] == 4);
    assert_true(run_elements(&machines[4], "min.NaN.f32 %d, %a, %b, %c;", types, 3, out, sources));
    assert_true(out[0] == -7 && out[1] == -3 && isnan(out[2]));
    assert_true(run_elements(&machines[4], "min.abs.f32 %d, %a, %b, %c;", types, 3, out, sources));
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 4);
    assert_true(run_elements(&machines[4], "max.xorsign.abs.f32 %d, %a, %b;", types, 2, out, sources));
    assert_true(out[0] == 2 && out[1] == -3);
}

static void mixed_precision_takes_halves_as_factors(void **unused)
{
    (void)unused;
    uint16_t a[2] = {0x3e00, 0xc400}, b[2] = {0x4000, 0x3801}; /* 1.5, -4; 2, 0.50048828125 */
    float c[2] = {0.25f, 1e-6f}, out[2];
    const char *types[4] = {"f32", "b16", "b16", "f32"};
    const void *sources[3] = {a, b, c};
    assert_true(run_elements(&machines[4], "fma.rn.f32.f16 %d, %a, %b, %c;", types, 2, out, sources));
    assert_true(out[0] == 3.25f && out[1] == fmaf(-4, 0.50048828125f, 1e-6f));
    assert_true(run_elements(&machines[4], "sub.f32.f16 %d, %a, %c;", types, 2, out, sources));
    assert_true(out[0] == 1.25f);
}

static void cvt_pack_saturates_and_shifts_earlier_values_up(void **unused)
{
    (void)unused;
    int32_t a[2] = {70000, -5}, b[2] = {-70000, 300};
    uint32_t c[2] = {0x11223344, 0x0000abcd}, out[2];
    const char *types[4] = {"b32", "b32", "b32", "b32"};
    const void *sources[3] = {a, b, c};
    assert_true(run_elements(&machines[4], "cvt.pack.sat.s16.s32 %d, %a, %b;", types, 2, out, sources));
    assert_int_equal(out[0], 0x7fff8000);
    assert_int_equal(out[1], 0xfffb012c);
    assert_true(run_elements(&machines[4], "cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", types, 2, out, sources));
    assert_int_equal(out[0], 0x3344ff00);
    assert_int_equal(out[1], 0xabcd00ff);
    assert_true(run_elements(&machines[4], "cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", types, 2, out, sources));
    assert_int_equal(out[0], 0x33447f80);
}

static void lop3_says_whether_any_bit_is_set(void **unused)
{
    (void)unused;
    uint32_t a[2] = {0xf0, 0xf0}, b[2] = {0x0f, 0x1f}, c[2] = {0, 0}, out[2];
    const char *types[4] = {"b32", "b32", "b32", "b32"};
    const void *sources[3] = {a, b, c};
    assert_true(run_elements(&machines[4],
                             "setp.eq.u32 %p2, %c, 1; lop3.or.b32 %r1|%p1, %a, %b, %c, 0xc0, %p2;"
                             "selp.b32 %d, 0x100, 0, %p1; or.b32 %d, %d, %r1;",
                             types, 2, out, sources));
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 0x110);
}

static void ex2_and_tanh_are_close(void **unused)
{
    (void)unused;
    uint16_t in[5] = {0x0000, 0x3c00, 0xc200, 0x4900, 0x7c00}, out[5]; /* 0, 1, -3, 10, inf */
    const double x[5] = {0, 1, -3, 10, INFINITY};
    const char *types[4] = {"b16", "b16", "b16", "b16"};
    const void *sources[3] = {in, NULL, NULL};
    assert_true(run_elements(&machines[4], "ex2.approx.f16 %d, %a;", types, 5, out, sources));
    for (int i = 0; i < 5; i++)
        assert_true(value_of(out[i], &F16) == exp2(x[i]));
    assert_true(run_elements(&machines[4], "tanh.approx.f16 %d, %a;", types, 5, out, sources));
    for (int i = 0; i < 5; i++)
        assert_true(fabs(value_of(out[i], &F16) - tanh(x[i])) < 0x1p-10);
}

static void redux_finds_the_least_and_greatest_float_of_a_warp(void **unused)
{
    (void)unused;
    enum { N = 64 };
    float in[N], out[N];
    const char *types[4] = {"f32", "f32", "b32", "b32"};
    const void *sources[3] = {in, NULL, NULL};
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 32 * 7 % 32) - 16.5f + (float)(i / 32 * 100);
    in[5] = NAN;
    for (int m = 0; m < 2; m++) {
        if (!run_elements(&machines[m], "redux.sync.max.f32 %d, %a, 0xffffffff;", types, N, out, sources))
            continue;
        assert_true(out[0] == 14.5f && out[31] == 14.5f && out[32] == 114.5f);
        run_elements(&machines[m], "redux.sync.min.NaN.f32 %d, %a, 0xffffffff;", types, N, out, sources);
        assert_true(isnan(out[0]) && out[40] == 83.5f);
        run_elements(&machines[m], "redux.sync.min.abs.f32 %d, %a, 0xffffffff;", types, N, out, sources);
        assert_true(out[3] == 0.5f);
    }
}

static void what_is_not_executed_is_refused_by_name_and_line(void **unused)
{
    (void)unused;
    char text[4096];
    session s;
    element_kernel(text, sizeof text, "fma.rn.oob.f16 %d, %a, %b, %c;", "b16", "b16", "b16", "b16");
    assert_true(session_open(&s, &machines[4], text, NULL));
    sl_emu_kernel *kernel;
    assert_int_equal(sl_emu_kernel_get(s.program, "k", &kernel, &s.error), SL_UNSUPPORTED);
    assert_non_null(strstr(s.error.text, "fma.rn.oob.f16"));
    assert_int_equal(s.error.line, 13);
    session_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_operations_round_once_and_treat_special_values_as_ieee_says),
        cmocka_unit_test(bf16_operations_round_once_and_treat_special_values_as_ieee_says),
        cmocka_unit_test(pairs_of_halves_are_computed_each_by_itself),
        cmocka_unit_test(comparisons_of_halves_are_false_for_nan_unless_they_are_unordered),
        cmocka_unit_test(setp_on_pairs_gives_one_predicate_for_each_half_and_set_fills_each_half),
        cmocka_unit_test(pairs_of_integers_do_not_carry_into_each_other),
        cmocka_unit_test(pairs_of_floats_are_computed_each_by_itself),
        cmocka_unit_test(min_and_max_take_three_inputs_and_the_sign_of_both),
        cmocka_unit_test(mixed_precision_takes_halves_as_factors),
        cmocka_unit_test(cvt_pack_saturates_and_shifts_earlier_values_up),
        cmocka_unit_test(lop3_says_whether_any_bit_is_set),
        cmocka_unit_test(ex2_and_tanh_are_close),
        cmocka_unit_test(redux_finds_the_least_and_greatest_float_of_a_warp),
        cmocka_unit_test(what_is_not_executed_is_refused_by_name_and_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
