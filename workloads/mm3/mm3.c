/* SPDX-License-Identifier: MIT */
/* 3MM of PolyBench/GPU: e = a * b, f = c * d, g = e * f, three naive matrix products in blocks of 32 x 8. Sums are
 * written to memory in every step, as in the suite.
 *
 * The suite's default is n = 512. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

void sl_workload_mm3(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 16384);
    uint64_t items = (uint64_t)n * n, bytes = items * sizeof(float);
    float *a = sl_random_floats(h, items), *b = sl_random_floats(h, items);
    float *c = sl_random_floats(h, items), *d = sl_random_floats(h, items), *g = sl_host_new(h, float, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, bytes), b_dev = sl_host_upload(h, "b", b, bytes);
    uint64_t c_dev = sl_host_upload(h, "c", c, bytes), d_dev = sl_host_upload(h, "d", d, bytes);
    uint64_t e_dev = sl_host_device(h, "e", bytes), f_dev = sl_host_device(h, "f", bytes);
    uint64_t g_dev = sl_host_device(h, "g", bytes);

    sl_dim grid = SL_DIM(sl_blocks(n, 32), sl_blocks(n, 8)), block = SL_DIM(32, 8);
    sl_host_launch(h, "mm3_kernel1", grid, block, 0, a_dev, b_dev, e_dev, n);
    sl_host_launch(h, "mm3_kernel2", grid, block, 0, c_dev, d_dev, f_dev, n);
    sl_host_launch(h, "mm3_kernel3", grid, block, 0, e_dev, f_dev, g_dev, n);
    sl_host_download(h, g, g_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *e = sl_reference_matmul(h, a, b, n, n, n), *f = sl_reference_matmul(h, c, d, n, n, n); /* exact */
    sl_check_sums(h, "g", g, sl_reference_matmul(h, e, f, n, n, n), items, n);
}
