/* SPDX-License-Identifier: MIT */
/* Histogram of 256 bins over skewed values: atomics that collide in shared memory, then atomics of all blocks on the
 * same few lines of global memory. */
#include "workloads/common/inputs.h"

enum { BINS = 256, THREADS = 256, ITEMS_PER_THREAD = 16 };

void sl_workload_histogram(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 1u << 30);
    uint32_t *value = sl_skewed_indices(h, n, BINS, (uint32_t)sl_host_param(h, "skew", 1, 64));
    uint32_t count[BINS], expected[BINS] = {0};
    uint64_t value_dev = sl_host_upload(h, "value", value, n * sizeof *value);
    uint64_t count_dev = sl_host_device(h, "count", sizeof count);
    sl_host_fill(h, count_dev, 0, sizeof count);

    sl_host_launch(h, "histogram", SL_DIM(sl_blocks(n, THREADS * ITEMS_PER_THREAD)), SL_DIM(THREADS), 0, value_dev,
                   count_dev, n);
    sl_host_download(h, count, count_dev, sizeof count);

    if (!sl_host_checks(h))
        return;
    for (uint32_t i = 0; i < n; i++)
        expected[value[i]]++;
    sl_check_u32(h, "count", count, expected, BINS);
}
