/* Half precision and other small types against references that do not share code with them: sums and products are kept
 * as exact fixed-point numbers of 640 bits and rounded by looking at the bits. */
#include <fenv.h>
#include <float.h>
#include <math.h>

#include "emu/run_ptx.h"

/* ---- exact numbers ---- */

enum { WORDS = 10, UNIT = -300 }; /* two's complement, the lowest bit is 2^-300 */

typedef struct exact {
    uint64_t w[WORDS];
} exact;

static void exact_negate(exact *x)
{
    unsigned char carry = 1;
    for (int i = 0; i < WORDS; i++) {
        x->w[i] = ~x->w[i] + carry;
        carry = carry && x->w[i] == 0;
    }
}

static exact exact_of(double value)
{
    exact x = {{0}};
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* [0.5, 1) */
    uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    for (int bit = 0; bit < 53; bit++)
        if (mantissa >> bit & 1) {
            int at = exponent - 53 + bit - UNIT;
            assert_in_range(at, 0, WORDS * 64 - 2);
            x.w[at / 64] |= (uint64_t)1 << at % 64;
        }
    if (value < 0)
        exact_negate(&x);
    return x;
}

static exact exact_sum(exact a, const exact b)
{
    unsigned carry = 0;
    for (int i = 0; i < WORDS; i++) {
        unsigned __int128 sum = (unsigned __int128)a.w[i] + b.w[i] + carry;
        a.w[i] = (uint64_t)sum;
        carry = (unsigned)(sum >> 64);
    }
    return a;
}

static int exact_bit(const exact *x, int at)
{
    return at >= 0 && at < WORDS * 64 ? (int)(x->w[at / 64] >> at % 64 & 1) : 0;
}

typedef struct format {
    int fraction, least; /* bits of fraction; exponent of the smallest normal number */
    uint32_t infinity, nan, sign;
} format;

static const format F16 = {10, -14, 0x7c00, 0x7fff, 0x8000}, BF16 = {7, -126, 0x7f80, 0x7fff, 0x8000};

/* x rounded to the format; -0 for a zero when `negative_zero`. */
static uint32_t exact_round(exact x, const format *f, int mode, bool negative_zero)
{
    bool negative = x.w[WORDS - 1] >> 63;
    if (negative)
        exact_negate(&x);
    int top = WORDS * 64 - 1;
    while (top >= 0 && !exact_bit(&x, top))
        top--;
    if (top < 0)
        return negative_zero ? f->sign : 0;
    int exponent = top + UNIT < f->least ? f->least : top + UNIT;
    int low = exponent - f->fraction - UNIT; /* bit that becomes the last one kept */
    uint32_t kept = 0;
    for (int i = f->fraction; i >= 0; i--)
        kept = kept << 1 | (uint32_t)exact_bit(&x, low + i);
    bool half = exact_bit(&x, low - 1), rest = false;
    for (int i = low - 2; i >= 0; i--)
        rest |= exact_bit(&x, i);
    bool up = mode == FE_TONEAREST  ? half && (rest || kept & 1)
              : mode == FE_UPWARD   ? (half || rest) && !negative
              : mode == FE_DOWNWARD ? (half || rest) && negative
                                    : false;
    kept += up;
    uint32_t bits = kept + ((uint32_t)(exponent - f->least) << f->fraction);
    if (bits >= f->infinity)
        bits = mode == FE_TONEAREST || mode == (negative ? FE_DOWNWARD : FE_UPWARD) ? f->infinity : f->infinity - 1;
    return negative ? bits | f->sign : bits;
}

static double value_of(uint32_t bits, const format *f)
{
    uint32_t magnitude = bits & (f->sign - 1), fraction = magnitude & ((1u << f->fraction) - 1);
    int exponent = (int)(magnitude >> f->fraction);
    double value = magnitude > f->infinity    ? (double)NAN
                   : magnitude == f->infinity ? (double)INFINITY
                   : exponent == 0            ? ldexp(fraction, f->least - f->fraction)
                                   : ldexp(fraction + (1u << f->fraction), exponent - 1 + f->least - f->fraction);
    return bits & f->sign ? -value : value;
}

