/* SPDX-License-Identifier: MIT */
/* 2DCONV of PolyBench/GPU: 3 x 3 convolution of an image, one thread per pixel in blocks of 32 x 8. A block reads a
 * tile of 34 x 10 pixels: nine loads of a warp fall on three rows, and the rows are shared with the blocks above and
 * below.
 *
 * The suite's default is 4096 x 4096. */
#include "workloads/common/inputs.h"

static void convolve(const float *in, float *out, uint32_t width, uint32_t height)
{
    static const float w[3][3] = {{0.2f, 0.5f, -0.8f}, {-0.3f, 0.6f, -0.9f}, {0.4f, 0.7f, 0.1f}};
    for (uint32_t y = 1; y + 1 < height; y++)
        for (uint32_t x = 1; x + 1 < width; x++) {
            float sum = 0;
            for (uint32_t j = 0; j < 3; j++)
                for (uint32_t i = 0; i < 3; i++)
                    sum += w[j][i] * in[(size_t)(y + j - 1) * width + x + i - 1];
            out[(size_t)y * width + x] = sum;
        }
}

void sl_workload_conv2d(sl_host *h)
{
    uint32_t width = (uint32_t)sl_host_param(h, "width", 1, 32768);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 1, 32768);
    uint64_t pixels = (uint64_t)width * height, bytes = pixels * sizeof(float);
    float *in = sl_random_floats(h, pixels), *out = sl_host_new(h, float, pixels);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), out_dev = sl_host_device(h, "out", bytes);
    sl_host_fill(h, out_dev, 0, bytes);

    sl_host_launch(h, "conv2d_kernel", SL_DIM(sl_blocks(width, 32), sl_blocks(height, 8)), SL_DIM(32, 8), 0, in_dev,
                   out_dev, width, height);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, pixels);
    convolve(in, expected, width, height);
    /* Nine roundings of sums below 4.5, with or without fused multiply-add. */
    sl_check_f32(h, "out", out, expected, pixels, 9 * 0x1p-21, 0);
}
