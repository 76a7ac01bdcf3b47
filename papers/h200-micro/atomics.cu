/* SPDX-License-Identifier: MIT */
/* How many atomics and reductions a GPU does per cycle, by how many words, sectors, lines and slices of L2 they go to, and what
 * the lanes of a warp share. Prints CSV; cycles are those of the SM that takes longest, until its last reduction is done. */
#include "check.h"
#include <algorithm>
#include <cstring>
#include <vector>

enum { SMS = 132, ROUNDS = 64, SHARED_ROUNDS = 512 };
enum pattern { /* the words that the lanes of all warps go to, one round after the other */
    EACH,      /* lanes, then warps, then rounds: one word after the other */
    SAME,      /* all lanes of a warp on one word; warps on one word after the other */
    RANDOM,    /* of each lane */
    ONE,       /* as SAME, and only one lane of a warp */
    OWN,       /* as EACH within words of this SM alone */
    PATTERNS
};
static const char *const patterns[] = {"each", "same", "random", "one", "own"};

#define OPERATIONS(X)                                                                                                  \
    X(red_u32, "red.relaxed.gpu.global.add.u32 [%1], %2;", "r"(1))                                                     \
    X(atom_u32, "atom.relaxed.gpu.global.add.u32 %0, [%1], %2;", "r"(1))                                               \
    X(red_max_u32, "red.relaxed.gpu.global.max.u32 [%1], %2;", "r"(7))                                                 \
    X(red_f32, "red.relaxed.gpu.global.add.f32 [%1], %2;", "f"(1.0f))                                                  \
    X(atom_f32, "{.reg .f32 t; atom.relaxed.gpu.global.add.f32 t, [%1], %2; mov.b32 %0, t;}", "f"(1.0f))               \
    X(red_f16x2, "red.relaxed.gpu.global.add.noftz.f16x2 [%1], %2;", "r"(0x3c003c00))                                  \
    X(red_u64, "red.relaxed.gpu.global.add.u64 [%1], %2;", "l"(1ull))                                                  \
    X(red_f64, "red.relaxed.gpu.global.add.f64 [%1], %2;", "d"(1.0))                                                   \
    X(atom_exch, "atom.relaxed.gpu.global.exch.b32 %0, [%1], %2;", "r"(1))                                             \
    X(atom_cas, "atom.relaxed.gpu.global.cas.b32 %0, [%1], %2, 1;", "r"(0))                                            \
    X(ld_cg, "ld.global.cg.u32 %0, [%1]; // %2", "r"(0))                                                               \
    X(st, "st.global.u32 [%1], %2;", "r"(1))

#define X(name, text, value)                                                                                           \
    struct name {                                                                                                      \
        static constexpr const char *what = #name;                                                                     \
        static __device__ __forceinline__ unsigned go(char *p)                                                         \
        {                                                                                                              \
            unsigned v = 0;                                                                                            \
            asm volatile(text : "+r"(v) : "l"(p), value : "memory");                                                   \
            return v;                                                                                                  \
        }                                                                                                              \
    };
OPERATIONS(X)
#undef X

static __host__ __device__ unsigned hash(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

template <class OP, int PATTERN>
__global__ void storm(char *data, unsigned words, unsigned stride, long long *cycles, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 * gridDim.x + blockIdx.x, warps = gridDim.x * (blockDim.x / 32), sum = 0;
    __syncthreads();
    long long begin = clock64();
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned turn = round * warps + warp, word;
        switch (PATTERN) {
        case EACH: word = (turn * 32 + lane) % words; break;
        case RANDOM: word = hash(turn * 32 + lane) % words; break;
        case OWN: word = ((round * (blockDim.x / 32) + threadIdx.x / 32) * 32 + lane) % words + words * blockIdx.x; break;
        default: word = turn % words;
        }
        if (PATTERN != ONE || lane == 0)
            sum += OP::go(data + (size_t)word * stride);
    }
    asm volatile("" ::"r"(sum) : "memory");
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* half of the blocks at one word, the others at another one */
template <class OP> __global__ void two(char *a, char *b, long long *cycles, unsigned *out)
{
    unsigned sum = 0;
    char *p = blockIdx.x % 2 ? a : b;
    __syncthreads();
    long long begin = clock64();
    for (unsigned round = 0; round < ROUNDS; round++)
        sum += OP::go(p);
    asm volatile("" ::"r"(sum) : "memory");
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* one lane, each atomic waits for the one before; `others` blocks do the same */
__global__ void chain(unsigned *data, unsigned apart, long long *cycles)
{
    unsigned v = 0;
    long long begin = 0;
    for (int round = -8; round < 256; round++) {
        if (round == 0)
            begin = clock64();
        v = atomicAdd(data + blockIdx.x * apart + (v >> 31), 0u);
    }
    cycles[blockIdx.x] = clock64() - begin + (v >> 31);
}

static char *data;
static unsigned *out;
static long long *device_cycles;

static long long slowest(int blocks)
{
    static long long host[SMS];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, device_cycles, blocks * sizeof host[0], cudaMemcpyDeviceToHost));
    return *std::max_element(host, host + blocks);
}