/* ---- inputs ---- */

enum { RANDOM = 4096, SPECIALS = 22, MOST = 16384 };

static uint64_t state;

static uint32_t next_random(void) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)(z >> 32);
}

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
    state = 1;
    in->n = 0;
    for (int i = 0; i < SPECIALS; i++)
        for (int k = 0; k < SPECIALS; k++)
            for (int j = (i + k) % 3; j < SPECIALS; j += 3) {
                in->a[in->n] = special[i];
                in->b[in->n] = special[k];
                in->c[in->n++] = special[j];
            }
    for (int i = 0; i < 2 * RANDOM; i++, in->n++) {
        in->a[in->n] = (uint16_t)next_random();
        in->b[in->n] = (uint16_t)next_random();
        in->c[in->n] = (uint16_t)next_random();
        if (i % 4 == 0) { /* c near the product: cancellation and ties */
            double product = value_of(in->a[in->n], f) * value_of(in->b[in->n], f);
            if (isfinite(product))
                in->c[in->n] =
                    (uint16_t)(exact_round(exact_of(product), f, FE_TONEAREST, 0) ^ (next_random() & 0x8001));
        }
    }
    assert_true(in->n <= MOST);
}

/* ---- reference operations ---- */

typedef uint32_t (*reference)(uint32_t a, uint32_t b, uint32_t c, const format *f);

static bool is_nan(uint32_t a, const format *f)
{
    return (a & 0x7fff) > f->infinity;
}

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
    return fabs(value_of(a, f)) < ldexp(1, f->least) ? a & f->sign : a;
}

static uint32_t ref_fma_ftz(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    return flushed(ref_fma(flushed(a, f), flushed(b, f), flushed(c, f), f), f);
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
    return (pick(a & 0x7fff, b & 0x7fff, f, true, false) & 0x7fff) | ((a ^ b) & 0x8000);
}

static uint32_t ref_neg(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)b, (void)c, (void)f;
    return a ^ 0x8000;
}

static uint32_t ref_abs(uint32_t a, uint32_t b, uint32_t c, const format *f)
{
    (void)b, (void)c, (void)f;
    return a & 0x7fff;
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

static void check_singles(const char *type, const format *f, const inputs *in)
{
    static uint16_t out[MOST];
    const char *types[4] = {"b16", "b16", "b16", "b16"};
    const void *sources[3] = {in->a, in->b, in->c};
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        char code[120];
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

/* ---- conversions ---- */

static const struct {
    const char *name;
    int mode;
} roundings[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

/* f32 patterns around everything that can go wrong in `f`: ties, the smallest and largest numbers. */
static size_t hard_floats(float *out, const format *f)
{
    size_t n = 0;
    state = 2;
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
        uint32_t bits = next_random();
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
                        if (out[i] != want)
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
    uint32_t in[7] = {0x3f800000, 0x3f800fff, 0x3f801000, 0xbf801000, 0x3f803000, 0x7f7fffff, 0x7f800001};
    static const uint32_t rna[7] = {0x3f800000, 0x3f800000, 0x3f802000, 0xbf802000, 0x3f804000, 0x7f800000, 0x7fffffff};
    static const uint32_t rn[7] = {0x3f800000, 0x3f800000, 0x3f800000, 0xbf800000, 0x3f804000, 0x7f800000, 0x7fffffff};
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
        cmocka_unit_test(floats_become_halves_in_every_rounding_mode),
        cmocka_unit_test(every_half_becomes_the_float_of_the_same_value),
        cmocka_unit_test(integers_become_halves_with_one_rounding),
        cmocka_unit_test(halves_become_integers_by_the_rounding_named_and_clamp),
        cmocka_unit_test(two_floats_become_a_pair_with_the_first_in_the_upper_half),
        cmocka_unit_test(tf32_keeps_ten_bits_and_rounds_ties_away_from_zero),
        cmocka_unit_test(eight_bit_floats_convert_to_the_nearest_and_saturate),
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
