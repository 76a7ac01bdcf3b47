/* SPDX-License-Identifier: MIT */
/* MatrixMultiplication of the AMD APP SDK, used by the FRC paper: the kernel without local memory, in which a thread
 * makes a tile of 4 x 4 results.
 *
 * A block of 8 x 8 threads reads, per round, four rows of b in pieces of 128 bytes and 32 rows of a in pieces of 16
 * bytes: a line of a serves four rounds, one of b all threads of a column of blocks. Reuse is high but
 * spread over many lines at once. FRC gains from its first four entries on, and nothing from more. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { BLOCK = 8, TILE = 4 };

void sl_workload_matrix_multiplication(sl_host *h)
{
    uint32_t m = sl_param_multiple(h, "m", BLOCK * TILE, 32768), n = sl_param_multiple(h, "n", BLOCK * TILE, 32768);
    uint32_t k = sl_param_multiple(h, "k", TILE, 32768), quads = k / TILE, row = n / TILE;
    uint64_t items = (uint64_t)m * n;
    float *a = sl_random_floats(h, (uint64_t)m * k), *b = sl_random_floats(h, (uint64_t)k * n);
    float *c = sl_host_new(h, float, items);
    uint64_t a_dev = sl_host_upload(h, "a", a, (uint64_t)m * k * sizeof *a);
    uint64_t b_dev = sl_host_upload(h, "b", b, (uint64_t)k * n * sizeof *b);
    uint64_t c_dev = sl_host_device(h, "c", items * sizeof *c);

    sl_host_launch(h, "matrix_multiplication", SL_DIM(row / BLOCK, m / (BLOCK * TILE)), SL_DIM(BLOCK, BLOCK), 0, a_dev,
                   b_dev, c_dev, quads, row);
    sl_host_download(h, c, c_dev, items * sizeof *c);

    if (sl_host_checks(h))
        sl_check_f32(h, "c", c, sl_reference_matmul(h, a, b, m, n, k), items, 0, 0);
}
