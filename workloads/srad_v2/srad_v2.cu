/* Speckle reducing anisotropic diffusion in tiles of 16 x 16 points, a thread each. */
enum { TILE = 16 };

/* Differences to the neighbours and the diffusion coefficient. Every thread brings a point beyond each side of the
 * tile, the same for a whole row or column of threads; at the border of the image, the border itself. */
KERNEL srad1(float *east_of, float *west_of, float *north_of, float *south_of, const float *image, float *coefficient,
             int columns, float speckle)
{
    __shared__ float here[TILE][TILE], result[TILE][TILE];
    __shared__ float north[TILE][TILE], south[TILE][TILE], east[TILE][TILE], west[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    int corner = columns * TILE * by + TILE * bx, point = corner + columns * ty + tx;
    int above = corner + tx - (by > 0 ? columns : 0);
    int below = corner + tx + columns * (by + 1 < (int)gridDim.y ? TILE : TILE - 1);
    int before = corner + columns * ty - (bx > 0 ? 1 : 0);
    int after = corner + columns * ty + (bx + 1 < (int)gridDim.x ? TILE : TILE - 1);

    north[ty][tx] = image[above];
    south[ty][tx] = image[below];
    __syncthreads();
    west[ty][tx] = image[before];
    east[ty][tx] = image[after];
    __syncthreads();
    here[ty][tx] = image[point];
    __syncthreads();

    float v = here[ty][tx];
    float n = (ty > 0 ? here[ty - 1][tx] : north[ty][tx]) - v;
    float s = (ty < TILE - 1 ? here[ty + 1][tx] : south[ty][tx]) - v;
    float w = (tx > 0 ? here[ty][tx - 1] : west[ty][tx]) - v;
    float e = (tx < TILE - 1 ? here[ty][tx + 1] : east[ty][tx]) - v;
    float gradient = (n * n + s * s + w * w + e * e) / (v * v);
    float laplacian = (n + s + w + e) / v;
    float scale = 1 + 0.25f * laplacian;
    float variation = (0.5f * gradient - 0.0625f * (laplacian * laplacian)) / (scale * scale);
    float c = 1.0f / (1.0f + (variation - speckle) / (speckle * (1 + speckle)));
    result[ty][tx] = c < 0 ? 0 : c > 1 ? 1 : c;
    __syncthreads();

    coefficient[point] = result[ty][tx];
    east_of[point] = e;
    west_of[point] = w;
    south_of[point] = s;
    north_of[point] = n;
}

/* What flows between the points, by the coefficients of this point and of those below and right of it. */
KERNEL srad2(const float *east_of, const float *west_of, const float *north_of, const float *south_of, float *image,
             const float *coefficient, int columns, float rate)
{
    __shared__ float here[TILE][TILE], south[TILE][TILE], east[TILE][TILE];
    __shared__ float value[TILE][TILE], result[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    int corner = columns * TILE * by + TILE * bx, point = corner + columns * ty + tx;
    int below = corner + tx + columns * (by + 1 < (int)gridDim.y ? TILE : TILE - 1);
    int after = corner + columns * ty + (bx + 1 < (int)gridDim.x ? TILE : TILE - 1);

    value[ty][tx] = image[point];
    __syncthreads();
    south[ty][tx] = coefficient[below];
    __syncthreads();
    east[ty][tx] = coefficient[after];
    __syncthreads();
    here[ty][tx] = coefficient[point];
    __syncthreads();

    float c = here[ty][tx];
    float c_south = ty < TILE - 1 ? here[ty + 1][tx] : south[ty][tx];
    float c_east = tx < TILE - 1 ? here[ty][tx + 1] : east[ty][tx];
    float flow = c * north_of[point] + c_south * south_of[point] + c * west_of[point] + c_east * east_of[point];
    result[ty][tx] = value[ty][tx] + 0.25f * rate * flow;
    __syncthreads();
    image[point] = result[ty][tx];
}
