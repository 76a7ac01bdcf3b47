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

/* Eight-bit floats: to nearest even; what is too large becomes the largest finite number (.satfinite). */
uint8_t sl_f64_to_e4m3(double x);
uint8_t sl_f64_to_e5m2(double x);
uint16_t sl_e4m3_to_f16(uint8_t x);
uint16_t sl_e5m2_to_f16(uint8_t x);
/* The same of six and four bits, which have neither infinities nor NaN: a NaN becomes the largest number. */
uint8_t sl_f64_to_e2m3(double x);
uint8_t sl_f64_to_e3m2(double x);
uint8_t sl_f64_to_e2m1(double x);
uint16_t sl_e2m3_to_f16(uint8_t x);
uint16_t sl_e3m2_to_f16(uint8_t x);
uint16_t sl_e2m1_to_f16(uint8_t x);
/* Powers of two without a sign: rounded up or down; 0xff is NaN. */
uint8_t sl_f32_to_ue8m0(float x, bool up);
uint16_t sl_ue8m0_to_bf16(uint8_t x);

#endif
