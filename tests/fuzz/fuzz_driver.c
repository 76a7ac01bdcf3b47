/* SPDX-License-Identifier: MIT */
/* Calls of the CUDA driver in an order and with arguments that nobody would choose, and kernels of strangers (recipe.h)
 * that call the device runtime. Whatever they do, host memory that no call was given stays as it is, and every call
 * comes back within its budget. Host pointers are good, as a program's own are; everything else may be anything. */
#include <time.h>

#include "cudadriver/abi.h"
#include "recipe.h"

CUresult cuInit(unsigned);
CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxSetLimit(int, size_t);
CUresult cuCtxSynchronize(void);
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice);
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *, size_t *, CUmodule, const char *);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuFuncGetAttribute(int *, int, CUfunction);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int, size_t);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
CUresult cuMemAllocPitch_v2(CUdeviceptr *, size_t *, size_t, size_t, unsigned);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
CUresult cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuMemcpyDtoD_v2(CUdeviceptr, CUdeviceptr, size_t);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *);
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *);
CUresult cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
CUresult cuMemsetD32_v2(CUdeviceptr, unsigned, size_t);
CUresult cuMemsetD2D32_v2(CUdeviceptr, size_t, unsigned, size_t, size_t);
CUresult cuArrayCreate_v2(CUarray *, const CUDA_ARRAY_DESCRIPTOR *);
CUresult cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult cuArrayDestroy(CUarray);
CUresult cuMemcpyHtoA_v2(CUarray, size_t, const void *, size_t);
CUresult cuMemcpyAtoH_v2(void *, CUarray, size_t, size_t);
CUresult cuMemcpyAtoA_v2(CUarray, size_t, CUarray, size_t, size_t);
CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuStreamCreate(CUstream *, unsigned);
CUresult cuStreamDestroy_v2(CUstream);
CUresult cuStreamSynchronize(CUstream);
CUresult cuStreamBeginCapture_v2(CUstream, int);
CUresult cuStreamEndCapture(CUstream, CUgraph *);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, unsigned long long);
CUresult cuGraphLaunch(CUgraphExec, CUstream);
CUresult cuGraphDestroy(CUgraph);
CUresult cuGraphExecDestroy(CUgraphExec);
CUresult cuEventCreate(CUevent *, unsigned);
CUresult cuEventRecord(CUevent, CUstream);
CUresult cuEventDestroy_v2(CUevent);
CUresult cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
CUresult cuMemAddressFree(CUdeviceptr, size_t);
CUresult cuMemCreate(uint64_t *, size_t, const CUmemAllocationProp *, unsigned long long);
CUresult cuMemRelease(uint64_t);
CUresult cuMemMap(CUdeviceptr, size_t, size_t, uint64_t, unsigned long long);
CUresult cuMemUnmap(CUdeviceptr, size_t);
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
CUresult cuPointerGetAttribute(void *, int, CUdeviceptr);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *, size_t *, CUdeviceptr);
CUresult cuMemHostRegister_v2(void *, size_t, unsigned);
CUresult cuMemHostUnregister(void *);

enum { SLOTS = 4, HOST_BYTES = 8192, MAX_CALLS = 40, MAX_SECONDS = 10 };

/* What a program keeps in its variables. A slot is good until what it holds is destroyed: as with NVIDIA's driver, a
 * program that uses a handle that it has destroyed has only itself to blame. Addresses are numbers, and all are used.
 */
typedef struct program {
    recipe *r;
    CUdeviceptr address[SLOTS];
    CUmodule module[SLOTS];
    CUfunction function[SLOTS];
    CUmodule of[SLOTS]; /* the module of each function */
    CUarray array[SLOTS];
    CUtexObject texture[SLOTS];
    CUstream stream[SLOTS];
    CUevent event[SLOTS];
    CUgraph graph[SLOTS];
    CUgraphExec graph_exec[SLOTS];
    uint64_t physical[SLOTS];
    bool registered;
    char *host; /* [HOST_BYTES] that calls may read and write */
} program;

static const char CANARY[] = "no call was given this memory";
static char canary[sizeof CANARY];

static unsigned slot(program *p)
{
    return next(p->r) % SLOTS;
}

static size_t any_size(program *p)
{
    uint8_t byte = next(p->r);
    if (byte < 160)
        return byte * 32u;
    /* What a GPU has is small enough to be filled in no time; the rest is more than any has. */
    static const size_t sizes[] = {1,
                                   3,
                                   4097,
                                   1 << 20,
                                   1 << 22,
                                   (size_t)1 << 38,
                                   SIZE_MAX,
                                   SIZE_MAX / 2,
                                   (size_t)1 << 40,
                                   (size_t)1 << 47,
                                   (size_t)1 << 60,
                                   SIZE_MAX - 4095};
    return sizes[byte % (sizeof sizes / sizeof *sizes)];
}

