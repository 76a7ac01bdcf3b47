/* SPDX-License-Identifier: MIT */
/* Matrix multiply whose tiles are kept by the hardware's cache instead of shared memory: the version for
 * hardware-managed caches in the comparison of Li and others (ISPASS 2014), which the paper on decoupled L1D calls MM.
 * Register-blocked as in Volkov and Demmel's multiply: a block of 64 threads makes a 16 x 64 tile of c. Every element
 * of b is read once per block, in rows; a tile of a is 16 short pieces of rows, read by all threads at the same
 * addresses, sixteen times per line, so almost all reads of a hit in L1 and are slow without it.
 *
 * Tile and block shape are ours: the comparison does not give them for this version. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

enum { ROWS = 16, COLUMNS = 64, TILE = 16 };

void sl_workload_matmul_cached(sl_host *h)
{
    uint32_t m = (uint32_t)sl_host_param(h, "m", ROWS, 16384);
    uint32_t n = (uint32_t)sl_host_param(h, "n", COLUMNS, 16384);
    uint32_t k = (uint32_t)sl_host_param(h, "k", TILE, 16384);
    if (m % ROWS || n % COLUMNS || k % TILE)
        sl_host_fail(h, SL_INVALID, "m, n and k must be multiples of %d, %d and %d", ROWS, COLUMNS, TILE);
    uint64_t elements = (uint64_t)m * n;
    float *a = sl_random_floats(h, (uint64_t)m * k), *b = sl_random_floats(h, (uint64_t)k * n);
    float *c = sl_host_new(h, float, elements);
    uint64_t a_dev = sl_host_upload(h, "a", a, (uint64_t)m * k * sizeof *a);
    uint64_t b_dev = sl_host_upload(h, "b", b, (uint64_t)k * n * sizeof *b);
    uint64_t c_dev = sl_host_device(h, "c", elements * sizeof *c);

    sl_host_launch(h, "matmul_cached", SL_DIM(n / COLUMNS, m / ROWS), SL_DIM(COLUMNS), 0, a_dev, b_dev, c_dev,
                   (uint64_t)n, (uint64_t)k);
    sl_host_download(h, c, c_dev, elements * sizeof *c);

    if (sl_host_checks(h))
        sl_check_f32(h, "c", c, sl_reference_matmul(h, a, b, m, n, k), elements, 0, 0);
}
