/* SPDX-License-Identifier: MIT */
/* What does a store do that follows a load of the same line in flight? Warps load a line that L1 does not have and store at once,
 * without a use of what they load: the same words, another sector of the line, or another line. Cycles of a round, by warps, and of what
 * a bystander does meanwhile: a load that hits L1, one that misses it, a store to a line of its own. store_behind.txt is what an H200 printed. */
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

/* Warp 0 loads and stores; warp 1 does something `delay` cycles later. */
template <int WHERE> __global__ void beside(float *a, int what, int delay, long long *cycles, float *sink)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *own = a + 2 * FAR + lane, sum = load(own);
    long long all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads();
        long long start = clock64();
        if (warp == 0) {
            sum += load_and_store<WHERE>(a, 0, round);
        } else {
            while (clock64() < start + delay)
                ;
            long long begin = clock64();
            if (what < 2) {
                float v = load(what ? own + (round + 1) * 32 : own);
                asm volatile("" ::"f"(v) : "memory");
                sum += v;
            } else {
                store(own + (round + 100) * 32, 1);
                store(own + (round + 200) * 32, 1);
            }
            all += clock64() + (__float_as_int(sum) == 12345) - begin;
        }
    }
    if (lane == 0 && warp)
        *cycles = all;
    sink[threadIdx.x] = sum;
}

int main()
{
    float *a, *sink, *other;
    long long *cycles;
    CHECK(cudaMalloc(&a, 128 << 20));
    CHECK(cudaMalloc(&sink, 4096));
    CHECK(cudaMalloc(&other, 512 << 20));
    CHECK(cudaMallocManaged(&cycles, 16));
    void (*loops[])(float *, long long *, float *) = {rounds<NOTHING>, rounds<SAME>, rounds<SECTOR>, rounds<LINE>, rounds<AFTER>};
    void (*pairs[])(float *, int, int, long long *, float *) = {beside<NOTHING>, beside<SAME>, beside<SECTOR>, beside<LINE>, beside<AFTER>};
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
    puts("store,bystander,delay,cycles of the bystander");
    const char *whats[] = {"hit", "miss", "stores"};
    for (int where = NOTHING; where <= AFTER; where++)
        for (int what = 0; what < 3; what++)
            for (int delay = 40; delay <= 160; delay += 60) {
                for (int repeat = 0; repeat < 2; repeat++) {
                    pairs[where]<<<1, 64>>>(a, what, delay, cycles, sink);
                    CHECK(cudaDeviceSynchronize());
                }
                printf("%s,%s,%d,%.1f\n", names[where], whats[what], delay, *cycles / (double)ROUNDS);
            }
}
