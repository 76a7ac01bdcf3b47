/* SPDX-License-Identifier: MIT */
/* Matrix multiply with tiles in shared memory: the program does by hand what a cache would do for the naive one, and
 * its global loads have no reuse left inside a block. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

void sl_workload_matmul_tiled(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", 1, 32768);
    uint64_t bytes = (uint64_t)n * n * sizeof(float);
    float *a = sl_random_floats(h, (uint64_t)n * n), *b = sl_random_floats(h, (uint64_t)n * n);
    float *c = sl_host_new(h, float, (uint64_t)n *n);
    uint64_t a_dev = sl_host_upload(h, "a", a, bytes), b_dev = sl_host_upload(h, "b", b, bytes);
    uint64_t c_dev = sl_host_device(h, "c", bytes);

    sl_dim grid = SL_DIM(sl_blocks(n, 16), sl_blocks(n, 16));
    sl_host_launch(h, "matmul_tiled", grid, SL_DIM(16, 16), 0, a_dev, b_dev, c_dev, n);
    sl_host_download(h, c, c_dev, bytes);

    if (sl_host_checks(h))
        sl_check_f32(h, "c", c, sl_reference_matmul(h, a, b, n, n, n), (uint64_t)n * n, 0, 0);
}
