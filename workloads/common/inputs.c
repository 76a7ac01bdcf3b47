/* SPDX-License-Identifier: MIT */
/* Numbers and index lists. */
#include "workloads/common/inputs.h"

#include <math.h>

float *sl_random_floats(sl_host *h, uint64_t count)
{
    sl_random *random = sl_host_random(h);
    float *items = sl_host_new(h, float, count);
    for (uint64_t i = 0; i < count; i++)
        items[i] = (float)((int)(sl_random_u64(random) >> 59) - 16) / 16.0f;
    return items;
}

float *sl_uniform_floats(sl_host *h, uint64_t count, float min, float max)
{
    sl_random *random = sl_host_random(h);
    float *items = sl_host_new(h, float, count);
    for (uint64_t i = 0; i < count; i++)
        items[i] = min + (max - min) * sl_random_f32(random);
    return items;
}

uint32_t *sl_random_indices(sl_host *h, uint64_t count, uint32_t bound)
{
    sl_random *random = sl_host_random(h);
    uint32_t *items = sl_host_new(h, uint32_t, count);
    for (uint64_t i = 0; i < count; i++)
        items[i] = (uint32_t)sl_random_below(random, bound);
    return items;
}

uint32_t *sl_skewed_indices(sl_host *h, uint64_t count, uint32_t bound, uint32_t skew)
{
    sl_random *random = sl_host_random(h);
    uint32_t *items = sl_host_new(h, uint32_t, count);
    for (uint64_t i = 0; i < count; i++) {
        double u = sl_random_f64(random), power = 1;
        for (uint32_t k = 0; k < skew; k++)
            power *= u;
        items[i] = (uint32_t)(power * bound);
    }
    return items;
}
