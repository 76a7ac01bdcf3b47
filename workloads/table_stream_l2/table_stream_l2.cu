#include "common/cuda_vector.h"

/* Every step of a thread reads one word of the table, picked at random, and 16 bytes of the stream. */
KERNEL table_stream(const unsigned *__restrict__ table, const uint4 *__restrict__ stream, unsigned *__restrict__ out,
                    unsigned rows, unsigned steps)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned state = thread * 747796405u + 2891336453u, sum = 0;
    const uint4 *next = stream + thread;
    for (unsigned i = 0; i < steps; i++) {
        uint4 s = *next;
        next += threads;
        state = state * 1664525u + 1013904223u;
        sum += table[(unsigned long long)state * rows >> 32] ^ (s.x + s.y + s.z + s.w);
    }
    out[thread] = sum;
}
