/* c = alpha * a * transpose(b) + beta * c, all by columns: a[k][m], b[k][n], c[n][m]. A block of 16 x 8 threads makes
 * 128 rows by 16 columns of c: each thread one row, with its 16 results in registers. The 16 columns of b go through
 * shared memory, 8 steps of k at a time; a comes straight from global memory, as neighbouring threads read
 * neighbouring rows. */
enum { TILE_N = 16, TILE_K = 8, TILE_M = TILE_N * TILE_K };

KERNEL sgemm(const float *a, const float *b, float *c, unsigned m, unsigned n,
             unsigned k, float alpha, float beta)
{
    __shared__ float b_tile[TILE_K][TILE_N];
    unsigned row = blockIdx.x * TILE_M + threadIdx.y * TILE_N + threadIdx.x;
    unsigned first_column = blockIdx.y * TILE_N;
    float sum[TILE_N] = {};
    for (unsigned step = 0; step < k; step += TILE_K) {
        b_tile[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * n + first_column + threadIdx.x];
        __syncthreads();
        for (unsigned i = 0; i < TILE_K; i++) {
            float value = a[(step + i) * m + row];
            for (unsigned j = 0; j < TILE_N; j++)
                sum[j] += value * b_tile[i][j];
        }
        __syncthreads();
    }
    for (unsigned j = 0; j < TILE_N; j++) {
        unsigned at = (first_column + j) * m + row;
        c[at] = alpha * sum[j] + beta * c[at];
    }
}
