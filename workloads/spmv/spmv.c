/* SPDX-License-Identifier: MIT */
/* Sparse matrix times vector in compressed sparse rows, one thread per row: scattered reads of x, neighbouring lanes in
 * different rows, and row lengths so uneven that most lanes wait for a few. */
#include "workloads/common/inputs.h"

void sl_workload_spmv(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 1u << 26);
    sl_csr matrix = sl_power_law_matrix(h, rows, rows, (uint32_t)sl_host_param(h, "mean", 1, 4096));
    float *x = sl_random_floats(h, rows), *y = sl_host_new(h, float, rows);
    uint64_t start_dev = sl_host_upload(h, "row_start", matrix.row_start, (rows + 1ull) * sizeof(uint32_t));
    uint64_t column_dev = sl_host_upload(h, "column", matrix.column, matrix.entries * sizeof(uint32_t));
    uint64_t value_dev = sl_host_upload(h, "value", matrix.value, matrix.entries * sizeof(float));
    uint64_t x_dev = sl_host_upload(h, "x", x, rows * sizeof *x), y_dev = sl_host_device(h, "y", rows * sizeof *y);

    sl_host_launch(h, "spmv", SL_DIM(sl_blocks(rows, 128)), SL_DIM(128), 0, start_dev, column_dev, value_dev, x_dev,
                   y_dev, rows);
    sl_host_download(h, y, y_dev, rows * sizeof *y);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, rows);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t i = matrix.row_start[r]; i < matrix.row_start[r + 1]; i++)
            expected[r] += matrix.value[i] * x[matrix.column[i]];
    sl_check_f32(h, "y", y, expected, rows, 0, 0);
}