static size_t host_size(program *p)
{
    return next(p->r) * 32u % (HOST_BYTES + 1);
}

static CUdeviceptr any_address(program *p)
{
    uint8_t byte = next(p->r);
    CUdeviceptr base = p->address[byte % SLOTS];
    switch (byte / 32) {
    case 0:
        return base + next(p->r);
    case 1:
        return base - next(p->r);
    case 2:
        return base + any_size(p);
    case 3:
        return 0x300000000000u + any_size(p); /* where device memory begins: parameters of kernels */
    default:
        return base;
    }
}

/* ---- calls ---- */

static void load(program *p)
{
    unsigned i = slot(p);
    recipe *r = p->r;
    r->used = 0;
    r->ill_typed = next(r) & 1;
    r->device_runtime = true;
    r->host = (uintptr_t)canary;
    write_kernel(r);
    r->text[r->used < RECIPE_TEXT ? r->used : RECIPE_TEXT - 1] = 0;
    CUmodule module;
    if (cuModuleLoadData(&module, r->text))
        return;
    if (p->module[i])
        cuModuleUnload(p->module[i]);
    for (unsigned f = 0; f < SLOTS; f++)
        if (p->of[f] == p->module[i])
            p->function[f] = NULL;
    p->module[i] = module;
    unsigned f = slot(p);
    if (!cuModuleGetFunction(&p->function[f], module, "k"))
        p->of[f] = module;
}

static void launch(program *p)
{
    unsigned f = slot(p);
    uint8_t shape = next(p->r);
    CUdeviceptr a = any_address(p), b = any_address(p);
    uint32_t n = next(p->r);
    void *args[] = {&a, &b, &n};
    if (p->function[f])
        cuLaunchKernel(p->function[f], shape > 250 ? UINT32_MAX : 1 + shape % 3, 1, 1, shape > 240 ? 0 : 1 + shape % 70,
                       1, 1, shape % 5 ? shape : (unsigned)any_size(p), p->stream[shape % SLOTS], args, NULL);
}

/* Host sides stay within the buffer: pitch times height does, whatever the width. */
static void copy_2d(program *p)
{
    uint8_t kinds = next(p->r);
    CUDA_MEMCPY2D c = {.srcXInBytes = any_size(p),
                       .srcY = any_size(p),
                       .srcMemoryType = kinds % 3 + 1,
                       .srcHost = p->host,
                       .srcDevice = any_address(p),
                       .srcArray = p->array[slot(p)],
                       .srcPitch = any_size(p),
                       .dstXInBytes = any_size(p),
                       .dstY = any_size(p),
                       .dstMemoryType = kinds / 3 % 3 + 1,
                       .dstHost = p->host,
                       .dstDevice = any_address(p),
                       .dstArray = p->array[slot(p)],
                       .dstPitch = any_size(p),
                       .WidthInBytes = any_size(p),
                       .Height = any_size(p)};
    if (c.srcMemoryType == CU_MEMORYTYPE_HOST || c.dstMemoryType == CU_MEMORYTYPE_HOST) {
        c.WidthInBytes %= 64;
        c.Height %= 32;
        c.srcXInBytes = c.dstXInBytes = c.srcY = c.dstY = 0;
        c.srcPitch = c.dstPitch = 64;
    }
    cuMemcpy2D_v2(&c);
}

static void copy_3d(program *p)
{
    uint8_t kinds = next(p->r);
    const CUDA_MEMCPY3D c = {.srcXInBytes = any_size(p),
                             .srcY = any_size(p),
                             .srcZ = any_size(p),
                             .srcMemoryType = kinds & 1 ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY,
                             .srcDevice = any_address(p),
                             .srcArray = p->array[slot(p)],
                             .srcPitch = any_size(p),
                             .srcHeight = any_size(p),
                             .dstXInBytes = any_size(p),
                             .dstY = any_size(p),
                             .dstZ = any_size(p),
                             .dstMemoryType = kinds & 2 ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY,
                             .dstDevice = any_address(p),
                             .dstArray = p->array[slot(p)],
                             .dstPitch = any_size(p),
                             .dstHeight = any_size(p),
                             .WidthInBytes = any_size(p),
                             .Height = any_size(p),
                             .Depth = any_size(p)};
    cuMemcpy3D_v2(&c);
}

