/* SPDX-License-Identifier: MIT */
/* Which stores behind the end of an allocation fault? One store of 4 bytes: ./stray SIZE OFFSET; the process ends with 0, or 1 if it faulted. */
#include <cstdio>
#include <cstdlib>
__global__ void poke(char *p, size_t at) { *(volatile int *)(p + at) = 1; }
int main(int, char **argv)
{
    size_t size = strtoull(argv[1], 0, 0), at = strtoull(argv[2], 0, 0);
    char *p;
    if (cudaMalloc(&p, size))
        return 2;
    poke<<<1, 1>>>(p, at);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%zu,%zu,%zu,%s\n", size, at, (size_t)p % (2 << 20), e ? "fault" : "stored");
    return e != cudaSuccess;
}