template <class OP, int PATTERN> static void measure(unsigned words, unsigned stride, int sms, int warps)
{
    long long best = 0;
    if ((size_t)words * stride * (PATTERN == OWN ? sms : 1) > 256u << 20)
        return;
    for (int i = 0; i < 3; i++) {
        CHECK(cudaMemset(data, 0, std::min<size_t>((size_t)words * stride * (PATTERN == OWN ? sms : 1), 64 << 20)));
        storm<OP, PATTERN><<<sms, warps * 32>>>(data, words, stride, device_cycles, out);
        long long took = slowest(sms);
        best = i && best < took ? best : took;
    }
    double requests = (double)ROUNDS * sms * warps;
    printf("storm,%s,%s,%u,%u,%d,%d,%lld,%.4f,%.4f\n", OP::what, patterns[PATTERN], words, stride, sms, warps, best, best / requests,
           best / requests / (PATTERN == ONE ? 1 : 32));
    fflush(stdout);
}

template <class OP> static void storms(bool all)
{
    static const unsigned counts[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 1 << 20};
    unsigned size = strstr(OP::what, "64") ? 8 : 4;
    for (unsigned stride : {size, 32u, 128u, 4096u})
        for (unsigned words : counts) {
            measure<OP, EACH>(words, stride, SMS, 8);
            if (!all && stride != size && stride != 32)
                continue;
            measure<OP, SAME>(words, stride, SMS, 8);
            measure<OP, RANDOM>(words, stride, SMS, 8);
            if (!all)
                continue;
            measure<OP, ONE>(words, stride, SMS, 8);
            if (words <= 4096)
                measure<OP, OWN>(words, stride, SMS, 8);
        }
    for (unsigned stride : {size, 32u, 128u})
        for (unsigned words : {1u, 32u, 256u, 4096u, 65536u})
            for (int sms : {1, 2, 4, 16, 64, 132})
                for (int warps : {1, 4, 32}) {
                    if (!all && (warps == 4 || sms == 2 || sms == 16))
                        continue;
                    measure<OP, EACH>(words, stride, sms, warps);
                    measure<OP, SAME>(words, stride, sms, warps);
                    measure<OP, ONE>(words, stride, sms, warps);
                }
}

template <class OP> static void twos()
{
    std::vector<unsigned> apart = {0, 4, 8, 16, 28, 32, 64, 96};
    for (unsigned line = 1; line <= 1024; line++)
        apart.push_back(line * 128);
    for (unsigned bytes = 1 << 18; bytes <= 1u << 27; bytes *= 2)
        apart.push_back(bytes);
    for (unsigned bytes : apart) {
        long long best = 0;
        for (int i = 0; i < 2; i++) {
            two<OP><<<SMS, 32>>>(data, data + bytes, device_cycles, out);
            long long took = slowest(SMS);
            best = i && best < took ? best : took;
        }
        printf("two,%s,bytes apart,2,%u,%d,1,%lld,%.4f,%.4f\n", OP::what, bytes, SMS, best, (double)best / (ROUNDS * SMS),
               (double)best / (ROUNDS * SMS * 32));
    }
}

#define SHARED_OPERATIONS(X)                                                                                           \
    X(shared_atom_u32, "atom.shared.add.u32 %0, [%1], %2;", "r"(1))                                                    \
    X(shared_red_u32, "red.shared.add.u32 [%1], %2;", "r"(1))                                                          \
    X(shared_red_max, "red.shared.max.u32 [%1], %2;", "r"(1))                                                          \
    X(shared_red_f32, "red.shared.add.f32 [%1], %2;", "f"(1.0f))                                                       \
    X(shared_red_u64, "red.shared.add.u64 [%1], %2;", "l"(1ull))                                                       \
    X(shared_red_f64, "red.shared.add.f64 [%1], %2;", "d"(1.0))                                                        \
    X(shared_cas, "atom.shared.cas.b32 %0, [%1], %2, 1;", "r"(0))                                                      \
    X(shared_exch, "atom.shared.exch.b32 %0, [%1], %2;", "r"(1))
