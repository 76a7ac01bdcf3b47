/* SPDX-License-Identifier: MIT */
/* COVAR of PolyBench/GPU: covariance of the columns of a matrix, undivided, by three kernels: mean with a thread per
 * column in blocks of 256, centering with a thread per element in blocks of 32 x 8, and the products with a thread per
 * column, each with itself and all columns behind it. There lanes read two rows' pieces side by side but write 32 rows
 * of the result in every step, and the last lanes of a warp are done before the first. As in the suite rows and columns
 * count from 1, so that rows are not aligned to lines.
 *
 * The suite's default is 2048 vectors of length 2048: 8 blocks. It divides by a constant instead of the length. */
#include "workloads/common/inputs.h"
#include "workloads/common/statistics.h"

void sl_workload_covar(sl_host *h)
{
    uint32_t vectors = (uint32_t)sl_host_param(h, "vectors", 1, 16384);
    uint32_t length = (uint32_t)sl_host_param(h, "length", 1, 16384);
    uint64_t pitch = vectors + 1, items = (length + 1) * pitch, bytes = pitch * sizeof(float);
    float *data = sl_random_floats(h, items), *result = sl_host_new(h, float, pitch *pitch);
    uint64_t data_dev = sl_host_upload(h, "data", data, items * sizeof *data);
    uint64_t mean_dev = sl_host_device(h, "mean", bytes), result_dev = sl_host_device(h, "result", pitch * bytes);
    sl_host_fill(h, result_dev, 0, pitch * bytes);

    sl_dim grid = SL_DIM(sl_blocks(vectors, 256)), block = SL_DIM(256);
    sl_host_launch(h, "mean_kernel", grid, block, 0, data_dev, mean_dev, vectors, length);
    sl_host_launch(h, "reduce_kernel", SL_DIM(sl_blocks(vectors, 32), sl_blocks(length, 8)), SL_DIM(32, 8), 0, data_dev,
                   mean_dev, vectors, length);
    sl_host_launch(h, "covar_kernel", grid, block, 0, data_dev, result_dev, vectors, length);
    sl_host_download(h, result, result_dev, pitch * bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_column_products(h, sl_centered(h, data, vectors, length), vectors, length);
    /* Sums of `length` terms, whose magnitudes add up to at most the length, of factors with two roundings each. */
    sl_check_f32(h, "result", result, expected, pitch * pitch, (length + 4.0) * length * 0x1p-24, 0);
}
