#include "common/cuda_vector.h"

static __device__ float4 add_products(float4 sum, float4 a, const float4 (&b)[4])
{
    return sum + a.x * b[0] + a.y * b[1] + a.z * b[2] + a.w * b[3];
}

/* c = a * b for a[m][4 * quads], b[4 * quads][n], c[m][n]: each thread makes a tile of 4 x 4 from tiles of 4 x 4, in
 * registers. Rows are read and written as float4; `row` is n / 4. */
KERNEL matrix_multiplication(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c,
                             unsigned quads, unsigned row)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    float4 sum[4] = {};
    for (unsigned k = 0; k < quads; k++) {
        float4 rows[4];
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            rows[i] = b[(4 * k + i) * row + x];
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            sum[i] = add_products(sum[i], a[(y + i) * quads + k], rows);
    }
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        c[(y + i) * row + x] = sum[i];
}
