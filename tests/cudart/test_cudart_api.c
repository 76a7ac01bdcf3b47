/* SPDX-License-Identifier: MIT */
/* The runtime library through its own interface, as a program's object code uses it: once for each CUDA version. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cudart/abi.h"
#include "support.h"

#if SL_CUDART == 11
#define SONAME "libcudart.so.11.0"
#elif SL_CUDART == 12
#define SONAME "libcudart.so.12"
#else
#define SONAME "libcudart.so.13"
#endif

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *, void *,
                            void *, void *, int *);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int, size_t bytes, int, int);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaGetLastError(void);
cudaError_t cudaGetDeviceProperties(void *, int);
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *, int);
cudaError_t cudaDeviceGetAttribute(int *, int, int);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const cudaMemsetParams *);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *,
                                     const void *, size_t, cudaMemcpyKind);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaImportExternalMemory(void *, void *);
cudaError_t cudaIpcGetMemHandle(sl_proc_ipc_handle *, void *);
cudaError_t cudaIpcOpenMemHandle(void **, sl_proc_ipc_handle, unsigned);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *, sl_proc_ipc_handle);
const char *cudaGetErrorName(cudaError_t);

static void *read_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, SL_TEST_DATA "/fatbin/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char *data = calloc(1, 1 << 16);
    assert_true(fread(data, 1, 1 << 16, file) > 0);
    fclose(file);
    return data;
}

/* Host stubs and shadows: only their addresses matter. */
static char use_stub, table_shadow, counter_shadow;