#define X(name, text, value)                                                                                           \
    struct name {                                                                                                      \
        static constexpr const char *what = #name;                                                                     \
        static __device__ __forceinline__ unsigned go(unsigned at)                                                     \
        {                                                                                                              \
            unsigned v = 0;                                                                                            \
            asm volatile(text : "+r"(v) : "r"(at), value : "memory");                                                  \
            return v;                                                                                                  \
        }                                                                                                              \
    };
SHARED_OPERATIONS(X)
#undef X

template <class OP, int PATTERN> __global__ void shared_storm(unsigned words, unsigned stride, long long *cycles, unsigned *out)
{
    __shared__ unsigned long long bins[4096];
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
        bins[i] = 0;
    unsigned base = (unsigned)__cvta_generic_to_shared(bins), lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32,
             sum = 0;
    __syncthreads();
    long long begin = clock64();
    for (unsigned round = 0; round < SHARED_ROUNDS; round++) {
        unsigned turn = round * warps + warp, word;
        switch (PATTERN) {
        case EACH: word = (turn * 32 + lane) % words; break;
        case RANDOM: word = hash(turn * 32 + lane) % words; break;
        default: word = turn % words;
        }
        sum += OP::go(base + word * stride);
    }
    asm volatile("" ::"r"(sum) : "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + (unsigned)bins[lane];
}

template <class OP, int PATTERN> static void measure_shared(unsigned words, unsigned stride, int warps)
{
    long long best = 0;
    for (int i = 0; i < 2; i++) {
        shared_storm<OP, PATTERN><<<1, warps * 32>>>(words, stride, device_cycles, out);
        long long took = slowest(1);
        best = i && best < took ? best : took;
    }
    double requests = (double)SHARED_ROUNDS * warps;
    printf("shared,%s,%s,%u,%u,1,%d,%lld,%.4f,%.4f\n", OP::what, patterns[PATTERN], words, stride, warps, best, best / requests,
           best / requests / 32);
}

template <class OP> static void shared_storms()
{
    for (int warps : {1, 8, 32})
        for (unsigned words : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 256u, 1024u}) {
            measure_shared<OP, EACH>(words, 8, warps);
            measure_shared<OP, RANDOM>(words, 8, warps);
            measure_shared<OP, SAME>(words, 8, warps);
            if (words <= 256)
                measure_shared<OP, EACH>(words, 128, warps);
        }
}

int main()
{
    CHECK(cudaMalloc(&data, 512 << 20));
    CHECK(cudaMemset(data, 0, 512 << 20));
    CHECK(cudaMalloc(&device_cycles, 8 * SMS));
    CHECK(cudaMalloc(&out, SMS * 1024 * 4));
    printf("experiment,operation,pattern,words,stride,sms,warps,cycles,cycles_per_request,cycles_per_lane\n");
    storms<red_u32>(true), storms<red_f32>(true), storms<atom_u32>(true);
    storms<atom_f32>(false), storms<red_max_u32>(false), storms<red_f16x2>(false), storms<red_u64>(false), storms<red_f64>(false);
    storms<atom_exch>(false), storms<atom_cas>(false), storms<ld_cg>(false), storms<st>(false);
    twos<red_u32>(), twos<red_f32>(), twos<ld_cg>();
    for (int blocks : {1, 2, 4, 8, 16, 32, 64, 132})
        for (unsigned apart : {0u, 1u, 8u, 32u, 1024u}) {
            CHECK(cudaMemset(data, 0, 1 << 20));
            chain<<<blocks, 1>>>((unsigned *)data, apart, device_cycles);
            long long took = slowest(blocks);
            printf("chain,atom_u32,words apart,%d,%u,%d,1,%lld,%.4f,%.4f\n", blocks, apart * 4, blocks, took, took / 256.0 / blocks,
                   took / 256.0);
        }
#define X(name, text, value) shared_storms<name>();
    SHARED_OPERATIONS(X)
#undef X
    return 0;
}
