/* Speckle reducing anisotropic diffusion, a thread per point, 512 per block; the image lies column by column. */
enum { BLOCK = 512 };

static __device__ __forceinline__ int my_point() { return blockIdx.x * BLOCK + threadIdx.x; }

/* Undoes the logarithm in which the image is kept. */
KERNEL extract(int points, float *image)
{
    int i = my_point();
    if (i < points)
        image[i] = expf(image[i] / 255);
}

KERNEL prepare(int points, const float *image, float *sum, float *squares)
{
    int i = my_point();
    if (i < points) {
        sum[i] = image[i];
        squares[i] = image[i] * image[i];
    }
}

/* Adds up 512 values that are `stride` apart into the first of them. */
KERNEL reduce(int values, int stride, float *sum, float *squares)
{
    __shared__ float partial[BLOCK], partial_squares[BLOCK];
    int tx = threadIdx.x, i = my_point();
    partial[tx] = i < values ? sum[i * stride] : 0;
    partial_squares[tx] = i < values ? squares[i * stride] : 0;
    __syncthreads();
    for (int span = 2; span <= BLOCK; span *= 2) {
        if ((tx + 1) % span == 0) {
            partial[tx] += partial[tx - span / 2];
            partial_squares[tx] += partial_squares[tx - span / 2];
        }
        __syncthreads();
    }
    if (tx == BLOCK - 1) {
        sum[blockIdx.x * BLOCK * stride] = partial[tx];
        squares[blockIdx.x * BLOCK * stride] = partial_squares[tx];
    }
}

/* Differences to the neighbours, whose rows and columns come from tables, and the diffusion coefficient. */
KERNEL srad(int rows, int points, const int *row_above, const int *row_below, const int *column_after,
            const int *column_before, float *north, float *south, float *east, float *west, float speckle,
            float *coefficient, const float *image)
{
    int i = my_point();
    if (i >= points)
        return;
    int row = i % rows, column = i / rows;
    float v = image[i];
    float n = image[row_above[row] + rows * column] - v;
    float s = image[row_below[row] + rows * column] - v;
    float w = image[row + rows * column_before[column]] - v;
    float e = image[row + rows * column_after[column]] - v;
    float gradient = (n * n + s * s + w * w + e * e) / (v * v);
    float laplacian = (n + s + w + e) / v;
    float scale = 1 + 0.25f * laplacian;
    float variation = (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (scale * scale);
    float c = 1.0f / (1.0f + (variation - speckle) / (speckle * (1 + speckle)));
    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
    coefficient[i] = c < 0 ? 0 : c > 1 ? 1 : c;
}

/* What flows between the points, by the coefficients of this point and of those below and right of it. */
KERNEL srad2(float rate, int rows, int points, const int *row_below, const int *column_after, const float *north,
             const float *south, const float *east, const float *west, const float *coefficient, float *image)
{
    int i = my_point();
    if (i >= points)
        return;
    int row = i % rows, column = i / rows;
    float c = coefficient[i];
    float c_south = coefficient[row_below[row] + rows * column];
    float c_east = coefficient[row + rows * column_after[column]];
    float flow = c * north[i] + c_south * south[i] + c * west[i] + c_east * east[i];
    image[i] += 0.25f * rate * flow;
}

/* Back to the logarithm. */
KERNEL compress(int points, float *image)
{
    int i = my_point();
    if (i < points)
        image[i] = logf(image[i]) * 255;
}
