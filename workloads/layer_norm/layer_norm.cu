/* out = (x - mean) / sqrt(variance + epsilon) * gain + bias for each row: a warp per row, three passes over it with
 * four floats per lane. */
#include "common/cuda_block.h"

KERNEL layer_norm(const float4 *__restrict__ x, const float4 *__restrict__ gain, const float4 *__restrict__ bias,
                  float4 *__restrict__ out, unsigned rows, unsigned quads, float epsilon)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    x += row * quads;
    out += row * quads;
    float items = 4.0f * quads;

    float sum = 0;
    for (unsigned i = lane; i < quads; i += 32) {
        float4 v = x[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    float mean = sl_warp_sum(sum) / items;

    float squares = 0;
    for (unsigned i = lane; i < quads; i += 32) {
        float4 v = x[i];
        float a = v.x - mean, b = v.y - mean, c = v.z - mean, d = v.w - mean;
        squares += (a * a + b * b) + (c * c + d * d);
    }
    float scale = 1.0f / sqrtf(sl_warp_sum(squares) / items + epsilon);

    for (unsigned i = lane; i < quads; i += 32) {
        float4 v = x[i], g = gain[i], b = bias[i];
        out[i] = make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y,
                             (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
    }
}
