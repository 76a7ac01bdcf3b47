// SPDX-License-Identifier: MIT
// Runtime and driver in one program: kernels, streams, events, memory and contexts of one, used by the other.
#include <cstdio>
#include <cuda.h>

__device__ int offset = 3;
__global__ void add(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += offset;
}

static int failures;
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        int error = (int)(call);                                                                                       \
        if (error) {                                                                                                   \
            printf("%s: %d\n", #call, error);                                                                          \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

int main()
{
    const int n = 64;
    int *data, count = n, host[n];
    CUcontext context = nullptr, primary;
    CUdeviceptr memory;
    cudaFunction_t function;
    cudaStream_t stream;
    CUevent event;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    printf("the runtime made the primary context current: %d\n", context == primary);
    CHECK(cuMemsetD32((CUdeviceptr)data, 10, n));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGetFuncBySymbol(&function, (const void *)add));
    void *params[] = {&data, &count};
    CHECK(cuLaunchKernel((CUfunction)function, 1, 1, 1, n, 1, 1, 0, (CUstream)stream, params, nullptr));
    CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CHECK(cudaEventRecord((cudaEvent_t)event, stream));
    CHECK(cudaEventSynchronize((cudaEvent_t)event));
    CHECK(cuMemAlloc(&memory, n * sizeof(int)));
    CHECK(cudaMemcpy((void *)memory, data, n * sizeof(int), cudaMemcpyDeviceToDevice));
    add<<<1, n, 0, stream>>>((int *)memory, n);
    CHECK(cuStreamSynchronize((CUstream)stream));
    CHECK(cuMemcpyDtoH(host, memory, n * sizeof(int)));
    printf("%d %d\n", host[0], host[n - 1]);
    CHECK(cudaFree((void *)memory));
    CHECK(cuMemFree((CUdeviceptr)data));
    cudaPointerAttributes attributes;
    CHECK(cuMemAllocManaged(&memory, 64, CU_MEM_ATTACH_GLOBAL));
    CHECK(cudaPointerGetAttributes(&attributes, (void *)memory));
    printf("managed: %d\n", attributes.type == cudaMemoryTypeManaged);
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion("cuMemFree", &entry, 12000, cudaEnableDefault, &status));
    printf("the driver's entry point: %d\n", entry != nullptr && status == cudaDriverEntryPointSuccess);
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
