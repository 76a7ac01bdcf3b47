/* SPDX-License-Identifier: MIT */
/* Scattered sectors from L2: how many a GPU gets per cycle, by SMs, warps, lanes and independent loads. Each load of a warp waits for
 * the one before (the address needs its value, which is 0). Data is in L2; loads are .cg, or .ca where it says so. Prints CSV:
 * cycles per round of the slowest SM, and sectors per cycle of all SMs. "one slice": lines that share a slice with line 0, found by
 * sums of floats on both. */
#include "check.h"
#include <algorithm>
#include <cstring>
#include <vector>

enum { SMS = 132, ROUNDS = 128, CANDIDATES = 16384 };
enum pattern { SECTORS, LINES, WHOLE_LINES, LISTED };
static const char *const patterns[] = {"random sectors", "random first sectors", "random whole lines", "one slice"};

static __host__ __device__ unsigned hash(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* `lanes` lanes of each warp load, of `ahead` places at a time. WHOLE_LINES: 4 lanes per line. */
template <int AHEAD, bool CA>
__global__ void chase(const char *data, int pattern, unsigned sectors, int lanes, const unsigned *list, unsigned listed, long long *cycles,
                      unsigned *out)
{
    unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, sum = 0;
    __syncthreads();
    long long begin = clock64();
    if (lane < (unsigned)lanes)
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned v[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                unsigned who = (warp * ROUNDS + round) * AHEAD + k, r, sector;
                switch (pattern) {
                case SECTORS: sector = hash(who * 32 + lane) % sectors; break;
                case LINES: sector = hash(who * 32 + lane) % sectors & ~3u; break;
                case WHOLE_LINES: sector = (hash(who * 32 + lane / 4) % sectors & ~3u) + lane % 4; break;
                default:
                    r = hash(who * 32 + lane);
                    sector = list[r % listed] * 4 + (r >> 20) % 4;
                }
                const char *p = data + (size_t)(sector + sum) * 32;
                if (CA)
                    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[k]) : "l"(p) : "memory");
                else
                    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(p) : "memory");
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                sum += v[k];
        }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void clash(float *x, float *y, long long *cycles)
{
    long long begin = clock64();
    for (int i = 0; i < 16; i++)
        asm volatile("red.relaxed.gpu.global.add.f32 [%0], 0f00000000;" ::"l"(blockIdx.x % 2 ? x : y) : "memory");
    __threadfence();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
}

static char *data;
static unsigned *out, *list;
static long long *device_cycles;

static long long slowest(int blocks)
{
    static long long host[SMS];
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host, device_cycles, blocks * sizeof host[0], cudaMemcpyDeviceToHost));
    return *std::max_element(host, host + blocks);
}

template <int AHEAD, bool CA> static void measure(int pattern, unsigned kb, int sms, int warps, int lanes, unsigned listed)
{
    long long best = 0;
    for (int i = 0; i < 4; i++) { /* the first fills L2 */
        chase<AHEAD, CA><<<sms, warps * 32>>>(data, pattern, kb * 32, lanes, list, listed, device_cycles, out);
        long long took = slowest(sms);
        best = i > 1 && best < took ? best : took;
    }
    double sectors = (double)sms * warps * lanes * AHEAD * ROUNDS;
    printf("%s,%s,%u,%d,%d,%d,%d,%.2f,%.4f\n", CA ? "ca" : "cg", patterns[pattern], pattern == LISTED ? listed : kb, sms, warps, lanes, AHEAD,
           (double)best / ROUNDS, sectors / (double)best);
    fflush(stdout);
}

static std::vector<unsigned> of_slice()
{
    std::vector<unsigned> found;
    long long alone = 0;
    for (unsigned line = 0; line < CANDIDATES; line++) {
        clash<<<SMS, 32>>>((float *)data, (float *)(data + line * 128), device_cycles);
        long long took = slowest(SMS);
        if (!line)
            alone = took; /* 111 per request; with another sector of the slice 80, with another slice 56 */
        if (!line || (took > alone * 0.62 && took < alone * 0.9))
            found.push_back(line);
    }
    return found;
}

int main()
{
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMemset(data, 0, 64 << 20));
    CHECK(cudaMalloc(&device_cycles, 8 * SMS));
    CHECK(cudaMalloc(&out, SMS * 1024 * 4));
    CHECK(cudaMalloc(&list, CANDIDATES * 4));
    printf("operator,pattern,kb_or_lines,sms,warps,lanes,ahead,cycles_per_round,sectors_per_cycle\n");
    std::vector<unsigned> slice = of_slice();
    CHECK(cudaMemcpy(list, slice.data(), slice.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(data, 0, 64 << 20));
    for (int sms : {1, 2, 4, 8, 16, 33, 66, 132})
        for (int warps : {1, 4, 16, 32})
            for (int lanes : {1, 4, 32})
                measure<4, false>(LISTED, 0, sms, warps, lanes, (unsigned)slice.size());
    for (unsigned listed : {1u, 2u, 4u, 8u, 16u, 32u, 64u})
        if (listed <= slice.size())
            measure<4, false>(LISTED, 0, SMS, 16, 32, listed);
    for (unsigned kb : {1024u, 8192u, 16384u})
        for (int sms : {1, 2, 4, 8, 16, 33, 66, 132})
            for (int warps : {1, 2, 4, 8, 16, 32})
                for (int lanes : {1, 2, 4, 8, 16, 32}) {
                    if (kb != 8192 && (warps == 2 || warps == 8 || lanes == 2 || lanes == 8))
                        continue;
                    measure<1, false>(SECTORS, kb, sms, warps, lanes, 0);
                    measure<4, false>(SECTORS, kb, sms, warps, lanes, 0);
                    if (kb != 8192)
                        continue;
                    measure<1, true>(SECTORS, kb, sms, warps, lanes, 0);
                    measure<1, false>(LINES, kb, sms, warps, lanes, 0);
                    measure<4, false>(LINES, kb, sms, warps, lanes, 0);
                    measure<1, true>(LINES, kb, sms, warps, lanes, 0);
                    if (lanes >= 4) {
                        measure<1, false>(WHOLE_LINES, kb, sms, warps, lanes, 0);
                        measure<4, false>(WHOLE_LINES, kb, sms, warps, lanes, 0);
                        measure<4, true>(WHOLE_LINES, kb, sms, warps, lanes, 0);
                    }
                }
    return 0;
}
