/* Convolution with a separable filter: rows, then columns. Each block keeps a tile and a halo on two sides of it in
 * shared memory; each thread makes several results. */
enum { RADIUS = 8, TAPS = 2 * RADIUS + 1 };
enum { ROWS_X = 16, ROWS_Y = 4, ROWS_RESULTS = 8, ROWS_HALO = 1 };
enum { COLUMNS_X = 16, COLUMNS_Y = 8, COLUMNS_RESULTS = 8, COLUMNS_HALO = 1 };
__constant__ float taps[TAPS];

KERNEL convolution_rows(float *out, const float *in, int width)
{
    __shared__ float tile[ROWS_Y][(ROWS_RESULTS + 2 * ROWS_HALO) * ROWS_X];
    int x = ((int)blockIdx.x * ROWS_RESULTS - ROWS_HALO) * ROWS_X + (int)threadIdx.x;
    int y = (int)(blockIdx.y * ROWS_Y + threadIdx.y);
    float *row = tile[threadIdx.y];
    in += y * width + x;
    out += y * width + x;
#pragma unroll
    for (int i = 0; i < ROWS_RESULTS + 2 * ROWS_HALO; i++) {
        int at = x + i * ROWS_X;
        bool inside = (i >= ROWS_HALO || at >= 0) && (i < ROWS_HALO + ROWS_RESULTS || at < width);
        row[threadIdx.x + i * ROWS_X] = inside ? in[i * ROWS_X] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = ROWS_HALO; i < ROWS_HALO + ROWS_RESULTS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * row[threadIdx.x + i * ROWS_X + j];
        out[i * ROWS_X] = sum;
    }
}

KERNEL convolution_columns(float *out, const float *in, int width, int height)
{
    /* One more than a multiple of the threads, so that lanes fall into different banks. */
    __shared__ float tile[COLUMNS_X][(COLUMNS_RESULTS + 2 * COLUMNS_HALO) * COLUMNS_Y + 1];
    int x = (int)(blockIdx.x * COLUMNS_X + threadIdx.x);
    int y = ((int)blockIdx.y * COLUMNS_RESULTS - COLUMNS_HALO) * COLUMNS_Y + (int)threadIdx.y;
    float *column = tile[threadIdx.x];
    in += y * width + x;
    out += y * width + x;
#pragma unroll
    for (int i = 0; i < COLUMNS_RESULTS + 2 * COLUMNS_HALO; i++) {
        int at = y + i * COLUMNS_Y;
        bool inside = (i >= COLUMNS_HALO || at >= 0) && (i < COLUMNS_HALO + COLUMNS_RESULTS || at < height);
        column[threadIdx.y + i * COLUMNS_Y] = inside ? in[i * COLUMNS_Y * width] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = COLUMNS_HALO; i < COLUMNS_HALO + COLUMNS_RESULTS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * column[threadIdx.y + i * COLUMNS_Y + j];
        out[i * COLUMNS_Y * width] = sum;
    }
}
