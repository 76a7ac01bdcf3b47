/* Half precision on single values: conversions with correct rounding. */
#ifndef SL_EMU_HALF_H
#define SL_EMU_HALF_H

#include <stdint.h>

float sl_f16_to_f32(uint16_t h);
uint16_t sl_f64_to_f16(double x, int mode); /* mode: a C rounding mode (fenv.h) */
float sl_bf16_to_f32(uint16_t h);
uint16_t sl_f64_to_bf16(double x, int mode);

#endif
