// SPDX-License-Identifier: MIT
// Pairs whose repair changes where and how often memory is accessed.
//   nvcc -O3 -arch=sm_90 -cudart shared -lineinfo -o memory memory.cu
#include "pair.h"

// ---- structures of FIELDS words, of which READ are read and WRITTEN are written ----
template <bool AFTER, int FIELDS, int READ, int WRITTEN> __global__ void structures(float *data, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0, field[READ];
    for (int k = 0; k < READ; k++)
        sum += field[k] = AFTER ? data[k * ITEMS + i] : data[i * FIELDS + k];
    for (int k = 0; k < WRITTEN; k++)
        (AFTER ? data[k * ITEMS + i] : data[i * FIELDS + k]) = field[k] + field[k + WRITTEN] * 0.5f;
    if (!WRITTEN)
        out[i] = sum;
}
template <int FIELDS, int READ, int WRITTEN> static void aos(bool after)
{
    after ? structures<true, FIELDS, READ, WRITTEN><<<ALL, THREADS>>>(a, b)
          : structures<false, FIELDS, READ, WRITTEN><<<ALL, THREADS>>>(a, b);
}
__global__ void vectors(const float4 *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
}
static void aos_vector(bool after)
{
    after ? vectors<<<ALL, THREADS>>>((float4 *)a, b) : structures<false, 4, 4, 0><<<ALL, THREADS>>>(a, b);
}

// ---- stencils ----
enum { SIDE = 512, CUBE = 64, RADIUS = 16 };
__global__ void stencil_global(const float *in, float *out)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    if (x < SIDE - 1 && y < SIDE - 1)
        out[y * SIDE + x] = in[y * SIDE + x] + in[y * SIDE + x - 1] + in[y * SIDE + x + 1] + in[(y - 1) * SIDE + x] + in[(y + 1) * SIDE + x];
}
__global__ void stencil_tile(const float *in, float *out)
{
    __shared__ float tile[10][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += THREADS)
        if (x0 + i % 34 < SIDE && y0 + i / 34 < SIDE)
            tile[i / 34][i % 34] = in[(y0 + i / 34) * SIDE + x0 + i % 34];
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
    if (x < SIDE - 1 && y < SIDE - 1)
        out[y * SIDE + x] = tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
}
static void stencil_shared(bool after)
{
    dim3 grid(SIDE / 32, SIDE / 8), block(32, 8);
    after ? stencil_tile<<<grid, block>>>(a, b) : stencil_global<<<grid, block>>>(a, b);
}
template <bool AFTER> __global__ void stencil_cube(const float *in, float *out)
{
    int fast = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, slow = blockIdx.z * 2 + threadIdx.z;
    int x = AFTER ? fast : slow, z = AFTER ? slow : fast, at = (z * CUBE + y) * CUBE + x;
    if (x && y && z && x < CUBE - 1 && y < CUBE - 1 && z < CUBE - 1)
        out[at] = in[at] + in[at - 1] + in[at + 1] + in[at - CUBE] + in[at + CUBE] + in[at - CUBE * CUBE] + in[at + CUBE * CUBE];
}
static void stencil_3d(bool after)
{
    dim3 grid(CUBE / 32, CUBE / 4, CUBE / 2), block(32, 4, 2);
    after ? stencil_cube<true><<<grid, block>>>(a, b) : stencil_cube<false><<<grid, block>>>(a, b);
}
__global__ void convolve_global(const float *in, const float *weight, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += in[i + k] * weight[k];
    out[i] = sum;
}
__global__ void convolve_shared(const float *in, const float *weight, float *out)
{
    __shared__ float row[THREADS + 2 * RADIUS], w[2 * RADIUS + 1];
    int i = blockIdx.x * THREADS + threadIdx.x;
    row[threadIdx.x] = in[i];
    if (threadIdx.x < 2 * RADIUS)
        row[THREADS + threadIdx.x] = in[i + THREADS];
    if (threadIdx.x <= 2 * RADIUS)
        w[threadIdx.x] = weight[threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += row[threadIdx.x + k] * w[k];
    out[i] = sum;
}
static void convolution(bool after)
{
    after ? convolve_shared<<<ALL, THREADS>>>(a, a + 2 * ITEMS, b) : convolve_global<<<ALL, THREADS>>>(a, a + 2 * ITEMS, b);
}

// ---- sparse matrix times vector: a thread or a warp per row ----
enum { ROWS = 4096, MEDIUM = 16, MOST = 512, COLUMNS = 65536, STARTS = 1 << 22 };
template <bool AFTER> __global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y)
{
    int thread = blockIdx.x * THREADS + threadIdx.x, row = AFTER ? thread / 32 : thread, lane = AFTER ? thread % 32 : 0;
    float sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += AFTER ? 32 : 1)
        sum += value[i] * x[column[i]];
    if (AFTER)
        for (int d = 16; d; d /= 2)
            sum += __shfl_down_sync(~0u, sum, d);
    if (!lane)
        y[row] = sum;
}
template <bool SKEWED> static void spmv_rows(bool after)
{
    static int start[ROWS + 1];
    unsigned state = 7;
    for (int i = 0; i < ROWS; i++)
        start[i + 1] = start[i] + (SKEWED ? MOST >> draw(&state) % 10 : MEDIUM);
    fill(0, start[ROWS], COLUMNS, false);
    cudaMemcpy(index_of + STARTS, start, sizeof start, cudaMemcpyHostToDevice);
    prepared();
    after ? spmv<true><<<ROWS / 8, THREADS>>>(index_of + STARTS, index_of, a, a + STARTS, b)
          : spmv<false><<<ROWS / THREADS, THREADS>>>(index_of + STARTS, index_of, a, a + STARTS, b);
}

