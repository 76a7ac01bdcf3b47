/* out = exp(x - largest) / sum of these, for each row: a block per row, three passes over it. */
#include "common/cuda_block.h"

KERNEL softmax(const float *__restrict__ x, float *__restrict__ out, unsigned columns)
{
    __shared__ float shared[33];
    x += (size_t)blockIdx.x * columns;
    out += (size_t)blockIdx.x * columns;

    float largest = -3.402823466e38f;
    for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
        largest = fmaxf(largest, x[i]);
    largest = sl_block_max(largest, shared);

    float sum = 0;
    for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
        sum += __expf(x[i] - largest);
    float share = 1.0f / sl_block_sum(sum, shared);

    for (unsigned i = threadIdx.x; i < columns; i += blockDim.x)
        out[i] = __expf(x[i] - largest) * share;
}
