/* SPDX-License-Identifier: MIT */
/* What a miss of one sector brings, and what a read of a neighbor meanwhile counts as. One SM reads sector `first` of each of LINES
 * pairs of lines (8 sectors), then the same SM or another one reads sector `second`, `delay` cycles after it asked for the first (-1: when
 * it has arrived). Prints the mean latency of both and how many of the second are below 400 and below 620 cycles; under ncu with empty
 * caches, launch by launch, what is counted as an L2 hit. Each measured launch is preceded by one that fills other data (`flush`). */
#include "check.h"
#include "words.h"

enum { LINES = 2048, SMS = 132, SHARED = 120 << 10 };

static __device__ unsigned read_l2(const char *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

static __device__ unsigned arrived(unsigned v)
{
    wait_for(v);
    return v;
}

/* SM `one` reads the first, `other` the second; they meet at each line through `turn`. Lanes of one warp are not used: thread 0 only. */
__global__ void neighbors(const char *data, int first, int second, int delay, unsigned one, unsigned other, volatile unsigned *turn,
                          unsigned long long *out)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x || (sm != one && sm != other))
        return;
    unsigned long long latency[2] = {}, below[2] = {};
    for (unsigned i = 0; i < LINES; i++) {
        const char *p = data + (size_t)(i * 2654435761u % LINES) * 4096; /* a line of each 4 KB */
        if (one == other) {
            unsigned a = clock(), v = read_l2(p + first * 32);
            if (delay < 0)
                v = arrived(v);
            while (delay > 0 && clock() - a < (unsigned)delay)
                ;
            unsigned between = clock(), w = arrived(read_l2(p + second * 32)), took = clock() - between;
            latency[1] += took + w, below[0] += took < 400, below[1] += took < 620;
            v = arrived(v);
            latency[0] += (unsigned)clock() - a + v;
        } else {
            if (sm == one) {
                while (*turn != 2 * i)
                    ;
                *turn = 2 * i + 1;
                unsigned a = clock(), v = arrived(read_l2(p + first * 32));
                latency[0] += (unsigned)clock() - a + v;
            } else {
                while (*turn != 2 * i + 1)
                    ;
                unsigned begin = clock();
                while (clock() - begin < (unsigned)(delay < 0 ? 1500 : delay))
                    ;
                unsigned a = clock(), v = arrived(read_l2(p + second * 32)), took = clock() - a;
                latency[1] += took + v, below[0] += took < 400, below[1] += took < 620;
                begin = clock();
                while (clock() - begin < 1500)
                    ;
                *turn = 2 * i + 2;
            }
        }
    }
    if (sm == one)
        out[0] = latency[0];
    if (sm == other)
        out[1] = latency[1], out[2] = below[0], out[3] = below[1];
}

__global__ void flush(unsigned *data, size_t words)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        data[i] = 0;
}

int main()
{
    char *data;
    unsigned *turn, *other_data;
    unsigned long long *out, host[4];
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMemset(data, 0, 64 << 20));
    CHECK(cudaMalloc(&other_data, 512 << 20));
    CHECK(cudaMalloc(&turn, 4));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaFuncSetAttribute(neighbors, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    printf("first,second,delay,one,other,mean_first,mean_second,second_below_400,second_below_620,of\n");
    for (unsigned other : {0u, 16u, 2u}) /* SM 16 is in another GPC of the partition of SM 0, SM 2 in the other partition */
        for (int first : {0, 1, 2, 3})
            for (int second = 0; second < 8; second++)
                for (int delay : {0, 100, 300, 600, -1}) {
                    if (first && (delay == 100 || delay == 300 || second > 3))
                        continue;
                    CHECK(cudaMemset(turn, 0, 4));
                    flush<<<SMS, 1024>>>(other_data, 128 << 20);
                    neighbors<<<SMS, 32, SHARED>>>(data, first, second, delay, 0, other, turn, out);
                    CHECK(cudaDeviceSynchronize());
                    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
                    printf("%d,%d,%d,0,%u,%.1f,%.1f,%llu,%llu,%d\n", first, second, delay, other, host[0] / (double)LINES,
                           host[1] / (double)LINES, host[2], host[3], LINES);
                    fflush(stdout);
                }
    return 0;
}
