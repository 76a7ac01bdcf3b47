/* SPDX-License-Identifier: MIT */
#include "workloads/common/half.h"

#include <fenv.h>

#include "emu/half.h"

uint16_t *sl_halves_of_floats(sl_host *h, const float *from, uint64_t count)
{
    uint16_t *to = sl_host_new(h, uint16_t, count);
    for (uint64_t i = 0; i < count; i++)
        to[i] = sl_f64_to_f16((double)from[i], FE_TONEAREST);
    return to;
}

float *sl_floats_of_halves(sl_host *h, const uint16_t *from, uint64_t count)
{
    float *to = sl_host_new(h, float, count);
    for (uint64_t i = 0; i < count; i++)
        to[i] = sl_f16_to_f32(from[i]);
    return to;
}
