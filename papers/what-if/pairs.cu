// SPDX-License-Identifier: MIT
// Pairs of kernels, before and after a repair. "pairs NAME before" launches one kernel of one pair.
//   nvcc -O3 -arch=sm_90 -cudart shared -lineinfo -o pairs pairs.cu
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 512, ITEMS = N * N, THREADS = 256, BINS = 256, STRUCT = 12, ROWS = 4096, LONG = 128, SHORT = 4, TABLE = 8192 };

// ---- transpose: stores, loads, banks ----
__global__ void transpose_stores_before(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * N + y] = in[y * N + x];
}
__global__ void transpose_loads_before(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * N + x] = in[x * N + y];
}
template <int PITCH> __device__ void transpose_tile(const float *in, float *out)
{
    __shared__ float tile[32][PITCH];
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y + i) * N + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 32; i += 8)
        out[(blockIdx.x * 32 + threadIdx.y + i) * N + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + i];
}
__global__ void transpose_tile_32(const float *in, float *out) { transpose_tile<32>(in, out); }
__global__ void transpose_tile_33(const float *in, float *out) { transpose_tile<33>(in, out); }

// ---- arrays of structures of 48 bytes ----
__global__ void aos_load_before(const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i * STRUCT] + in[i * STRUCT + 1] + in[i * STRUCT + 2];
}
__global__ void aos_load_after(const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[i] + in[ITEMS + i] + in[2 * ITEMS + i];
}
__global__ void aos_store_before(const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float v = in[i];
    out[i * STRUCT] = v;
    out[i * STRUCT + 5] = v * 2;
}
__global__ void aos_store_after(const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float v = in[i];
    out[i] = v;
    out[ITEMS + i] = v * 2;
}

// ---- sparse matrix times vector ----
template <int LENGTH> __device__ void spmv_scalar(const float *value, const int *column, const float *x, float *y)
{
    int row = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < LENGTH; i++)
        sum += value[row * LENGTH + i] * x[column[row * LENGTH + i]];
    y[row] = sum;
}
template <int LENGTH> __device__ void spmv_vector(const float *value, const int *column, const float *x, float *y)
{
    int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < LENGTH; i += 32)
        sum += value[row * LENGTH + i] * x[column[row * LENGTH + i]];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (!lane)
        y[row] = sum;
}
__global__ void spmv_long_before(const float *v, const int *c, const float *x, float *y) { spmv_scalar<LONG>(v, c, x, y); }
__global__ void spmv_long_after(const float *v, const int *c, const float *x, float *y) { spmv_vector<LONG>(v, c, x, y); }
__global__ void spmv_short_before(const float *v, const int *c, const float *x, float *y) { spmv_scalar<SHORT>(v, c, x, y); }
__global__ void spmv_short_after(const float *v, const int *c, const float *x, float *y) { spmv_vector<SHORT>(v, c, x, y); }

// ---- atomics ----
__global__ void histogram_before(const int *in, int *bin)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < ITEMS; i += gridDim.x * THREADS)
        atomicAdd(&bin[in[i] % BINS], 1);
}
__global__ void histogram_after(const int *in, int *bin)
{
    __shared__ int mine[BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < ITEMS; i += gridDim.x * THREADS)
        atomicAdd(&mine[in[i] % BINS], 1);
    __syncthreads();
    atomicAdd(&bin[threadIdx.x], mine[threadIdx.x]);
}
__global__ void sum_before(const float *in, float *out)
{
    atomicAdd(out, in[blockIdx.x * THREADS + threadIdx.x]);
}
__global__ void sum_after(const float *in, float *out)
{
    __shared__ float part[8];
    float v = in[blockIdx.x * THREADS + threadIdx.x];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    if (!threadIdx.x) {
        for (int i = 1; i < 8; i++)
            v += part[i];
        atomicAdd(out, v);
    }
}

