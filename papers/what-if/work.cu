// SPDX-License-Identifier: MIT
// Pairs whose repair changes how work is divided among lanes, blocks and launches.
//   nvcc -O3 -arch=sm_90 -cudart shared -lineinfo -o work work.cu
#include "pair.h"

// ---- branches of lanes ----
template <int TURNS> __global__ void branches(const int *kind, const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float v = in[i];
    switch (kind[i]) {
    case 0:
        for (int k = 0; k < TURNS; k++)
            v = v * 0.5f + 1;
        break;
    case 1:
        for (int k = 0; k < TURNS; k++)
            v = (v + 3) * v;
        break;
    case 2:
        for (int k = 0; k < TURNS; k++)
            v = fmaxf(v, 2) - 0.25f * v;
        break;
    default:
        for (int k = 0; k < TURNS; k++)
            v = v * v + 0.125f;
    }
    out[i] = v;
}
template <int TURNS> static void branch(bool after)
{
    fill(0, ITEMS, 4, after);
    branches<TURNS><<<ALL, THREADS>>>(index_of, a, b);
}
__global__ void trips(const int *count, const float *in, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < count[i]; k++)
        v = v * v + 0.5f;
    out[i] = v;
}
static void trip_count(bool after)
{
    fill(0, ITEMS, 128, after);
    trips<<<ALL, THREADS>>>(index_of, a, b);
}

