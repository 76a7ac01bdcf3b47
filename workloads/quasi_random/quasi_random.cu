#include "common/cuda_vector.h"

enum { BITS = 32 };

/* One dimension per block, four points per thread; the dimension's direction numbers lie in shared memory. */
KERNEL quasi_random(const uint4 *__restrict__ direction, float4 *__restrict__ out)
{
    __shared__ uint4 mine[BITS / 4];
    if (threadIdx.x < BITS / 4)
        mine[threadIdx.x] = sl_load(&direction[blockIdx.x * (BITS / 4) + threadIdx.x]);
    __syncthreads();
    const unsigned *numbers = (const unsigned *)mine;
    unsigned first = 4 * threadIdx.x;
    uint4 point = {}, index = {first, first + 1, first + 2, first + 3};
#pragma unroll 1
    for (unsigned bit = 0; bit < BITS; bit++) {
        unsigned number = numbers[bit];
        point = point ^ uint4{(index.x & 1) * number, (index.y & 1) * number, (index.z & 1) * number,
                              (index.w & 1) * number};
        index = index >> 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        0x1p-32f * float4{(float)point.x, (float)point.y, (float)point.z, (float)point.w};
}
