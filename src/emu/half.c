/* SPDX-License-Identifier: MIT */
/* Conversions of single values between doubles and the small formats, in every rounding mode. Handlers that work on
 * all lanes at once have separate ones for the usual mode (exec_half.c). */
#include "emu/half.h"

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

float sl_bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

float sl_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff, bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000u | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        float magnitude = (float)fraction * 0x1p-24f;
        memcpy(&bits, &magnitude, sizeof bits);
        bits |= sign;
    }
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Rounds x to a format with `fraction_bits` and exponents [min, max]; NaN gives `nan`. */
static uint16_t round_to(double x, int mode, int fraction_bits, int min_exponent, int max_exponent, uint16_t nan)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent_bias = 1 - min_exponent;
    uint16_t infinity = (uint16_t)((max_exponent + exponent_bias + 1) << fraction_bits);
    if (isnan(x))
        return nan;
    double magnitude = fabs(x);
    if (isinf(x))
        return sign | infinity;
    if (magnitude == 0)
        return sign;
    int exponent;
    frexp(magnitude, &exponent);
    exponent--; /* magnitude = 1.f * 2^exponent */
    if (exponent < min_exponent)
        exponent = min_exponent;
    double scaled = ldexp(magnitude, fraction_bits - exponent); /* exact: units in the last place */
    double whole = floor(scaled), rest = scaled - whole;
    bool up;
    switch (mode) {
    case FE_TOWARDZERO:
        up = false;
        break;
    case FE_UPWARD:
        up = rest > 0 && !sign;
        break;
    case FE_DOWNWARD:
        up = rest > 0 && sign;
        break;
    default:
        up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) == 1);
        break;
    }
    uint32_t units = (uint32_t)whole + up;
    uint32_t hidden = 1u << fraction_bits;
    if (units < hidden)
        return sign | (uint16_t)units; /* subnormal (or zero) */
    if (units == 2 * hidden) {
        units = hidden;
        exponent++;
    }
    if (exponent > max_exponent) {
        bool to_infinity = mode == FE_TONEAREST || (mode == FE_UPWARD && !sign) || (mode == FE_DOWNWARD && sign);
        return sign | (to_infinity ? infinity : (uint16_t)(infinity - 1));
    }
    return sign | (uint16_t)((uint32_t)(exponent + exponent_bias) << fraction_bits | (units - hidden));
}

uint16_t sl_f64_to_f16(double x, int mode)
{
    return round_to(x, mode, 10, -14, 15, 0x7fff);
}

uint16_t sl_f64_to_bf16(double x, int mode)
{
    return round_to(x, mode, 7, -126, 127, 0x7fff);
}

static uint8_t to_fp8(double x, int fraction_bits, int min_exponent, int max_exponent, double max)
{
    if (isnan(x))
        return 0x7f;
    uint8_t sign = signbit(x) ? 0x80 : 0;
    double magnitude = fmin(fabs(x), max);
    return sign | (uint8_t)round_to(magnitude, FE_TONEAREST, fraction_bits, min_exponent, max_exponent, 0);
}

uint8_t sl_f64_to_e4m3(double x)
{
    return to_fp8(x, 3, -6, 8, 448);
}

uint8_t sl_f64_to_e5m2(double x)
{
    return to_fp8(x, 2, -14, 15, 57344);
}

uint16_t sl_e4m3_to_f16(uint8_t x)
{
    int exponent = x >> 3 & 15, fraction = x & 7;
    if ((x & 0x7f) == 0x7f)
        return 0x7fff;
    double magnitude = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    return sl_f64_to_f16(x & 0x80 ? -magnitude : magnitude, FE_TONEAREST);
}

uint16_t sl_e5m2_to_f16(uint8_t x)
{
    return (x & 0x7f) > 0x7c ? 0x7fff : (uint16_t)(x << 8);
}

static uint8_t to_small(double x, int bits, int fraction_bits, int min_exponent, int max_exponent, double max)
{
    double magnitude = isnan(x) ? max : fmin(fabs(x), max);
    uint8_t sign = signbit(x) && !isnan(x) ? (uint8_t)(1 << (bits - 1)) : 0;
    return sign | (uint8_t)round_to(magnitude, FE_TONEAREST, fraction_bits, min_exponent, max_exponent, 0);
}

