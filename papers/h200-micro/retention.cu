/* SPDX-License-Identifier: MIT */
/* What each kind of access leaves in a cache: a table is read, then new lines are accessed in some way, then the table,
 * or the new lines, are read again, and the cycles of each load tell hits from misses. L1: one warp, a line per load.
 * L2: the whole GPU reads the table and accesses the new lines; one warp samples. Prints how many of the loads hit. */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { SAMPLES = 8192 };
#define FIRST     0x12F0000000000000ull
#define LAST      0x14F0000000000000ull
#define NORMAL    0x10F0000000000000ull
#define LAST_HALF 0x1470000000000000ull

#define MODES(L, P, S, T)                                                                                              \
    L(ld, "ld.global.u32")                                                                                             \
    L(ld_cs, "ld.global.cs.u32") L(ld_lu, "ld.global.lu.u32") L(ld_cg, "ld.global.cg.u32")                             \
        L(ld_no_allocate, "ld.global.L1::no_allocate.u32") L(ld_l1_first, "ld.global.L1::evict_first.u32")             \
            L(ld_l1_last, "ld.global.L1::evict_last.u32") L(ld_nc, "ld.global.nc.u32")                                 \
                P(ld_l2_first, "ld.global.L2::cache_hint.u32", FIRST)                                                  \
                    P(ld_l2_last, "ld.global.L2::cache_hint.u32", LAST)                                                \
                        P(ld_l2_normal, "ld.global.L2::cache_hint.u32", NORMAL)                                        \
                            P(ld_l2_last_half, "ld.global.L2::cache_hint.u32", LAST_HALF) S(st, "st.global.u32")       \
                                S(st_cs, "st.global.cs.u32") S(st_wt, "st.global.wt.u32") S(st_cg, "st.global.cg.u32") \
                                    S(st_no_allocate, "st.global.L1::no_allocate.u32")                                 \
                                        S(st_l1_first, "st.global.L1::evict_first.u32")                                \
                                            T(st_l2_first, "st.global.L2::cache_hint.u32", FIRST)                      \
                                                T(st_l2_normal, "st.global.L2::cache_hint.u32", NORMAL)

enum mode {
#define N(name, ...) name,
    MODES(N, N, N, N) COUNT
#undef N
};
static const char *const names[] = {
#define N(name, ...) #name,
    MODES(N, N, N, N)
#undef N
};

template <int M> static __device__ __forceinline__ unsigned access(unsigned *p)
{
    unsigned v = 0;
#define L(name, text)                                                                                                  \
    if (M == name)                                                                                                     \
        asm volatile(text " %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#define P(name, text, policy)                                                                                          \
    if (M == name)                                                                                                     \
        asm volatile(text " %0, [%1], %2;" : "=r"(v) : "l"(p), "l"(policy) : "memory");
#define S(name, text)                                                                                                  \
    if (M == name)                                                                                                     \
        asm volatile(text " [%0], %1;" ::"l"(p), "r"(v) : "memory");
#define T(name, text, policy)                                                                                          \
    if (M == name)                                                                                                     \
        asm volatile(text " [%0], %1, %2;" ::"l"(p), "r"(v), "l"(policy) : "memory");
    MODES(L, P, S, T)
    return v;
}

/* One warp; lines of 128 bytes. */
template <int M> __global__ void in_l1(unsigned *table, int lines, unsigned *fresh, int news, int again, unsigned *out)
{
    unsigned sum = 0, hits = 0;
    for (int i = 0; i < lines; i++)
        sum += access<ld>(table + i * 32 + threadIdx.x + sum);
    for (int i = 0; i < news; i++)
        sum += access<M>(fresh + i * 32 + threadIdx.x + sum);
    unsigned *what = again ? fresh : table;
    for (int i = 0; i < (again ? news : lines); i++) {
        unsigned v, start = clock();
        v = access<ld>(what + i * 32 + threadIdx.x + sum);
        sum += v; /* 0 */
        asm volatile("" ::"r"(sum) : "memory");
        unsigned cycles = clock() + sum - start;
        hits += cycles < 120;
    }
    if (!threadIdx.x)
        out[0] = hits + sum;
}

/* All SMs, coalesced. */
template <int M> __global__ void over(unsigned *a, size_t words, unsigned *out)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x)
        sum += access<M>(a + i);
    if (sum)
        out[1] = sum;
}

