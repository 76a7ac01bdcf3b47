/* Calls at the edge of what makes sense, and what they say. */
#include "check.h"

__global__ void kernel(int *x)
{
    x[threadIdx.x] = 1;
}

static void say(const char *what, cudaError_t error)
{
    printf("%-40s %s\n", what, cudaGetErrorName(error));
}

static void about_memory()
{
    int host[16] = {0}, *device, *managed, *pinned;
    size_t pitch = 7;
    void *pointer = NULL;
    CHECK(cudaMalloc(&device, 64));
    CHECK(cudaMallocManaged(&managed, 64));
    CHECK(cudaMallocHost(&pinned, 64));
    say("fill nothing at null", cudaMemset(NULL, 0, 0));
    say("fill host memory", cudaMemset(host, 0, sizeof host));
    say("fill pinned memory", cudaMemset(pinned, 0, 64));
    say("copy host to host as device to device", cudaMemcpy(host, host + 8, 32, cudaMemcpyDeviceToDevice));
    say("copy device to device as default", cudaMemcpy(device, managed, 64, cudaMemcpyDefault));
    say("2-D copy wider than its pitch", cudaMemcpy2D(device, 8, host, 8, 16, 1, cudaMemcpyHostToDevice));
    say("2-D copy of nothing", cudaMemcpy2D(device, 8, host, 8, 0, 3, cudaMemcpyHostToDevice));
    say("pitched memory of no rows", cudaMallocPitch(&pointer, &pitch, 100, 0));
    CHECK(cudaHostRegister(host, sizeof host, 0));
    say("register twice", cudaHostRegister(host, sizeof host, 0));
    say("unregister", cudaHostUnregister(host));
    say("unregister again", cudaHostUnregister(host));
    say("map what is not registered", cudaHostGetDevicePointer(&pointer, host, 0));
    say("map pinned memory", cudaHostGetDevicePointer(&pointer, pinned, 0));
    say("free pinned memory as device memory", cudaFree(pinned));
    say("free device memory as pinned", cudaFreeHost(device));
    CHECK(cudaFree(device));
    say("free twice", cudaFree(device));
    say("free no pinned memory", cudaFreeHost(NULL));
    say("no array", cudaFreeArray(NULL));
    say("no texture", cudaDestroyTextureObject(0));
}

static void about_kernels()
{
    int not_a_kernel = 0, blocks = -1;
    size_t bytes;
    void *pointer;
    cudaFuncAttributes attributes;
    say("attributes of what is no kernel", cudaFuncGetAttributes(&attributes, (const void *)&not_a_kernel));
    say("size of what is no symbol", cudaGetSymbolSize(&bytes, (const void *)&not_a_kernel));
    say("address of what is no symbol", cudaGetSymbolAddress(&pointer, (const void *)&not_a_kernel));
    say("copy to what is no symbol", cudaMemcpyToSymbol((const void *)&not_a_kernel, &bytes, 4, 0, cudaMemcpyHostToDevice));
    say("occupancy of no threads", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0));
    say("occupancy of 2048 threads", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 2048, 0));
    printf("blocks: %d\n", blocks);
    say("occupancy with 300 KB", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 300 << 10));
    printf("blocks: %d\n", blocks);
    say("negative shared memory", cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    say("an attribute that is none", cudaFuncSetAttribute(kernel, (cudaFuncAttribute)99, 1));
    void *args[] = {&pointer};
    say("no arguments", cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), NULL, 0, 0));
    say("too much shared memory", cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), args, 1 << 20, 0));
}

static void about_streams_and_events()
{
    cudaStream_t stream;
    cudaEvent_t event, untimed;
    float ms;
    cudaGraph_t graph;
    int value;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    say("stream flags that are none", cudaStreamCreateWithFlags(&stream, 77));
    say("event flags that are none", cudaEventCreateWithFlags(&event, 77));
    say("wait for an event never recorded", cudaStreamWaitEvent(stream, event));
    say("is it done", cudaEventQuery(event));
    say("its time", cudaEventElapsedTime(&ms, event, event));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventRecord(untimed, stream));
    CHECK(cudaDeviceSynchronize());
    say("time without timing", cudaEventElapsedTime(&ms, event, untimed));
    say("time between one and the same", cudaEventElapsedTime(&ms, event, event));
    printf("%g\n", ms);
    say("end of no capture", cudaStreamEndCapture(stream, &graph));
    say("capture of the default stream", cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    say("capture twice", cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    say("wait while capturing", cudaStreamSynchronize(stream));
    say("end of a spoilt capture", cudaStreamEndCapture(stream, &graph));
    say("attribute that is none", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)999, 0));
    say("attribute of no device", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 5));
    say("stack of 4 KB", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    say("last", cudaGetLastError());
}

int main()
{
    about_memory();
    about_kernels();
    about_streams_and_events();
    return verdict(cudaGetLastError() == cudaSuccess);
}
