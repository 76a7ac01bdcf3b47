/* SPDX-License-Identifier: MIT */
/* What the first access to a page costs: one thread loads from one page after another, twice from each, and says how
 * long each load took. Then other SMs follow, each a while after the one before. */
#include "check.h"

enum { PAGES = 48 };

__global__ void walk(const unsigned *data, size_t stride, int pages, unsigned *took, unsigned *where, unsigned wait)
{
    __shared__ unsigned landed;
    unsigned sm, at = 0;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x)
        return;
    unsigned long long start = clock64();
    while (clock64() - start < (unsigned long long)wait * blockIdx.x)
        ;
    for (int p = 0; p < pages; p++)
        for (int again = 0; again < 2; again++) {
            unsigned from = clock();
            at += data[p * stride + again * 2048 + blockIdx.x * 64 + at];
            asm volatile("st.shared.u32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&landed)), "r"(at)
                         : "memory");
            unsigned now = clock();
            took[(blockIdx.x * pages + p) * 2 + again] = now - from;
        }
    where[blockIdx.x] = sm;
}

int main(int argc, char **argv)
{
    char *data;
    unsigned *took, *where;
    size_t bytes = (size_t)8 << 30;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    CHECK(cudaMalloc(&took, 1 << 20));
    CHECK(cudaMalloc(&where, 4096));
    static unsigned host[1 << 18], sms[1024];
    for (size_t kb : {64, 2048, 32768, 131072}) {
        for (int blocks : {1, 24}) {
            int pages = blocks == 1 ? PAGES : 4;
            walk<<<blocks, 32>>>((unsigned *)data, kb << 8, pages, took, where, 40000);
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(host, took, sizeof(unsigned) * blocks * pages * 2, cudaMemcpyDeviceToHost));
            CHECK(cudaMemcpy(sms, where, 4096, cudaMemcpyDeviceToHost));
            for (int b = 0; b < blocks; b++) {
                printf("%zu KB apart, SM %u:", kb, sms[b]);
                for (int i = 0; i < 2 * pages; i++)
                    printf(" %u", host[b * pages * 2 + i]);
                printf("\n");
            }
        }
    }
    return 0;
}
