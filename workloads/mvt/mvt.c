/* SPDX-License-Identifier: MIT */
/* MVT of PolyBench/GPU: x1 += a * y1 with a thread per row, then x2 += a^T * y2 with a thread per column, in blocks of
 * 256. In the first kernel the lanes of a warp walk 32 rows side by side, the second reads whole lines. Sums are
 * written to memory in every step, as in the suite.
 *
 * The suite's default is n = 4096: 16 blocks, about one per core of its time. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

static void check(sl_host *h, const char *what, const float *got, const float *before, const float *product, uint32_t n)
{
    float *expected = sl_host_new(h, float, n);
    for (uint32_t i = 0; i < n; i++)
        expected[i] = before[i] + product[i];
    sl_check_f32(h, what, got, expected, n, 0, 0);
}

void sl_workload_mvt(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 32768);
    uint64_t items = (uint64_t)n * n, bytes = n * sizeof(float);
    float *a = sl_random_floats(h, items), *x1 = sl_random_floats(h, n), *x2 = sl_random_floats(h, n);
    float *y1 = sl_random_floats(h, n), *y2 = sl_random_floats(h, n);
    float *result1 = sl_host_new(h, float, n), *result2 = sl_host_new(h, float, n);
    uint64_t a_dev = sl_host_upload(h, "a", a, items * sizeof *a);
    uint64_t x1_dev = sl_host_upload(h, "x1", x1, bytes), x2_dev = sl_host_upload(h, "x2", x2, bytes);
    uint64_t y1_dev = sl_host_upload(h, "y1", y1, bytes), y2_dev = sl_host_upload(h, "y2", y2, bytes);

    sl_host_launch(h, "mvt_kernel1", SL_DIM(sl_blocks(n, 256)), SL_DIM(256), 0, a_dev, x1_dev, y1_dev, n);
    sl_host_launch(h, "mvt_kernel2", SL_DIM(sl_blocks(n, 256)), SL_DIM(256), 0, a_dev, x2_dev, y2_dev, n);
    sl_host_download(h, result1, x1_dev, bytes);
    sl_host_download(h, result2, x2_dev, bytes);

    if (!sl_host_checks(h))
        return;
    check(h, "x1", result1, x1, sl_reference_matvec(h, a, y1, n, n), n);
    check(h, "x2", result2, x2, sl_reference_matvec_transposed(h, a, y2, n, n), n);
}
