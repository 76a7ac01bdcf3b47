/* SPDX-License-Identifier: MIT */
#include "model/latency.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

bool sl_latency_init(sl_latency *l, uint32_t min, uint32_t sigma)
{
    SL_ARRAY(uint32_t) up_to = {0};
    double part = 0;
    *l = (sl_latency){.min = min};
    if (!sigma)
        return true;
    for (uint32_t steps = 0; part < UINT32_MAX; steps++) {
        part = floor(erf((steps + 0.5) / (sigma * sqrt(2))) * 4294967296.0);
        part = part < UINT32_MAX ? part : UINT32_MAX;
        if (!sl_array_push(&up_to, (uint32_t)part)) {
            sl_array_free(&up_to);
            return false;
        }
    }
    l->up_to = up_to.items;
    l->steps = (uint32_t)up_to.count;
    for (uint32_t g = 0, steps = 0; g < SL_LATENCY_GUIDES; g++) {
        while (g << 24 > l->up_to[steps])
            steps++;
        l->guide[g] = steps;
    }
    return true;
}

void sl_latency_fini(sl_latency *l)
{
    free(l->up_to);
}
