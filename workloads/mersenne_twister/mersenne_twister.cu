#include "common/cuda_vector.h"

/* Shifts of all 128 bits; x holds the lowest. */
static __device__ uint4 left_128(uint4 v, int bits)
{
    int rest = 32 - bits;
    return {v.x << bits, v.y << bits | v.x >> rest, v.z << bits | v.y >> rest, v.w << bits | v.z >> rest};
}

static __device__ uint4 right_128(uint4 v, int bits)
{
    int rest = 32 - bits;
    return {v.x >> bits | v.y << rest, v.y >> bits | v.z << rest, v.z >> bits | v.w << rest, v.w >> bits};
}

/* The last five words of 128 bits. */
struct generator {
    uint4 word[5];
};

static __device__ uint4 next_seed(uint4 v, unsigned index)
{
    uint4 mixed = v ^ v >> 30;
    const unsigned factor = 1812433253;
    return {factor * mixed.x + index, factor * mixed.y + index, factor * mixed.z + index, factor * mixed.w + index};
}

static __device__ uint4 draw(generator &g)
{
    const uint4 mask = {0xdfffffef, 0xddfecb7f, 0xbffaffff, 0xbffffff6};
    uint4 a = g.word[0], b = g.word[2], c = g.word[3], d = g.word[4];
    uint4 next = a ^ left_128(a, 24) ^ (b >> 13 & mask) ^ right_128(c, 24) ^ d << 15;
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        g.word[i] = g.word[i + 1];
    g.word[4] = next;
    return next;
}

/* Box and Muller: two uniform numbers of 23 bits to two of the normal distribution. */
static __device__ void normal_pair(unsigned a, unsigned b, float &first, float &second)
{
    float u = ((a >> 9) + 0.5f) * 0x1p-23f, turn = ((b >> 9) + 0.5f) * 0x1p-23f - 0.5f;
    float length = sqrtf(fmaxf(-2.0f * logf(u), 0.0f)), angle = 6.28318530717958648f * turn;
    first = length * __cosf(angle);
    second = length * __sinf(angle);
}

/* `draws` float4 of normal numbers per thread, written one after the other: at any time a warp writes to places that
 * are draws * 16 bytes apart. */
KERNEL mersenne_twister(const uint4 *__restrict__ seed, float4 *__restrict__ out, unsigned width, unsigned draws)
{
    unsigned item = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
    generator g;
    g.word[0] = seed[item];
#pragma unroll
    for (unsigned i = 1; i < 5; i++)
        g.word[i] = next_seed(g.word[i - 1], i);
    for (unsigned i = 0; i < draws; i += 2) {
        uint4 a = draw(g), b = draw(g);
        float4 first, second;
        normal_pair(a.x, b.x, first.x, second.x);
        normal_pair(a.y, b.y, first.y, second.y);
        normal_pair(a.z, b.z, first.z, second.z);
        normal_pair(a.w, b.w, first.w, second.w);
        out[item * draws + i] = first;
        out[item * draws + i + 1] = second;
    }
}
