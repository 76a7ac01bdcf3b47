/* SPDX-License-Identifier: MIT */
/* SobelFilter of the AMD APP SDK, used by the FRC paper: the length of the gradient of a picture, in each of four
 * channels of a byte.
 *
 * A block is 256 pixels of one row; each thread reads eight neighbours of 4 bytes, so that every line is read by three
 * rows of blocks, nine times by each if it stays in the L1, and the distance between them is the width of the picture.
 * The border is left as it was. Values above 255, undefined in the original, become 255. */
#include <math.h>

#include "workloads/common/images.h"

enum { THREADS = 256 };

static uint32_t filter(const uint32_t *pixel, int64_t width, uint32_t channel)
{
    static const int weight[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int right = 0, down = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            int value = (int)sl_pixel_channel(pixel[y * width + x], channel);
            right += weight[y + 1][x + 1] * value;
            down += weight[x + 1][y + 1] * value;
        }
    double length = sqrt(right * right + down * down) / 2;
    return length < 255 ? (uint32_t)length : 255;
}

void sl_workload_sobel(sl_host *h)
{
    uint32_t width = (uint32_t)sl_host_param(h, "width", 3, 32768);
    uint32_t height = (uint32_t)sl_host_param(h, "height", 3, 32768);
    uint64_t pixels = (uint64_t)width * height, bytes = pixels * sizeof(uint32_t);
    uint32_t *in = sl_random_picture(h, width, height), *out = sl_host_new(h, uint32_t, pixels);
    uint64_t in_dev = sl_host_upload(h, "in", in, bytes), out_dev = sl_host_device(h, "out", bytes);
    sl_host_fill(h, out_dev, 0, bytes);

    sl_host_launch(h, "sobel", SL_DIM(sl_blocks(width, THREADS), height), SL_DIM(THREADS), 0, in_dev, out_dev, width,
                   height);
    sl_host_download(h, out, out_dev, bytes);

    if (!sl_host_checks(h))
        return;
    uint32_t *expected = sl_host_new(h, uint32_t, pixels);
    for (uint64_t y = 1; y < height - 1; y++)
        for (uint64_t x = 1; x < width - 1; x++)
            for (uint32_t channel = 0; channel < 4; channel++)
                expected[y * width + x] |= filter(in + y * width + x, width, channel) << 8 * channel;
    /* Bit for bit: all sums are whole numbers below 2^24, whose roots both sides round the same way. */
    sl_check_u32(h, "out", out, expected, pixels);
}
