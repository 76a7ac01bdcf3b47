#include "common/cuda_vector.h"

enum { MOST_THREADS = 256 };

/* Each thread adds two neighbours, the block adds what its threads have, as a tree in shared memory. */
KERNEL reduction(const uint4 *__restrict__ in, uint4 *__restrict__ out)
{
    __shared__ uint4 sum[MOST_THREADS];
    unsigned i = threadIdx.x, first = 2 * (blockIdx.x * blockDim.x + i);
    sum[i] = in[first] + in[first + 1];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (i < half)
            sum[i] = sum[i] + sum[i + half];
        __syncthreads();
    }
    if (i == 0)
        out[blockIdx.x] = sl_load(&sum[0]);
}
