/* SPDX-License-Identifier: MIT */
/* BICG of PolyBench/GPU, the two products of a step of the biconjugate gradient method: s = a^T * r with a thread per
 * column, then q = a * p with a thread per row, in blocks of 256. The first reads whole lines; in the second the lanes
 * of a warp walk 32 rows side by side. Sums are written to memory in every step, as in the suite.
 *
 * The suite's default is 4096 x 4096: 16 blocks, about one per core of its time. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

void sl_workload_bicg(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 32768);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 32768);
    uint64_t items = (uint64_t)rows * columns;
    float *a = sl_random_floats(h, items), *r = sl_random_floats(h, rows), *p = sl_random_floats(h, columns);
    float *s = sl_host_new(h, float, columns), *q = sl_host_new(h, float, rows);
    uint64_t a_dev = sl_host_upload(h, "a", a, items * sizeof *a);
    uint64_t r_dev = sl_host_upload(h, "r", r, rows * sizeof *r);
    uint64_t p_dev = sl_host_upload(h, "p", p, columns * sizeof *p);
    uint64_t s_dev = sl_host_device(h, "s", columns * sizeof *s), q_dev = sl_host_device(h, "q", rows * sizeof *q);

    sl_host_launch(h, "bicg_kernel1", SL_DIM(sl_blocks(columns, 256)), SL_DIM(256), 0, a_dev, r_dev, s_dev, rows,
                   columns);
    sl_host_launch(h, "bicg_kernel2", SL_DIM(sl_blocks(rows, 256)), SL_DIM(256), 0, a_dev, p_dev, q_dev, rows, columns);
    sl_host_download(h, s, s_dev, columns * sizeof *s);
    sl_host_download(h, q, q_dev, rows * sizeof *q);

    if (!sl_host_checks(h))
        return;
    sl_check_f32(h, "s", s, sl_reference_matvec_transposed(h, a, r, rows, columns), columns, 0, 0);
    sl_check_f32(h, "q", q, sl_reference_matvec(h, a, p, rows, columns), rows, 0, 0);
}
