/* SPDX-License-Identifier: MIT */
/* What do loads cost that many SMs make of the same lines, one after the other? On so many SMs a warp reads the same lines in the same
 * order, `ahead` at a time, and waits for them; the lines are new (from memory), in L2, or each SM has its own new ones. Prints CSV: cycles per
 * round, of the slowest SM. */
#include "check.h"
#include <algorithm>
#include <vector>

enum { SMS = 132, LEAP = 4224 }; /* from line to line: 33 lines */

template <int AHEAD> __global__ void follow(const unsigned *data, int rounds, size_t own, int bytes, long long *cycles, unsigned *out)
{
    const char *p = (const char *)data + blockIdx.x * own + threadIdx.x * bytes / 4 * 4;
    unsigned sum = 0;
    long long begin = clock64();
    for (int round = 0; round < rounds; round++) {
        unsigned v[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + (size_t)k * LEAP + sum) : "memory");
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            sum += v[k];
        p += (size_t)AHEAD * LEAP;
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    if (sum)
        out[threadIdx.x] = sum;
}

static unsigned *data, *other;
static long long *cycles;
static unsigned *out;
static const size_t MB = 1 << 20;

template <int AHEAD> static void measure(const char *where, int sms, int bytes, bool own)
{
    const int rounds = 64;
    std::vector<double> took;
    for (int turn = 0; turn < 3; turn++) {
        CHECK(cudaMemset(other, turn, 256 * MB)); /* nothing of the data stays in L2 */
        if (where[0] == 'L')
            follow<AHEAD><<<1, 32>>>(data, rounds, 0, 4, cycles, out);
        if (where[0] == 'L')
            follow<AHEAD><<<SMS, 32>>>(data, rounds, 0, 4, cycles, out); /* both partitions */
        follow<AHEAD><<<sms, 32>>>(data, rounds, own ? (size_t)rounds * AHEAD * LEAP : 0, bytes, cycles, out);
        long long each[SMS];
        CHECK(cudaMemcpy(each, cycles, sms * sizeof *each, cudaMemcpyDeviceToHost));
        took.push_back((double)*std::max_element(each, each + sms) / rounds);
    }
    std::sort(took.begin(), took.end());
    printf("%s,%d,%d,%d,%.1f\n", where, AHEAD, sms, bytes, took[1]);
    fflush(stdout);
}

int main()
{
    CHECK(cudaMalloc(&data, 1024 * MB));
    CHECK(cudaMalloc(&other, 256 * MB));
    CHECK(cudaMalloc(&cycles, SMS * sizeof *cycles));
    CHECK(cudaMalloc(&out, 128));
    CHECK(cudaMemset(data, 0, 1024 * MB));
    printf("lines,ahead,sms,bytes_of_a_lane,cycles_per_round\n");
    for (int bytes : {4, 0})
        for (int sms : {1, 2, 4, 8, 16, 33, 66, 132}) {
            measure<1>("new", sms, bytes, false);
            measure<4>("new", sms, bytes, false);
            measure<1>("own new", sms, bytes, true);
            measure<4>("own new", sms, bytes, true);
            measure<1>("L2", sms, bytes, false);
            measure<4>("L2", sms, bytes, false);
        }
}
