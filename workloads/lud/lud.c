/* SPDX-License-Identifier: MIT */
/* LU decomposition in place, in tiles of 16 x 16, as Rodinia's lud: per step a kernel for the tile on the diagonal (16
 * threads), one for the tiles in its row and column (32 threads per pair) and one for the rest (16 x 16 threads). Tiles
 * come from global memory once per block and are worked on in shared memory; what a block reads, it mostly writes soon
 * after, so that many L1 hits are of writes (Decoupled L1D: 62.8 % of 36.8 %), and tiles of the row and column are
 * shared by blocks that run at different times. */
#include "workloads/common/dense.h"

enum { TILE = 16 };

/* In double, in the usual order. */
static void reference(sl_host *h, float *matrix, size_t n)
{
    double *m = sl_host_new(h, double, n *n);
    for (size_t i = 0; i < n * n; i++)
        m[i] = (double)matrix[i];
    for (size_t k = 0; k < n; k++)
        for (size_t y = k + 1; y < n; y++) {
            m[y * n + k] /= m[k * n + k];
            for (size_t x = k + 1; x < n; x++)
                m[y * n + x] -= m[y * n + k] * m[k * n + x];
        }
    for (size_t i = 0; i < n * n; i++)
        matrix[i] = (float)m[i];
}

void sl_workload_lud(sl_host *h)
{
    uint32_t n = (uint32_t)sl_host_param(h, "n", TILE, 16384);
    if (n % TILE)
        sl_host_fail(h, SL_INVALID, "n must be a multiple of %d, not %u", TILE, n);
    uint64_t items = (uint64_t)n * n, bytes = items * sizeof(float);
    float *m = sl_dominant_matrix(h, n), *result = sl_host_new(h, float, items);
    uint64_t m_dev = sl_host_upload(h, "matrix", m, bytes);

    for (uint32_t offset = 0; offset < n; offset += TILE) {
        uint32_t rest = (n - offset) / TILE - 1; /* tiles beyond the diagonal */
        sl_host_launch(h, "lud_diagonal", SL_DIM(1), SL_DIM(TILE), 0, m_dev, n, offset);
        if (!rest)
            break;
        sl_host_launch(h, "lud_perimeter", SL_DIM(rest), SL_DIM(2 * TILE), 0, m_dev, n, offset);
        sl_host_launch(h, "lud_internal", SL_DIM(rest, rest), SL_DIM(TILE, TILE), 0, m_dev, n, offset);
    }
    sl_host_download(h, result, m_dev, bytes);

    if (!sl_host_checks(h))
        return;
    reference(h, m, n);
    /* Values of at most about 1 (n on the diagonal) are rounded once for each tile that is subtracted from theirs, and
     * up to 16 times within their own. */
    double error = (sl_blocks(n, TILE) + 16) * 0x1p-24;
    sl_check_f32(h, "matrix", result, m, items, error, error);
}
