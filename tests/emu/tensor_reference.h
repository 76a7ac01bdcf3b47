/* SPDX-License-Identifier: MIT */
/* Sums of tensor cores, one number after the other, in integers: what the emulator's vectors are compared with. The
 * rules were found on an H200 (tests/programs/wgmma.cu and mma have its bits). */
#ifndef SL_TESTS_TENSOR_REFERENCE_H
#define SL_TESTS_TENSOR_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "emu/half.h"

typedef enum reference_type {
    R_F16,
    R_BF16,
    R_TF32,
    R_E4M3,
    R_E5M2,
    R_S8,
    R_U8,
    R_S4,
    R_U4,
    R_F32,
    R_S32
} reference_type;

static inline int reference_bits(reference_type t)
{
    static const int bits[] = {16, 16, 32, 8, 8, 8, 8, 4, 4, 32, 32};
    return bits[t];
}

static inline float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Element e of numbers that lie one after the other. */
static inline double reference_value(reference_type t, const void *memory, int e)
{
    const uint8_t *bytes = memory;
    const uint16_t *halves = memory;
    const uint32_t *words = memory;
    switch (t) {
    case R_F16:
        return (double)sl_f16_to_f32(halves[e]);
    case R_BF16:
        return (double)sl_bf16_to_f32(halves[e]);
    case R_TF32:
        return (double)float_of_bits(words[e] & ~0x1fffu);
    case R_E4M3:
        return (double)sl_f16_to_f32(sl_e4m3_to_f16(bytes[e]));
    case R_E5M2:
        return (double)sl_f16_to_f32(sl_e5m2_to_f16(bytes[e]));
    case R_S8:
        return (int8_t)bytes[e];
    case R_U8:
        return bytes[e];
    case R_S4:
        return (int8_t)(bytes[e / 2] << (e & 1 ? 0 : 4)) >> 4;
    case R_U4:
        return bytes[e / 2] >> 4 * (e & 1) & 15;
    case R_F32:
        return (double)float_of_bits(words[e]);
    default:
        return (int32_t)words[e];
    }
}

/* mantissa * 2^(exponent - 10) with the exponent that the format stores. */
static inline bool reference_split(double x, int lowest, int64_t *mantissa, int *exponent)
{
    if (x == 0)
        return false;
    frexp(x, exponent);
    *exponent = *exponent - 1 < lowest ? lowest : *exponent - 1;
    *mantissa = (int64_t)ldexp(x, 10 - *exponent);
    return true;
}

/* c and k products, aligned to the largest exponent and cut off `kept` bits below it. */
static inline double reference_sum(const double *a, const double *b, int k_count, int lowest_a, int lowest_b, int kept,
                                   float c)
{
    enum { NONE = -100000 };
    double plain = (double)c;
    int64_t number[65], total = 0;
    int exponent[65], largest = NONE;
    for (int k = 0; k < k_count; k++) {
        int64_t x, y;
        int xe, ye;
        plain += a[k] * b[k];
        exponent[k] = NONE;
        if (isfinite(a[k]) && isfinite(b[k]) && reference_split(a[k], lowest_a, &x, &xe) &&
            reference_split(b[k], lowest_b, &y, &ye)) {
            number[k] = x * y * (1 << 5); /* in units of 2^(exponent - 25) */
            exponent[k] = xe + ye;
        }
    }
    if (!isfinite(plain))
        return plain;
    exponent[k_count] = NONE;
    if (c != 0) {
        int e;
        frexp((double)c, &e);
        exponent[k_count] = e - 1 < -126 ? -126 : e - 1;
        number[k_count] = (int64_t)ldexp((double)c, 25 - exponent[k_count]);
    }
    for (int k = 0; k <= k_count; k++)
        largest = exponent[k] > largest ? exponent[k] : largest;
    if (largest == NONE)
        return 0;
    for (int k = 0; k <= k_count; k++) {
        int shift = largest - exponent[k] + 25 - kept;
        if (exponent[k] == NONE || shift > 62)
            continue;
        int64_t magnitude = (number[k] < 0 ? -number[k] : number[k]) >> shift;
        total += number[k] < 0 ? -magnitude : magnitude;
    }
    return ldexp((double)total, largest - kept);
}

static inline float reference_cut(double x)
{
    float rounded = (float)x;
    return fabs((double)rounded) > fabs(x) && !isinf(rounded) ? float_of_bits(bits_of_float(rounded) - 1) : rounded;
}

/* One element of a product: k elements of a and b, c and the result as bits. */
static inline uint32_t reference_element(reference_type type_a, reference_type type_b, reference_type type_d,
                                         const void *a, const void *b, int k_count, uint32_t c, bool group,
                                         bool saturate)
{
    double x[64], y[64], sum;
    for (int k = 0; k < k_count; k++) {
        x[k] = reference_value(type_a, a, k);
        y[k] = reference_value(type_b, b, k);
    }
    if (type_d == R_S32) {
        int64_t total = (int32_t)c;
        for (int k = 0; k < k_count; k++)
            total += (int64_t)(x[k] * y[k]);
        if (saturate)
            total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
        return (uint32_t)total;
    }
    float start = type_d == R_F16 ? sl_f16_to_f32((uint16_t)c) : float_of_bits(c);
    bool bytes = reference_bits(type_a) == 8;
    if (bytes && !group) { /* the lower two bytes of every word, then the upper two, then c */
        float part = 0;
        for (int step = 0; step < 2; step++) {
            double half_x[32], half_y[32];
            for (int k = 0; k < k_count / 2; k++) {
                half_x[k] = x[k / 2 * 4 + 2 * step + (k & 1)];
                half_y[k] = y[k / 2 * 4 + 2 * step + (k & 1)];
            }
            part = reference_cut(reference_sum(half_x, half_y, k_count / 2, -14, -14, 25, part));
        }
        sum = (double)(part + start);
    } else if (bytes) {
        int low_a = type_a == R_E4M3 ? -6 : -14, low_b = type_b == R_E4M3 ? -6 : -14;
        sum = reference_sum(x, y, k_count, low_a, low_b, 13, start);
        if (type_d == R_F32 && isfinite(sum))
            sum = (double)float_of_bits(bits_of_float(reference_cut(sum)) >> 10 << 10);
    } else {
        int lowest = type_a == R_F16 ? -14 : -126;
        sum = reference_sum(x, y, k_count, lowest, lowest, 25, start);
    }
    if (type_d == R_F16)
        return isnan(sum) ? 0x7fff : sl_f64_to_f16(sum, 0 /* FE_TONEAREST */);
    return isnan(sum) ? 0x7fffffff : bits_of_float(reference_cut(sum));
}

#endif
