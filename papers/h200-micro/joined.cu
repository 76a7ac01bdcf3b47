/* When requests of two SMs of a GPC for the same sectors reach L2 as one: how much later the second may come, and how many
 * may be on their way. One block on each SM (shared memory sees to that). SM 0 and others load the same lines; before each
 * load all of them wait for the global timer, and some for a number of cycles more. Lines are in L2 (read by SM 0 before) or not.
 *
 *   joined 1 SM    one line at a time, SM that many cycles after SM 0 (before it, if negative)
 *   joined 2 SM    so many lines at once by SM 0, and the same by SM 30 cycles later
 *   joined 3 SM    one sector of each line by one of them and all sectors by the other; different sectors
 *   joined 4 GPC   the SMs of a GPC (0 or 1), all at the same time: so many of them, so many lines at once
 *   joined 5 GPC   each two SMs of a GPC at the same time
 *   joined 6       an SM of another GPC 100 cycles after SM 0, and a second one of that GPC after it
 *   joined 7       three SMs of a GPC, one after the other, the second with other sectors of the line
 *   joined 8       SMs of a GPC, one after the other, each with one sector of the line
 *
 * ./measure runs all of them under ncu; joined.csv is what an H200 showed. */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"

enum { SMS = 132, SHARED = 120 << 10, LINE = 32, PERIOD = 2048 /* ns */ };

typedef struct sm_part {
    int takes_part, delay; /* cycles */
    int first, words;      /* of each line */
} sm_part;

static __device__ unsigned long long global_timer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* `rounds` times: `many` lines at once, one for each thread (many > 1), or one for the warp. */
__global__ void load(const unsigned *lines, int rounds, int many, int warmer, const sm_part *parts, int expected,
                     unsigned long long *start, unsigned *arrived, unsigned *sink)
{
    extern __shared__ unsigned scratch[];
    unsigned sm, sum = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    sm_part part = parts[sm];
    if (!part.takes_part)
        return;
    if ((int)sm == warmer)
        for (int i = threadIdx.x; i < rounds * many * LINE; i += blockDim.x) {
            unsigned v;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(lines + i));
            sum += v;
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(arrived, 1) == (unsigned)expected - 1)
            *(volatile unsigned long long *)start = global_timer() + 40000;
        while (!*(volatile unsigned long long *)start)
            __nanosleep(5000);
        *(volatile unsigned long long *)scratch = *(volatile unsigned long long *)start;
    }
    __syncthreads();
    unsigned long long when = *(volatile unsigned long long *)scratch;
    for (int i = 0; i < rounds; i++, when += PERIOD) {
        const unsigned *line = lines + (size_t)i * many * LINE + part.first;
        const unsigned *mine = many > 1 ? line + threadIdx.x * LINE : line + threadIdx.x % part.words;
        while (global_timer() < when)
            ;
        long long now = clock64();
        while (clock64() - now < part.delay)
            ;
        unsigned v;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(mine));
        sum += v;
        if (sum == 12345)
            *sink = sum;
    }
}

static unsigned *lines, *arrived, *sink;
static unsigned long long *start;
static sm_part *parts;

