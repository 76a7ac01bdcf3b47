/* SPDX-License-Identifier: MIT */
/* A HIP program: memory, symbols, streams, events, a graph, a texture, launches, a module (the file it is given).
 * Prints nothing but what is wrong. */
#include <cstdio>
#include <cstring>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        hipError_t error = (call);                                                                                     \
        if (error != hipSuccess) {                                                                                     \
            printf("%s: %s (%s)\n", #call, hipGetErrorName(error), hipGetErrorString(error));                          \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
#define EXPECT(true_thing)                                                                                             \
    do {                                                                                                               \
        if (!(true_thing)) {                                                                                           \
            printf("line %d: not so: %s\n", __LINE__, #true_thing);                                                    \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

enum { N = 1000 };
__constant__ int addend;
__device__ int launches;

template <class T, int FACTOR> __global__ void __launch_bounds__(256) scale(const T *in, T *out, int n)
{
    int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    if (i < n)
        out[i] = in[i] * (T)FACTOR + (T)addend;
    if (i == 0)
        atomicAdd(&launches, 1);
}

__global__ void reverse(int *data, int n)
{
    HIP_DYNAMIC_SHARED(int, shared)
    shared[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = shared[n - 1 - threadIdx.x];
}

__global__ void fetch(hipTextureObject_t texture, float *out, int width)
{
    out[blockIdx.x * width + threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

__global__ void extremes(const float *in, float *out)
{
    atomicMin(&out[0], in[threadIdx.x]);
    atomicMax(&out[1], in[threadIdx.x]);
    unsafeAtomicAdd(&out[2], 1.0f);
}

static int properties()
{
    int count = 0, lanes = 0;
    hipDeviceProp_t p;
    CHECK(hipGetDeviceCount(&count));
    CHECK(hipSetDevice(0));
    CHECK(hipGetDeviceProperties(&p, 0));
    CHECK(hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0));
    EXPECT(count == 1 && p.warpSize == lanes && p.multiProcessorCount > 0 && p.clockRate > 0 && p.arch.hasDoubles);
    EXPECT(!strncmp(p.gcnArchName, "sm_", 3) && p.maxSharedMemoryPerMultiProcessor > 0);
    EXPECT(hipMalloc((void **)nullptr, 4) == hipErrorInvalidValue && hipGetLastError() == hipErrorInvalidValue);
    EXPECT(hipGetLastError() == hipSuccess);
    return 0;
}

static int launch()
{
    float *in, *host, *out;
    int three = 3, seen = 0;
    CHECK(hipHostMalloc(&host, N * sizeof *host, hipHostMallocDefault));
    CHECK(hipMalloc(&in, N * sizeof *in));
    CHECK(hipMallocManaged(&out, N * sizeof *out));
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(addend), &three, sizeof three));
    hipStream_t stream;
    hipEvent_t begin, end;
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CHECK(hipEventCreate(&begin));
    CHECK(hipEventCreate(&end));
    CHECK(hipEventRecord(begin, stream));
    CHECK(hipMemcpyWithStream(in, host, N * sizeof *in, hipMemcpyHostToDevice, stream));
    hipLaunchKernelGGL(HIP_KERNEL_NAME(scale<float, 2>), dim3((N + 255) / 256), dim3(256), 0, stream, in, out, N);
    hipLaunchKernelGGL((scale<float, 2>), (N + 255) / 256, 256, 0, stream, in, out, N);
    CHECK(hipEventRecord(end, stream));
    CHECK(hipStreamSynchronize(stream));
    float milliseconds = 0;
    CHECK(hipEventElapsedTime(&milliseconds, begin, end));
    CHECK(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(launches), sizeof seen));
    EXPECT(milliseconds > 0 && seen == 2);
    for (int i = 0; i < N; i++)
        EXPECT(out[i] == 2.0f * i + 3);
    CHECK(hipMemPrefetchAsync(out, N * sizeof *out, 0, stream));
    CHECK(hipMemAdvise(out, N * sizeof *out, hipMemAdviseSetReadMostly, 0));

    hipGraph_t graph;
    hipGraphExec_t exec;
    CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    scale<float, 5><<<(N + 255) / 256, 256, 0, stream>>>(in, out, N);
    CHECK(hipStreamEndCapture(stream, &graph));
    CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CHECK(hipGraphLaunch(exec, stream));
    CHECK(hipStreamSynchronize(stream));
    EXPECT(out[7] == 38);
    size_t edges = 9;
    CHECK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
    EXPECT(edges == 0);
    CHECK(hipGraphExecDestroy(exec));
    CHECK(hipGraphDestroy(graph));

    float found[3] = {1e9f, -1e9f, 0};
    CHECK(hipMemcpy(out, found, sizeof found, hipMemcpyDefault));
    extremes<<<1, 200>>>(in + 100, out);
    CHECK(hipDeviceSynchronize());
    EXPECT(out[0] == 100 && out[1] == 299 && out[2] == 200);
    CHECK(hipFree(in));
    CHECK(hipFree(out));
    CHECK(hipHostFree(host));
    CHECK(hipEventDestroy(begin));
    CHECK(hipEventDestroy(end));
    CHECK(hipStreamDestroy(stream));
    return 0;
}

static int texture()
{
    enum { WIDTH = 32, HEIGHT = 4 };
    std::vector<float> image(WIDTH * HEIGHT), back(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = (float)i * i;
    hipArray_t array;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    CHECK(hipMallocArray(&array, &format, WIDTH, HEIGHT));
    CHECK(hipMemcpy2DToArray(array, 0, 0, image.data(), WIDTH * 4, WIDTH * 4, HEIGHT, hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
    how.filterMode = hipFilterModePoint;
    how.readMode = hipReadModeElementType;
    hipTextureObject_t object;
    float *out;
    CHECK(hipCreateTextureObject(&object, &resource, &how, nullptr));
    CHECK(hipMalloc(&out, WIDTH * HEIGHT * 4));
    fetch<<<HEIGHT, WIDTH>>>(object, out, WIDTH);
    CHECK(hipMemcpy(back.data(), out, WIDTH * HEIGHT * 4, hipMemcpyDeviceToHost));
    EXPECT(back == image);
    CHECK(hipDestroyTextureObject(object));
    CHECK(hipFreeArray(array));
    CHECK(hipFree(out));
    return 0;
}

static int module(const char *file)
{
    int *data, n = 64, host[64];
    hipModule_t module;
    hipFunction_t function;
    CHECK(hipMalloc(&data, sizeof host));
    for (int i = 0; i < 64; i++)
        host[i] = i;
    CHECK(hipMemcpyHtoD((hipDeviceptr_t)data, host, sizeof host));
    reverse<<<1, 64, sizeof host>>>(data, n);
    CHECK(hipModuleLoad(&module, file));
    CHECK(hipModuleGetFunction(&function, module, "twice"));
    void *arguments[] = {&data, &n};
    CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(hipMemcpyDtoH(host, (hipDeviceptr_t)data, sizeof host));
    for (int i = 0; i < 64; i++)
        EXPECT(host[i] == 2 * (63 - i));
    EXPECT(hipModuleGetFunction(&function, module, "none") == hipErrorNotFound);
    CHECK(hipModuleUnload(module));
    CHECK(hipFree(data));
    return 0;
}

int main(int argc, char **argv)
{
    return argc != 2 || properties() || launch() || texture() || module(argv[1]);
}