static void make_array(program *p)
{
    unsigned i = slot(p);
    static const int formats[] = {1, 2, 3, 8, 9, 10, 0x10, 0x20, 0, 77};
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = any_size(p),
                                       .Height = next(p->r) & 1 ? any_size(p) : 0,
                                       .Depth = next(p->r) & 1 ? any_size(p) : 0,
                                       .Format = formats[next(p->r) % 10],
                                       .NumChannels = next(p->r) % 6,
                                       .Flags = next(p->r) % 8};
    CUarray made;
    if (cuArray3DCreate_v2(&made, &d))
        return;
    if (p->array[i])
        cuArrayDestroy(p->array[i]);
    p->array[i] = made;
}

static void make_texture(program *p)
{
    unsigned i = slot(p);
    CUDA_RESOURCE_DESC resource = {.resType = next(p->r) & 1 ? 3 : 2};
    CUDA_TEXTURE_DESC texture = {.addressMode = {next(p->r) % 5, next(p->r) % 5, next(p->r) % 5},
                                 .filterMode = next(p->r) % 3,
                                 .flags = next(p->r)};
    if (resource.resType == 2) {
        resource.res.linear.devPtr = any_address(p);
        resource.res.linear.format = next(p->r) % 34;
        resource.res.linear.numChannels = next(p->r) % 6;
        resource.res.linear.sizeInBytes = any_size(p);
    } else {
        resource.res.pitch2D.devPtr = any_address(p);
        resource.res.pitch2D.format = next(p->r) % 34;
        resource.res.pitch2D.numChannels = next(p->r) % 6;
        resource.res.pitch2D.width = any_size(p);
        resource.res.pitch2D.height = any_size(p);
        resource.res.pitch2D.pitchInBytes = any_size(p);
    }
    CUtexObject made;
    if (!cuTexObjectCreate(&made, &resource, &texture, NULL)) {
        if (p->texture[i])
            cuTexObjectDestroy(p->texture[i]);
        p->texture[i] = made;
        p->address[i] = made; /* kernels get it as an argument */
    }
}

static void capture(program *p)
{
    unsigned i = slot(p);
    if (!p->stream[i] || cuStreamBeginCapture_v2(p->stream[i], next(p->r) % 3))
        return;
    cuMemcpyDtoD_v2(any_address(p), any_address(p), any_size(p));
    launch(p);
    CUgraph graph;
    if (cuStreamEndCapture(p->stream[i], &graph) || !graph)
        return;
    if (p->graph[i])
        cuGraphDestroy(p->graph[i]);
    p->graph[i] = graph;
    CUgraphExec exec;
    if (!cuGraphInstantiateWithFlags(&exec, graph, 0)) {
        if (p->graph_exec[i])
            cuGraphExecDestroy(p->graph_exec[i]);
        p->graph_exec[i] = exec;
    }
}

static void virtual_memory(program *p)
{
    unsigned i = slot(p);
    const CUmemAllocationProp prop = {.type = 1, .location = {.type = 1}};
    const CUmemAccessDesc access = {.location = {.type = 1}, .flags = next(p->r) % 4};
    switch (next(p->r) % 7) {
    case 0:
        cuMemAddressReserve(&p->address[i], any_size(p), any_size(p), 0, 0);
        break;
    case 1:
        if (!p->physical[i])
            cuMemCreate(&p->physical[i], next(p->r) & 1 ? (size_t)2 << 20 : any_size(p), &prop, 0);
        break;
    case 2:
        cuMemMap(any_address(p), next(p->r) & 1 ? (size_t)2 << 20 : any_size(p), any_size(p), p->physical[i], 0);
        break;
    case 3:
        cuMemSetAccess(any_address(p), next(p->r) & 1 ? (size_t)2 << 20 : any_size(p), &access, 1);
        break;
    case 4:
        cuMemUnmap(any_address(p), next(p->r) & 1 ? (size_t)2 << 20 : any_size(p));
        break;
    case 5:
        cuMemAddressFree(any_address(p), any_size(p));
        break;
    default:
        if (p->physical[i])
            cuMemRelease(p->physical[i]);
        p->physical[i] = 0;
        break;
    }
}

