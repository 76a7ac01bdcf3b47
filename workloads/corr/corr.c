/* SPDX-License-Identifier: MIT */
/* CORR of PolyBench/GPU: correlation of the columns of a matrix by four kernels: mean and deviation with a thread per
 * column in blocks of 256, centering with a thread per element in blocks of 32 x 8, and the products with a thread per
 * column, each with all columns behind it. There lanes read two rows' pieces side by side but write 32 rows of the
 * result in every step, and the last lanes of a warp are done before the first. As in the suite rows and columns count
 * from 1, so that rows are not aligned to lines.
 *
 * The suite's default is 2048 vectors of length 2048: 8 blocks. It divides by a constant instead of the length. */
#include "workloads/common/inputs.h"
#include "workloads/common/statistics.h"

#include <math.h>

static float *reference(sl_host *h, const float *data, uint32_t vectors, uint32_t length)
{
    double *x = sl_centered(h, data, vectors, length);
    size_t pitch = vectors + 1;
    for (uint32_t j = 1; j <= vectors; j++) {
        double sum = 0;
        for (uint32_t i = 1; i <= length; i++)
            sum += x[i * pitch + j] * x[i * pitch + j];
        double norm = sqrt(sum / length) <= 0.005 ? sqrt(length) : sqrt(sum);
        for (uint32_t i = 1; i <= length; i++)
            x[i * pitch + j] /= norm;
    }
    float *result = sl_column_products(h, x, vectors, length);
    for (uint32_t j = 1; j <= vectors; j++)
        result[j * pitch + j] = 1;
    return result;
}

void sl_workload_corr(sl_host *h)
{
    uint32_t vectors = (uint32_t)sl_host_param(h, "vectors", 1, 16384);
    uint32_t length = (uint32_t)sl_host_param(h, "length", 1, 16384);
    uint64_t pitch = vectors + 1, items = (length + 1) * pitch, bytes = pitch * sizeof(float);
    float *data = sl_random_floats(h, items), *result = sl_host_new(h, float, pitch *pitch), one = 1;
    uint64_t data_dev = sl_host_upload(h, "data", data, items * sizeof *data);
    uint64_t mean_dev = sl_host_device(h, "mean", bytes), deviation_dev = sl_host_device(h, "deviation", bytes);
    uint64_t result_dev = sl_host_device(h, "result", pitch * bytes);
    sl_host_fill(h, result_dev, 0, pitch * bytes);

    sl_dim grid = SL_DIM(sl_blocks(vectors, 256)), block = SL_DIM(256);
    sl_host_launch(h, "mean_kernel", grid, block, 0, data_dev, mean_dev, vectors, length);
    sl_host_launch(h, "std_kernel", grid, block, 0, data_dev, mean_dev, deviation_dev, vectors, length);
    sl_host_launch(h, "reduce_kernel", SL_DIM(sl_blocks(vectors, 32), sl_blocks(length, 8)), SL_DIM(32, 8), 0, data_dev,
                   mean_dev, deviation_dev, vectors, length);
    sl_host_launch(h, "corr_kernel", grid, block, 0, data_dev, result_dev, vectors, length);
    sl_host_write(h, result_dev + (pitch * pitch - 1) * sizeof one, &one, sizeof one);
    sl_host_download(h, result, result_dev, pitch * bytes);

    /* Sums of `length` terms, whose magnitudes add up to at most 1, of factors with a few roundings each. */
    if (sl_host_checks(h))
        sl_check_f32(h, "result", result, reference(h, data, vectors, length), pitch * pitch, (length + 8) * 0x1p-24,
                     0);
}
