#include "common/cuda_vector.h"

enum { SIDE = 16 }; /* of a block, in threads; of its tile, in float4 */

/* Each thread moves a tile of 4 x 4 values as four float4, by way of shared memory; `row` is the matrix's side / 4.
 * Blocks that run at the same time lie on a diagonal, so that they do not all write to one column. */
KERNEL matrix_transpose(const float4 *__restrict__ in, float4 *__restrict__ out, unsigned row)
{
    __shared__ float4 tile[SIDE * 4][SIDE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned tile_y = blockIdx.x, tile_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    unsigned from = (tile_y * SIDE + y) * 4 * row + tile_x * SIDE + x;
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        tile[4 * y + i][x] = sl_load(&in[from + i * row]);
    __syncthreads();
    float4 a = tile[4 * x][y], b = tile[4 * x + 1][y], c = tile[4 * x + 2][y], d = tile[4 * x + 3][y];
    unsigned to = (tile_x * SIDE + y) * 4 * row + tile_y * SIDE + x;
    out[to] = {a.x, b.x, c.x, d.x};
    out[to + row] = {a.y, b.y, c.y, d.y};
    out[to + 2 * row] = {a.z, b.z, c.z, d.z};
    out[to + 3 * row] = {a.w, b.w, c.w, d.w};
}

/* The simple form: a value per thread, rows of 16 in, columns out. `side` is the matrix's. */
KERNEL matrix_transpose_columns(const float *__restrict__ in, float *__restrict__ out, unsigned side)
{
    __shared__ float tile[SIDE][SIDE];
    unsigned x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * side + x];
    __syncthreads();
    out[x * side + y] = tile[threadIdx.y][threadIdx.x];
}
