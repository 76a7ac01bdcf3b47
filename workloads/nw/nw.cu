/* A tile of 16 x 16 scores in shared memory, by 16 threads along its anti-diagonals. */
enum { TILE = 16 };

static __device__ __forceinline__ void score_cell(int (*score)[TILE + 1], int (*alike)[TILE], int x, int y, int penalty)
{
    int gap = max(score[y][x - 1], score[y - 1][x]) - penalty;
    score[y][x] = max(score[y - 1][x - 1] + alike[y - 1][x - 1], gap);
}

static __device__ __forceinline__ void score_tile(const int *similarity, int *score, int columns, int penalty,
                                                  int tile_x, int tile_y)
{
    __shared__ int mine[TILE + 1][TILE + 1];
    __shared__ int alike[TILE][TILE];
    int tx = threadIdx.x;
    int corner = columns * TILE * tile_y + TILE * tile_x; /* up and left of the tile */
    int first = corner + columns + 1 + tx;

    if (tx == 0)
        mine[0][0] = score[corner];
    for (int y = 0; y < TILE; y++)
        alike[y][tx] = similarity[first + columns * y];
    __syncthreads();
    mine[tx + 1][0] = score[corner + columns * (tx + 1)];
    __syncthreads();
    mine[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();

    for (int m = 0; m < TILE; m++) {
        if (tx <= m)
            score_cell(mine, alike, tx + 1, m - tx + 1, penalty);
        __syncthreads();
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (tx <= m)
            score_cell(mine, alike, tx + TILE - m, TILE - tx, penalty);
        __syncthreads();
    }
    for (int y = 0; y < TILE; y++)
        score[first + columns * y] = mine[y + 1][tx + 1];
}

/* The anti-diagonals of tiles up to the longest. */
KERNEL upper_left(const int *similarity, int *score, int columns, int penalty, int tiles, int)
{
    int x = blockIdx.x;
    score_tile(similarity, score, columns, penalty, x, tiles - 1 - x);
}

/* Those after it. */
KERNEL lower_right(const int *similarity, int *score, int columns, int penalty, int tiles, int per_side)
{
    int x = blockIdx.x;
    score_tile(similarity, score, columns, penalty, x + per_side - tiles, per_side - 1 - x);
}
