// SPDX-License-Identifier: MIT
// The driver's interface: contexts, modules from PTX text, the linker, memory, streams, events, launches, graphs.
#include <cstdio>
#include <cstring>
#include <cuda.h>

static const char *SCALE = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 bias[1] = {5};
.visible .entry scale(.param .u64 p, .param .u32 n)
{
    .reg .pred %q;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %q, %r5, %r1;
    @%q bra DONE;
    cvta.to.global.u64 %d1, %d1;
    mul.wide.u32 %d2, %r5, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r6, [%d3];
    ld.global.u32 %r7, [bias];
    mad.lo.s32 %r6, %r6, 3, %r7;
    st.global.u32 [%d3], %r6;
DONE:
    ret;
}
)";

static const char *CALLER = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry apply(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [p];
    cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    ld.global.u32 %r1, [%d3];
    {
        .param .b32 a;
        .param .b32 b;
        st.param.b32 [a], %r1;
        call (b), twice, (a);
        ld.param.b32 %r2, [b];
    }
    st.global.u32 [%d3], %r2;
    ret;
}
)";

static const char *CALLED = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 x)
{
    .reg .b32 %r<2>;
    ld.param.b32 %r1, [x];
    add.s32 %r1, %r1, %r1;
    st.param.b32 [r], %r1;
    ret;
}
)";

static int failures;
static void check(CUresult error, const char *what)
{
    const char *name = "?";
    if (error == CUDA_SUCCESS)
        return;
    cuGetErrorName(error, &name);
    printf("%s: %s\n", what, name);
    failures++;
}
#define CHECK(call) check(call, #call)

static void say(CUresult error, const char *what)
{
    const char *name = "?", *text = "?";
    cuGetErrorName(error, &name);
    cuGetErrorString(error, &text);
    printf("%s: %d %s, %s\n", what, (int)error, name, text);
}

static const int N = 100;

static void contexts(CUdevice device)
{
    CUcontext first, second, current;
    CUdevice of;
#if CUDA_VERSION >= 13000
    CHECK(cuCtxCreate(&first, nullptr, 0, device));
    CHECK(cuCtxCreate(&second, nullptr, 0, device));
#else
    CHECK(cuCtxCreate(&first, 0, device));
    CHECK(cuCtxCreate(&second, 0, device));
#endif
    CHECK(cuCtxGetCurrent(&current));
    printf("the second is current: %d\n", current == second);
    CHECK(cuCtxPopCurrent(&current));
    printf("it was popped: %d\n", current == second);
    CHECK(cuCtxGetCurrent(&current));
    printf("the first is current: %d\n", current == first);
    CHECK(cuCtxGetDevice(&of));
    printf("its device: %d\n", of == device);
    CHECK(cuCtxPushCurrent(second));
    CHECK(cuCtxDestroy(second));
    CHECK(cuCtxGetCurrent(&current));
    printf("the first is current again: %d\n", current == first);
    CHECK(cuCtxDestroy(first));
    CHECK(cuCtxGetCurrent(&current));
    printf("none is current: %d\n", current == nullptr);
    CUdeviceptr memory;
    say(cuMemAlloc(&memory, 4), "memory without a context");
}

static void launches(CUmodule module, CUdeviceptr data, int *host)
{
    CUfunction scale;
    CUdeviceptr bias;
    size_t bytes;
    unsigned n = N;
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    say(cuModuleGetFunction(&scale, module, "nothing"), "a kernel that is not there");
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cuMemcpyHtoD(data, host, N * 4));
    void *params[] = {&data, &n};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, nullptr, params, nullptr));
    struct {
        CUdeviceptr p;
        unsigned n;
    } packed = {data, n};
    size_t size = sizeof(CUdeviceptr) + sizeof(unsigned);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(cuModuleGetGlobal(&bias, &bytes, module, "bias"));
    CHECK(cuMemsetD32(bias, 7, bytes / 4));
    CUlaunchConfig config = {};
    config.gridDimX = 2, config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = 64, config.blockDimY = config.blockDimZ = 1;
    CHECK(cuLaunchKernelEx(&config, scale, params, nullptr));
    CHECK(cuMemcpyDtoH(host, data, N * 4));
    printf("launched three times: %d %d %d\n", host[0], host[1], host[99]);
    say(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, nullptr, params, nullptr), "a block of 2048 threads");
    int blocks = 0, threads = 0;
    CHECK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    printf("threads per block: %d, blocks of 256: %d\n", threads, blocks);
}

static void linking(CUdeviceptr data, int *host)
{
    CUlinkState state;
    CUmodule module;
    CUfunction apply;
    void *image;
    size_t bytes;
    CHECK(cuLinkCreate(0, nullptr, nullptr, &state));
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)CALLER, strlen(CALLER) + 1, "caller", 0, nullptr, nullptr));
    CHECK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)CALLED, strlen(CALLED) + 1, "called", 0, nullptr, nullptr));
    CHECK(cuLinkComplete(state, &image, &bytes));
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(state));
    CHECK(cuModuleGetFunction(&apply, module, "apply"));
    CHECK(cuMemsetD32(data, 21, N));
    void *params[] = {&data};
    CHECK(cuLaunchKernel(apply, 1, 1, 1, 32, 1, 1, 0, nullptr, params, nullptr));
    CHECK(cuMemcpyDtoH(host, data, N * 4));
    printf("linked: %d %d %d\n", host[0], host[31], host[32]);
    CHECK(cuModuleUnload(module));
}

static void streams(CUmodule module, CUdeviceptr data, int *host)
{
    CUstream stream;
    CUevent begin, end;
    CUgraph graph;
    CUgraphExec exec;
    CUfunction scale;
    float ms = -1;
    unsigned n = N;
    void *params[] = {&data, &n};
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cuMemsetD32Async(data, 1, N, stream));
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, stream, params, nullptr));
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    CHECK(cuEventRecord(begin, stream));
    CHECK(cuGraphLaunch(exec, stream));
    CHECK(cuGraphLaunch(exec, stream));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuEventSynchronize(end));
    CHECK(cuEventElapsedTime(&ms, begin, end));
    CHECK(cuMemcpyDtoH(host, data, N * 4));
    printf("graph: %d %d, took time: %d\n", host[0], host[99], ms > 0);
    CHECK(cuGraphExecDestroy(exec));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuStreamDestroy(stream));
}

static void questions(CUdeviceptr data)
{
    CUdeviceptr base;
    size_t bytes;
    unsigned type = 0;
    void *entry = nullptr;
    CUdriverProcAddressQueryResult status;
    CHECK(cuMemGetAddressRange(&base, &bytes, data + 40));
    printf("the allocation begins there: %d\n", base == data);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data + 40));
    printf("device memory: %d\n", type == CU_MEMORYTYPE_DEVICE);
    CHECK(cuGetProcAddress("cuMemAlloc", &entry, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    printf("cuMemAlloc is found: %d\n", entry != nullptr && status == CU_GET_PROC_ADDRESS_SUCCESS);
    CHECK(cuGetProcAddress("cuNothing", &entry, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
    printf("cuNothing is not: %d\n", entry == nullptr && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

int main()
{
    int host[N];
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUdeviceptr data;
    say(cuDeviceGet(&device, 0), "before cuInit");
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    contexts(device);
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, SCALE));
    CHECK(cuMemAlloc(&data, N * 4));
    launches(module, data, host);
    linking(data, host);
    streams(module, data, host);
    questions(data);
    CHECK(cuMemFree(data));
    CHECK(cuDevicePrimaryCtxRelease(device));
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
