/* SPDX-License-Identifier: MIT */
/* Half precision and smaller on single values: conversions with correct rounding. */
#ifndef SL_EMU_HALF_H
#define SL_EMU_HALF_H

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

#endif