static void relocatable_device_code_is_linked(void **state)
{
    (void)state;
    static const uint64_t EMPTY[2] = {0x00100001ba55ed50, 0};
    void *containers[3] = {read_file("linked_main.fatbin"), read_file("linked_other.fatbin"), NULL};
    sl_fatbin_wrapper wrapper = {0x466243b1, 2, EMPTY, (const void *const *)containers};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &use_stub, NULL, "_Z3usePii", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &table_shadow, NULL, "c_table", 0, 32, 1, 0);
    __cudaRegisterVar(handle, &counter_shadow, NULL, "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);

    int table[8] = {3, 1, 4, 1, 5, 9, 2, 6}, n = 100, out[100], counter = 0, *device;
    assert_int_equal(cudaMemcpyToSymbol(&table_shadow, table, sizeof table, 0, cudaMemcpyHostToDevice), cudaSuccess);
    assert_int_equal(cudaMalloc((void **)&device, sizeof out), cudaSuccess);
    void *args[] = {&device, &n};
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    assert_int_equal(__cudaPushCallConfiguration((dim3){4, 1, 1}, (dim3){32, 1, 1}, 0, NULL), 0);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaSuccess);
    assert_int_equal(cudaLaunchKernel(&use_stub, grid, block, args, shared, stream), cudaSuccess);
    assert_int_equal(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < n; i++)
        assert_int_equal(out[i], (table[i % 8] + i) * 10 + table[(i + 1) % 8] + (i % 2 ? -i : i + 7) * 1000);
    assert_int_equal(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(counter, n + 5);
    /* Past the end of a symbol, and in the wrong direction. */
    assert_int_equal(cudaMemcpyFromSymbol(out, &table_shadow, 8, 28, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpyFromSymbol(out, &table_shadow, 8, 0, cudaMemcpyHostToDevice),
                     cudaErrorInvalidMemcpyDirection);
    assert_int_equal(cudaMemcpyFromSymbol(out, &n, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidSymbol);

    /* A new device has the variables' first values again. */
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    assert_int_equal(cudaMemcpyFromSymbol(&counter, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(counter, 5);

    __cudaUnregisterFatBinary(handle);
    assert_int_equal(cudaLaunchKernel(&use_stub, grid, block, args, 0, NULL),
                     SL_CUDART < 13 ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
    cudaGetLastError();
    free(containers[0]);
    free(containers[1]);
}

static void a_binary_without_ptx_is_refused_when_used(void **state)
{
    (void)state;
    static char stub;
    void *container = read_file("tiny_machine_code_only.fatbin");
    sl_fatbin_wrapper wrapper = {0x466243b1, 1, container, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &stub, NULL, "_Z4tinyPfi", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    const dim3 one = {1, 1, 1};
    for (int i = 0; i < 2; i++)
        assert_int_equal(cudaLaunchKernel(&stub, one, one, NULL, 0, NULL), cudaErrorNoKernelImageForDevice);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess); /* nothing is broken */
    __cudaUnregisterFatBinary(handle);
    free(container);
}

static void symbols_carry_the_version_of_the_library(void **state)
{
    (void)state;
    assert_non_null(dlvsym(RTLD_DEFAULT, "cudaMalloc", SONAME));
    assert_non_null(dlvsym(RTLD_DEFAULT, "__cudaRegisterFatBinary", SONAME));
    assert_null(dlvsym(RTLD_DEFAULT, "cudaMalloc", "libcudart.so.10.2"));
    int version = 0;
    assert_int_equal(cudaRuntimeGetVersion(&version), cudaSuccess);
    assert_int_equal(version / 1000, SL_CUDART);
}

static void properties_fill_their_struct_and_nothing_behind_it(void **state)
{
    (void)state;
    struct {
        cudaDeviceProp prop;
        unsigned char behind[2048];
    } p;
    memset(&p, 0xa5, sizeof p);
    assert_int_equal(cudaGetDeviceProperties_v2(&p.prop, 0), cudaSuccess);
    for (size_t i = 0; i < sizeof p.behind; i++)
        assert_int_equal(p.behind[i], 0xa5);
    int sms;
    assert_int_equal(cudaDeviceGetAttribute(&sms, 16, 0), cudaSuccess);
    assert_int_equal(p.prop.multiProcessorCount, sms);
    assert_int_equal(p.prop.major, 9);
    assert_int_equal(p.prop.warpSize, 32);
    assert_int_equal(p.prop.sharedMemPerBlockOptin, 232448);
    assert_int_equal(p.prop.maxThreadsPerMultiProcessor, 2048);
#if SL_CUDART == 12
    /* Under the old name only as much as CUDA 11 had room for. */
    const size_t old = offsetof(cudaDeviceProp, hostRegisterSupported);
    cudaDeviceProp all = p.prop;
    memset(&p, 0xa5, sizeof p);
    assert_int_equal(cudaGetDeviceProperties(&p, 0), cudaSuccess);
    assert_memory_equal(&p, &all, old);
    assert_int_equal(((unsigned char *)&p)[old], 0xa5);
#endif
    assert_int_equal(cudaGetDeviceProperties_v2(&p.prop, 1), cudaErrorInvalidDevice);
}

static void what_is_missing_says_so_once(void **state)
{
    (void)state;
    char text[512] = "";
    int channel[2], kept = dup(2);
    assert_int_equal(pipe(channel), 0);
    dup2(channel[1], 2);
    assert_int_equal(cudaImportExternalMemory(text, text), cudaErrorNotSupported);
    assert_int_equal(cudaImportExternalMemory(text, text), cudaErrorNotSupported);
    fflush(stderr);
    dup2(kept, 2);
    close(channel[1]);
    ssize_t length = read(channel[0], text, sizeof text - 1);
    close(channel[0]);
    close(kept);
    assert_true(length > 0);
    text[length] = 0;
    assert_string_equal(text, "sluice: cudaImportExternalMemory is not supported: it returns cudaErrorNotSupported\n");
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
}

static void memory_is_freed_by_the_call_that_fits_it(void **state)
{
    (void)state;
    void *device, *host;
    assert_int_equal(cudaMalloc(&device, 100), cudaSuccess);
    assert_int_equal(cudaHostAlloc(&host, 100, 0), cudaSuccess);
    assert_int_equal(cudaFree(host), cudaErrorInvalidValue);
    assert_int_equal(cudaFreeHost(device), cudaErrorInvalidValue);
    assert_int_equal(cudaFree((char *)device + 8), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(device), cudaSuccess);
    assert_int_equal(cudaFree(device), cudaErrorInvalidValue);
    assert_int_equal(cudaFreeHost(host), cudaSuccess);
    assert_int_equal(cudaMemset(device, 0, 1), cudaErrorInvalidValue);
    cudaGetLastError();
}

/* (height - 1) * pitch is a multiple of 2^64: all rows would seem to be the first one. */
static void pitches_beyond_the_address_space_are_refused(void **state)
{
    (void)state;
    void *device;
    char host[16] = {0};
    const size_t pitch = (size_t)1 << 62;
    assert_int_equal(cudaMalloc(&device, 64), cudaSuccess);
    assert_int_equal(cudaMemcpy2D(device, pitch, host, 4, 4, 5, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    assert_int_equal(cudaMemcpy2D(host, pitch, device, 4, 4, 5, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    assert_int_equal(cudaMemset2D(device, pitch, 1, 4, 5), cudaErrorInvalidValue);
    assert_int_equal(cudaFree(device), cudaSuccess);
    cudaGetLastError();
}

static void event_times_are_the_same_in_every_run(void **state)
{
    (void)state;
    cudaEvent_t a, b, untimed;
    float first = 0, second = 0;
    void *memory;
    assert_int_equal(cudaMalloc(&memory, 1 << 20), cudaSuccess);
    assert_int_equal(cudaEventCreate(&a), cudaSuccess);
    assert_int_equal(cudaEventCreate(&b), cudaSuccess);
    assert_int_equal(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&first, a, b), cudaErrorInvalidResourceHandle); /* not recorded yet */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cudaEventRecord(a, NULL), cudaSuccess);
        assert_int_equal(cudaMemset(memory, i, 1 << 20), cudaSuccess);
        assert_int_equal(cudaEventRecord(b, NULL), cudaSuccess);
        assert_int_equal(cudaEventElapsedTime(i ? &second : &first, a, b), cudaSuccess);
    }
    assert_true(first > 0 && first == second);
    assert_int_equal(cudaEventRecord(untimed, NULL), cudaSuccess);
    assert_int_equal(cudaEventElapsedTime(&first, a, untimed), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventDestroy(a), cudaSuccess);
    assert_int_equal(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaEventDestroy(b), cudaSuccess);
    assert_int_equal(cudaFree(memory), cudaSuccess);
    cudaGetLastError();
}

static void waiting_for_a_capturing_stream_spoils_the_capture(void **state)
{
    (void)state;
    cudaStream_t stream;
    cudaGraph_t graph;
    assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
    assert_int_equal(cudaStreamBeginCapture(NULL, 0), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
    assert_int_equal(cudaStreamBeginCapture(stream, 0), cudaSuccess);
    assert_int_equal(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    assert_null(graph);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

static void nodes_run_after_what_they_depend_on(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, copy, nodes[4];
    size_t count = 4;
    uint16_t *device, host[8] = {0};
    assert_int_equal(cudaMalloc((void **)&device, sizeof host), cudaSuccess);
    cudaMemsetParams params = {device, 0, 0xabcd, 2, 8, 1};
    assert_int_equal(cudaGraphCreate(&graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &params), cudaSuccess);
    assert_int_equal(
        cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, host, device, sizeof host, cudaMemcpyDeviceToHost),
        cudaSuccess);
    assert_int_equal(cudaGraphGetNodes(graph, nodes, &count), cudaSuccess);
    assert_int_equal(count, 2);
    assert_int_equal(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
    assert_int_equal(cudaGraphDestroy(graph), cudaSuccess); /* the executable has a copy */
    assert_int_equal(host[7], 0);
    assert_int_equal(cudaGraphLaunch(exec, NULL), cudaSuccess);
    assert_int_equal(host[7], 0xabcd);
    assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
    assert_int_equal(cudaFree(device), cudaSuccess);
}

static void a_forked_child_cannot_use_the_device_of_its_parent(void **state)
{
    (void)state;
    void *memory;
    assert_int_equal(cudaMalloc(&memory, 16), cudaSuccess);
    pid_t child = fork();
    if (child == 0)
        _exit(cudaMalloc(&memory, 16) == cudaErrorInitializationError ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(cudaFree(memory), cudaSuccess);
}

static void handles_that_nobody_gave_open_nothing(void **state)
{
    (void)state;
    void *memory, *opened = NULL;
    cudaEvent_t event;
    sl_proc_ipc_handle handle = {0}, other;
    char text[1] = "";
    assert_int_equal(cudaIpcOpenMemHandle(&opened, handle, 1), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaIpcOpenEventHandle(&event, handle), cudaErrorInvalidResourceHandle);
    assert_int_equal(cudaIpcGetMemHandle(&handle, text), cudaErrorInvalidValue);
    assert_int_equal(cudaMalloc(&memory, 5000), cudaSuccess);
    assert_int_equal(cudaIpcGetMemHandle(&handle, memory), cudaSuccess);
    assert_int_equal(cudaIpcOpenMemHandle(&opened, handle, 0), cudaErrorInvalidValue);
    assert_int_equal(cudaIpcOpenMemHandle(&opened, handle, 1), cudaErrorDeviceUninitialized); /* its own */
    assert_int_equal(cudaIpcOpenEventHandle(&event, handle), cudaErrorInvalidResourceHandle);
    for (int i = 0; i < 5; i++) {
        other = handle;
        other.owner = i == 0 ? INT32_MAX : getppid();
        other.file = i == 1 ? -1 : handle.file;
        other.bytes = i == 2 ? UINT64_MAX : i == 3 ? 0 : handle.bytes;
        other.address = i == 4 ? UINT64_MAX - 100 : handle.address;
        assert_int_equal(cudaIpcOpenMemHandle(&opened, other, 1), cudaErrorMapBufferObjectFailed);
    }
    assert_null(opened);
    assert_int_equal(cudaFree(memory), cudaSuccess);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relocatable_device_code_is_linked),
        cmocka_unit_test(a_binary_without_ptx_is_refused_when_used),
        cmocka_unit_test(symbols_carry_the_version_of_the_library),
        cmocka_unit_test(properties_fill_their_struct_and_nothing_behind_it),
        cmocka_unit_test(what_is_missing_says_so_once),
        cmocka_unit_test(memory_is_freed_by_the_call_that_fits_it),
        cmocka_unit_test(pitches_beyond_the_address_space_are_refused),
        cmocka_unit_test(event_times_are_the_same_in_every_run),
        cmocka_unit_test(waiting_for_a_capturing_stream_spoils_the_capture),
        cmocka_unit_test(nodes_run_after_what_they_depend_on),
        cmocka_unit_test(a_forked_child_cannot_use_the_device_of_its_parent),
        cmocka_unit_test(handles_that_nobody_gave_open_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
