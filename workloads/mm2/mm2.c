/* SPDX-License-Identifier: MIT */
/* 2MM of PolyBench/GPU: d = (a * b) * c, two naive matrix products in blocks of 32 x 8. The second reads what the first
 * has written. Sums are written to memory in every step, as in the suite.
 *
 * The suite's default is n = 2048. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

void sl_workload_mm2(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 16384);
    uint64_t items = (uint64_t)n * n, bytes = items * sizeof(float);
    float *a = sl_random_floats(h, items), *b = sl_random_floats(h, items), *c = sl_random_floats(h, items);
    float *d = sl_host_new(h, float, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, bytes), b_dev = sl_host_upload(h, "b", b, bytes);
    uint64_t c_dev = sl_host_upload(h, "c", c, bytes);
    uint64_t ab_dev = sl_host_device(h, "ab", bytes), d_dev = sl_host_device(h, "d", bytes);

    sl_dim grid = SL_DIM(sl_blocks(n, 32), sl_blocks(n, 8)), block = SL_DIM(32, 8);
    sl_host_launch(h, "mm2_kernel1", grid, block, 0, a_dev, b_dev, ab_dev, n);
    sl_host_launch(h, "mm2_kernel2", grid, block, 0, ab_dev, c_dev, d_dev, n);
    sl_host_download(h, d, d_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *ab = sl_reference_matmul(h, a, b, n, n, n); /* exact */
    sl_check_sums(h, "d", d, sl_reference_matmul(h, ab, c, n, n, n), items, n);
}
