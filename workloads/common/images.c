/* SPDX-License-Identifier: MIT */
#include "workloads/common/images.h"

static void draw_disc(uint32_t *picture, uint32_t width, uint32_t height, sl_random *random)
{
    int64_t centre_x = (int64_t)sl_random_below(random, width), centre_y = (int64_t)sl_random_below(random, height);
    int64_t radius = 1 + (int64_t)sl_random_below(random, 1 + height / 6);
    uint32_t colour = (uint32_t)sl_random_u64(random);
    for (int64_t y = centre_y - radius; y <= centre_y + radius; y++)
        for (int64_t x = centre_x - radius; x <= centre_x + radius; x++)
            if (x >= 0 && x < width && y >= 0 && y < height &&
                (x - centre_x) * (x - centre_x) + (y - centre_y) * (y - centre_y) <= radius * radius)
                picture[y * width + x] = colour;
}

uint32_t *sl_random_picture(sl_host *h, uint32_t width, uint32_t height)
{
    sl_random *random = sl_host_random(h);
    uint32_t *picture = sl_host_new(h, uint32_t, (uint64_t)width * height);
    for (uint64_t y = 0; y < height; y++)
        for (uint64_t x = 0; x < width; x++)
            picture[y * width + x] = (uint32_t)(x * 255 / width | y * 255 / height << 8 | 0xff800000);
    for (int disc = 0; disc < 24; disc++)
        draw_disc(picture, width, height, random);
    /* Up to 3 in each channel, in place of its lowest bits so that nothing is carried over. */
    for (uint64_t i = 0; i < (uint64_t)width * height; i++)
        picture[i] ^= (uint32_t)sl_random_u64(random) & 0x03030303;
    return picture;
}
