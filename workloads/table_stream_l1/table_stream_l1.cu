#include "common/cuda_vector.h"

/* Every step of a warp reads two rows of 512 bytes of the table, picked at random, and 512 bytes of the stream. */
KERNEL table_stream(const uint4 *__restrict__ table, const uint4 *__restrict__ stream, unsigned *__restrict__ out,
                    unsigned shift, unsigned steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned lane = threadIdx.x % 32, state = thread / 32, sum = 0;
    const uint4 *next = stream + thread;
    for (unsigned i = 0; i < steps; i++) {
        uint4 s = *next;
        next += threads;
        state = state * 1664525u + 1013904223u;
        uint4 a = table[(state >> shift) * 32 + lane];
        state = state * 1664525u + 1013904223u;
        uint4 b = table[(state >> shift) * 32 + lane];
        sum += s.x + s.y + s.z + s.w;
        sum += (a.x ^ b.x) + (a.y ^ b.y) + (a.z ^ b.z) + (a.w ^ b.w);
    }
    out[thread] = sum;
}
