// SPDX-License-Identifier: MIT
// Pairs of neighbors in the series of NVIDIA's samples (transpose, reduction, histogram, matrix product), written anew.
//   nvcc -O3 -arch=sm_90 -cudart shared -lineinfo -o series series.cu
#include "pair.h"

enum { SIDE = 512, TILE = 16, SUMMED = 1 << 19, BINS = 256, MATRIX = 256, LARGE = 384 };

// ---- transpose ----
__global__ void transpose_naive(const float *in, float *out)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * SIDE + y] = in[y * SIDE + x];
}
template <int PITCH> __global__ void transpose_tile(const float *in, float *out)
{
    __shared__ float tile[TILE][PITCH];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * SIDE + x];
    __syncthreads();
    out[(blockIdx.x * TILE + threadIdx.y) * SIDE + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
static const dim3 transpose_grid(SIDE / TILE, SIDE / TILE), tile_threads(TILE, TILE);
static void transpose_stores(bool after)
{
    after ? transpose_tile<TILE><<<transpose_grid, tile_threads>>>(a, b) : transpose_naive<<<transpose_grid, tile_threads>>>(a, b);
}
static void transpose_conflicts(bool after)
{
    after ? transpose_tile<TILE + 1><<<transpose_grid, tile_threads>>>(a, b)
          : transpose_tile<TILE><<<transpose_grid, tile_threads>>>(a, b);
}

// ---- reduction: STEP is the number that the samples give a kernel ----
template <int STEP> __global__ void reduce(const int *in, int *out)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x, sum = 0;
    if (STEP == 6)
        for (int i = blockIdx.x * THREADS * 2 + t; i < SUMMED; i += gridDim.x * THREADS * 2)
            sum += in[i] + in[i + THREADS];
    else if (STEP >= 3)
        sum = in[blockIdx.x * THREADS * 2 + t] + in[blockIdx.x * THREADS * 2 + THREADS + t];
    else
        sum = in[blockIdx.x * THREADS + t];
    part[t] = sum;
    __syncthreads();
    if (STEP <= 1)
        for (int s = 1; s < THREADS; s *= 2) {
            int at = STEP == 0 ? t : 2 * s * t;
            if (STEP == 0 ? t % (2 * s) == 0 : at < THREADS)
                part[at] += part[at + s];
            __syncthreads();
        }
    else
        for (int s = THREADS / 2; s > (STEP >= 4 ? 32 : 0); s /= 2) {
            if (t < s)
                part[t] = sum = sum + part[t + s];
            __syncthreads();
        }
    if (STEP >= 4 && t < 32) {
        sum += part[t + 32];
        for (int d = 16; d; d /= 2)
            sum += __shfl_down_sync(~0u, sum, d);
    }
    if (!t)
        out[blockIdx.x] = STEP >= 4 ? sum : part[0];
}
template <int STEP> static void reduce_by()
{
    reduce<STEP><<<STEP == 6 ? 264 : STEP >= 3 ? SUMMED / THREADS / 2 : SUMMED / THREADS, THREADS>>>(index_of, (int *)b);
}
static void reduce_modulo(bool after) { after ? reduce_by<1>() : reduce_by<0>(); }
static void reduce_interleaved(bool after) { after ? reduce_by<2>() : reduce_by<1>(); }
static void reduce_idle(bool after) { after ? reduce_by<3>() : reduce_by<2>(); }
static void reduce_barriers(bool after) { after ? reduce_by<4>() : reduce_by<3>(); }
static void reduce_short(bool after) { after ? reduce_by<6>() : reduce_by<4>(); }

// ---- histogram in shared memory, of each block or of each warp ----
template <int COPIES> __global__ void histogram(const int *in, int *bin)
{
    __shared__ int mine[COPIES][BINS];
    for (int i = threadIdx.x; i < COPIES * BINS; i += THREADS)
        mine[i / BINS][i % BINS] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < SUMMED; i += gridDim.x * THREADS)
        atomicAdd(&mine[threadIdx.x / 32 % COPIES][in[i]], 1);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < COPIES; i++)
        sum += mine[i][threadIdx.x];
    atomicAdd(&bin[threadIdx.x], sum);
}
template <int USED> static void histograms(bool after)
{
    fill(0, SUMMED, USED, false);
    after ? histogram<THREADS / 32><<<264, THREADS>>>(index_of, (int *)b) : histogram<1><<<264, THREADS>>>(index_of, (int *)b);
}

// ---- matrix product ----
template <int N> __global__ void matmul_naive(const float *x, const float *y, float *z)
{
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < N; k++)
        sum += x[row * N + k] * y[k * N + column];
    z[row * N + column] = sum;
}
template <int N> __global__ void matmul_tile(const float *x, const float *y, float *z)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int from = 0; from < N; from += TILE) {
        left[threadIdx.y][threadIdx.x] = x[row * N + from + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = y[(from + threadIdx.y) * N + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    z[row * N + column] = sum;
}
/* 8 x 8 threads, 4 x 4 results each */
template <int N> __global__ void matmul_registers(const float *x, const float *y, float *z)
{
    __shared__ float left[32][TILE], right[TILE][32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx;
    float sum[4][4] = {};
    for (int from = 0; from < N; from += TILE) {
        for (int i = t; i < 32 * TILE; i += 64) {
            left[i / TILE][i % TILE] = x[(blockIdx.y * 32 + i / TILE) * N + from + i % TILE];
            right[i / 32][i % 32] = y[(from + i / 32) * N + blockIdx.x * 32 + i % 32];
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += left[ty * 4 + i][k] * right[k][tx + 8 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            z[(blockIdx.y * 32 + ty * 4 + i) * N + blockIdx.x * 32 + tx + 8 * j] = sum[i][j];
}
static void matmul_in_tiles(bool after)
{
    dim3 grid(MATRIX / TILE, MATRIX / TILE);
    after ? matmul_tile<MATRIX><<<grid, tile_threads>>>(a, a + MATRIX * MATRIX, b)
          : matmul_naive<MATRIX><<<grid, tile_threads>>>(a, a + MATRIX * MATRIX, b);
}
static void matmul_in_registers(bool after)
{
    after ? matmul_registers<LARGE><<<dim3(LARGE / 32, LARGE / 32), dim3(8, 8)>>>(a, a + LARGE * LARGE, b)
          : matmul_tile<LARGE><<<dim3(LARGE / TILE, LARGE / TILE), tile_threads>>>(a, a + LARGE * LARGE, b);
}

int main(int argc, char **argv)
{
    static const pair pairs[] = {{"transpose-naive", transpose_stores},  {"transpose-conflicts", transpose_conflicts},
                                 {"reduce-modulo", reduce_modulo},       {"reduce-interleaved", reduce_interleaved},
                                 {"reduce-idle", reduce_idle},           {"reduce-barriers", reduce_barriers},
                                 {"reduce-short", reduce_short},         {"histogram-skewed", histograms<2>},
                                 {"histogram-even", histograms<BINS>},   {"matmul-tile", matmul_in_tiles},
                                 {"matmul-registers", matmul_in_registers}};
    return run_pair(argc, argv, pairs);
}
