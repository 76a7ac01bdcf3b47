/* SPDX-License-Identifier: MIT */
/* ATAX of PolyBench/GPU: y = a^T * (a * x), a thread per row and then a thread per column, in blocks of 256. In the
 * first kernel the lanes of a warp walk 32 rows side by side: the lines they hold at a time are more than a small cache
 * has, and whether a line is read once or 32 times depends on the order of warps. The second reads whole lines. Sums
 * are written to memory in every step, as in the suite.
 *
 * The suite's default is 4096 x 4096: 16 blocks, about one per core of its time. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

void sl_workload_atax(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 32768);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 32768);
    uint64_t items = (uint64_t)rows * columns;
    float *a = sl_random_floats(h, items), *x = sl_random_floats(h, columns), *y = sl_host_new(h, float, columns);
    uint64_t a_dev = sl_host_upload(h, "a", a, items * sizeof *a);
    uint64_t x_dev = sl_host_upload(h, "x", x, columns * sizeof *x);
    uint64_t ax_dev = sl_host_device(h, "ax", rows * sizeof(float));
    uint64_t y_dev = sl_host_device(h, "y", columns * sizeof *y);

    sl_host_launch(h, "atax_kernel1", SL_DIM(sl_blocks(rows, 256)), SL_DIM(256), 0, a_dev, x_dev, ax_dev, rows,
                   columns);
    sl_host_launch(h, "atax_kernel2", SL_DIM(sl_blocks(columns, 256)), SL_DIM(256), 0, a_dev, ax_dev, y_dev, rows,
                   columns);
    sl_host_download(h, y, y_dev, columns * sizeof *y);

    if (!sl_host_checks(h))
        return;
    float *ax = sl_reference_matvec(h, a, x, rows, columns); /* exact */
    sl_check_sums(h, "y", y, sl_reference_matvec_transposed(h, a, ax, rows, columns), columns, rows);
}
