/* SPDX-License-Identifier: MIT */
/* Depthwise 3 x 3 convolution as in MobileNet, arrays by image, channel, row and column: a thread per output reads nine
 * inputs of its plane, which its neighbours read too, and the nine weights of its channel, which all threads of the
 * block read. Short reuse between neighbouring rows, none between planes, little arithmetic. */
#include "workloads/common/inputs.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

static void convolve(const float *in, const float *weight, float *out, int64_t height, int64_t width)
{
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            for (int64_t tap = 0; tap < 9; tap++) {
                int64_t from_y = y + tap / 3 - 1, from_x = x + tap % 3 - 1;
                if (from_y >= 0 && from_y < height && from_x >= 0 && from_x < width)
                    out[y * width + x] += in[from_y * width + from_x] * weight[tap];
            }
}

void sl_workload_depthwise_conv(sl_host *h)
{
    uint32_t images = (uint32_t)sl_host_param(h, "images", 1, 1024);
    uint32_t channels = (uint32_t)sl_host_param(h, "channels", 1, 4096);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 8192);
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 8192), planes = images * channels;
    if (planes > 65535)
        sl_host_fail(h, SL_INVALID, "images * channels is %u; the maximum is 65535", planes);
    uint64_t points = (uint64_t)height * width, items = planes * points, bytes = items * sizeof(float);
    float *in = sl_random_floats(h, items), *filter = sl_random_floats(h, channels * 9ull);
    float *out = sl_host_new(h, float, items);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), out_dev = sl_host_device(h, "out", bytes);
    uint64_t filter_dev = sl_host_upload(h, "filter", filter, channels * 9 * sizeof *filter);

    sl_host_launch(h, "depthwise_conv", SL_DIM(sl_blocks(width, BLOCK_X), sl_blocks(height, BLOCK_Y), planes),
                   SL_DIM(BLOCK_X, BLOCK_Y), 0, in_dev, filter_dev, out_dev, channels, height, width);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, items);
    for (uint32_t p = 0; p < planes; p++)
        convolve(in + p * points, filter + p % channels * 9ull, expected + p * points, height, width);
    sl_check_f32(h, "out", out, expected, items, 0, 0);
}
