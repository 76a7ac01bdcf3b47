/* SPDX-License-Identifier: MIT */
#include "workloads/common/zipf.h"

/* The first index whose share of the sum lies above `at`. */
static uint32_t find(const double *up_to, uint32_t bound, double at)
{
    uint32_t low = 0, high = bound - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (up_to[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t *sl_zipf_indices(sl_host *h, uint64_t count, uint32_t bound)
{
    sl_random *random = sl_host_random(h);
    uint32_t *items = sl_host_new(h, uint32_t, count);
    double *up_to = sl_host_new(h, double, bound), sum = 0;
    for (uint32_t i = 0; i < bound; i++)
        up_to[i] = sum += 1.0 / (i + 1.0);
    for (uint64_t i = 0; i < count; i++)
        items[i] = find(up_to, bound, sl_random_f64(random) * sum);
    return items;
}
