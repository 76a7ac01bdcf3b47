/* c = a * b for a[m][k], b[k][n], row-major. A block of 64 threads makes 16 rows of 64 columns of c, each thread one
 * column in registers. The 16 x 16 tile of a that all of them need stays in global memory: every thread reads all of
 * it through the cache, where the tiled multiply would have put it in shared memory. The barrier keeps the warps of a
 * block on one tile. */
enum { ROWS = 16, TILE = 16 };

KERNEL matmul_cached(const float *a, const float *b, float *c, size_t n, size_t k)
{
    size_t column = blockIdx.x * blockDim.x + threadIdx.x;
    const float *rows = a + blockIdx.y * ROWS * k;
    float sum[ROWS] = {0};
    for (size_t first = 0; first < k; first += TILE) {
#pragma unroll 4
        for (size_t l = first; l < first + TILE; l++) {
            float factor = b[l * n + column];
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
                sum[r] += rows[r * k + l] * factor;
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned r = 0; r < ROWS; r++)
        c[(blockIdx.y * ROWS + r) * n + column] = sum[r];
}
