/* SPDX-License-Identifier: MIT */
/* Gaussian elimination without pivoting, as Rodinia's gaussian: for each pivot a kernel that computes a column of
 * quotients (512 threads per block, one row each) and one that subtracts the pivot's row from those below (4 x 4
 * threads, neighbours in different rows, so that accesses are spread over as many lines). Many launches of tiny blocks
 * that fill half a warp; caches make no difference (Decoupled L1D counts it among the insensitive).
 *
 * Simplified: only the first `pivots` of n - 1 columns are eliminated, to keep the number of launches down, and there
 * is no back substitution, which the original does on the CPU. */
#include <math.h>

#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

enum { FAN1_BLOCK = 512, FAN2_SIDE = 4 };

static void reference(float *a, float *b, float *quotient, size_t n, size_t pivots)
{
    for (size_t k = 0; k < pivots; k++)
        for (size_t y = k + 1; y < n; y++) {
            float q = quotient[y * n + k] = a[y * n + k] / a[k * n + k];
            for (size_t x = k; x < n; x++)
                a[y * n + x] -= q * a[k * n + x];
            b[y] -= q * b[k];
        }
}

void sl_workload_gaussian(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 2, 16384), pivots = (uint32_t)sl_host_param(h, "pivots", 1, 16383);
    if (pivots >= n)
        sl_host_fail(h, SL_INVALID, "pivots must be below n");
    uint64_t items = (uint64_t)n * n, bytes = items * sizeof(float);
    float *a = sl_dominant_matrix(h, n), *b = sl_uniform_floats(h, n, 0, 1), *quotient = sl_host_new(h, float, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, bytes), b_dev = sl_host_upload(h, "b", b, n * sizeof *b);
    uint64_t quotient_dev = sl_host_upload(h, "quotient", quotient, bytes);

    uint32_t side = sl_blocks(n, FAN2_SIDE);
    for (uint32_t pivot = 0; pivot < pivots; pivot++) {
        sl_host_launch(h, "fan1", SL_DIM(sl_blocks(n, FAN1_BLOCK)), SL_DIM(FAN1_BLOCK), 0, quotient_dev, a_dev, n,
                       pivot);
        sl_host_launch(h, "fan2", SL_DIM(side, side), SL_DIM(FAN2_SIDE, FAN2_SIDE), 0, quotient_dev, a_dev, b_dev, n,
                       pivot);
    }
    float *a_got = sl_host_new(h, float, items), *b_got = sl_host_new(h, float, n);
    float *quotient_got = sl_host_new(h, float, items);
    sl_host_download(h, a_got, a_dev, bytes);
    sl_host_download(h, b_got, b_dev, n * sizeof *b);
    sl_host_download(h, quotient_got, quotient_dev, bytes);

    if (!sl_host_checks(h))
        return;
    reference(a, b, quotient, n, pivots);
    /* A pivot changes values of at most about 1 by products of at most about 1 / n; the rest is rounded by 2^-24
     * of that, which adds up with the root of the number of pivots. Quotients are n times smaller. */
    double error = (4 + sqrt(pivots)) * 0x1p-24;
    sl_check_f32(h, "a", a_got, a, items, error, error);
    sl_check_f32(h, "b", b_got, b, n, error, error);
    sl_check_f32(h, "quotient", quotient_got, quotient, items, error / n, error);
}
