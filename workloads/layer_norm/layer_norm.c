/* SPDX-License-Identifier: MIT */
/* Layer normalisation of a transformer: a warp per row, mean, variance and result in three passes over the row, 16
 * bytes per lane. The first pass streams from memory; whether the other two hit depends on how many rows the warps of a
 * multiprocessor hold at once (64 warps with rows of 4 KB fill 256 KB). Gain and bias are shared by all. */
#include <math.h>

#include "workloads/common/inputs.h"

enum { THREADS = 128 };
static const float epsilon = 1e-5f;

static void normalise(const float *x, const float *gain, const float *bias, float *out, uint32_t width)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < width; i++)
        sum += (double)x[i];
    double mean = sum / width;
    for (uint32_t i = 0; i < width; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    double deviation = sqrt(squares / width + (double)epsilon);
    for (uint32_t i = 0; i < width; i++)
        out[i] = (float)(((double)x[i] - mean) / deviation * (double)gain[i] + (double)bias[i]);
}

void sl_workload_layer_norm(sl_host *h)
{
    uint32_t rows = (uint32_t)sl_host_param(h, "rows", 1, 1u << 24);
    uint32_t width = (uint32_t)sl_host_param(h, "width", 4, 1u << 16);
    uint64_t items = (uint64_t)rows * width, bytes = items * sizeof(float), row_bytes = width * sizeof(float);
    if (width % 4 || items > 1ull << 33)
        sl_host_fail(h, SL_INVALID, "width must be a multiple of 4, and rows * width at most 2^33");
    float *x = sl_random_floats(h, items), *gain = sl_random_floats(h, width), *bias = sl_random_floats(h, width);
    float *out = sl_host_new(h, float, items);
    uint64_t x_dev = sl_host_upload(h, "x", x, bytes), gain_dev = sl_host_upload(h, "gain", gain, row_bytes);
    uint64_t bias_dev = sl_host_upload(h, "bias", bias, row_bytes), out_dev = sl_host_device(h, "out", bytes);

    sl_host_launch(h, "layer_norm", SL_DIM(sl_blocks(rows, THREADS / 32)), SL_DIM(THREADS), 0, x_dev, gain_dev,
                   bias_dev, out_dev, rows, width / 4, epsilon);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (uint64_t r = 0; r < rows; r++)
        normalise(x + r * width, gain, bias, expected + r * width, width);
    /* Sums of the inputs are exact; those of the squares lose some units in the last place, of results up to 3. */
    sl_check_f32(h, "out", out, expected, items, 1e-5, 1e-5);
}
