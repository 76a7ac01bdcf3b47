/* A kernel whose assert fails: the program learns of it where it waits, and the device is of no use afterwards. */
#include "check.h"

#include <cassert>

__global__ void positive(const int *x, int *out)
{
    assert(x[threadIdx.x] > 0);
    out[threadIdx.x] = x[threadIdx.x];
}

int main()
{
    int host[32], *x, *out;
    for (int i = 0; i < 32; i++)
        host[i] = i + 1;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    positive<<<1, 32>>>(x, out);
    printf("all positive: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    host[7] = 0;
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    positive<<<1, 32>>>(x, out);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("later: %s\n", cudaGetErrorName(cudaMalloc(&x, 4)));
    printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("free: %s\n", cudaGetErrorName(cudaFree(out)));
    return verdict(cudaPeekAtLastError() == cudaErrorAssert);
}