__global__ void sample(unsigned *a, unsigned lines, unsigned *out)
{
    unsigned sum = 0, count[3] = {0, 0, 0};
    for (unsigned i = 0; i < SAMPLES; i++) {
        unsigned line = (unsigned)((unsigned long long)(i * 2654435761u) * lines >> 32), v, start = clock();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + line * 32ull + sum) : "memory");
        sum += v;
        asm volatile("" ::"r"(sum) : "memory");
        unsigned cycles = clock() + sum - start;
        count[cycles < 400 ? 0 : cycles < 600 ? 1 : 2]++;
    }
    for (int k = 0; k < 3; k++)
        out[k] = count[k];
}

static unsigned *out, *a, *b, *flush;

static void ask(unsigned *host)
{
    if (cudaMemcpy(host, out, 12, cudaMemcpyDeviceToHost) != cudaSuccess) {
        printf("failed: %s\n", cudaGetErrorString(cudaGetLastError()));
        exit(1);
    }
}

template <int M> static void l1()
{
    unsigned host[3];
    for (int again = 0; again < 2; again++)
        for (int lines : {0, 1024, 1536, 1700})
            for (int news : {16, 64, 256, 1024, 1600}) {
                if (!lines && !again)
                    continue;
                for (int k = 0; k < 2; k++) /* warm L2 */
                    in_l1<M><<<1, 32>>>(a, lines, b, news, again, out);
                ask(host);
                printf("L1,%s,%d,%d,%s,%u,%d\n", names[M], lines, news, again ? "new" : "table", host[0],
                       again ? news : lines);
            }
}

template <int TABLE, int M> static void l2()
{
    unsigned host[3];
    for (int again = 0; again < 2; again++)
        for (size_t table : {4, 12, 20})
            for (size_t news : {8, 32, 128}) {
                over<ld><<<1056, 256>>>(flush, 64 << 20, out);
                for (int k = 0; k < 2; k++)
                    over<TABLE><<<1056, 256>>>(a, table << 18, out);
                over<M><<<1056, 256>>>(b, news << 18, out);
                sample<<<1, 1>>>(again ? b : a, (unsigned)((again ? news : table) << 13), out);
                ask(host);
                printf("L2,%s/%s,%zu,%zu,%s,%u %u %u,%d\n", names[TABLE], names[M], table, news,
                       again ? "new" : "table", host[0], host[1], host[2], SAMPLES);
            }
}

int main()
{
    cudaMalloc(&out, 128);
    cudaMalloc(&a, 64 << 20);
    cudaMalloc(&b, 256 << 20);
    cudaMalloc(&flush, 256 << 20);
    cudaMemset(a, 0, 64 << 20), cudaMemset(b, 0, 256 << 20), cudaMemset(flush, 0, 256 << 20);
    printf("level,mode,table,new,read again,hits,of\n");
#define N(name, ...) l1<name>();
    MODES(N, N, N, N)
#undef N
    l2<ld, ld>(), l2<ld, ld_cs>(), l2<ld, ld_l2_first>(), l2<ld, ld_l2_normal>(), l2<ld, ld_no_allocate>(),
        l2<ld, ld_l1_first>();
    l2<ld, ld_lu>(), l2<ld, st>(), l2<ld, st_cs>(), l2<ld, st_wt>(), l2<ld, st_l2_first>(), l2<ld, st_no_allocate>();
    l2<ld_l2_last, ld>(), l2<ld_l2_last, st>(), l2<ld_l2_last_half, ld>(), l2<ld_l2_last, ld_l2_first>();
    l2<ld_l1_last, ld>(), l2<ld_l2_last, ld_l2_last>();
    return 0;
}
