/* SPDX-License-Identifier: MIT */
/* GESUMMV of PolyBench/GPU: y = alpha * a * x + beta * b * x, a thread per row in blocks of 256. The lanes of a warp
 * walk 32 rows of two matrices side by side: 64 lines per warp are in use at a time. Both sums are written to memory in
 * every step, as in the suite; because of these writes x[j] is read twice.
 *
 * The suite's default is n = 4096: 16 blocks, about one per core of its time. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

static const float alpha = 1.5f, beta = 0.5f;

void sl_workload_gesummv(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 16384);
    uint64_t items = (uint64_t)n * n, bytes = n * sizeof(float);
    float *a = sl_random_floats(h, items), *b = sl_random_floats(h, items), *x = sl_random_floats(h, n);
    float *y = sl_host_new(h, float, n);
    uint64_t a_dev = sl_host_upload(h, "a", a, items * sizeof *a), b_dev = sl_host_upload(h, "b", b, items * sizeof *b);
    uint64_t x_dev = sl_host_upload(h, "x", x, bytes);
    uint64_t y_dev = sl_host_device(h, "y", bytes), ax_dev = sl_host_device(h, "ax", bytes);

    sl_host_launch(h, "gesummv_kernel", SL_DIM(sl_blocks(n, 256)), SL_DIM(256), 0, a_dev, b_dev, x_dev, y_dev, ax_dev,
                   n, alpha, beta);
    sl_host_download(h, y, y_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *ax = sl_reference_matvec(h, a, x, n, n), *bx = sl_reference_matvec(h, b, x, n, n);
    for (uint32_t i = 0; i < n; i++)
        ax[i] = alpha * ax[i] + beta * bx[i];
    sl_check_f32(h, "y", y, ax, n, 0, 0); /* multiples of 1/512 below 2 * n: exact */
}
