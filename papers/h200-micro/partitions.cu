/* SPDX-License-Identifier: MIT */
/* How long a load takes by the partition of L2 that is the home of its line: from DRAM, and from L2 after an SM of the
 * other partition has read the line (the copy of its own partition misses then, but the home has it), and again (the
 * copy hits). One warp of one SM, one lane, one line after the other; prints a histogram of the cycles of each. */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { LINES = 4096, STEP = 32 /* words: a line */ };

__device__ unsigned sm_id()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

__global__ void walk(const unsigned *lines, unsigned short *cycles, unsigned wanted, unsigned *sink)
{
    if (sm_id() != wanted || threadIdx.x)
        return;
    unsigned sum = 0;
    for (int i = 0; i < LINES; i++) {
        unsigned v;
        long long start = clock64();
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(v)
                     : "l"(lines + (i * 2654435761u % LINES) * STEP + sum)
                     : "memory");
        sum += v; /* 0 */
        asm volatile("" ::"r"(sum));
        long long end = clock64() + sum;
        cycles[i] = (unsigned short)(end - start);
    }
    *sink = sum;
}

static void show(const char *what, const unsigned short *cycles)
{
    std::vector<unsigned short> host(LINES);
    cudaMemcpy(host.data(), cycles, LINES * 2, cudaMemcpyDeviceToHost);
    int count[128] = {0};
    double sum = 0;
    for (auto c : host)
        count[c / 16 < 127 ? c / 16 : 127]++, sum += c;
    printf("%s: mean %.1f;", what, sum / LINES);
    for (int i = 0; i < 128; i++)
        if (count[i] > LINES / 200)
            printf(" %d-%d: %d", 16 * i, 16 * i + 15, count[i]);
    printf("\n");
}

int main()
{
    unsigned *lines, *sink, *flush;
    unsigned short *cycles;
    cudaMalloc(&lines, LINES * STEP * 4);
    cudaMalloc(&cycles, LINES * 2);
    cudaMalloc(&sink, 4);
    cudaMalloc(&flush, 256 << 20);
    cudaMemset(lines, 0, LINES * STEP * 4);
    const unsigned pairs[][2] = {{0, 2}, {0, 8}, {2, 0}, {2, 4}};
    for (auto &p : pairs) {
        cudaMemset(flush, 1, 256 << 20);
        walk<<<132, 32, 0>>>(lines, cycles, p[0], sink);
        char text[64];
        snprintf(text, sizeof text, "SM %u, from DRAM", p[0]), show(text, cycles);
        walk<<<132, 32, 0>>>(lines, cycles, p[0], sink);
        snprintf(text, sizeof text, "SM %u again", p[0]), show(text, cycles);
        walk<<<132, 32, 0>>>(lines, cycles, p[1], sink);
        snprintf(text, sizeof text, "SM %u after SM %u", p[1], p[0]), show(text, cycles);
        walk<<<132, 32, 0>>>(lines, cycles, p[1], sink);
        snprintf(text, sizeof text, "SM %u again", p[1]), show(text, cycles);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
