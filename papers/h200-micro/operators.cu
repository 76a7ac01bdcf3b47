/* SPDX-License-Identifier: MIT */
/* What each cache operator of a load does in L1: does it look its line up, and does it allocate one? One warp; each
 * lane reads one word of each of ROUNDS lines of its own, twice, the second time after the first has answered.
 * ./measure runs it under ncu; operators.csv has one row per launch. Of 2048 sectors, 1024 hits mean that the second
 * load found what the first one brought. */
#include <cstdio>

enum { ROUNDS = 32 };

#define OPERATORS(X)                                                                                                   \
    X(ca, "ld.global.ca.u32")                                                                                          \
    X(cg, "ld.global.cg.u32")                                                                                          \
    X(cs, "ld.global.cs.u32")                                                                                          \
    X(lu, "ld.global.lu.u32")                                                                                          \
    X(cv, "ld.global.cv.u32")                                                                                          \
    X(nc, "ld.global.nc.u32")                                                                                          \
    X(volatile_, "ld.volatile.global.u32")                                                                             \
    X(weak, "ld.weak.global.u32")                                                                                      \
    X(relaxed_cta, "ld.relaxed.cta.global.u32")                                                                        \
    X(relaxed_cluster, "ld.relaxed.cluster.global.u32")                                                                \
    X(relaxed_gpu, "ld.relaxed.gpu.global.u32")                                                                        \
    X(relaxed_sys, "ld.relaxed.sys.global.u32")                                                                        \
    X(acquire_cta, "ld.acquire.cta.global.u32")                                                                        \
    X(acquire_gpu, "ld.acquire.gpu.global.u32")                                                                        \
    X(no_allocate, "ld.global.L1::no_allocate.u32")                                                                    \
    X(evict_first, "ld.global.L1::evict_first.u32")                                                                    \
    X(evict_last, "ld.global.L1::evict_last.u32")                                                                      \
    X(nc_no_allocate, "ld.global.nc.L1::no_allocate.u32")

#define X(name, text)                                                                                                  \
    struct name {                                                                                                      \
        static constexpr const char *what = text;                                                                      \
        static __device__ __forceinline__ unsigned load(const unsigned *p)                                             \
        {                                                                                                              \
            unsigned v;                                                                                                \
            asm volatile(text " %0, [%1];" : "=r"(v) : "l"(p) : "memory");                                             \
            return v;                                                                                                  \
        }                                                                                                              \
    };
OPERATORS(X)
#undef X

/* `v & zero` makes the second load wait for the first. */
template <class First, class Second> __global__ void twice(const unsigned *a, unsigned zero, unsigned *out)
{
    unsigned sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const unsigned *p = a + (i * 32 + threadIdx.x) * 32;
        unsigned v = First::load(p);
        __syncwarp();
        sum += v + Second::load(p + 1 + (v & zero));
    }
    out[threadIdx.x] = sum;
}

template <class First, class Second> static void show(const unsigned *a, unsigned *out)
{
    printf("%s,%s\n", First::what, Second::what);
    twice<First, Second><<<1, 32>>>(a, 0, out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        printf("failed\n");
}

int main()
{
    unsigned *a, *out;
    cudaMalloc(&a, ROUNDS * 32 * 128 + 128);
    cudaMalloc(&out, 128);
    cudaMemset(a, 0, ROUNDS * 32 * 128 + 128);
#define X(name, text)                                                                                                  \
    show<ca, name>(a, out);                                                                                            \
    show<name, ca>(a, out);                                                                                            \
    show<name, name>(a, out);
    OPERATORS(X)
#undef X
}