// ---- softmax of rows ----
enum { SHORT = 64, ROW = 256, LONG = 4096 };
__device__ float of_warp(float v, bool largest)
{
    for (int d = 16; d; d /= 2) {
        float other = __shfl_xor_sync(~0u, v, d);
        v = largest ? fmaxf(v, other) : v + other;
    }
    return v;
}
__device__ float of_block(float v, bool largest)
{
    __shared__ float part[THREADS / 32];
    v = of_warp(v, largest);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int i = 1; i < THREADS / 32; i++)
        v = largest ? fmaxf(v, part[i]) : v + part[i];
    return v;
}
__global__ void softmax_thread(const float *in, float *out)
{
    int row = blockIdx.x * THREADS + threadIdx.x;
    float most = -1e30f, sum = 0;
    for (int i = 0; i < ROW; i++)
        most = fmaxf(most, in[row * ROW + i]);
    for (int i = 0; i < ROW; i++)
        sum += __expf(in[row * ROW + i] - most);
    for (int i = 0; i < ROW; i++)
        out[row * ROW + i] = __expf(in[row * ROW + i] - most) / sum;
}
template <int LENGTH> __global__ void softmax_warp(const float *in, float *out)
{
    int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float most = -1e30f, sum = 0;
    for (int i = lane; i < LENGTH; i += 32)
        most = fmaxf(most, in[row * LENGTH + i]);
    most = of_warp(most, true);
    for (int i = lane; i < LENGTH; i += 32)
        sum += __expf(in[row * LENGTH + i] - most);
    sum = of_warp(sum, false);
    for (int i = lane; i < LENGTH; i += 32)
        out[row * LENGTH + i] = __expf(in[row * LENGTH + i] - most) / sum;
}
template <int LENGTH> __global__ void softmax_block(const float *in, float *out)
{
    in += blockIdx.x * LENGTH, out += blockIdx.x * LENGTH;
    float most = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < LENGTH; i += THREADS)
        most = fmaxf(most, in[i]);
    most = of_block(most, true);
    for (int i = threadIdx.x; i < LENGTH; i += THREADS)
        sum += __expf(in[i] - most);
    sum = of_block(sum, false);
    for (int i = threadIdx.x; i < LENGTH; i += THREADS)
        out[i] = __expf(in[i] - most) / sum;
}
template <int LENGTH> __global__ void softmax_block_online(const float *in, float *out)
{
    in += blockIdx.x * LENGTH, out += blockIdx.x * LENGTH;
    float mine = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < LENGTH; i += THREADS) {
        float v = in[i], most = fmaxf(mine, v);
        sum = sum * __expf(mine - most) + __expf(v - most);
        mine = most;
    }
    float most = of_block(mine, true);
    sum = of_block(sum * __expf(mine - most), false);
    for (int i = threadIdx.x; i < LENGTH; i += THREADS)
        out[i] = __expf(in[i] - most) / sum;
}
static void softmax_rows(bool after)
{
    after ? softmax_warp<ROW><<<ROWS / 8, THREADS>>>(a, b) : softmax_thread<<<ROWS / THREADS, THREADS>>>(a, b);
}
static void softmax_online(bool after)
{
    after ? softmax_block_online<LONG><<<264, THREADS>>>(a, b) : softmax_block<LONG><<<264, THREADS>>>(a, b);
}
static void softmax_short(bool after)
{
    after ? softmax_warp<SHORT><<<ROWS / 8, THREADS>>>(a, b) : softmax_block<SHORT><<<ROWS, THREADS>>>(a, b);
}

