/* A tile of 16 x 16 scores in global memory: each of 16 threads walks down a column, one row behind the thread on its
 * left, whose score of the step before it reads. The scores above it, it keeps. */
enum { TILE = 16 };

static __device__ __forceinline__ void score_tile(const int *similarity, int *score, int columns, int penalty,
                                                  int tile_x, int tile_y)
{
    int tx = threadIdx.x;
    int above = columns * TILE * tile_y + TILE * tile_x + tx + 1;
    int diagonal = score[above - 1], up = score[above], cell = above + columns;
    for (int m = 0; m < 2 * TILE - 1; m++) {
        if (tx <= m && m < tx + TILE) {
            int left = score[cell - 1];
            up = max(diagonal + similarity[cell], max(left, up) - penalty);
            score[cell] = up;
            diagonal = left;
            cell += columns;
        }
        __syncthreads();
    }
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
