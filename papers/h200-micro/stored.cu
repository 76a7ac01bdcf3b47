/* SPDX-License-Identifier: MIT */
/* What of a line that was stored to is found in L1: one warp stores words of lines of its own, and loads a word of each
 * afterwards, with or without a load before. ncu counts the sectors that miss; what each launch does is printed, in
 * order. */
#include <cstdio>

#include "words.h"

/* Lanes are `stride` words apart, and each has `lines` places that are `step` words apart. */
__global__ void phases(unsigned *a, int stride, int lines, int step, int before, int stores, int first, int word,
                       int repeats, int tight, unsigned *out)
{
    unsigned sum = 0, *p = a + threadIdx.x * stride;
    if (before)
        for (int i = 0; i < lines; i++)
            sum += load(p + i * step + sum);
    for (int r = 0; r < repeats; r++) {
        if (tight) {
            for (int i = 0; i < lines; i++) {
                for (int j = 0; j < stores; j++)
                    store(p + i * step + first + j, 0);
                sum += load(p + i * step + word + sum);
            }
        } else {
            for (int i = 0; i < lines; i++)
                for (int j = 0; j < stores; j++)
                    store(p + i * step + first + j, 0);
            __syncwarp();
            for (int i = 0; i < lines; i++)
                sum += load(p + i * step + word + sum);
        }
    }
    out[threadIdx.x] = sum;
}

int main()
{
    unsigned *a, *out;
    cudaMalloc(&a, 16 << 20);
    cudaMalloc(&out, 4096);
    cudaMemset(a, 0, 16 << 20);
    printf("stride,lines,step,before,stores,first,word,repeats,tight\n");
    auto go = [&](int stride, int lines, int step, int before, int stores, int first, int word, int repeats,
                  int tight) {
        printf("%d,%d,%d,%d,%d,%d,%d,%d,%d\n", stride, lines, step, before, stores, first, word, repeats, tight);
        phases<<<1, 32>>>(a, stride, lines, step, before, stores, first, word, repeats, tight, out);
    };
    for (int tight : {0, 1})
        for (int before : {0, 1})
            for (int stores : {1, 2, 4, 8})
                for (int word : {0, 7})
                    go(32, 16, 1024, before, stores, 0, word, 1, tight); /* a line for each lane */
    for (int lines : {1, 4, 16, 48})
        for (int before : {0, 1})
            for (int stores : {1, 8})
                go(32, lines, 1024, before, stores, 0, 0, 8, 0);
    for (int lines : {1, 4, 16, 48}) /* a line for each lane, all 32 words */
        for (int before : {0, 1})
            go(32, lines, 1024, before, 32, 0, 5, 4, 0);
    for (int stride : {1, 2, 4, 8}) /* coalesced: lanes share lines */
        for (int before : {0, 1})
            for (int repeats : {1, 8})
                go(stride, 64, 32 * stride, before, 1, 0, 0, repeats, 0);
    for (int stride : {1, 2}) /* all words of what a lane has, one after the other */
        for (int before : {0, 1})
            go(stride * 8, 16, 256 * stride, before, 8, 0, 3, 4, 0);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