// ---- rows of PITCH words, a lane per row ----
template <int PITCH> __global__ void rows(const float *in, float *out)
{
    int row = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 32; i++)
        sum += in[row * PITCH + blockIdx.y * 32 + i];
    out[blockIdx.y * 16 * THREADS + row] = sum;
}
static void pad_rows(bool after)
{
    after ? rows<1056><<<dim3(16, 8), THREADS>>>(a, b) : rows<1024><<<dim3(16, 8), THREADS>>>(a, b);
}

// ---- gather, scatter ----
__global__ void gather(const int *index, const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = in[index[i]];
}
__global__ void scatter(const int *index, const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[index[i]] = in[i];
}
static void gather_sorted(bool after)
{
    fill(0, ITEMS, WORDS, after);
    gather<<<ALL, THREADS>>>(index_of, a, b);
}
static void scatter_sorted(bool after)
{
    fill(0, ITEMS, WORDS, after);
    scatter<<<ALL, THREADS>>>(index_of, a, b);
}

// ---- L1 ----
enum { TABLE = 40960, TURNS = 48, WALKED = 131072, TILED = 16384 };
template <bool AFTER> __global__ void table_and_stream(const float *table, const float *stream, float *out)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
    float sum = 0;
    for (unsigned i = 0; i < TURNS; i++) {
        const float *p = stream + i * total + thread;
        float v;
        if (AFTER)
            asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
        else
            v = *p;
        for (unsigned k = 0; k < 4; k++)
            sum += v * table[(threadIdx.x / 32 * 977 + (i * 4 + k) * 7919) * 32 % TABLE + threadIdx.x % 32];
    }
    out[thread] = sum;
}
static void bypass_stream(bool after)
{
    after ? table_and_stream<true><<<132, 1024>>>(a, a + TABLE, b) : table_and_stream<false><<<132, 1024>>>(a, a + TABLE, b);
}
template <int TILE> __global__ void walk(const float *in, float *out)
{
    float sum = 0;
    for (int from = 0; from < WALKED; from += TILE)
        for (int turn = 0; turn < 4; turn++)
            for (int i = threadIdx.x; i < TILE; i += 1024)
                sum = sum * 0.5f + in[from + i];
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}
static void thrash_tile(bool after) { after ? walk<TILED><<<132, 1024>>>(a, b) : walk<WALKED><<<132, 1024>>>(a, b); }

int main(int argc, char **argv)
{
    static const pair pairs[] = {{"aos-8", aos<2, 2, 0>},
                                 {"aos-16", aos<4, 4, 0>},
                                 {"aos-vector", aos_vector},
                                 {"aos-64", aos<16, 6, 3>},
                                 {"aos-128", aos<32, 1, 0>},
                                 {"stencil-shared", stencil_shared},
                                 {"stencil-3d", stencil_3d},
                                 {"convolution", convolution},
                                 {"spmv-medium", spmv_rows<false>},
                                 {"spmv-skewed", spmv_rows<true>},
                                 {"softmax-rows", softmax_rows},
                                 {"softmax-online", softmax_online},
                                 {"softmax-short", softmax_short},
                                 {"pad-rows", pad_rows},
                                 {"gather-sorted", gather_sorted},
                                 {"scatter-sorted", scatter_sorted},
                                 {"bypass-stream", bypass_stream},
                                 {"thrash-tile", thrash_tile}};
    return run_pair(argc, argv, pairs);
}