static uint16_t small_to_f16(uint8_t x, int bits, int fraction_bits, int min_exponent)
{
    int exponent = (x & ((1 << (bits - 1)) - 1)) >> fraction_bits, fraction = x & ((1 << fraction_bits) - 1);
    int units = exponent ? (1 << fraction_bits) + fraction : fraction;
    double magnitude = ldexp(units, min_exponent - fraction_bits + (exponent ? exponent - 1 : 0));
    return sl_f64_to_f16(x >> (bits - 1) & 1 ? -magnitude : magnitude, FE_TONEAREST);
}

uint8_t sl_f64_to_e2m3(double x)
{
    return to_small(x, 6, 3, 0, 2, 7.5);
}

uint8_t sl_f64_to_e3m2(double x)
{
    return to_small(x, 6, 2, -2, 4, 28);
}

uint8_t sl_f64_to_e2m1(double x)
{
    return to_small(x, 4, 1, 0, 2, 6);
}

uint16_t sl_e2m3_to_f16(uint8_t x)
{
    return small_to_f16(x, 6, 3, 0);
}

uint16_t sl_e3m2_to_f16(uint8_t x)
{
    return small_to_f16(x, 6, 2, -2);
}

uint16_t sl_e2m1_to_f16(uint8_t x)
{
    return small_to_f16(x, 4, 1, 0);
}

uint8_t sl_f32_to_ue8m0(uint32_t bits, bool up, bool satfinite)
{
    bits &= 0x7fffffff;
    uint32_t exponent = bits >> 23;
    if (bits > 0x7f800000)
        return 0xff;
    if (up && bits & 0x7fffff && bits > 0x400000) /* the smallest is 2^-127 */
        exponent++;
    return satfinite && exponent == 0xff ? 0xfe : (uint8_t)exponent;
}

uint16_t sl_ue8m0_to_bf16(uint8_t x)
{
    return x == 0xff ? 0x7fff : x ? (uint16_t)(x << 7) : 0x40;
}

uint32_t sl_add_f16x2(uint32_t a, uint32_t b)
{
    uint32_t low = sl_f64_to_f16((double)sl_f16_to_f32((uint16_t)a) + sl_f16_to_f32((uint16_t)b), FE_TONEAREST);
    uint32_t high =
        sl_f64_to_f16((double)sl_f16_to_f32((uint16_t)(a >> 16)) + sl_f16_to_f32((uint16_t)(b >> 16)), FE_TONEAREST);
    return high << 16 | low;
}

uint32_t sl_add_bf16x2(uint32_t a, uint32_t b)
{
    uint32_t low = sl_f64_to_bf16((double)sl_bf16_to_f32((uint16_t)a) + sl_bf16_to_f32((uint16_t)b), FE_TONEAREST);
    uint32_t high =
        sl_f64_to_bf16((double)sl_bf16_to_f32((uint16_t)(a >> 16)) + sl_bf16_to_f32((uint16_t)(b >> 16)), FE_TONEAREST);
    return high << 16 | low;
}

/* -0 is below +0. */
#define SL_EXTREMES(T)                                                                                                 \
    uint16_t sl_lesser_##T(uint16_t a, uint16_t b)                                                                     \
    {                                                                                                                  \
        float x = sl_##T##_to_f32(a), y = sl_##T##_to_f32(b);                                                          \
        return x != x ? b : y != y ? a : x == y ? a | b : x < y ? a : b;                                               \
    }                                                                                                                  \
    uint16_t sl_greater_##T(uint16_t a, uint16_t b)                                                                    \
    {                                                                                                                  \
        float x = sl_##T##_to_f32(a), y = sl_##T##_to_f32(b);                                                          \
        return x != x ? b : y != y ? a : x == y ? a & b : x < y ? b : a;                                               \
    }
SL_EXTREMES(f16)
SL_EXTREMES(bf16)
