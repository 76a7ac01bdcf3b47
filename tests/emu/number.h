/* SPDX-License-Identifier: MIT */
/* Reference arithmetic: every result is computed exactly, as one wide fixed-point number, and then rounded by looking
 * at its bits. Slow, simple, and unlike anything a processor does. */
#ifndef SL_TESTS_EMU_NUMBER_H
#define SL_TESTS_EMU_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned __int128 u128;

enum { NUMBER_WORDS = 70, NUMBER_UNIT = -2300 }; /* the lowest bit is 2^-2300 */

typedef struct number {
    bool nan, infinite, negative;
    bool more; /* something that is not zero follows after the last bit */
    uint64_t word[NUMBER_WORDS];
} number;

typedef struct format {
    int bits, fraction, bias;
} format;

static const format FORMAT_F32 = {32, 23, 127}, FORMAT_F64 = {64, 52, 1023};

typedef enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP } rounding;

/* ---- bits of formats ---- */

static inline uint64_t format_sign(const format *f)
{
    return (uint64_t)1 << (f->bits - 1);
}

static inline uint64_t format_infinity(const format *f)
{
    return (format_sign(f) - 1) & ~(((uint64_t)1 << f->fraction) - 1);
}

static inline bool format_is_nan(const format *f, uint64_t x)
{
    return (x & (format_sign(f) - 1)) > format_infinity(f);
}

static inline bool format_is_subnormal(const format *f, uint64_t x)
{
    uint64_t magnitude = x & (format_sign(f) - 1);
    return magnitude && magnitude < (uint64_t)1 << f->fraction;
}

static inline uint64_t format_nan(const format *f)
{
    return f->bits == 32 ? 0x7fffffff : 0x7fffffffffffffff;
}

static inline uint64_t format_flush(const format *f, uint64_t x)
{
    return format_is_subnormal(f, x) ? x & format_sign(f) : x;
}

/* ---- numbers ---- */

static inline number number_scaled(bool negative, u128 mantissa, int exponent)
{
    number x = {.negative = negative};
    for (int bit = 0; bit < 128; bit++) {
        int at = exponent + bit - NUMBER_UNIT;
        if (mantissa >> bit & 1)
            x.word[at / 64] |= (uint64_t)1 << at % 64;
    }
    return x;
}

/* The parts of a finite number: mantissa * 2^exponent. */
static inline uint64_t format_parts(const format *f, uint64_t x, int *exponent)
{
    int e = (int)((x & (format_sign(f) - 1)) >> f->fraction);
    uint64_t fraction = x & (((uint64_t)1 << f->fraction) - 1);
    *exponent = (e ? e : 1) - f->bias - f->fraction;
    return e ? fraction | (uint64_t)1 << f->fraction : fraction;
}

static inline number number_of(const format *f, uint64_t x)
{
    number n = {.negative = x & format_sign(f) ? true : false};
    uint64_t magnitude = x & (format_sign(f) - 1);
    n.nan = magnitude > format_infinity(f);
    n.infinite = magnitude == format_infinity(f);
    if (n.nan || n.infinite)
        return n;
    int exponent;
    uint64_t mantissa = format_parts(f, x, &exponent);
    return number_scaled(n.negative, mantissa, exponent);
}

static inline bool number_is_zero(const number *x)
{
    for (int i = 0; i < NUMBER_WORDS; i++)
        if (x->word[i])
            return false;
    return !x->nan && !x->infinite && !x->more;
}

