/* SPDX-License-Identifier: MIT */
/* GEMM of PolyBench/GPU: c = alpha * a * b + beta * c, one thread per element of c in blocks of 32 x 8. A warp reads
 * one element of a and a line of b in every step. As in the suite the pointers may overlap for all the compiler knows,
 * so that the sum is written to c in every step too.
 *
 * The suite's default is m = n = k = 512, and its factors are constants of the program. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

static const float alpha = 1.5f, beta = 0.5f;

void sl_workload_gemm(sl_host *h)
{
    uint32_t m = (uint32_t)sl_host_param(h, "m", 1, 16384), n = (uint32_t)sl_host_param(h, "n", 1, 16384);
    uint32_t k = (uint32_t)sl_host_param(h, "k", 1, 16384);
    uint64_t a_items = (uint64_t)m * k, b_items = (uint64_t)k * n, items = (uint64_t)m * n;
    float *a = sl_random_floats(h, a_items), *b = sl_random_floats(h, b_items), *c = sl_random_floats(h, items);
    float *result = sl_host_new(h, float, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, a_items * sizeof *a);
    uint64_t b_dev = sl_host_upload(h, "b", b, b_items * sizeof *b);
    uint64_t c_dev = sl_host_upload(h, "c", c, items * sizeof *c);

    sl_host_launch(h, "gemm_kernel", SL_DIM(sl_blocks(n, 32), sl_blocks(m, 8)), SL_DIM(32, 8), 0, a_dev, b_dev, c_dev,
                   m, n, k, alpha, beta);
    sl_host_download(h, result, c_dev, items * sizeof *c);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_reference_matmul(h, a, b, m, n, k);
    for (uint64_t i = 0; i < items; i++)
        expected[i] = alpha * expected[i] + beta * c[i];
    sl_check_f32(h, "c", result, expected, items, 0, 0); /* multiples of 1/512 below 2 * k: exact */
}
