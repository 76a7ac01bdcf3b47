/* When the blocks of a launch start, in cycles: the clocks of the SMs are set against the edges of the global timer first.
 * For each launch a line that says what it is, the SMs of the blocks in the order of their numbers, and the cycles at which
 * they started, after the first of them. starts.txt is what an H200 printed. */
#include <algorithm>
#include <cstdio>
#include <vector>

#include "check.h"

enum { SMS = 132, SHARED = 120 << 10, EDGES = 400, MOST = 4096 };

static __device__ unsigned long long global_timer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void edges(unsigned long long *timer, long long *clock)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x)
        return;
    unsigned long long last = global_timer(), now;
    for (int i = 0; i < EDGES; i++, last = now) {
        while ((now = global_timer()) == last)
            ;
        clock[sm * EDGES + i] = clock64();
        timer[sm * EDGES + i] = now;
    }
}

__global__ void start(unsigned *sm, long long *clock, int spin)
{
    long long now = clock64();
    if (threadIdx.x == 0) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
        clock[blockIdx.x] = now;
        while (clock64() - now < spin)
            ;
    }
    __syncthreads();
}

int main()
{
    static unsigned long long timer[SMS * EDGES];
    static long long clock[SMS * EDGES], at[MOST];
    static unsigned sm[MOST];
    unsigned long long *timer_dev;
    long long *clock_dev;
    unsigned *sm_dev;
    CHECK(cudaMalloc(&timer_dev, sizeof timer));
    CHECK(cudaMalloc(&clock_dev, sizeof clock));
    CHECK(cudaMalloc(&sm_dev, sizeof sm));
    CHECK(cudaFuncSetAttribute(edges, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int warm = 0; warm < 20; warm++)
        edges<<<SMS, 32, SHARED>>>(timer_dev, clock_dev);
    static const struct {
        int grid, block, spin;
    } launches[] = {{132, 32, 100000}, {132, 256, 100000}, {132, 1024, 100000}, {1056, 256, 100000}, {1024, 256, 100000}, {2304, 16, 100000}, {64, 256, 100000}};
    for (auto &l : launches) {
        edges<<<SMS, 32, SHARED>>>(timer_dev, clock_dev);
        CHECK(cudaMemcpy(timer, timer_dev, sizeof timer, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(clock, clock_dev, sizeof clock, cudaMemcpyDeviceToHost));
        for (int warm = 0; warm < 2; warm++)
            start<<<l.grid, l.block>>>(sm_dev, clock_dev, l.spin);
        CHECK(cudaMemcpy(sm, sm_dev, l.grid * sizeof *sm, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(at, clock_dev, l.grid * sizeof *at, cudaMemcpyDeviceToHost));
        edges<<<SMS, 32, SHARED>>>(timer_dev, clock_dev); /* once more, later: how long a cycle is */
        static unsigned long long timer2[SMS * EDGES];
        static long long clock2[SMS * EDGES];
        CHECK(cudaMemcpy(timer2, timer_dev, sizeof timer, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(clock2, clock_dev, sizeof clock, cudaMemcpyDeviceToHost));
        double rate = (double)(clock2[EDGES - 1] - clock[0]) / (double)(timer2[EDGES - 1] - timer[0]);
        std::vector<double> offset(SMS, 1e300);
        for (int s = 0; s < SMS; s++)
            for (int i = 0; i < EDGES; i++) {
                offset[s] = std::min(offset[s], clock[s * EDGES + i] - clock[0] - rate * ((double)timer[s * EDGES + i] - (double)timer[0]));
                offset[s] = std::min(offset[s], clock2[s * EDGES + i] - clock[0] - rate * ((double)timer2[s * EDGES + i] - (double)timer[0]));
            }
        std::vector<double> when(l.grid);
        for (int b = 0; b < l.grid; b++)
            when[b] = (double)(at[b] - clock[0]) - offset[sm[b]];
        double first = *std::min_element(when.begin(), when.end());
        printf("%d blocks of %d threads; %.4f cycles per ns\n", l.grid, l.block, rate);
        for (int b = 0; b < l.grid; b++)
            printf("%u ", sm[b]);
        printf("\n");
        for (int b = 0; b < l.grid; b++)
            printf("%.0f ", when[b] - first);
        printf("\n");
    }
}
