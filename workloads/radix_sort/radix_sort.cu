/* Stable radix sort of keys with a value each, from the lowest digit of eight bits to the highest: per digit, a count
 * of the digits in each tile, a scan of these counts, and a scatter. Counts lie [digit][tile]. */
#include "common/cuda_block.h"

enum { THREADS = 256, WARPS = THREADS / 32, ROUNDS = 4, TILE = THREADS * ROUNDS, DIGITS = 256 };

KERNEL count_digits(const unsigned *__restrict__ key, unsigned *__restrict__ count, unsigned n, unsigned shift)
{
    __shared__ unsigned histogram[DIGITS];
    histogram[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned i = blockIdx.x * TILE + round * THREADS + threadIdx.x;
        if (i < n)
            atomicAdd(&histogram[key[i] >> shift & (DIGITS - 1)], 1u);
    }
    __syncthreads();
    count[threadIdx.x * gridDim.x + blockIdx.x] = histogram[threadIdx.x];
}

/* A warp per digit: its counts become how many lie in earlier tiles; total[digit] becomes how many there are. */
KERNEL scan_counts(unsigned *__restrict__ count, unsigned *__restrict__ total, unsigned tiles)
{
    unsigned digit = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
    unsigned *mine = count + digit * tiles;
    for (unsigned first = 0; first < tiles; first += 32) {
        unsigned i = first + lane, v = i < tiles ? mine[i] : 0, up_to_here = sl_warp_prefix_sum(v);
        if (i < tiles)
            mine[i] = sum + up_to_here - v;
        sum += __shfl_sync(0xffffffffu, up_to_here, 31);
    }
    if (lane == 0)
        total[digit] = sum;
}

/* A warp takes 128 neighbouring keys in four rounds. Lanes with the same digit find each other; their first lane
 * counts them for the warp. Then it is known how many keys of a digit come before those of a warp, and each key finds
 * its place. */
KERNEL __launch_bounds__(THREADS)
scatter(const unsigned *__restrict__ key, const unsigned *__restrict__ value, unsigned *__restrict__ key_out,
        unsigned *__restrict__ value_out, const unsigned *__restrict__ count, const unsigned *__restrict__ total,
        unsigned n, unsigned shift)
{
    __shared__ unsigned place[WARPS][DIGITS], scratch[33];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, ignored;
    unsigned base = blockIdx.x * TILE + warp * 32 * ROUNDS + lane;
    for (unsigned w = 0; w < WARPS; w++)
        place[w][threadIdx.x] = 0;
    __syncthreads();

    unsigned my_key[ROUNDS], rank[ROUNDS];
#pragma unroll
    for (unsigned round = 0; round < ROUNDS; round++) {
        bool there = base + round * 32 < n;
        my_key[round] = there ? key[base + round * 32] : 0;
        unsigned digit = there ? my_key[round] >> shift & (DIGITS - 1) : DIGITS;
        unsigned same = __match_any_sync(0xffffffffu, digit), before = same & ((1u << lane) - 1);
        if (there)
            rank[round] = place[warp][digit] + __popc(before);
        __syncwarp();
        if (there && !before)
            place[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();

    unsigned digit = threadIdx.x, start = sl_block_prefix_sum(total[digit], scratch, &ignored);
    start += count[digit * gridDim.x + blockIdx.x];
    for (unsigned w = 0; w < WARPS; w++) {
        unsigned of_warp = place[w][digit];
        place[w][digit] = start;
        start += of_warp;
    }
    __syncthreads();

#pragma unroll
    for (unsigned round = 0; round < ROUNDS; round++)
        if (base + round * 32 < n) {
            unsigned to = place[warp][my_key[round] >> shift & (DIGITS - 1)] + rank[round];
            key_out[to] = my_key[round];
            value_out[to] = value[base + round * 32];
        }
}
