/* SPDX-License-Identifier: MIT */
/* Parboil's sgemm: matrix multiply with registers as tiles, 128 threads for 128 x 16 results, matrices by columns and
 * the second one transposed. Of the operands, b is staged in shared memory and read once per block; a is read from
 * global memory, in full lines, by every block of the same rows: its reuse is between blocks. Sizes must be multiples
 * of the tiles, as in the original. */
#include "workloads/common/dense.h"
#include "workloads/common/inputs.h"

enum { TILE_N = 16, TILE_K = 8, TILE_M = TILE_N * TILE_K };

static float *transposed(sl_host *h, const float *from, uint32_t rows, uint32_t columns)
{
    float *to = sl_host_new(h, float, (uint64_t)rows *columns);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++)
            to[c * rows + r] = from[r * columns + c];
    return to;
}

void sl_workload_sgemm(sl_host *h)
{
    uint32_t m = (uint32_t)sl_host_param(h, "m", TILE_M, 16384);
    uint32_t n = (uint32_t)sl_host_param(h, "n", TILE_N, 16384);
    uint32_t k = (uint32_t)sl_host_param(h, "k", TILE_K, 16384);
    if (m % TILE_M || n % TILE_N || k % TILE_K)
        sl_host_fail(h, SL_INVALID, "m, n and k must be multiples of %d, %d and %d", TILE_M, TILE_N, TILE_K);
    uint64_t results = (uint64_t)m * n;
    const float alpha = 0.5f, beta = 0.25f;
    float *a = sl_random_floats(h, (uint64_t)k * m), *b = sl_random_floats(h, (uint64_t)k * n);
    float *before = sl_random_floats(h, results), *after = sl_host_new(h, float, results);
    uint64_t a_dev = sl_host_upload(h, "a", a, (uint64_t)k * m * sizeof *a);
    uint64_t b_dev = sl_host_upload(h, "b", b, (uint64_t)k * n * sizeof *b);
    uint64_t c_dev = sl_host_upload(h, "c", before, results * sizeof *before);

    sl_host_launch(h, "sgemm", SL_DIM(m / TILE_M, n / TILE_N), SL_DIM(TILE_N, TILE_K), 0, a_dev, b_dev, c_dev, m, n, k,
                   alpha, beta);
    sl_host_download(h, after, c_dev, results * sizeof *after);

    if (!sl_host_checks(h))
        return;
    /* By columns, c[n][m] = b' * a. */
    float *product = sl_reference_matmul(h, transposed(h, b, k, n), a, n, m, k);
    for (uint64_t i = 0; i < results; i++)
        product[i] = alpha * product[i] + beta * before[i];
    sl_check_f32(h, "c", after, product, results, 0, 0);
}
