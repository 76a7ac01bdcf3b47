/* SPDX-License-Identifier: MIT */
/* Which part of the unified cache does the driver give to shared memory for what a program prefers?
 *
 *   nvcc -arch=sm_90a carveout.cu -o carveout
 *   ncu --csv --page raw --print-units base --metrics launch__shared_mem_config_size ./carveout
 *
 * carveout.csv has one row per launch, in this order. */
#include <cstdio>

template <int KB> __global__ void use_shared(int *out)
{
    __shared__ int s[KB * 256 + 1];
    s[threadIdx.x % (KB * 256 + 1)] = out[0];
    __syncthreads();
    out[threadIdx.x] = s[0];
}

template <int KB> static void launch(int *out, const char *what, int value)
{
    printf("%d,%s %d\n", KB, what, value);
    use_shared<KB><<<132 * 8, 256>>>(out);
    cudaDeviceSynchronize();
}

template <int KB> static void all(int *out)
{
    for (int config = 0; config < 4; config++) {
        cudaFuncSetCacheConfig(use_shared<KB>, (cudaFuncCache)config);
        launch<KB>(out, "cache config", config);
    }
    cudaFuncSetCacheConfig(use_shared<KB>, cudaFuncCachePreferNone);
    for (int percent = 0; percent <= 100; percent += 25) {
        cudaFuncSetAttribute(use_shared<KB>, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
        launch<KB>(out, "carve-out", percent);
    }
    cudaFuncSetCacheConfig(use_shared<KB>, cudaFuncCachePreferShared);
    cudaFuncSetAttribute(use_shared<KB>, cudaFuncAttributePreferredSharedMemoryCarveout, 0);
    launch<KB>(out, "PreferShared then carve-out", 0);
}

int main()
{
    int *out;
    cudaMalloc(&out, 4096);
    all<0>(out);
    all<1>(out);
    all<10>(out);
    all<40>(out);
    return 0;
}
