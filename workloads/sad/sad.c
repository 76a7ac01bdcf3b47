/* SPDX-License-Identifier: MIT */
/* Parboil's sad: motion estimation of H.264 by full search. The first kernel compares each block of 4 x 4 pixels with
 * 1089 positions in the reference image, which 61 threads read at intervals of 18 pixels: small overlapping windows
 * with much reuse, the program's texture in the original, here global memory with a border of repeated pixels instead
 * of clamping. The other two add the results up to larger blocks: streaming, three to four lists in and five out, a
 * plane per size of blocks. Positions beyond the last are padding. */
#include <stdlib.h>

#include "workloads/common/inputs.h"

enum { RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, PADDED = 1096, THREADS = 61, MACROBLOCK = 16 };
enum { SIZES = 7 };
/* Width and height of blocks, in the order of the planes. */
static const struct {
    uint32_t x, y;
    const char *name;
} sizes[SIZES] = {{4, 4, "4 x 4"},   {8, 4, "8 x 4"},   {4, 8, "4 x 8"},    {8, 8, "8 x 8"},
                  {16, 8, "16 x 8"}, {8, 16, "8 x 16"}, {16, 16, "16 x 16"}};

typedef struct images {
    uint32_t width, height, pitch; /* pitch: of the reference, which has a border of RANGE pixels */
    uint16_t *frame, *reference;
} images;

/* A smooth scene with noise, and the same moved by a few pixels. */
static images make_images(sl_host *h, uint32_t width, uint32_t height)
{
    sl_random *random = sl_host_random(h);
    images m = {.width = width, .height = height, .pitch = width + 2 * RANGE};
    m.frame = sl_host_new(h, uint16_t, (uint64_t)width * height);
    m.reference = sl_host_new(h, uint16_t, (uint64_t)m.pitch * (height + 2 * RANGE));
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            m.frame[y * width + x] = (uint16_t)((x * 3 + y * 2) % 224 + sl_random_below(random, 32));
    for (uint32_t y = 0; y < height + 2 * RANGE; y++)
        for (uint32_t x = 0; x < m.pitch; x++) {
            uint32_t from_x = x < RANGE + 3 ? 0 : x - RANGE - 3, from_y = y < RANGE + 2 ? 0 : y - RANGE - 2;
            from_x = from_x < width ? from_x : width - 1;
            from_y = from_y < height ? from_y : height - 1;
            m.reference[(size_t)y * m.pitch + x] = m.frame[(size_t)from_y * width + from_x];
        }
    return m;
}

/* Words of a plane: two positions each. */
static uint64_t plane_words(const images *m, uint32_t size)
{
    return (uint64_t)m->width * m->height / (sizes[size].x * sizes[size].y) * (PADDED / 2);
}

/* The sum for the 4 x 4 block at (left, top). */
static uint32_t sum_at(const images *m, uint32_t left, uint32_t top, uint32_t position)
{
    uint32_t sum = 0;
    for (uint32_t y = top; y < top + 4; y++)
        for (uint32_t x = left; x < left + 4; x++)
            sum += (uint32_t)abs((int)m->frame[(size_t)y * m->width + x] -
                                 (int)m->reference[(size_t)(y + position / SIDE) * m->pitch + x + position % SIDE]);
    return sum;
}

/* The plane of 4 x 4 blocks from the pixels; the blocks of a macroblock are four by four. */
static void reference_4x4(const images *m, uint32_t *words)
{
    uint32_t across = m->width / MACROBLOCK, blocks = across * (m->height / MACROBLOCK) * 16;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t left = b / 16 % across * MACROBLOCK + b % 4 * 4, top = b / 16 / across * MACROBLOCK + b % 16 / 4 * 4;
        for (uint32_t i = 0; i < POSITIONS; i++)
            words[(uint64_t)b * (PADDED / 2) + i / 2] |= sum_at(m, left, top, i) << i % 2 * 16;
    }
}

/* The plane of larger blocks, each the sum of the 4 x 4 blocks it covers. */
static void reference_larger(const images *m, uint32_t size, const uint32_t *words_4x4, uint32_t *words)
{
    uint32_t per_macroblock = 16 * 16 / (sizes[size].x * sizes[size].y), across = MACROBLOCK / sizes[size].x;
    uint32_t macroblocks = m->width / MACROBLOCK * (m->height / MACROBLOCK);
    for (uint32_t b = 0; b < macroblocks * per_macroblock; b++)
        for (uint32_t k = 0; k < sizes[size].x * sizes[size].y / 16; k++) {
            uint32_t x = b % per_macroblock % across * sizes[size].x / 4 + k % (sizes[size].x / 4);
            uint32_t y = b % per_macroblock / across * sizes[size].y / 4 + k / (sizes[size].x / 4);
            uint64_t from = (uint64_t)(b / per_macroblock * 16 + y * 4 + x) * (PADDED / 2);
            for (uint32_t i = 0; i < PADDED / 2; i++)
                words[(uint64_t)b * (PADDED / 2) + i] += words_4x4[from + i];
        }
}

void sl_workload_sad(sl_host *h)
{
    uint32_t width = (uint32_t)sl_host_param(h, "width", MACROBLOCK, 4096);
    uint32_t height = (uint32_t)sl_host_param(h, "height", MACROBLOCK, 4096);
    if (width % MACROBLOCK || height % MACROBLOCK)
        sl_host_fail(h, SL_INVALID, "width and height must be multiples of %d", MACROBLOCK);
    images m = make_images(h, width, height);
    uint64_t frame_dev = sl_host_upload(h, "frame", m.frame, (uint64_t)width * height * sizeof *m.frame);
    uint64_t reference_dev =
        sl_host_upload(h, "reference", m.reference, (uint64_t)m.pitch * (height + 2 * RANGE) * sizeof *m.reference);
    uint64_t plane[SIZES];
    for (uint32_t s = 0; s < SIZES; s++)
        plane[s] = sl_host_device(h, sizes[s].name, plane_words(&m, s) * sizeof(uint32_t));

    const sl_dim macroblocks = SL_DIM(width / MACROBLOCK, height / MACROBLOCK);
    sl_host_launch(h, "sad_4x4", SL_DIM(width / 4, height / 4), SL_DIM(THREADS), 0, plane[0], frame_dev, reference_dev,
                   m.pitch);
    sl_host_launch(h, "sad_8x8", macroblocks, SL_DIM(32, 4), 0, plane[0], plane[1], plane[2], plane[3]);
    sl_host_launch(h, "sad_16x16", macroblocks, SL_DIM(32), 0, plane[3], plane[4], plane[5], plane[6]);

    uint32_t *words = sl_host_new(h, uint32_t, plane_words(&m, 0)), *expected_4x4 = NULL;
    for (uint32_t s = 0; s < SIZES; s++) {
        sl_host_download(h, words, plane[s], plane_words(&m, s) * sizeof *words);
        if (!sl_host_checks(h))
            continue;
        uint32_t *expected = sl_host_new(h, uint32_t, plane_words(&m, s));
        if (s == 0)
            reference_4x4(&m, expected_4x4 = expected);
        else
            reference_larger(&m, s, expected_4x4, expected);
        sl_check_u32(h, sizes[s].name, words, expected, plane_words(&m, s));
    }
}
