/* SPDX-License-Identifier: MIT */
/* Exact numbers: sums and products are kept as fixed-point numbers of 640 bits and rounded by looking at the bits. A
 * reference for floating-point formats that shares no code with the emulator. */
#ifndef SL_TESTS_EXACT_H
#define SL_TESTS_EXACT_H

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "support.h"

enum { WORDS = 10, UNIT = -300 }; /* two's complement, the lowest bit is 2^-300 */

typedef struct exact {
    uint64_t w[WORDS];
} exact;

static inline void exact_negate(exact *x)
{
    unsigned char carry = 1;
    for (int i = 0; i < WORDS; i++) {
        x->w[i] = ~x->w[i] + carry;
        carry = carry && x->w[i] == 0;
    }
}

static inline exact exact_of(double value)
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

static inline exact exact_sum(exact a, const exact b)
{
    unsigned carry = 0;
    for (int i = 0; i < WORDS; i++) {
        unsigned __int128 sum = (unsigned __int128)a.w[i] + b.w[i] + carry;
        a.w[i] = (uint64_t)sum;
        carry = (unsigned)(sum >> 64);
    }
    return a;
}

static inline int exact_bit(const exact *x, int at)
{
    return at >= 0 && at < WORDS * 64 ? (int)(x->w[at / 64] >> at % 64 & 1) : 0;
}

typedef struct format {
    int fraction, min; /* bits of fraction; exponent of the smallest normal number */
    uint32_t infinity, nan, sign;
} format;

static const format F16 = {10, -14, 0x7c00, 0x7fff, 0x8000}, BF16 = {7, -126, 0x7f80, 0x7fff, 0x8000};

/* x rounded to the format; -0 for a zero when `negative_zero`. */
static inline uint32_t exact_round(exact x, const format *f, int mode, bool negative_zero)
{
    bool negative = x.w[WORDS - 1] >> 63;
    if (negative)
        exact_negate(&x);
    int top = WORDS * 64 - 1;
    while (top >= 0 && !exact_bit(&x, top))
        top--;
    if (top < 0)
        return negative_zero ? f->sign : 0;
    int exponent = top + UNIT < f->min ? f->min : top + UNIT;
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
    uint32_t bits = kept + ((uint32_t)(exponent - f->min) << f->fraction);
    if (bits >= f->infinity)
        bits = mode == FE_TONEAREST || mode == (negative ? FE_DOWNWARD : FE_UPWARD) ? f->infinity : f->infinity - 1;
    return negative ? bits | f->sign : bits;
}

static inline double value_of(uint32_t bits, const format *f)
{
    uint32_t magnitude = bits & (f->sign - 1), fraction = magnitude & ((1u << f->fraction) - 1);
    int exponent = (int)(magnitude >> f->fraction);
    double value = magnitude > f->infinity    ? (double)NAN
                   : magnitude == f->infinity ? (double)INFINITY
                   : exponent == 0            ? ldexp(fraction, f->min - f->fraction)
                                   : ldexp(fraction + (1u << f->fraction), exponent - 1 + f->min - f->fraction);
    return bits & f->sign ? -value : value;
}

static inline bool is_nan(uint32_t a, const format *f)
{
    return (a & (f->sign - 1)) > f->infinity;
}

static inline uint32_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)(z >> 32);
}

#endif