static void run(const std::vector<sm_part> &given, int rounds, int many, bool warm, const char *what)
{
    int expected = 0, warmer = -1;
    for (int i = 0; i < SMS; i++) {
        expected += given[i].takes_part;
        if (warm && warmer < 0 && given[i].takes_part)
            warmer = i;
    }
    CHECK(cudaMemcpy(parts, given.data(), SMS * sizeof *parts, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(arrived, 0, 4));
    CHECK(cudaMemset(start, 0, 8));
    load<<<SMS, many > 1 ? many : 32, SHARED>>>(lines, rounds, many, warmer, parts, expected, start, arrived, sink);
    CHECK(cudaDeviceSynchronize());
    printf("%d lines %s; %s\n", rounds * many, warm ? "in L2" : "not in L2", what);
}

int main(int argc, char **argv)
{
    int experiment = argc > 1 ? atoi(argv[1]) : 1, other = argc > 2 ? atoi(argv[2]) : 1;
    static const int gpcs[2][16] = {{0, 16, 32, 48, 124, 126, 128, 130, 1, 17, 33, 49, 125, 127, 129, 131}, /* as merge shows */
                                    {2, 18, 34, 50, 64, 78, 92, 106, 3, 19, 35, 51, 65, 79, 93, 107}};
    const int *gpc = gpcs[other & 1];
    const std::vector<sm_part> none(SMS);
    char what[100];
    CHECK(cudaMalloc(&lines, 64 << 20));
    CHECK(cudaMemset(lines, 0, 64 << 20));
    CHECK(cudaMalloc(&arrived, 4));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMalloc(&start, 8));
    CHECK(cudaMalloc(&parts, SMS * sizeof *parts));
    CHECK(cudaFuncSetAttribute(load, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int warm = 1; warm >= 0; warm--) {
        std::vector<sm_part> sms = none;
        sms[0] = {1, 1000, 0, LINE};
        run(sms, 128, 1, warm, "SM 0 alone");
        if (experiment == 1)
            for (int delay = -900; delay <= 900; delay += delay < -500 || delay >= 500 ? 100 : 25) {
                sms[other] = {1, 1000 + delay, 0, LINE};
                snprintf(what, sizeof what, "SM %d %d cycles after SM 0", other, delay);
                run(sms, 128, 1, warm, what);
            }
        if (experiment == 2)
            for (int many = 16; many <= 1024; many *= 2) {
                sms[other] = {1, 1030, 0, LINE};
                snprintf(what, sizeof what, "SM %d 30 cycles after SM 0, %d lines at once", other, many);
                run(sms, 8, many, warm, what);
            }
        if (experiment == 3) {
            static const struct {
                sm_part a, b;
                const char *what;
            } cases[] = {{{1, 1000, 0, 32}, {1, 1000, 0, 32}, "both all sectors"},
                         {{1, 1000, 0, 32}, {1, 1064, 0, 8}, "all sectors, then the first"},
                         {{1, 1064, 0, 32}, {1, 1000, 0, 8}, "the first sector, then all"},
                         {{1, 1000, 0, 16}, {1, 1000, 16, 16}, "the first two and the last two"},
                         {{1, 1000, 0, 8}, {1, 1000, 8, 8}, "the first and the second"},
                         {{1, 1000, 0, 24}, {1, 1064, 8, 24}, "the first three, then the last three"},
                         {{1, 1000, 0, 8}, {1, 1000, 0, 8}, "both the first"}};
            for (auto &c : cases) {
                sms[0] = c.a;
                sms[other] = c.b;
                run(sms, 128, 1, warm, c.what);
            }
        }
        if (experiment == 5 && !warm)
            for (int i = 0; i < 16; i++)
                for (int j = i + 1; j < 16; j++) {
                    sms = none;
                    sms[gpc[i]] = sms[gpc[j]] = {1, 1000, 0, LINE};
                    snprintf(what, sizeof what, "SMs %d and %d", gpc[i], gpc[j]);
                    run(sms, 128, 1, warm, what);
                }
        if (experiment == 7) {
            static const struct {
                sm_part a, b, c;
                const char *what;
            } cases[] = {{{1, 1000, 0, 16}, {}, {1, 1040, 0, 16}, "sectors 01, 01"},
                         {{1, 1000, 0, 16}, {1, 1020, 16, 16}, {1, 1040, 0, 16}, "sectors 01, 23, 01"},
                         {{1, 1000, 0, 16}, {1, 1020, 16, 16}, {1, 1040, 16, 16}, "sectors 01, 23, 23"},
                         {{1, 1000, 0, 16}, {1, 1020, 0, 32}, {1, 1040, 0, 16}, "sectors 01, 0123, 01"},
                         {{1, 1000, 0, 16}, {1, 1020, 0, 32}, {1, 1040, 0, 32}, "sectors 01, 0123, 0123"},
                         {{1, 1000, 0, 8}, {1, 1020, 8, 8}, {1, 1040, 0, 8}, "sectors 0, 1, 0"},
                         {{1, 1000, 0, 8}, {1, 1020, 8, 8}, {1, 1040, 8, 8}, "sectors 0, 1, 1"},
                         {{1, 1000, 0, 8}, {1, 1020, 24, 8}, {1, 1040, 0, 8}, "sectors 0, 3, 0"}};
            for (auto &c : cases) {
                sms = none;
                sms[0] = c.a;
                sms[16] = c.b;
                sms[32] = c.c;
                run(sms, 128, 1, warm, c.what);
            }
        }
        if (experiment == 8)
            for (int apart : {20, 0})
                for (const char *order : {"00", "0011", "0101", "0111", "01111111", "01000", "00112233", "01230123", "01222", "00001111", "000011112222", "01001000"}) {
                    sms = none;
                    for (int i = 0; order[i]; i++)
                        sms[gpc[i]] = {1, 1000 + i * apart, (order[i] - '0') * 8, 8};
                    snprintf(what, sizeof what, "sectors %s, %d cycles apart", order, apart);
                    run(sms, 128, 1, warm, what);
                }
        if (experiment == 6)
            for (int far = 0; far < 2; far++)
                for (int delay : {0, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300}) {
                    sms = none;
                    sms[0] = {1, 1000, 0, LINE};
                    sms[far ? 2 : 8] = {1, 1100, 0, LINE};
                    sms[far ? 18 : 24] = {1, 1100 + delay, 0, LINE};
                    snprintf(what, sizeof what, "SM %d 100 cycles after SM 0, SM %d %d after that", far ? 2 : 8, far ? 18 : 24, delay);
                    run(sms, 128, 1, warm, what);
                }
        if (experiment == 4)
            for (int many : {1, 32, 256})
                for (int k = 2; k <= 16; k += k < 8 ? 1 : 2) {
                    sms = none;
                    for (int i = 0; i < k; i++)
                        sms[gpc[i]] = {1, 1000, 0, LINE};
                    snprintf(what, sizeof what, "%d SMs of a GPC, %d lines at once", k, many);
                    run(sms, many == 1 ? 128 : 8, many, warm, what);
                }
    }
}
