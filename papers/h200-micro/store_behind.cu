/* SPDX-License-Identifier: MIT */
/* What does a store do that follows a load of the same line in flight? Warps load a line that L1 does not have and store at once,
 * without a use of what they load: the same words, another sector of the line, or another line. Cycles of a round, by warps, from memory and
 * from L2; and of a bystander, which loads a line that L2 has meanwhile: those in the same slice of L2 wait, too. store_behind.txt is what an
 * H200 printed. */
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

#include "check.h"

enum { ROUNDS = 64, FAR = 8 << 20, NOTHING = 0, SAME = 1, SECTOR = 2, LINE = 3, AFTER = 4 };
static const char *const names[] = {"none", "same words", "another sector", "another line", "same words after use"};

__device__ float load(const float *p)
{
    float v;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__device__ void store(float *p, float v)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v));
}

/* Eight lanes load a sector, the others the same: a line of its own for each warp and round. */
template <int WHERE> __device__ float load_and_store(float *a, int warp, int round)
{
    float *at = a + (round * 32 + warp) * 32 + threadIdx.x % 8;
    float v = load(at);
    if (WHERE == SAME)
        store(at, 1);
    if (WHERE == SECTOR)
        store(at + 8, 1);
    if (WHERE == LINE)
        store(at + FAR, 1);
    if (WHERE == AFTER)
        store(at, v + 1);
    return v;
}

template <int WHERE> __global__ void rounds(float *a, long long *cycles, float *sink)
{
    float sum = 0;
    __syncthreads();
    long long start = clock64();
    for (int round = 0; round < ROUNDS; round++)
        sum += load_and_store<WHERE>(a, threadIdx.x / 32, round);
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() + (__float_as_int(sum) == 12345) - start;
    sink[threadIdx.x] = sum;
}

/* Warp 0 loads a line from memory and stores; 150 cycles later warp 1 loads one that L2 has, `lines` behind that. */
enum { APART = 1 << 18 };
template <int WHERE> __global__ void beside(float *a, int lines, unsigned *cycles, float *sink)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        float *at = a + round * APART + lane % 8;
        __syncthreads();
        long long start = clock64();
        if (warp == 0) {
            sum += load_and_store<WHERE>(at - threadIdx.x % 8, 0, 0);
        } else {
            while (clock64() < start + 150)
                ;
            long long begin = clock64();
            float v = load(at + lines * 32);
            asm volatile("" ::"f"(v) : "memory");
            sum += v;
            cycles[round] = (unsigned)(clock64() + (__float_as_int(sum) == 12345) - begin);
        }
    }
    sink[threadIdx.x] = sum;
}
__global__ void touch(float *a, int lines, float *sink)
{
    float sum = 0;
    for (int round = 0; round < ROUNDS; round++)
        sum += load(a + round * APART + lines * 32 + threadIdx.x % 8);
    sink[threadIdx.x] = sum;
}

int main()
{
    float *a, *sink, *other;
    long long *cycles;
    unsigned *taken;
    CHECK(cudaMalloc(&a, 128 << 20));
    CHECK(cudaMalloc(&sink, 4096));
    CHECK(cudaMalloc(&other, 512 << 20));
    CHECK(cudaMallocManaged(&cycles, 16));
    CHECK(cudaMallocManaged(&taken, ROUNDS * sizeof *taken));
    void (*loops[])(float *, long long *, float *) = {rounds<NOTHING>, rounds<SAME>, rounds<SECTOR>, rounds<LINE>, rounds<AFTER>};
    void (*pairs[])(float *, int, unsigned *, float *) = {beside<NOTHING>, beside<SAME>, beside<SECTOR>, beside<LINE>, beside<AFTER>};
    puts("store,warps,from,cycles of a round");
    for (int where = NOTHING; where <= AFTER; where++)
        for (int warps = 1; warps <= 32; warps *= 2)
            for (int warm = 0; warm < 2; warm++) {
                if (!warm)
                    CHECK(cudaMemset(other, warps, 512 << 20)); /* takes L2 */
                loops[where]<<<1, 32 * warps>>>(a, cycles, sink);
                CHECK(cudaDeviceSynchronize());
                printf("%s,%d,%s,%.1f\n", names[where], warps, warm ? "L2" : "memory", *cycles / (double)ROUNDS);
            }
    puts("store,lines behind,cycles of the bystander: median,maximum,of 64 over 520");
    for (int where = NOTHING; where <= AFTER; where++)
        for (int lines = 1; lines <= 96; lines++) {
            CHECK(cudaMemset(other, lines, 512 << 20));
            touch<<<1, 32>>>(a, lines, sink);
            pairs[where]<<<1, 64>>>(a, lines, taken, sink);
            CHECK(cudaDeviceSynchronize());
            std::sort(taken, taken + ROUNDS);
            int late = 0;
            for (int i = 0; i < ROUNDS; i++)
                late += taken[i] > 520; /* L2 answers after 290, from the other partition after 465 */
            printf("%s,%d,%u,%u,%d\n", names[where], lines, taken[ROUNDS / 2], taken[ROUNDS - 1], late);
        }
}