// ---- blocks of unequal work ----
enum { SHORT_ROWS = 256, LONG_ROWS = 8, PIECE = 2048, PIECES = 64, TRIANGLE = 1056, BIG = 140 };
__device__ void add_up(const float *in, int count, float *out)
{
    float sum = 0;
    for (int i = threadIdx.x; i < count; i += THREADS)
        sum += in[i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}
/* rows of one piece, then rows of PIECES */
__global__ void row_per_block(const float *in, float *out)
{
    int row = blockIdx.x, wide = row - SHORT_ROWS;
    add_up(in + (wide > 0 ? SHORT_ROWS + wide * PIECES : row) * PIECE, wide >= 0 ? PIECE * PIECES : PIECE, out + row);
}
__global__ void piece_per_block(const float *in, float *out)
{
    int piece = blockIdx.x, wide = piece - SHORT_ROWS;
    add_up(in + piece * PIECE, PIECE, out + (wide >= 0 ? SHORT_ROWS + wide / PIECES : piece));
}
static void rows_skewed(bool after)
{
    after ? piece_per_block<<<SHORT_ROWS + LONG_ROWS * PIECES, THREADS>>>(a, b)
          : row_per_block<<<SHORT_ROWS + LONG_ROWS, THREADS>>>(a, b);
}
__device__ void triangle_row(const float *in, float *out, int row)
{
    float sum = 0;
    for (int k = 0; k <= row; k++)
        sum = sum * 0.5f + in[k * 64 + threadIdx.x];
    out[row * 64 + threadIdx.x] = sum;
}
template <bool AFTER> __global__ void triangles(const float *in, float *out)
{
    triangle_row(in, out, TRIANGLE - 1 - blockIdx.x);
    if (AFTER)
        triangle_row(in, out, blockIdx.x);
}
static void triangle(bool after) { after ? triangles<true><<<TRIANGLE / 2, 64>>>(a, b) : triangles<false><<<TRIANGLE, 64>>>(a, b); }
__global__ void grind(const float *in, float *out)
{
    extern __shared__ float kept[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = in[i];
    __syncthreads();
    float v = kept[threadIdx.x ^ 1];
    for (int k = 0; k < 512; k++)
        v = v * 0.5f + 1;
    out[i] = v;
}
static void tail(bool after)
{
    enum { SHARED = 120 << 10 };
    cudaFuncSetAttribute(grind, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    after ? grind<<<BIG * 8, 128, SHARED / 8>>>(a, b) : grind<<<BIG, 1024, SHARED>>>(a, b);
}

// ---- values loaded again ----
__global__ void reload(const float *in, const float *scale, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int k = 0; k < 128; k++)
        out[i] = out[i] * scale[0] + in[i];
}
__global__ void keep(const float *in, const float *scale, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float s = scale[0], v = in[i], sum = out[i];
    for (int k = 0; k < 128; k++)
        sum = sum * s + v;
    out[i] = sum;
}
static void hoist(bool after) { after ? keep<<<ALL, THREADS>>>(a, a + ITEMS, b) : reload<<<ALL, THREADS>>>(a, a + ITEMS, b); }
template <bool AFTER> __global__ void scaled(const float *in, const float *scale, float *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float s = scale[0], v = in[i];
    for (int k = 0; k < 16; k++)
        out[k * ITEMS + i] = AFTER ? v * s : in[i] * scale[0];
}
static void hoist_stream(bool after)
{
    after ? scaled<true><<<ALL, THREADS>>>(a, a + ITEMS, b) : scaled<false><<<ALL, THREADS>>>(a, a + ITEMS, b);
}

// ---- counters of a thread ----
template <bool AFTER> __global__ void counters(const int *key, int *out)
{
    __shared__ int shared[16][THREADS];
    int own[16], i = blockIdx.x * THREADS + threadIdx.x, most = 0;
#define COUNTER(k) (AFTER ? shared[k][threadIdx.x] : own[k])
    for (int k = 0; k < 16; k++)
        COUNTER(k) = 0;
    for (int k = 0; k < 16; k++)
        COUNTER(key[k * ITEMS + i])++;
    for (int k = 0; k < 16; k++)
        most = max(most, COUNTER(k));
    out[i] = most;
}
static void local_shared(bool after)
{
    fill(0, 16 * ITEMS, 16, false);
    after ? counters<true><<<ALL, THREADS>>>(index_of, (int *)b) : counters<false><<<ALL, THREADS>>>(index_of, (int *)b);
}

// ---- launches, blocks, warps at work ----
__global__ void step(float *data, int times)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    float v = data[i];
    for (int k = 0; k < times; k++)
        v = v * 0.5f + 1;
    data[i] = v;
}
static void launches(bool after)
{
    for (int k = 0; k < (after ? 1 : 32); k++)
        step<<<256, THREADS>>>(b, after ? 32 : 1);
}
template <int AHEAD> __global__ void stream(const float *in, float *out, int turns)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, total = gridDim.x * blockDim.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < turns; k += AHEAD) {
        float v[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            v[j] = in[(k + j) * total + thread];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            sum += v[j];
    }
    out[thread] = sum;
}
static void few_blocks(bool after) { after ? stream<1><<<1056, THREADS>>>(a, b, 8) : stream<1><<<32, THREADS>>>(a, b, 264); }
template <int AHEAD> static void few_resident(bool after)
{
    enum { SHARED = 100 << 10 };
    cudaFuncSetAttribute(stream<AHEAD>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    stream<AHEAD><<<1056, 128, after ? 0 : SHARED>>>(a, b, 16);
}

// ---- atomics ----
template <bool AFTER> __global__ void sum_up(const float *in, float *out)
{
    __shared__ float part[THREADS / 32];
    float v = in[blockIdx.x * THREADS + threadIdx.x];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) {
        if (!AFTER)
            atomicAdd(out, v);
        part[threadIdx.x / 32] = v;
    }
    if (!AFTER)
        return;
    __syncthreads();
    if (!threadIdx.x) {
        for (int i = 1; i < THREADS / 32; i++)
            v += part[i];
        atomicAdd(out, v);
    }
}
static void sum_warps(bool after) { after ? sum_up<true><<<4 * ALL, THREADS>>>(a, b) : sum_up<false><<<4 * ALL, THREADS>>>(a, b); }
template <bool AFTER> __global__ void count(const int *key, int *counter)
{
    int k = key[blockIdx.x * THREADS + threadIdx.x];
    unsigned equal = AFTER ? __match_any_sync(~0u, k) : 1;
    if (!AFTER || __ffs(equal) - 1 == threadIdx.x % 32)
        atomicAdd(&counter[k], AFTER ? __popc(equal) : 1);
}
static void count_many(bool after)
{
    fill(0, ITEMS, 65536, false);
    after ? count<true><<<ALL, THREADS>>>(index_of, (int *)b) : count<false><<<ALL, THREADS>>>(index_of, (int *)b);
}
template <bool AFTER> __global__ void keep_even(const int *in, int *out, int *counter)
{
    int v = in[blockIdx.x * THREADS + threadIdx.x], lane = threadIdx.x % 32;
    if (!AFTER) {
        if (v % 2 == 0)
            out[atomicAdd(counter, 1)] = v;
        return;
    }
    unsigned chosen = __ballot_sync(~0u, v % 2 == 0);
    int at = 0;
    if (!lane)
        at = atomicAdd(counter, __popc(chosen));
    at = __shfl_sync(~0u, at, 0);
    if (v % 2 == 0)
        out[at + __popc(chosen & ((1u << lane) - 1))] = v;
}
static void append(bool after)
{
    fill(0, ITEMS, 1 << 20, false);
    after ? keep_even<true><<<ALL, THREADS>>>(index_of, (int *)b, (int *)a)
          : keep_even<false><<<ALL, THREADS>>>(index_of, (int *)b, (int *)a);
}

// ---- instructions ----
template <class T> __global__ void copy(const T *in, T *out, int count)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
        out[i] = in[i];
}
static void copy_vector(bool after)
{
    after ? copy<<<528, THREADS>>>((float4 *)a, (float4 *)b, ITEMS) : copy<<<528, THREADS>>>(a, b, ITEMS * 4);
}

int main(int argc, char **argv)
{
    static const pair pairs[] = {{"branch-heavy", branch<64>},
                                 {"branch-light", branch<1>},
                                 {"trip-count", trip_count},
                                 {"rows-skewed", rows_skewed},
                                 {"triangle", triangle},
                                 {"tail", tail},
                                 {"hoist", hoist},
                                 {"hoist-stream", hoist_stream},
                                 {"local-shared", local_shared},
                                 {"launches", launches},
                                 {"few-blocks", few_blocks},
                                 {"few-resident", few_resident<1>},
                                 {"few-resident-ahead", few_resident<16>},
                                 {"sum-warps", sum_warps},
                                 {"count-many", count_many},
                                 {"append", append},
                                 {"copy-vector", copy_vector}};
    return run_pair(argc, argv, pairs);
}
