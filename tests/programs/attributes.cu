/* What the device says of itself, by attribute and by property. */
#include "check.h"

__global__ void __launch_bounds__(256) kernel(float *x)
{
    __shared__ float tile[1000];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[255 - threadIdx.x];
}

int main()
{
    /* Left out: where the device is plugged in, its clocks, what depends on the host around it; numbers without a
     * name; and what Sluice does not have (several devices, interprocess events, sparse arrays, clusters …). */
    const int left_out[] = {13,  17,  20,  32,  33,  34,  36,  44,  50,  88,  96,  100, 102, 103, 107, 110, 112,
                            114, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130};
    for (int a = 1, skip = 0; a < 127; a++) {
        if (a == left_out[skip]) {
            skip++;
            continue;
        }
        int value = -1;
        cudaError_t error = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0);
        if (error != cudaSuccess) {
            printf("%d: %s\n", a, cudaGetErrorName(error));
            cudaGetLastError();
        } else if (value) {
            printf("%d: %d\n", a, value);
        }
    }
    bool good = true;
#ifdef __NVCC__
    cudaDeviceProp p;
    int value;
    CHECK(cudaGetDeviceProperties(&p, 0));
#define SAME(attribute, field) good = good && cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess && value == (int)p.field
    SAME(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock);
    SAME(cudaDevAttrMaxGridDimZ, maxGridSize[2]);
    SAME(cudaDevAttrTotalConstantMemory, totalConstMem);
    SAME(cudaDevAttrComputeCapabilityMajor, major);
    SAME(cudaDevAttrMultiProcessorCount, multiProcessorCount);
    SAME(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]);
    SAME(cudaDevAttrMaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]);
    SAME(cudaDevAttrL2CacheSize, l2CacheSize);
    SAME(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor);
    SAME(cudaDevAttrMaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor);
    SAME(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin);
    SAME(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock);
    SAME(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported);
    good = good && p.totalGlobalMem > (size_t)1 << 34;
#endif
    cudaFuncAttributes f;
    CHECK(cudaFuncGetAttributes(&f, kernel));
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    printf("kernel: %zu bytes shared, at most %d threads, %d bytes more shared, %d blocks of 256\n", f.sharedSizeBytes,
           f.maxThreadsPerBlock, f.maxDynamicSharedSizeBytes, blocks);
    for (int shared = 10; shared <= 220; shared += 70) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared << 10));
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, shared << 10));
        printf("with %d KB more: %d blocks of 128\n", shared, blocks);
    }
    return verdict(good);
}
