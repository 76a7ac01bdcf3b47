/* A cooperative launch: all blocks wait for each other between the rounds of a prefix sum. */
#include "check.h"

#ifdef __NVCC__
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define GRID_SYNC() cg::this_grid().sync()
#else
#define GRID_SYNC() __syncthreads() /* never compiled: the device code comes from the fat binary */
#endif

__global__ void prefix(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int offset = 1; offset < n; offset *= 2) {
        if (i < n)
            b[i] = i >= offset ? a[i] + a[i - offset] : a[i];
        GRID_SYNC();
        int *t = a;
        a = b;
        b = t;
    }
}

int main()
{
    int n = 2000, blocks = 0, sms = 0, able = 0;
    std::vector<int> host(n), want(n);
    for (int i = 0; i < n; i++) {
        host[i] = i * 7919 % 101;
        want[i] = host[i] + (i ? want[i - 1] : 0);
    }
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaDeviceGetAttribute(&able, cudaDevAttrCooperativeLaunch, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, prefix, 128, 0));
    void *args[] = {&a, &b, &n};
    CHECK(cudaLaunchCooperativeKernel(prefix, dim3(16), dim3(128), args));
    CHECK(cudaDeviceSynchronize());
    int rounds = 0;
    for (int offset = 1; offset < n; offset *= 2)
        rounds++;
    CHECK(cudaMemcpy(host.data(), rounds % 2 ? b : a, n * sizeof(int), cudaMemcpyDeviceToHost));
    show("prefix", host);
    /* More blocks than can be there at once are refused. */
    cudaError_t error = cudaLaunchCooperativeKernel(prefix, dim3(blocks * sms + 1), dim3(128), args);
    printf("too many: %s\n", cudaGetErrorName(error));
    cudaGetLastError();
    return verdict(able && host == want && error == 720);
}