// ---- shared memory ----
__global__ void reduce_strided(const float *in, float *out)
{
    __shared__ float part[THREADS];
    part[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    for (int s = 1; s < THREADS; s *= 2) {
        int i = 2 * s * threadIdx.x;
        if (i < THREADS)
            part[i] += part[i + s];
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = part[0];
}
__global__ void reduce_sequential(const float *in, float *out)
{
    __shared__ float part[THREADS];
    part[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    __syncthreads();
    for (int s = THREADS / 2; s; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = part[0];
}

// ---- local memory ----
__global__ void local_before(const float *in, const int *order, float *out)
{
    float kept[8];
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < 8; k++)
        kept[order[k]] = in[k * ITEMS + i];
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += kept[order[7 - k]] * k;
    out[i] = sum;
}
__global__ void local_after(const float *in, const int *order, float *out)
{
    float kept[8], sum = 0;
    int i = blockIdx.x * THREADS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++)
        kept[k] = in[k * ITEMS + i];
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += kept[7 - k] * k;
    out[i] = sum;
}

// ---- rows of a matrix ----
__global__ void rowsum_before(const float *in, float *out)
{
    int row = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < LONG; i++)
        sum += in[row * LONG + i];
    out[row] = sum;
}
__global__ void rowsum_after(const float *in, float *out)
{
    int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < LONG; i += 32)
        sum += in[row * LONG + i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (!lane)
        out[row] = sum;
}
__global__ void stencil_before(const float *in, float *out)
{
    int y = blockIdx.x * 32 + threadIdx.x + 1, x = blockIdx.y * 8 + threadIdx.y + 1;
    if (x < N - 1 && y < N - 1)
        out[x * N + y] = in[y * N + x] + in[y * N + x - 1] + in[y * N + x + 1] + in[(y - 1) * N + x] + in[(y + 1) * N + x];
}
__global__ void stencil_after(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    if (x < N - 1 && y < N - 1)
        out[y * N + x] = in[y * N + x] + in[y * N + x - 1] + in[y * N + x + 1] + in[(y - 1) * N + x] + in[(y + 1) * N + x];
}
__global__ void matmul_before(const float *a, const float *b, float *c)
{
    int row = blockIdx.x * 16 + threadIdx.x, column = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += a[row * 256 + k] * b[k * 256 + column];
    c[row + 256 * column] = sum;
}
__global__ void matmul_after(const float *a, const float *b, float *c)
{
    int row = blockIdx.x * 16 + threadIdx.x, column = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += a[k * 256 + row] * b[k * 256 + column];
    c[row + 256 * column] = sum;
}

int main(int argc, char **argv)
{
    float *a, *b;
    int *index;
    size_t bytes = sizeof(float) * ITEMS * STRUCT;
    if (argc < 3)
        return 2;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&index, sizeof(int) * ITEMS * 2);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    int *host = (int *)malloc(sizeof(int) * ITEMS * 2);
    unsigned state = 1;
    for (int i = 0; i < ITEMS * 2; i++)
        host[i] = (state = state * 1664525u + 1013904223u) >> 19;
    for (int i = 0; i < 8; i++)
        host[i] = !strcmp(argv[1], "local") ? i * 3 % 8 : host[i];
    cudaMemcpy(index, host, sizeof(int) * ITEMS * 2, cudaMemcpyHostToDevice);
    bool after = !strcmp(argv[2], "after");
    const char *name = argv[1];
    dim3 thin(N / 32, N / 8), tiles(N / 32, N / 32), rows8(32, 8);
    int all = ITEMS / THREADS;
#define IS(text) (!strcmp(name, text))
    if (IS("transpose-stores"))
        after ? transpose_tile_33<<<tiles, rows8>>>(a, b) : transpose_stores_before<<<thin, rows8>>>(a, b);
    else if (IS("transpose-loads"))
        after ? transpose_tile_33<<<tiles, rows8>>>(a, b) : transpose_loads_before<<<thin, rows8>>>(a, b);
    else if (IS("transpose-banks"))
        after ? transpose_tile_33<<<tiles, rows8>>>(a, b) : transpose_tile_32<<<tiles, rows8>>>(a, b);
    else if (IS("aos-load"))
        after ? aos_load_after<<<all, THREADS>>>(a, b) : aos_load_before<<<all, THREADS>>>(a, b);
    else if (IS("aos-store"))
        after ? aos_store_after<<<all, THREADS>>>(a, b) : aos_store_before<<<all, THREADS>>>(a, b);
    else if (IS("spmv-long"))
        after ? spmv_long_after<<<ROWS / 8, THREADS>>>(a, index, a, b) : spmv_long_before<<<ROWS / THREADS, THREADS>>>(a, index, a, b);
    else if (IS("spmv-short"))
        after ? spmv_short_after<<<16 * ROWS / 8, THREADS>>>(a, index, a, b) : spmv_short_before<<<16 * ROWS / THREADS, THREADS>>>(a, index, a, b);
    else if (IS("histogram"))
        after ? histogram_after<<<132, THREADS>>>(index, (int *)b) : histogram_before<<<132, THREADS>>>(index, (int *)b);
    else if (IS("sum"))
        after ? sum_after<<<all, THREADS>>>(a, b) : sum_before<<<all, THREADS>>>(a, b);
    else if (IS("reduce-banks"))
        after ? reduce_sequential<<<all, THREADS>>>(a, b) : reduce_strided<<<all, THREADS>>>(a, b);
    else if (IS("local"))
        after ? local_after<<<all, THREADS>>>(a, index, b) : local_before<<<all, THREADS>>>(a, index, b);
    else if (IS("row-sum"))
        after ? rowsum_after<<<4 * ROWS / 8, THREADS>>>(a, b) : rowsum_before<<<4 * ROWS / THREADS, THREADS>>>(a, b);
    else if (IS("stencil-order"))
        after ? stencil_after<<<thin, rows8>>>(a, b) : stencil_before<<<thin, rows8>>>(a, b);
    else if (IS("matmul-order"))
        after ? matmul_after<<<dim3(16, 16), dim3(16, 16)>>>(a, a + 65536, b) : matmul_before<<<dim3(16, 16), dim3(16, 16)>>>(a, a + 65536, b);
    else
        return 2;
    return cudaDeviceSynchronize() != cudaSuccess;
}
