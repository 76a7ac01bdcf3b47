/* LU decomposition in place, in tiles of 16 x 16: three kernels per step along the diagonal. */
enum { TILE = 16 };

/* The tile on the diagonal at (offset, offset), by 16 threads. */
KERNEL lud_diagonal(float *m, int n, int offset)
{
    __shared__ float tile[TILE][TILE];
    int tx = threadIdx.x;
    float *corner = m + offset * n + offset;
    for (int i = 0; i < TILE; i++)
        tile[i][tx] = corner[i * n + tx];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++)
                tile[tx][i] -= tile[tx][j] * tile[j][i];
            tile[tx][i] /= tile[i][i];
        }
        __syncthreads();
        if (tx > i)
            for (int j = 0; j < i + 1; j++)
                tile[i + 1][tx] -= tile[i + 1][j] * tile[j][tx];
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++) /* the first row stays as it is */
        corner[i * n + tx] = tile[i][tx];
}

/* The tiles right of and below the one on the diagonal: 32 threads for one of each. */
KERNEL lud_perimeter(float *m, int n, int offset)
{
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    bool rows = threadIdx.x < TILE; /* half of the threads for the tile on the right, half for the one below */
    int tx = threadIdx.x % TILE, away = (blockIdx.x + 1) * TILE;
    float *corner = m + offset * n + offset;
    float *right_corner = corner + away, *below_corner = corner + away * n;

    if (rows) {
        for (int i = 0; i < TILE / 2; i++)
            diagonal[i][tx] = corner[i * n + tx];
        for (int i = 0; i < TILE; i++)
            right[i][tx] = right_corner[i * n + tx];
    } else {
        for (int i = TILE / 2; i < TILE; i++)
            diagonal[i][tx] = corner[i * n + tx];
        for (int i = 0; i < TILE; i++)
            below[i][tx] = below_corner[i * n + tx];
    }
    __syncthreads();
    if (rows) {
        for (int i = 1; i < TILE; i++)
            for (int j = 0; j < i; j++)
                right[i][tx] -= diagonal[i][j] * right[j][tx];
    } else {
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++)
                below[tx][i] -= below[tx][j] * diagonal[j][i];
            below[tx][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (rows) {
        for (int i = 1; i < TILE; i++)
            right_corner[i * n + tx] = right[i][tx];
    } else {
        for (int i = 0; i < TILE; i++)
            below_corner[i * n + tx] = below[i][tx];
    }
}

/* Every other tile right of and below the diagonal: 16 x 16 threads each. */
KERNEL lud_internal(float *m, int n, int offset)
{
    __shared__ float right[TILE][TILE], below[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = offset + (blockIdx.y + 1) * TILE, column = offset + (blockIdx.x + 1) * TILE;
    right[ty][tx] = m[(offset + ty) * n + column + tx];
    below[ty][tx] = m[(row + ty) * n + offset + tx];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < TILE; i++)
        sum += below[ty][i] * right[i][tx];
    m[(row + ty) * n + column + tx] -= sum;
}
