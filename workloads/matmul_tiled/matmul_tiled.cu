/* c = a * b, row-major n x n: a block computes a tile of c, reading each tile of a and b once into shared memory. */
enum { TILE = 16 };

KERNEL matmul_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0;
    for (unsigned tile = 0; tile < n; tile += TILE) {
        a_tile[ty][tx] = row < n && tile + tx < n ? a[row * n + tile + tx] : 0.0f;
        b_tile[ty][tx] = tile + ty < n && column < n ? b[(tile + ty) * n + column] : 0.0f;
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++)
            sum += a_tile[ty][k] * b_tile[k][tx];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}