static void one_call(program *p)
{
    unsigned i = slot(p);
    int number;
    size_t bytes;
    CUdeviceptr address;
    uint64_t pointer[2];
    switch (next(p->r) % 32) {
    case 0:
    case 1:
        cuMemAlloc_v2(&p->address[i], any_size(p));
        break;
    case 2:
        cuMemFree_v2(any_address(p));
        break;
    case 3:
        cuMemcpyHtoD_v2(any_address(p), p->host, host_size(p));
        break;
    case 4:
        cuMemcpyDtoH_v2(p->host, any_address(p), host_size(p));
        break;
    case 5:
        cuMemcpyDtoD_v2(any_address(p), any_address(p), any_size(p));
        break;
    case 6:
        cuMemsetD8_v2(any_address(p), next(p->r), any_size(p));
        break;
    case 7:
        cuMemsetD32_v2(any_address(p), next(p->r), any_size(p));
        break;
    case 8:
        cuMemsetD2D32_v2(any_address(p), any_size(p), next(p->r), any_size(p), any_size(p));
        break;
    case 9:
    case 10:
        load(p);
        break;
    case 11:
    case 12:
    case 13:
    case 14:
        launch(p);
        break;
    case 15:
        copy_2d(p);
        break;
    case 16:
        copy_3d(p);
        break;
    case 17:
        make_array(p);
        break;
    case 18:
        make_texture(p);
        break;
    case 19:
        if (!p->stream[i])
            cuStreamCreate(&p->stream[i], next(p->r) & 1);
        break;
    case 20:
        capture(p);
        break;
    case 21:
        if (p->graph_exec[i])
            cuGraphLaunch(p->graph_exec[i], p->stream[slot(p)]);
        break;
    case 22:
        virtual_memory(p);
        break;
    case 23:
        cuCtxSetLimit(next(p->r) % 8, any_size(p));
        break;
    case 24:
        if (p->function[i])
            cuFuncSetAttribute(p->function[i], next(p->r) % 16, (int)any_size(p));
        break;
    case 25:
        if (p->function[i])
            cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, p->function[i], (int)any_size(p), any_size(p));
        break;
    case 26:
        if (p->module[i])
            cuModuleGetGlobal_v2(&p->address[i], &bytes, p->module[i], next(p->r) & 1 ? "words" : "k");
        break;
    case 27:
        cuMemGetAddressRange_v2(&address, &bytes, any_address(p));
        cuPointerGetAttribute(pointer, next(p->r) % 22, any_address(p));
        break;
    case 28:
        if (p->array[i] && p->array[(i + 1) % SLOTS])
            cuMemcpyAtoA_v2(p->array[i], any_size(p), p->array[(i + 1) % SLOTS], any_size(p), any_size(p));
        break;
    case 29:
        if (p->array[i])
            cuMemcpyHtoA_v2(p->array[i], any_size(p), p->host, host_size(p));
        break;
    case 30:
        cuMemAllocPitch_v2(&p->address[i], &bytes, any_size(p), any_size(p), next(p->r));
        break;
    default:
        if (!p->registered)
            p->registered = !cuMemHostRegister_v2(p->host, HOST_BYTES, 0);
        p->address[i] = (uintptr_t)p->host;
        cuCtxSynchronize();
        break;
    }
}

/* ---- running ---- */

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void end(program *p)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (p->graph_exec[i])
            cuGraphExecDestroy(p->graph_exec[i]);
        if (p->graph[i])
            cuGraphDestroy(p->graph[i]);
        if (p->texture[i])
            cuTexObjectDestroy(p->texture[i]);
        if (p->array[i])
            cuArrayDestroy(p->array[i]);
        if (p->stream[i])
            cuStreamDestroy_v2(p->stream[i]);
        if (p->physical[i])
            cuMemRelease(p->physical[i]);
    }
    if (p->registered)
        cuMemHostUnregister(p->host);
    /* After a fault nothing is destroyed; modules outlive the reset that mends it. */
    cuDevicePrimaryCtxReset_v2(0);
    for (unsigned i = 0; i < SLOTS; i++)
        if (p->module[i])
            cuModuleUnload(p->module[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv(SL_PROC_OPTIONS_VARIABLE, "max_instructions=3000\nquiet=1\nthreads=1\n", 1);
    cuInit(0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CUcontext context;
    program *p = calloc(1, sizeof *p);
    recipe *r = calloc(1, sizeof *r);
    char *host = calloc(1, HOST_BYTES);
    if (!p || !r || !host)
        abort();
    memcpy(canary, CANARY, sizeof canary);
    *r = (recipe){.data = data, .size = size};
    p->r = r;
    p->host = host;
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    cuMemAlloc_v2(&p->address[0], 4096);
    for (unsigned i = 0; i < MAX_CALLS && r->at < r->size; i++) {
        double before = cpu_seconds();
        one_call(p);
        if (cpu_seconds() - before > MAX_SECONDS)
            abort(); /* an overrun of the budget is a finding */
    }
    end(p);
    if (memcmp(canary, CANARY, sizeof canary))
        abort();
    free(host);
    free(r);
    free(p);
    return 0;
}
