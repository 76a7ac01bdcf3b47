#include "common/cuda_timing.h"

enum { NO_PROBE = -1 };

extern __shared__ unsigned shared[];

/* Loads lines of memory one after the other, warp w the lines w, w + warps, ..., and notes the cycles each load took.
 * Gives the sum of what this thread has read. */
SL_DEV unsigned walk(const unsigned *memory, unsigned *cycles, unsigned *arrived, unsigned lines, unsigned stride)
{
    unsigned lane = threadIdx.x % 32, sum = 0;
#pragma unroll 1
    for (unsigned line = threadIdx.x / 32; line < lines; line += blockDim.x / 32) {
        ull start = sl_clock();
        unsigned value = memory[line * stride + lane];
        sl_arrived(arrived, value);
        unsigned took = (unsigned)(sl_clock() - start);
        if (lane == 0)
            cycles[line] = took;
        sum += value;
    }
    return sum;
}

/* Walks over the lines, loads one more word, walks over the lines again: one block. Stride and probe count words of 4
 * bytes; with probe -1 nothing is loaded in between. Shared memory: 2 * lines + threads words.
 *   cycles[2][lines]   of each load of the first and of the second walk
 *   sums[threads]      of all words a thread has read */
KERNEL set_mapping(const unsigned *memory, unsigned *cycles, unsigned *sums, unsigned lines, unsigned stride, int probe)
{
    unsigned *arrived = &shared[2 * lines + threadIdx.x];
    unsigned sum = walk(memory, shared, arrived, lines, stride);
    __syncthreads();
    if (threadIdx.x == 0 && probe != NO_PROBE) {
        unsigned value = memory[probe];
        sl_arrived(arrived, value);
        sum += value;
    }
    __syncthreads();
    sum += walk(memory, shared + lines, arrived, lines, stride);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 2 * lines; i += blockDim.x)
        cycles[i] = shared[i];
    sums[threadIdx.x] = sum;
}
