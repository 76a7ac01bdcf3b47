/* SPDX-License-Identifier: MIT */
/* Half precision and smaller on single values: conversions with correct rounding. */
#ifndef SL_EMU_HALF_H
#define SL_EMU_HALF_H

#include <stdbool.h>
#include <stdint.h>

float sl_f16_to_f32(uint16_t h);
uint16_t sl_f64_to_f16(double x, int mode); /* mode: a C rounding mode (fenv.h) */
float sl_bf16_to_f32(uint16_t h);
uint16_t sl_f64_to_bf16(double x, int mode);

/* f32 with ten bits of fraction, to nearest even, as bits. */
static inline uint32_t sl_f32_to_tf32(uint32_t a)
{
    uint32_t magnitude = a & 0x7fffffff;
    return magnitude > 0x7f800000 ? 0x7fffe000 : magnitude == 0x7f800000 ? a : (a + 0xfff + (a >> 13 & 1)) & ~0x1fffu;
}

/* Eight-bit floats: to nearest even; what is too large becomes the largest finite number (.satfinite). */
uint8_t sl_f64_to_e4m3(double x);
uint8_t sl_f64_to_e5m2(double x);
uint16_t sl_e4m3_to_f16(uint8_t x);
uint16_t sl_e5m2_to_f16(uint8_t x);

/* Six and four bits, in the low bits of a byte. They have no NaN: it becomes the largest number. */
uint8_t sl_f64_to_e2m3(double x);
uint8_t sl_f64_to_e3m2(double x);
uint8_t sl_f64_to_e2m1(double x);
uint16_t sl_e2m3_to_f16(uint8_t x);
uint16_t sl_e3m2_to_f16(uint8_t x);
uint16_t sl_e2m1_to_f16(uint8_t x);

/* A power of two, of the bits of an f32 whose sign does not matter: rounded towards zero, or up; with or without what
 * is too large becoming the largest number instead of NaN. */
uint8_t sl_f32_to_ue8m0(uint32_t bits, bool up, bool satfinite);
uint16_t sl_ue8m0_to_bf16(uint8_t x);

/* Sums of packed half-precision numbers. */
uint32_t sl_add_f16x2(uint32_t a, uint32_t b);
uint32_t sl_add_bf16x2(uint32_t a, uint32_t b);
uint16_t sl_lesser_f16(uint16_t a, uint16_t b); /* a number beats NaN */
uint16_t sl_greater_f16(uint16_t a, uint16_t b);
uint16_t sl_lesser_bf16(uint16_t a, uint16_t b);
uint16_t sl_greater_bf16(uint16_t a, uint16_t b);

#endif
