/* SPDX-License-Identifier: MIT */
/* Does a load that hits L1 wait for one before it that misses? Warp 0 issues `misses` loads of `lines` lines each that miss L1 (and
 * hit L2), in MODE; warp 1, which has its line in L1, a load some cycles later, of `hit_lines` lines. Cycles of the latter, and of one by
 * warp 0 itself behind its own; behind.txt is what an H200 printed. */
#include <cstdio>
#include <cuda_runtime.h>

template <int MODE> __device__ float load(const float *p)
{
    float v;
    if (MODE == 0)
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else if (MODE == 1)
        asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    else
        asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}

enum { ROUNDS = 64 };

/* Warp 0 loads sectors of a line that L1 does not have; warp 1, `delay` cycles later, sectors that begin `words` behind. Cycles of both. */
template <int MODE> __global__ void beside(const float *a, int words, int width, int delay, long long *cycles, float *sink)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum = 0;
    long long all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads();
        long long start = clock64();
        while (warp && clock64() < start + delay)
            ;
        long long begin = clock64();
        float v = load<MODE>(a + round * 1024 + warp * words + lane % width);
        asm volatile("" ::"f"(v) : "memory");
        sum += v;
        all += clock64() + (__float_as_int(sum) == 12345) - begin;
    }
    if (lane == 0)
        cycles[warp] = all;
    sink[threadIdx.x] = sum;
}

template <int MODE>
__global__ void behind(const float *a, int misses, int lines, int hit_lines, int own, long long *cycles, float *sink)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *mine = a + (8 << 20) + lane * hit_lines / 32 * 32 + lane % 8, *missed = a + lane * lines / 32 * 32 + lane % 8;
    float sum = 0;
    long long all = 0;
    for (int i = 0; i < 8; i++)
        sum += load<0>(mine);
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads();
        long long start = clock64();
        float v[8] = {0};
        if (warp == 0)
            for (int i = 0; i < misses; i++)
                v[i & 7] += load<MODE>(missed + (round * 8 + i) * 1024);
        if (warp == (own ? 0 : 1)) {
            while (!own && clock64() < start + 100)
                ;
            long long begin = clock64();
            float hit = load<0>(mine);
            asm volatile("" ::"f"(hit) : "memory");
            sum += hit;
            long long end = clock64() + (__float_as_int(sum) == 12345);
            all += end - begin;
        }
        for (int i = 0; i < 8; i++)
            sum += v[i];
    }
    if (lane == 0 && warp == (own ? 0 : 1))
        *cycles = all;
    sink[threadIdx.x] = sum;
}

int main()
{
    float *a, *sink;
    long long *cycles;
    cudaMalloc(&a, 64 << 20);
    cudaMemset(a, 0, 64 << 20);
    cudaMalloc(&sink, 4096);
    cudaMallocManaged(&cycles, 16);
    const char *names[] = {"ca", "no_allocate", "cg"};
    puts("mode,misses,lines,hit_lines,own,cycles");
    for (int own = 0; own < 2; own++)
        for (int hit_lines = 1; hit_lines <= 32; hit_lines *= 32)
            for (int misses = 0; misses <= 4; misses += misses ? misses : 1)
                for (int lines = 1; lines <= 32; lines *= 32)
                    for (int mode = 0; mode < 3; mode++) {
                        void (*kernel[])(const float *, int, int, int, int, long long *, float *) = {behind<0>, behind<1>, behind<2>};
                        for (int repeat = 0; repeat < 2; repeat++) { /* the second with a warm L2 */
                            kernel[mode]<<<1, 64>>>(a, misses, lines, hit_lines, own, cycles, sink);
                            cudaDeviceSynchronize();
                        }
                        printf("%s,%d,%d,%d,%d,%.1f\n", names[mode], misses, lines, hit_lines, own, *cycles / (double)ROUNDS);
                    }
    puts("mode,words,width,delay,cycles_first,cycles_second");
    for (int width = 8; width <= 32; width *= 4)
        for (int delay = 30; delay <= 480; delay += delay < 120 ? 30 : 120)
            for (int words = 0; words <= 64; words += words ? words : 8)
                for (int mode = 0; mode < 3; mode++) {
                    void (*kernel[])(const float *, int, int, int, long long *, float *) = {beside<0>, beside<1>, beside<2>};
                    for (int repeat = 0; repeat < 2; repeat++) {
                        kernel[mode]<<<1, 64>>>(a, words, width, delay, cycles, sink);
                        cudaDeviceSynchronize();
                    }
                    printf("%s,%d,%d,%d,%.1f,%.1f\n", names[mode], words, width, delay, cycles[0] / (double)ROUNDS,
                           cycles[1] / (double)ROUNDS);
                }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
