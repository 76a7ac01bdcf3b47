/* SPDX-License-Identifier: MIT */
/* MersenneTwister of the AMD APP SDK, used by the FRC paper: normal random numbers from one generator per thread.
 *
 * Each thread reads a seed and keeps five words of 128 bits in registers, as the SIMD-oriented Mersenne twister of
 * Saito and Matsumoto does with more of them; every second word it writes two float4 behind each other. At any time a
 * warp writes 16 bytes each with a stride of draws * 16 bytes: every store accesses as many lines as there are
 * lanes, and each line is accessed by four stores, if it is cached that long. One of the two programs that gain most
 * from FRC. */
#include <math.h>

#include "workloads/common/inputs.h"
#include "workloads/common/params.h"

enum { BLOCK = 16, MOST_DRAWS = 32 };

typedef unsigned __int128 word;

static word word_of(const uint32_t lane[4])
{
    return (word)lane[3] << 96 | (word)lane[2] << 64 | (word)lane[1] << 32 | lane[0];
}

static uint32_t lane_of(word w, int lane)
{
    return (uint32_t)(w >> 32 * lane);
}

/* The next word of a thread's sequence, from the five before it. */
static word next_word(const word *before)
{
    static const uint32_t mask[4] = {0xdfffffef, 0xddfecb7f, 0xbffaffff, 0xbffffff6};
    uint32_t shifted[4];
    for (int lane = 0; lane < 4; lane++)
        shifted[lane] = (lane_of(before[2], lane) >> 13 & mask[lane]) ^ lane_of(before[4], lane) << 15;
    return before[0] ^ before[0] << 24 ^ before[3] >> 24 ^ word_of(shifted);
}

static double uniform(uint32_t bits)
{
    return ((bits >> 9) + 0.5) * 0x1p-23;
}

static void reference(const uint32_t seed[4], uint32_t draws, float *out)
{
    const double turn = 6.28318530717958647692;
    word w[5 + MOST_DRAWS] = {word_of(seed)};
    for (uint32_t i = 1; i < 5; i++) {
        uint32_t lane[4];
        for (int l = 0; l < 4; l++) {
            uint32_t last = lane_of(w[i - 1], l);
            lane[l] = 1812433253u * (last ^ last >> 30) + i;
        }
        w[i] = word_of(lane);
    }
    for (uint32_t i = 0; i < draws; i++)
        w[5 + i] = next_word(w + i);
    for (uint32_t i = 0; i < draws; i += 2)
        for (int l = 0; l < 4; l++) {
            double u = uniform(lane_of(w[5 + i], l)), angle = turn * (uniform(lane_of(w[6 + i], l)) - 0.5);
            double length = sqrt(-2 * log(u));
            out[4 * i + (uint32_t)l] = (float)(length * cos(angle));
            out[4 * (i + 1) + (uint32_t)l] = (float)(length * sin(angle));
        }
}

void sl_workload_mersenne_twister(sl_host *h)
{
    uint32_t width = sl_param_multiple(h, "width", BLOCK, 1u << 13);
    uint32_t height = sl_param_multiple(h, "height", BLOCK, 1u << 13);
    uint32_t draws = sl_param_multiple(h, "draws", 2, MOST_DRAWS), items = width * height;
    uint64_t count = 4ull * items * draws;
    uint32_t *seed = sl_random_indices(h, 4ull * items, UINT32_MAX);
    float *out = sl_host_new(h, float, count);
    uint64_t seed_dev = sl_host_upload(h, "seed", seed, 4ull * items * sizeof *seed);
    uint64_t out_dev = sl_host_device(h, "out", count * sizeof *out);

    sl_host_launch(h, "mersenne_twister", SL_DIM(width / BLOCK, height / BLOCK), SL_DIM(BLOCK, BLOCK), 0, seed_dev,
                   out_dev, width, draws);
    sl_host_download(h, out, out_dev, count * sizeof *out);

    if (!sl_host_checks(h))
        return;
    float *expected = sl_host_new(h, float, count);
    for (uint64_t i = 0; i < items; i++)
        reference(seed + 4 * i, draws, expected + 4 * i * draws);
    /* The logarithm is good to 2^-22 near 1; its root, where it is 0, to the root of twice that. */
    sl_check_f32(h, "out", out, expected, count, 0x1p-10, 0);
}
