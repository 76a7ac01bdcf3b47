/* SPDX-License-Identifier: MIT */
/* FlashAttention in halves on tensor cores: a block keeps a tile of queries of one head in registers and goes over all
 * keys and values in tiles of 64, which it brings to shared memory. What follows from the order of blocks and the size
 * of their tiles is in docs/flash-attention.md.
 *
 * Build: nvcc -O3 -arch=sm_80 -lineinfo flash.cu -o flash; run: ./flash ORDER QUERIES, where neighboring blocks are the
 * tiles of one head ("tiles") or the same tile of all heads ("heads"), and a tile has 64 or 128 queries. */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

enum { HEADS = 48, LENGTH = 1024, DIM = 64, KEYS = 64, ROW = DIM + 8 /* without bank conflicts */ };

__device__ static void multiply_add(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ static uint32_t pair(float low, float high)
{
    half2 both = __floats2half2_rn(low, high);
    return *(uint32_t *)&both;
}

__device__ static uint32_t at(const half *row, int column)
{
    return *(const uint32_t *)&row[column];
}

/* Over the four lanes that share a row. */
template <class Op> __device__ static float across(float value, Op op)
{
    value = op(value, __shfl_xor_sync(~0u, value, 2));
    return op(value, __shfl_xor_sync(~0u, value, 1));
}

/* A lane holds of every 8 columns two, 2 * t and 2 * t + 1, of rows g and g + 8 of its warp. */
template <int WARPS> __global__ void attention(half *out, const half *q, const half *k, const half *v, bool heads_first)
{
    __shared__ half keys[KEYS][ROW], values[KEYS][ROW];
    constexpr int QUERIES = WARPS * 16, TILES = LENGTH / QUERIES;
    int head = heads_first ? blockIdx.x % HEADS : blockIdx.x / TILES;
    int tile = heads_first ? blockIdx.x / HEADS : blockIdx.x % TILES;
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    size_t of_head = (size_t)head * LENGTH * DIM;
    size_t row = of_head + (size_t)(tile * QUERIES + threadIdx.x / 32 * 16 + g) * DIM;
    uint32_t query[DIM / 16][4];
    float top[2] = {-1e30f, -1e30f}, sum[2] = {0, 0}, result[DIM / 8][4] = {};
    for (int s = 0; s < DIM / 16; s++)
        for (int i = 0; i < 4; i++)
            query[s][i] = at(&q[row + i % 2 * 8 * DIM], s * 16 + i / 2 * 8 + 2 * t);

    for (int first = 0; first < LENGTH; first += KEYS) {
        __syncthreads();
        for (int i = threadIdx.x; i < KEYS * DIM / 8; i += WARPS * 32) {
            size_t from = of_head + (size_t)first * DIM + i * 8;
            *(uint4 *)&keys[i / 8][i % 8 * 8] = *(const uint4 *)&k[from];
            *(uint4 *)&values[i / 8][i % 8 * 8] = *(const uint4 *)&v[from];
        }
        __syncthreads();
        float score[KEYS / 8][4] = {};
        for (int n = 0; n < KEYS / 8; n++)
            for (int s = 0; s < DIM / 16; s++)
                multiply_add(score[n], query[s], at(keys[n * 8 + g], s * 16 + 2 * t),
                             at(keys[n * 8 + g], s * 16 + 8 + 2 * t));
        for (int side = 0; side < 2; side++) {
            float largest = top[side];
            for (int n = 0; n < KEYS / 8; n++)
                largest = fmaxf(largest, fmaxf(score[n][2 * side], score[n][2 * side + 1]) * 0.125f);
            largest = across(largest, [](float a, float b) { return fmaxf(a, b); });
            float shrink = __expf(top[side] - largest);
            top[side] = largest;
            sum[side] *= shrink;
            for (int n = 0; n < KEYS / 8; n++)
                for (int i = 2 * side; i < 2 * side + 2; i++) {
                    score[n][i] = __expf(score[n][i] * 0.125f - largest);
                    sum[side] += score[n][i];
                    result[n][i] *= shrink;
                }
        }
        for (int s = 0; s < KEYS / 16; s++) {
            const uint32_t weight[4] = {
                pair(score[2 * s][0], score[2 * s][1]), pair(score[2 * s][2], score[2 * s][3]),
                pair(score[2 * s + 1][0], score[2 * s + 1][1]), pair(score[2 * s + 1][2], score[2 * s + 1][3])};
            for (int n = 0; n < DIM / 8; n++) {
                half2 low = __halves2half2(values[s * 16 + 2 * t][n * 8 + g], values[s * 16 + 2 * t + 1][n * 8 + g]);
                half2 high =
                    __halves2half2(values[s * 16 + 8 + 2 * t][n * 8 + g], values[s * 16 + 9 + 2 * t][n * 8 + g]);
                multiply_add(result[n], weight, *(uint32_t *)&low, *(uint32_t *)&high);
            }
        }
    }
    for (int side = 0; side < 2; side++) {
        float share = 1 / across(sum[side], [](float a, float b) { return a + b; });
        for (int n = 0; n < DIM / 8; n++)
            *(uint32_t *)&out[row + side * 8 * DIM + n * 8 + 2 * t] =
                pair(result[n][2 * side] * share, result[n][2 * side + 1] * share);
    }
}

/* One query on the CPU. */
static float difference(const half *out, const half *q, const half *k, const half *v)
{
    std::vector<double> weight(LENGTH);
    double sum = 0, most = 0;
    for (int i = 0; i < LENGTH; i++) {
        double s = 0;
        for (int d = 0; d < DIM; d++)
            s += (double)__half2float(q[d]) * __half2float(k[i * DIM + d]);
        sum += weight[i] = exp(s * 0.125);
    }
    for (int d = 0; d < DIM; d++) {
        double exact = 0;
        for (int i = 0; i < LENGTH; i++)
            exact += weight[i] / sum * __half2float(v[i * DIM + d]);
        most = fmax(most, fabs(exact - __half2float(out[d])));
    }
    return (float)most;
}

int main(int argc, char **argv)
{
    bool heads_first = argc > 1 && !strcmp(argv[1], "heads");
    int queries = argc > 2 ? atoi(argv[2]) : 64;
    if (argc != 3 || (!heads_first && strcmp(argv[1], "tiles")) || (queries != 64 && queries != 128))
        return fprintf(stderr, "usage: flash tiles|heads 64|128\n"), 2;
    const size_t count = (size_t)HEADS * LENGTH * DIM;
    std::vector<half> host[4];
    half *device[4];
    uint32_t state = 1;
    for (int i = 0; i < 4; i++) {
        host[i].resize(count);
        for (half &value : host[i]) {
            state = state * 1664525u + 1013904223u;
            value = __float2half(i ? ((int)(state >> 16) - 32768) / 16384.0f : 0);
        }
        cudaMalloc((void **)&device[i], count * sizeof(half));
        cudaMemcpy(device[i], host[i].data(), count * sizeof(half), cudaMemcpyHostToDevice);
    }
    int blocks = HEADS * LENGTH / queries;
    if (queries == 64)
        attention<4><<<blocks, 128>>>(device[0], device[1], device[2], device[3], heads_first);
    else
        attention<8><<<blocks, 256>>>(device[0], device[1], device[2], device[3], heads_first);
    if (cudaMemcpy(host[0].data(), device[0], count * sizeof(half), cudaMemcpyDeviceToHost))
        return 1;
    float most = 0;
    for (int head = 0; head < HEADS; head += 5)
        for (int i = 7; i < LENGTH; i += 101) {
            size_t base = (size_t)head * LENGTH * DIM, row = base + (size_t)i * DIM;
            most = fmaxf(most, difference(&host[0][row], &host[1][row], &host[2][base], &host[3][base]));
        }
    printf("largest error %s 0.002\n", most < 0.002f ? "below" : "not below");
    return most < 0.002f ? 0 : 1;
}
