/* The first layer of a language model: out[t] = table[token[t]] + position[t % length], rows of `quads` times four
 * floats; a block per token. */
#include "common/cuda_vector.h"

KERNEL embedding_gather(const unsigned *__restrict__ token, const float4 *__restrict__ table,
                        const float4 *__restrict__ position, float4 *__restrict__ out, unsigned length, unsigned quads)
{
    const float4 *word = table + (size_t)token[blockIdx.x] * quads;
    const float4 *place = position + (size_t)(blockIdx.x % length) * quads;
    float4 *row = out + (size_t)blockIdx.x * quads;
    for (unsigned i = threadIdx.x; i < quads; i += blockDim.x)
        row[i] = word[i] + place[i];
}