static inline int number_compare_magnitudes(const number *a, const number *b)
{
    for (int i = NUMBER_WORDS; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* The sum; a zero that two numbers of different sign make is -0 when rounding down, as IEEE 754 says. */
static inline number number_sum(const number *a, const number *b, rounding mode)
{
    number r = {0};
    if (a->nan || b->nan || (a->infinite && b->infinite && a->negative != b->negative)) {
        r.nan = true;
        return r;
    }
    if (a->infinite || b->infinite)
        return a->infinite ? *a : *b;
    int order = number_compare_magnitudes(a, b);
    if (a->negative == b->negative) {
        u128 carry = 0;
        for (int i = 0; i < NUMBER_WORDS; i++) {
            carry += (u128)a->word[i] + b->word[i];
            r.word[i] = (uint64_t)carry;
            carry >>= 64;
        }
        r.negative = a->negative;
    } else if (order == 0) {
        r.negative = mode == ROUND_DOWN;
    } else {
        const number *large = order > 0 ? a : b, *small = order > 0 ? b : a;
        uint64_t borrow = 0;
        for (int i = 0; i < NUMBER_WORDS; i++) {
            u128 take = (u128)small->word[i] + borrow;
            borrow = large->word[i] < take;
            r.word[i] = large->word[i] - (uint64_t)take;
        }
        r.negative = large->negative;
    }
    return r;
}

static inline number number_product(const format *f, uint64_t x, uint64_t y)
{
    number a = number_of(f, x), b = number_of(f, y), r = {.negative = a.negative != b.negative};
    r.nan = a.nan || b.nan || (a.infinite && number_is_zero(&b)) || (b.infinite && number_is_zero(&a));
    r.infinite = !r.nan && (a.infinite || b.infinite);
    if (r.nan || r.infinite)
        return r;
    int ex, ey;
    u128 mx = format_parts(f, x, &ex), my = format_parts(f, y, &ey);
    return number_scaled(r.negative, mx * my, ex + ey);
}

static inline number number_quotient(const format *f, uint64_t x, uint64_t y)
{
    number a = number_of(f, x), b = number_of(f, y), r = {.negative = a.negative != b.negative};
    bool a_zero = number_is_zero(&a), b_zero = number_is_zero(&b);
    r.nan = a.nan || b.nan || (a.infinite && b.infinite) || (a_zero && b_zero);
    r.infinite = !r.nan && (a.infinite || b_zero);
    if (r.nan || r.infinite || a_zero || b.infinite)
        return r;
    int ex, ey;
    u128 mx = (u128)format_parts(f, x, &ex) << 74, my = format_parts(f, y, &ey);
    bool more = mx % my != 0;
    r = number_scaled(r.negative, mx / my, ex - 74 - ey);
    r.more = more;
    return r;
}

static inline number number_root(const format *f, uint64_t x)
{
    number a = number_of(f, x), r = {.negative = a.negative};
    if (a.nan || number_is_zero(&a))
        return a;
    r.nan = a.negative;
    r.infinite = a.infinite && !a.negative;
    if (r.nan || r.infinite)
        return r;
    int exponent;
    u128 m = (u128)format_parts(f, x, &exponent) << 74, root = 0;
    exponent -= 74;
    if (exponent & 1) {
        m >>= 1; /* its lowest bits are zeros */
        exponent++;
    }
    for (int bit = 63; bit >= 0; bit--) {
        u128 longer = root | (u128)1 << bit;
        if (longer * longer <= m)
            root = longer;
    }
    r = number_scaled(false, root, exponent / 2);
    r.more = root * root != m;
    return r;
}

static inline int number_bit(const number *x, int at)
{
    return at >= 0 && at < NUMBER_WORDS * 64 ? (int)(x->word[at / 64] >> at % 64 & 1) : 0;
}

static inline int number_top(const number *x)
{
    int top = NUMBER_WORDS * 64 - 1;
    while (top >= 0 && !number_bit(x, top))
        top--;
    return top;
}

/* Whether cutting off all below bit `at` must be followed by one step away from zero. */
static inline bool number_rounds_up(const number *x, int at, bool last_is_odd, rounding mode)
{
    bool half = number_bit(x, at - 1), rest = x->more;
    for (int i = 0; i < (at - 1) / 64; i++)
        rest |= x->word[i] != 0;
    for (int i = (at - 1) / 64 * 64; i < at - 1 && i >= 0; i++)
        rest |= number_bit(x, i);
    switch (mode) {
    case ROUND_NEAREST:
        return half && (rest || last_is_odd);
    case ROUND_ZERO:
        return false;
    case ROUND_DOWN:
        return (half || rest) && x->negative;
    default:
        return (half || rest) && !x->negative;
    }
}

static inline uint64_t number_round(const number *x, const format *f, rounding mode)
{
    uint64_t sign = x->negative ? format_sign(f) : 0;
    if (x->nan)
        return format_nan(f);
    if (x->infinite)
        return sign | format_infinity(f);
    int top = number_top(x), min = 1 - f->bias; /* exponent of the smallest normal number */
    if (top < 0)
        return sign;
    int exponent = top + NUMBER_UNIT < min ? min : top + NUMBER_UNIT;
    int low = exponent - f->fraction - NUMBER_UNIT;
    uint64_t kept = 0;
    for (int i = f->fraction; i >= 0; i--)
        kept = kept << 1 | (uint64_t)number_bit(x, low + i);
    kept += number_rounds_up(x, low, kept & 1, mode);
    uint64_t bits = kept + ((uint64_t)(exponent - min) << f->fraction);
    if (bits >= format_infinity(f)) {
        bool outward = mode == ROUND_NEAREST || mode == (x->negative ? ROUND_DOWN : ROUND_UP);
        bits = format_infinity(f) - !outward;
    }
    return sign | bits;
}

/* To an integer of `bits` bits: NaN is 0, what does not fit is the nearest that does. */
static inline uint64_t number_to_integer(const number *x, int bits, bool is_signed, rounding mode)
{
    u128 max = is_signed ? ((u128)1 << (bits - 1)) - (x->negative ? 0 : 1) : ((u128)1 << bits) - 1;
    uint64_t keep = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    if (x->nan)
        return 0;
    if (x->negative && !is_signed)
        max = 0;
    u128 magnitude = max;
    if (!x->infinite && number_top(x) + NUMBER_UNIT < 100) {
        magnitude = 0;
        for (int i = 100; i >= 0; i--)
            magnitude = magnitude << 1 | (u128)number_bit(x, i - NUMBER_UNIT);
        magnitude += number_rounds_up(x, -NUMBER_UNIT, magnitude & 1, mode);
        if (magnitude > max)
            magnitude = max;
    }
    return (x->negative ? (uint64_t)0 - (uint64_t)magnitude : (uint64_t)magnitude) & keep;
}

/* To an integer, kept in the format. */
static inline uint64_t number_to_integral(const format *f, uint64_t bits, rounding mode)
{
    number x = number_of(f, bits);
    if (x.nan || x.infinite || number_top(&x) + NUMBER_UNIT > f->fraction)
        return x.nan ? format_nan(f) : bits;
    u128 magnitude = 0;
    for (int i = 64; i >= 0; i--)
        magnitude = magnitude << 1 | (u128)number_bit(&x, i - NUMBER_UNIT);
    magnitude += number_rounds_up(&x, -NUMBER_UNIT, magnitude & 1, mode);
    number r = number_scaled(x.negative, magnitude, 0);
    return number_round(&r, f, ROUND_NEAREST);
}

#endif
