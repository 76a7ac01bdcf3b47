#include "common/cuda_vector.h"

/* Every step of a warp reads 512 bytes of the stream and eight rows of 512 bytes of the table, picked at random. */
KERNEL table_stream(const uint4 *__restrict__ table, const uint4 *__restrict__ stream, unsigned *__restrict__ out,
                    unsigned rows, unsigned steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned lane = threadIdx.x % 32, state = thread / 32, sum = 0;
    const uint4 *next = stream + thread;
    for (unsigned i = 0; i < steps; i++) {
        uint4 s = *next;
        next += threads;
        sum += s.x + s.y + s.z + s.w;
#pragma unroll
        for (unsigned read = 0; read < 8; read++) {
            state = state * 1664525u + 1013904223u;
            uint4 a = table[(unsigned)((unsigned long long)state * rows >> 32) * 32 + lane];
            sum += (a.x ^ a.y) + (a.z ^ a.w);
        }
    }
    out[thread] = sum;
}
