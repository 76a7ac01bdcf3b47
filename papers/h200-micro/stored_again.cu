/* SPDX-License-Identifier: MIT */
/* When a second store to another word of a sector makes L1 forget the rest of it: after how many cycles, with a load
 * between, by another warp, and for how many lines of one instruction. ncu counts the sectors that miss; what each
 * launch does is printed, in order. */
#include <cstdio>

#include "words.h"

static __device__ void delay(unsigned cycles)
{
    unsigned start = clock();
    while (cycles && clock() - start < cycles)
        ;
}

enum { PLAIN, LOAD_SAME, LOAD_OTHER, OTHER_WARP, BEHIND };
enum { LINES = 16 };

__global__ void again(unsigned *a, int what, int before, unsigned wait, unsigned *out)
{
    unsigned sum = 0, *p = a + threadIdx.x % 32 * 32, warp = threadIdx.x / 32;
    for (int i = 0; i < LINES; i++, p += 1024) {
        if (before && !warp)
            sum += load(p + sum);
        __syncthreads();
        if (!warp)
            store(p + sum, 0);
        if (what == LOAD_SAME)
            sum += load(p + sum);
        if (what == LOAD_OTHER)
            sum += load(p + 7 + sum);
        delay(wait);
        __syncthreads();
        if (what != OTHER_WARP ? !warp : warp)
            store(p + 1 + sum, 0);
        if (what == BEHIND) /* a load right behind the store */
            sum += load(p + 2 + sum);
        delay(3000);
        __syncthreads();
        if (!warp)
            sum += load(p + sum);
    }
    out[threadIdx.x] = sum;
}

int main()
{
    unsigned *a, *out;
    cudaMalloc(&a, 16 << 20);
    cudaMalloc(&out, 4096);
    cudaMemset(a, 0, 16 << 20);
    printf("what,before,cycles between,lanes\n");
    const char *const names[] = {"plain", "load of the same word between", "load of another word between",
                                 "by another warp", "load behind"};
    for (int what = 0; what < 5; what++)
        for (int before = 0; before < 2; before++)
            for (unsigned wait : {0, 20, 40, 80, 160, 320, 640, 1280, 2560}) {
                printf("%s,%d,%u,32\n", names[what], before, wait);
                again<<<1, what == OTHER_WARP ? 64 : 32>>>(a, what, before, wait, out);
            }
    for (int lanes : {4, 8, 12, 16, 20, 24, 28, 31, 32}) {
        printf("plain,1,0,%d\n", lanes);
        again<<<1, lanes>>>(a, PLAIN, 1, 0, out);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
