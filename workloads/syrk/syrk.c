/* SPDX-License-Identifier: MIT */
/* SYRK of PolyBench/GPU: c = alpha * a * a^T + beta * c, one thread per element of c in blocks of 32 x 8. In every step
 * a warp reads one element of its row and one of each of 32 rows, a line each; the eight warps of a block read the same
 * 32 rows. Sums are written to memory in every step, as in the suite.
 *
 * The suite's default is n = k = 1024. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

static const float alpha = 1.5f, beta = 0.5f;

void sl_workload_syrk(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 16384), k = (uint32_t)sl_host_param(h, "k", 1, 16384);
    uint64_t a_items = (uint64_t)n * k, items = (uint64_t)n * n, bytes = items * sizeof(float);
    float *a = sl_random_floats(h, a_items), *c = sl_random_floats(h, items), *result = sl_host_new(h, float, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, a_items * sizeof *a), c_dev = sl_host_upload(h, "c", c, bytes);

    sl_host_launch(h, "syrk_kernel", SL_DIM(sl_blocks(n, 32), sl_blocks(n, 8)), SL_DIM(32, 8), 0, a_dev, c_dev, n, k,
                   alpha, beta);
    sl_host_download(h, result, c_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_reference_matmul(h, a, sl_transposed(h, a, n, k), n, n, k);
    for (uint64_t i = 0; i < items; i++)
        expected[i] = alpha * expected[i] + beta * c[i];
    sl_check_f32(h, "c", result, expected, items, 0, 0); /* multiples of 1/512 below 2 * k: exact */
}
