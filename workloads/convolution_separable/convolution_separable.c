/* SPDX-License-Identifier: MIT */
/* convolutionSeparable of the CUDA SDK: an image through a filter of 17 x 17 that is a product of a row and a column,
 * in two kernels, with tiles in shared memory. The rows kernel reads half lines and a halo to the left and to the
 * right; the columns kernel reads half lines down the image, row by row, with a halo above and below. Beyond shared
 * memory, reuse is of halos and of the other half of a line, between neighbouring blocks. */
#include "workloads/common/inputs.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };
enum { ROWS_X = 16, ROWS_Y = 4, ROWS_RESULTS = 8, COLUMNS_X = 16, COLUMNS_Y = 8, COLUMNS_RESULTS = 8 };

/* One pass in the direction in which neighbours have a distance of `stride` and a line has `length` points. */
static void convolve(const float *in, float *out, const float *taps, uint32_t width, uint32_t height, bool rows)
{
    int64_t stride = rows ? 1 : width, length = rows ? width : height;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            int64_t at = (int64_t)(rows ? x : y);
            float sum = 0;
            for (int64_t j = -RADIUS; j <= RADIUS; j++)
                if (at + j >= 0 && at + j < length)
                    sum += taps[RADIUS - j] * in[(int64_t)(y * width + x) + j * stride];
            out[y * width + x] = sum;
        }
}

void sl_workload_convolution_separable(sl_host *h)
{
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 16384);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 16384);
    if (width % (ROWS_X * ROWS_RESULTS) || height % (COLUMNS_Y * COLUMNS_RESULTS))
        sl_host_fail(h, SL_INVALID, "the width must be a multiple of %d, the height of %d", ROWS_X * ROWS_RESULTS,
                     COLUMNS_Y * COLUMNS_RESULTS);
    uint64_t points = (uint64_t)width * height, bytes = points * sizeof(float);
    float *image = sl_random_floats(h, points), *taps = sl_random_floats(h, TAPS);
    float *result = sl_host_new(h, float, points);
    uint64_t image_dev = sl_host_upload(h, "image", image, bytes);
    uint64_t buffer_dev = sl_host_device(h, "after rows", bytes), result_dev = sl_host_device(h, "result", bytes);
    sl_host_write(h, sl_host_symbol(h, "taps"), taps, TAPS * sizeof *taps);

    sl_host_launch(h, "convolution_rows", SL_DIM(width / (ROWS_X * ROWS_RESULTS), height / ROWS_Y),
                   SL_DIM(ROWS_X, ROWS_Y), 0, buffer_dev, image_dev, width);
    sl_host_launch(h, "convolution_columns", SL_DIM(width / COLUMNS_X, height / (COLUMNS_Y * COLUMNS_RESULTS)),
                   SL_DIM(COLUMNS_X, COLUMNS_Y), 0, result_dev, buffer_dev, width, height);
    sl_host_download(h, result, result_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *after_rows = sl_host_new(h, float, points), *expected = sl_host_new(h, float, points);
    convolve(image, after_rows, taps, width, height, true);
    convolve(after_rows, expected, taps, width, height, false);
    /* Exact: sums are multiples of 2^-12 below 17 * 17. */
    sl_check_f32(h, "result", result, expected, points, 0, 0);
}
