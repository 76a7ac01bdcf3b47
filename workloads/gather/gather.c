/* SPDX-License-Identifier: MIT */
/* Random gather, as an embedding lookup or a hash join does it: every lane reads a different line and none is read
 * again soon. The hardest case for a cache, and for whoever records addresses. */
#include "workloads/common/inputs.h"

void sl_workload_gather(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 1u << 30);
    uint32_t entries = (uint32_t)sl_host_param(h, "table", 1, 1u << 30);
    uint32_t *index = sl_random_indices(h, n, entries);
    float *table = sl_random_floats(h, entries), *out = sl_host_new(h, float, n);
    uint64_t index_dev = sl_host_upload(h, "index", index, n * sizeof *index);
    uint64_t table_dev = sl_host_upload(h, "table", table, entries * sizeof *table);
    uint64_t out_dev = sl_host_device(h, "out", n * sizeof *out);

    sl_host_launch(h, "gather", SL_DIM(sl_blocks(n, 256)), SL_DIM(256), 0, index_dev, table_dev, out_dev, n);
    sl_host_download(h, out, out_dev, n * sizeof *out);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, n);
    for (uint32_t i = 0; i < n; i++)
        expected[i] = table[index[i]];
    sl_check_f32(h, "out", out, expected, n, 0, 0);
}
