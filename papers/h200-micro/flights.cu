/* SPDX-License-Identifier: MIT */
/* How many loads an SM has in flight, by the size of its L1: streams over data in L2 (or memory), with so many loads at a time per warp,
 * by operator, for carve-outs from 0 to 100 %. Every warp reads lines of its own; a load is 128, 256 or 512 bytes of a warp (4, 8, 16 per
 * lane), or 32 sectors of 32 lines. "tile": a warp reads its load twice, the second time after the first. Prints CSV. */
#include "check.h"
#include <algorithm>

enum { SMS = 132, ROUNDS = 64 };
enum kind { CA, CG, NO_ALLOCATE, CA8, CA16, SCATTERED, TILE, ASYNC };
static const char *const kinds[] = {"ca", "cg", "no_allocate", "ca 8 bytes", "ca 16 bytes", "ca scattered", "ca then again", "cp.async 4"};

template <int KIND> static __device__ __forceinline__ unsigned load(const char *p, unsigned shared)
{
    unsigned v = 0, w, x, y;
    switch (KIND) {
    case CG: asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v;
    case NO_ALLOCATE: asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v;
    case CA8: asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(p) : "memory"); return v ^ w;
    case CA16: asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p) : "memory"); return v ^ w ^ x ^ y;
    case ASYNC: asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(p) : "memory"); return v;
    default: asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v;
    }
}

template <int KIND, int AHEAD> __global__ void stream(const char *data, size_t bytes, long long *cycles, unsigned *out)
{
    extern __shared__ unsigned kept[];
    unsigned lane = threadIdx.x % 32, warps = gridDim.x * (blockDim.x / 32), warp = threadIdx.x / 32 * gridDim.x + blockIdx.x, sum = 0;
    constexpr unsigned width = KIND == CA8 ? 8 : KIND == CA16 ? 16 : 4, request = KIND == SCATTERED ? 4096 : width * 32;
    unsigned shared = (unsigned)__cvta_generic_to_shared(kept + threadIdx.x);
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned v[AHEAD];
        const char *p[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            size_t at = ((size_t)(round * AHEAD + k) * warps + warp) * request & (bytes - 1);
            p[k] = data + at + (KIND == SCATTERED ? lane * 128 : lane * width) + sum;
            v[k] = load<KIND>(p[k], shared);
        }
        if (KIND == ASYNC)
            asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            sum += v[k];
        if (KIND == TILE) {
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                v[k] = load<KIND>(p[k] + sum, shared);
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                sum += v[k];
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static char *data;
static unsigned *out;
static long long *device_cycles;

template <int KIND, int AHEAD> static void measure(int percent, int sms, int warps, unsigned mb)
{
    static long long host[SMS];
    long long best = 0;
    auto kernel = stream<KIND, AHEAD>;
    int kb = percent * 2; /* one block on an SM where L1 is small */
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    for (int i = 0; i < 4; i++) {
        kernel<<<sms, warps * 32, kb ? kb << 10 : 4096>>>(data, (size_t)mb << 20, device_cycles, out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(host, device_cycles, sms * sizeof host[0], cudaMemcpyDeviceToHost));
        long long took = *std::max_element(host, host + sms);
        best = i > 1 && best < took ? best : took;
    }
    double loads = (double)ROUNDS * AHEAD * warps, bytes = loads * (KIND == CA8 ? 256 : KIND == CA16 ? 512 : KIND == SCATTERED ? 1024 : 128);
    printf("%s,%d,%d,%d,%d,%u,%.3f,%.3f,%.2f\n", kinds[KIND], percent, sms, warps, AHEAD, mb, (double)best / loads, bytes / (double)best,
           (double)best / ROUNDS);
    fflush(stdout);
}

template <int KIND> static void all()
{
    for (int percent : {0, 25, 50, 75, 90, 100})
        for (int sms : {1, (int)SMS})
            for (unsigned mb : {16u, 1024u}) {
                if (mb == 1024 && (sms == 1 || KIND == CA8 || KIND == SCATTERED))
                    continue;
                for (int warps : {1, 4, 8, 16, 32}) {
                    measure<KIND, 1>(percent, sms, warps, mb);
                    measure<KIND, 4>(percent, sms, warps, mb);
                    measure<KIND, 8>(percent, sms, warps, mb);
                    measure<KIND, 16>(percent, sms, warps, mb);
                }
            }
}

int main()
{
    CHECK(cudaMalloc(&data, (size_t)1 << 30));
    CHECK(cudaMemset(data, 0, (size_t)1 << 30));
    CHECK(cudaMalloc(&device_cycles, 8 * SMS));
    CHECK(cudaMalloc(&out, SMS * 1024 * 4));
    printf("operator,carveout,sms,warps,ahead,mb,cycles_per_load,bytes_per_cycle,cycles_per_round\n");
    all<CA>(), all<CG>(), all<NO_ALLOCATE>(), all<CA8>(), all<CA16>(), all<SCATTERED>(), all<TILE>(), all<ASYNC>();
    return 0;
}
