/* SPDX-License-Identifier: MIT */
/* Which lines does an L1 near its capacity keep? One warp walks over `lines` lines again and again, and the cycles of each load tell hits
 * from misses (a line: 32 lanes, all of its sectors; or one sector). Prints CSV: hits of each round; with "map" as an argument for some
 * walks the line numbers' hits of each round, four lines to a hexadecimal digit. */
#include "check.h"
#include "words.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

enum { MOST = 4096, ROUNDS = 16 };

/* hit: a bit for each load, MOST / 32 words a round. They go there by reductions, which L1 does not keep. */
__global__ void walk(const unsigned *data, const unsigned *order, int lines, unsigned lanes, unsigned *hit)
{
    extern __shared__ unsigned char kept[]; /* only to take memory from L1 */
    unsigned sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned bits[MOST / 1024] = {};
        for (int i = 0; i < lines; i++) {
            unsigned at, v = 0;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(order + round * lines + i) : "memory");
            wait_for(at);
            unsigned begin = clock();
            if (threadIdx.x < lanes)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(data + at * 32 + threadIdx.x + sum) : "memory");
            sum += v;
            wait_for(v);
            unsigned took = clock() - begin;
#pragma unroll
            for (int k = 0; k < MOST / 1024; k++)
                if (i / 1024 == k && i / 32 % 32 == threadIdx.x && took < 150)
                    bits[k] |= 1u << i % 32;
        }
#pragma unroll
        for (int k = 0; k < MOST / 1024; k++)
            atomicOr(&hit[round * (MOST / 32) + k * 32 + threadIdx.x], bits[k]);
    }
    if (sum == 12345)
        kept[threadIdx.x] = 1;
}

static unsigned *data, *order;
static unsigned *device_hit;

static void measure(int percent, int shared_kb, int lines, const char *how, unsigned lanes, bool map)
{
    std::vector<unsigned> list;
    unsigned state = 17;
    auto draw = [&](unsigned below) { return (unsigned)((unsigned long long)((state = state * 1664525u + 1013904223u)) * below >> 32); };
    std::vector<unsigned> once(lines);
    std::iota(once.begin(), once.end(), 0u);
    if (!strcmp(how, "permuted") || !strcmp(how, "shuffled"))
        for (int i = lines - 1; i > 0; i--)
            std::swap(once[i], once[draw(i + 1)]);
    for (int round = 0; round < ROUNDS; round++) {
        if (!strcmp(how, "shuffled"))
            for (int i = lines - 1; i > 0; i--)
                std::swap(once[i], once[draw(i + 1)]);
        if (!strcmp(how, "random"))
            for (auto &v : once)
                v = draw(lines);
        if (!strcmp(how, "to and fro") && round)
            std::reverse(once.begin(), once.end());
        list.insert(list.end(), once.begin(), once.end());
    }
    CHECK(cudaMemcpy(order, list.data(), list.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
    CHECK(cudaFuncSetAttribute(walk, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    static unsigned words[ROUNDS][MOST / 32];
    static bool hit[ROUNDS][MOST]; /* by line, of walks that meet each once a round */
    int hits[ROUNDS] = {};
    for (int turn = 0; turn < 2; turn++) { /* the first fills L2 */
        CHECK(cudaMemset(device_hit, 0, sizeof words));
        walk<<<1, 32, shared_kb << 10>>>(data, order, lines, lanes, device_hit);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemcpy(words, device_hit, sizeof words, cudaMemcpyDeviceToHost));
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < lines; i++) {
            bool is = words[round][i / 32] >> i % 32 & 1;
            hit[round][list[round * lines + i]] = is;
            hits[round] += is;
        }
    printf("%d,%d,%d,%s,%u,", percent, shared_kb, lines, how, lanes);
    for (int round = 0; round < ROUNDS; round++)
        printf("%d%s", hits[round], round < ROUNDS - 1 ? " " : "\n");
    if (map)
        for (int round = 0; round < ROUNDS; round++) {
            printf("map,%d,%d,%s,%u,%d,", percent, lines, how, lanes, round);
            for (int i = 0; i < lines; i += 4) {
                unsigned digit = 0;
                for (int k = 0; k < 4 && i + k < lines; k++)
                    digit |= (unsigned)hit[round][i + k] << k;
                printf("%x", digit);
            }
            printf("\n");
        }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bool map = argc > 1 && !strcmp(argv[1], "map");
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMemset(data, 0, 64 << 20));
    CHECK(cudaMalloc(&order, MOST * ROUNDS * 4));
    CHECK(cudaMalloc(&device_hit, MOST / 8 * ROUNDS));
    printf("percent,shared_kb,lines,order,lanes,hits of each round\n");
    static const struct {
        int percent, kb;
    } carveouts[] = {{0, 0}, {14, 24}, {28, 56}, {44, 96}, {58, 128}, {72, 160}, {86, 192}, {100, 224}}; /* KB of shared memory */
    for (auto &c : carveouts) {
        int kb = c.percent ? 256 - c.kb - 8 : 248, capacity = kb * 8; /* about; the walks show it */
        for (const char *how : {"cyclic", "permuted", "shuffled", "random", "to and fro"})
            for (unsigned lanes : {32u, 8u}) {
                if (map && (lanes == 8 || (c.percent != 0 && c.percent != 58 && c.percent != 100)))
                    continue;
                for (int share = 70; share <= 150; share += map ? 8 : share >= 90 && share < 116 ? 2 : 5) {
                    int lines = capacity * share / 100;
                    if (lines >= 8 && lines <= MOST - 64)
                        measure(c.percent, c.kb, lines, how, lanes, map);
                }
            }
    }
    return 0;
}
