/* printf from kernels, in order with the program's own output. */
#include "check.h"

__global__ void speak(int n, double x, const char *word)
{
    if (threadIdx.x == 0)
        printf("block %d of %d: n=%d x=%.3f %5d|%-5d|%05d %c %s %% %x %lld\n", blockIdx.x, gridDim.x, n, x, n, n, n, 'c',
               word, n, (long long)n * 1000000000ll);
}

__global__ void lanes()
{
    if (threadIdx.x % 8 == 3)
        printf("lane %u\n", threadIdx.x);
}

__global__ void plain()
{
    printf("no arguments\n");
}

__device__ char word[16] = "sluice";

int main()
{
    char *d_word;
    CHECK(cudaGetSymbolAddress((void **)&d_word, word));
    printf("before\n");
    speak<<<1, 32>>>(-5, 3.14159, d_word);
    CHECK(cudaDeviceSynchronize());
    printf("between\n");
    speak<<<1, 64>>>(42, -2.5e3, d_word);
    lanes<<<1, 32>>>();
    plain<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    printf("after\n");
    return verdict(true);
}
