/* SPDX-License-Identifier: MIT */
/* A sparse matrix times a dense one, as a graph neural network gathers the features of neighbours: a warp per row of
 * the sparse matrix, whose lengths follow a power law, and two features per lane. Each entry costs two reads that all
 * lanes share and 256 bytes of a row of features: half of these rows lie near those of the neighbouring warps, the
 * others anywhere in an array far larger than the L1, so the L2 decides. The matrix is wider than high, as when a batch
 * of vertices gathers from all. */
#include "workloads/common/inputs.h"

enum { THREADS = 128, FEATURES_PER_WARP = 64 };

void sl_workload_spmm(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 1u << 26);
    uint32_t columns = (uint32_t)sl_host_param(h, "columns", 1, 1u << 26);
    sl_csr matrix = sl_power_law_matrix(h, rows, columns, (uint32_t)sl_host_param(h, "mean", 1, 4096));
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 4096);
    if (width % FEATURES_PER_WARP)
        sl_host_fail(h, SL_INVALID, "width is %u, but must be a multiple of %d", width, FEATURES_PER_WARP);
    uint64_t row_bytes = width * sizeof(float), items = (uint64_t)rows * width;
    float *feature = sl_random_floats(h, (uint64_t)columns * width), *out = sl_host_new(h, float, items);
    uint64_t start_dev = sl_host_upload(h, "row_start", matrix.row_start, (rows + 1ull) * sizeof(uint32_t));
    uint64_t column_dev = sl_host_upload(h, "column", matrix.column, matrix.entries * sizeof(uint32_t));
    uint64_t value_dev = sl_host_upload(h, "value", matrix.value, matrix.entries * sizeof(float));
    uint64_t feature_dev = sl_host_upload(h, "feature", feature, columns * row_bytes);
    uint64_t out_dev = sl_host_device(h, "out", rows * row_bytes);

    sl_host_launch(h, "spmm", SL_DIM(sl_blocks(rows, THREADS / 32), width / FEATURES_PER_WARP), SL_DIM(THREADS), 0,
                   start_dev, column_dev, value_dev, feature_dev, out_dev, rows, width / 2);
    sl_host_download(h, out, out_dev, rows * row_bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (size_t r = 0; r < rows; r++)
        for (uint32_t i = matrix.row_start[r]; i < matrix.row_start[r + 1]; i++)
            for (size_t f = 0; f < width; f++)
                expected[r * width + f] += matrix.value[i] * feature[(size_t)matrix.column[i] * width + f];
    sl_check_f32(h, "out", out, expected, items, 0, 0);
}
