/* SPDX-License-Identifier: MIT */
/* Cycles of an L1 request whose lanes are in rows, `pitch` bytes apart: groups of 1, 2, 4, 8 or 16 neighboring lanes in each row,
 * words of 4, 8 or 16 bytes. One SM. "hit": the lines of all warps fit L1, each warp has LOADS requests, 4 bytes further each; "walk":
 * each request goes on by one group, so that lines are used until their end, as in a walk along the columns of rows. Prints CSV. */
#include "check.h"
#include <vector>

enum { LOADS = 8, ROUNDS = 64 };

template <int BYTES> static __device__ __forceinline__ unsigned load(const char *p)
{
    unsigned v, w, x, y;
    if (BYTES == 4) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
        return v;
    }
    if (BYTES == 8) {
        asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "l"(p));
        return v ^ w;
    }
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p));
    return v ^ w ^ x ^ y;
}

/* each request of a lane is `next` bytes behind the one before, and LOADS of them again in each round, or not (`far`) */
template <int BYTES> __global__ void requests(const char *data, unsigned pitch, unsigned group, unsigned next, unsigned far, unsigned step,
                                              long long *cycles, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    const char *p = data + (size_t)(lane / group) * pitch + lane % group * BYTES + (size_t)warp * step;
    long long begin = 0;
    for (int round = -1; round < ROUNDS; round++) {
        if (round == 0) {
            __syncthreads();
            begin = clock64();
        }
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum += load<BYTES>(p + i * next + (round + 1) * far);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[0] = clock64() - begin;
    out[threadIdx.x] = sum;
}

static char *data;
static unsigned *out;
static long long *device_cycles;

template <int BYTES> static void measure(const char *what, unsigned pitch, unsigned group, unsigned next, unsigned far, unsigned step, int warps)
{
    long long best = 0;
    CHECK(cudaFuncSetAttribute(requests<BYTES>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (int i = 0; i < 3; i++) {
        long long took;
        requests<BYTES><<<1, warps * 32>>>(data, pitch, group, next, far, step, device_cycles, out);
        CHECK(cudaMemcpy(&took, device_cycles, sizeof took, cudaMemcpyDeviceToHost));
        best = i && best < took ? best : took;
    }
    printf("%s,%d,%u,%u,%u,%d,%.3f\n", what, BYTES, pitch, group, step, warps, (double)best / ((double)ROUNDS * LOADS * warps));
}

template <int BYTES> static void all()
{
    static const unsigned pitches[] = {32,   64,   96,   128,  160,  192,   256,   320,   384,   512,   640,   768,  1024,  1280,  1536,
                                       2048, 2560, 3072, 4096, 5120, 6144,  8192,  10240, 12288, 16384, 24576, 32768, 49152, 65536};
    for (unsigned base : pitches)
        for (unsigned more : {0u, (unsigned)BYTES, 32u, 128u})
            for (unsigned group : {1u, 2u, 4u, 8u, 16u}) {
                unsigned pitch = base + more;
                if (group * BYTES > pitch || (more && group > 2 && group < 8))
                    continue;
                measure<BYTES>("hit", pitch, group, BYTES, 0, 0, 16);
                if (more && more != 128)
                    continue;
                if (BYTES == 4)
                    for (int warps : {1, 4, 32})
                        measure<BYTES>("hit", pitch, group, BYTES, 0, 0, warps);
                if (pitch >= 128 && group == 1) /* warps in lines of their own; a few fit L1 */
                    measure<BYTES>("hit", pitch, group, BYTES, 0, pitch * 32, 4);
                for (int warps : {4, 16, 32}) {
                    measure<BYTES>("walk", pitch, group, group * BYTES, LOADS * group * BYTES, pitch * (32 / group), warps);
                    measure<BYTES>("walk", pitch, group, group * BYTES, LOADS * group * BYTES, 0, warps);
                }
            }
}

int main()
{
    size_t bytes = 256u << 20;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    CHECK(cudaMalloc(&device_cycles, 8));
    CHECK(cudaMalloc(&out, 4096));
    printf("experiment,bytes,pitch,group,warp_step,warps,cycles\n");
    all<4>();
    all<8>();
    all<16>();
    return 0;
}
