/* Which SMs' requests for the same lines reach L2 as one, and which hit what SM 0 has read: SM 0 with each other one. One block on each SM (shared
 * memory sees to that); the two meet at a counter and then walk over the same cold lines, one load after the other. joined.cu has the rest.
 *
 * ./measure runs it under ncu; results.csv is what an H200 showed. */
#include "check.h"

enum { SMS = 132, SHARED = 120 << 10 };

static __device__ unsigned sm_id()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

__global__ void walk(const unsigned *lines, int count, int other, unsigned *arrived, unsigned *sink)
{
    extern __shared__ unsigned scratch[];
    unsigned sm = sm_id();
    if (sm && (int)sm != other)
        return;
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < 2)
            ;
        long long start = clock64();
        while (clock64() - start < 3000)
            ;
    }
    __syncwarp();
    unsigned at = threadIdx.x, sum = 0;
    for (int i = 0; i < count; i++) { /* the loaded value, 0, is part of the next address */
        unsigned v;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(lines + at));
        at += 32 + v;
        sum += v;
    }
    scratch[threadIdx.x] = sum;
    if (sum == 12345)
        *sink = sum;
}

int main()
{
    unsigned *lines, *arrived, *sink;
    CHECK(cudaMalloc(&lines, 64 << 20));
    CHECK(cudaMemset(lines, 0, 64 << 20));
    CHECK(cudaMalloc(&arrived, 4));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int sm = 1; sm < SMS; sm++) {
        CHECK(cudaMemset(arrived, 0, sizeof *arrived));
        walk<<<SMS, 32, SHARED>>>(lines, 512, sm, arrived, sink);
        CHECK(cudaDeviceSynchronize());
    }
}
