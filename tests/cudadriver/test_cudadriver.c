/* SPDX-License-Identifier: MIT */
/* The driver library through its own interface, and together with the runtime. tests/programs/driver.cu has more. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudadriver/abi.h"
#include "support.h"

CUresult cuInit(unsigned);
CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);
CUresult cuCtxDestroy_v2(CUcontext);
CUresult cuCtxGetCurrent(CUcontext *);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxPopCurrent_v2(CUcontext *);
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice);
CUresult cuModuleLoadDataEx(CUmodule *, const void *, unsigned, CUjit_option *, void **);
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuModuleGetFunctionCount(unsigned *, CUmodule);
CUresult cuModuleEnumerateFunctions(CUfunction *, unsigned, CUmodule);
CUresult cuFuncGetName(const char **, CUfunction);
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void **, void **);
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
CUresult cuFuncGetAttribute(int *, int, CUfunction);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuOccupancyMaxActiveClusters(int *, CUfunction, const CUlaunchConfig *);
CUresult cuOccupancyMaxPotentialClusterSize(int *, CUfunction, const CUlaunchConfig *);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemFree_v2(CUdeviceptr);
CUresult cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuMemsetD16_v2(CUdeviceptr, unsigned short, size_t);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *);
CUresult cuArrayCreate_v2(CUarray *, const CUDA_ARRAY_DESCRIPTOR *);
CUresult cuArrayDestroy(CUarray);
CUresult cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *, CUarray);
CUresult cuMemcpyHtoA_v2(CUarray, size_t, const void *, size_t);
CUresult cuMemcpyAtoH_v2(void *, CUarray, size_t, size_t);
CUresult cuMemcpyAtoA_v2(CUarray, size_t, CUarray, size_t, size_t);
CUresult cuTensorMapEncodeTiled(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                                const uint32_t *, int, int, int, int);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned);
CUresult cuMipmappedArrayGetLevel(CUarray *, CUmipmappedArray, unsigned);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, CUtexObject);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *, CUtexObject);
CUresult cuSurfObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *);
CUresult cuSurfObjectDestroy(CUtexObject);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult cuPointerGetAttributes(unsigned, int *, void **, CUdeviceptr);
CUresult cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
CUresult cuGetExportTable(const void **, const CUuuid *);
CUresult cuImportExternalMemory(void *, CUdeviceptr);
CUresult cuDeviceGetAttribute(int *, int, CUdevice);
CUresult cuMemAllocAsync(CUdeviceptr *, size_t, CUstream);
CUresult cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuMemsetD32Async(CUdeviceptr, unsigned, size_t, CUstream);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult cuStreamBeginCapture_v2(CUstream, int);
CUresult cuStreamEndCapture(CUstream, CUgraph *);
CUresult cuGraphGetNodes(CUgraph, CUgraphNode *, size_t *);
CUresult cuGraphNodeGetType(CUgraphNode, cudaGraphNodeType *);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, unsigned long long);
CUresult cuGraphLaunch(CUgraphExec, CUstream);
CUresult cuGraphExecDestroy(CUgraphExec);
CUresult cuGraphCreate(CUgraph *, unsigned);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
CUresult cuGraphAddEmptyNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t);
CUresult cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode, CUgraphNode *, void *, size_t *);
CUresult cuGraphRemoveDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphClone(CUgraph *, CUgraph);
CUresult cuGraphNodeFindInClone(CUgraphNode *, CUgraphNode, CUgraph);
CUresult cuGraphDestroy(CUgraph);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaFree(void *);
cudaError_t cudaGetLastError(void);

static const char PTX[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry one(.param .u64 p)\n{\n.reg .b64 %d;\nld.param.u64 %d, [p];\n"
                          "st.global.u32 [%d], 11;\nret;\n}\n"
                          ".visible .entry two()\n{\nret;\n}\n";

static int start(void **state)
{
    CUcontext context;
    (void)state;
    assert_int_equal(cuInit(0), 0);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 0), 0);
    return cuCtxSetCurrent(context);
}

static void *ask_for_context(void *current)
{
    cuCtxGetCurrent(current);
    return NULL;
}

static void each_thread_has_contexts_of_its_own(void **state)
{
    (void)state;
    CUcontext made, popped, other = (CUcontext)state;
    pthread_t thread;
    assert_int_equal(cuCtxCreate_v2(&made, 0, 0), 0);
    pthread_create(&thread, NULL, ask_for_context, &other);
    pthread_join(thread, NULL);
    assert_null(other);
    assert_int_equal(cuCtxPopCurrent_v2(&popped), 0);
    assert_ptr_equal(popped, made);
    assert_int_equal(cuCtxDestroy_v2(made), 0);
    assert_int_equal(cuCtxDestroy_v2(made), 201);
    assert_int_equal(cuCtxSetCurrent(made), 201);
}

static void a_module_lists_its_kernels(void **state)
{
    (void)state;
    CUmodule module;
    CUfunction functions[2];
    unsigned count;
    const char *name;
    assert_int_equal(cuModuleLoadData(&module, PTX), 0);
    assert_int_equal(cuModuleGetFunctionCount(&count, module), 0);
    assert_int_equal(count, 2);
    assert_int_equal(cuModuleEnumerateFunctions(functions, 2, module), 0);
    assert_int_equal(cuFuncGetName(&name, functions[1]), 0);
    assert_string_equal(name, "two");
    assert_int_equal(cuModuleUnload(module), 0);
    assert_int_equal(cuModuleUnload(module), 400);
    assert_int_equal(cuLaunchKernel(functions[1], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 400);
}

static void a_module_that_does_not_compile_fills_the_log(void **state)
{
    (void)state;
    CUmodule module;
    char log[200] = "x";
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *value[] = {log, (void *)sizeof log};
    assert_int_equal(cuModuleLoadDataEx(&module, ".version 7.0\n.target sm_70\n.entry broken( {\n", 2, option, value),
                     218);
    assert_non_null(strstr(log, "expected a parameter"));
    assert_int_equal((size_t)value[1], strlen(log));
    assert_int_equal(cuModuleLoadDataEx(&module, PTX, 2, option, value), 0);
    assert_int_equal((size_t)value[1], 0);
    assert_int_equal(cuModuleUnload(module), 0);
}

static void images_without_ptx_are_refused(void **state)
{
    (void)state;
    CUmodule module;
    static const char ELF[64] = "\177ELF\2\1\1";
    assert_int_equal(cuModuleLoadData(&module, ELF), 209);
    assert_int_equal(cuModuleLoadData(&module, "neither of both, but long enough to look at"), 200);
}

static void streams_and_memory_are_those_of_the_runtime(void **state)
{
    (void)state;
    CUmodule module;
    CUfunction one;
    cudaStream_t stream;
    CUdeviceptr data;
    int result = 0;
    assert_int_equal(cuModuleLoadData(&module, PTX), 0);
    assert_int_equal(cuModuleGetFunction(&one, module, "one"), 0);
    assert_int_equal(cudaStreamCreate(&stream), 0);
    assert_int_equal(cuMemAllocAsync(&data, 4, stream), 0);
    void *params[] = {&data};
    assert_int_equal(cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL), 0);
    assert_int_equal(cuMemcpyDtoH_v2(&result, data, 4), 0);
    assert_int_equal(result, 11);
    assert_int_equal(cudaFree((void *)data), 0);
    assert_int_equal(cuMemFree_v2(data), 1);
    assert_int_equal(cudaGetLastError(), 0); /* errors of the driver are not the runtime's */
    assert_int_equal(cuModuleUnload(module), 0);
}

static void a_captured_graph_keeps_its_memory_for_every_launch(void **state)
{
    (void)state;
    cudaStream_t stream;
    CUdeviceptr inner, result;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node[8];
    cudaGraphNodeType type;
    size_t count = 8;
    unsigned value = 0;
    assert_int_equal(cudaStreamCreate(&stream), 0);
    assert_int_equal(cuMemAlloc_v2(&result, 4), 0);
    assert_int_equal(cuStreamBeginCapture_v2(stream, 0), 0);
    assert_int_equal(cuMemAllocAsync(&inner, 4, stream), 0);
    assert_int_equal(cuMemsetD32Async(inner, 77, 1, stream), 0);
    assert_int_equal(cuMemcpyDtoDAsync_v2(result, inner, 4, stream), 0);
    assert_int_equal(cuMemFreeAsync(inner, stream), 0);
    assert_int_equal(cuStreamEndCapture(stream, &graph), 0);
    assert_int_equal(cuGraphGetNodes(graph, node, &count), 0);
    assert_int_equal(count, 4);
    assert_int_equal(cuGraphNodeGetType(node[0], &type), 0);
    assert_int_equal(type, cudaGraphNodeTypeMemAlloc);
    assert_int_equal(cuGraphNodeGetType(node[3], &type), 0);
    assert_int_equal(type, cudaGraphNodeTypeMemFree);
    assert_int_equal(cuGraphInstantiateWithFlags(&exec, graph, 0), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(cuGraphLaunch(exec, stream), 0);
    assert_int_equal(cuMemcpyDtoH_v2(&value, result, 4), 0);
    assert_int_equal(value, 77);
    assert_int_equal(cuMemFree_v2(result), 0);
    assert_int_equal(cuGraphExecDestroy(exec), 0);
    assert_int_equal(cuGraphDestroy(graph), 0);
}

static void a_graph_tells_its_nodes_and_edges(void **state)
{
    (void)state;
    CUmodule module;
    CUfunction one;
    CUgraph graph, clone;
    CUgraphNode node[2], from[2], to[2], found;
    CUdeviceptr data = 0x1234;
    uint64_t edge = 1;
    size_t count = 2;
    CUDA_KERNEL_NODE_PARAMS params = {.gridDimX = 3, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1};
    void *args[] = {&data};
    assert_int_equal(cuModuleLoadData(&module, PTX), 0);
    assert_int_equal(cuModuleGetFunction(&one, module, "one"), 0);
    assert_int_equal(cuGraphCreate(&graph, 0), 0);
    params.kern = one; /* in place of `func` */
    params.blockDimZ = 1;
    params.kernelParams = args;
    assert_int_equal(cuGraphAddKernelNode_v2(&node[0], graph, NULL, 0, &params), 0);
    assert_int_equal(cuGraphAddEmptyNode(&node[1], graph, node, 1), 0);
    assert_int_equal(cuGraphGetEdges(graph, from, to, &count), 0);
    assert_int_equal(count, 1);
    assert_ptr_equal(from[0], node[0]);
    assert_ptr_equal(to[0], node[1]);
    assert_null(from[1]);
    count = 1;
    assert_int_equal(cuGraphNodeGetDependentNodes_v2(node[0], &found, &edge, &count), 0);
    assert_int_equal(count, 1);
    assert_ptr_equal(found, node[1]);
    assert_int_equal(edge, 0);
    data = 0; /* the node has a copy */
    assert_int_equal(cuGraphKernelNodeGetParams_v2(node[0], &params), 0);
    assert_ptr_equal(params.func, one);
    assert_int_equal(params.gridDimX, 3);
    assert_int_equal(*(CUdeviceptr *)params.kernelParams[0], 0x1234);
    assert_int_equal(cuGraphKernelNodeGetParams_v2(node[1], &params), 1);
    assert_int_equal(cuGraphClone(&clone, graph), 0);
    assert_int_equal(cuGraphNodeFindInClone(&found, node[0], clone), 0);
    assert_ptr_not_equal(found, node[0]);
    assert_int_equal(cuGraphRemoveDependencies(graph, node, node + 1, 1), 0);
    assert_int_equal(cuGraphRemoveDependencies(graph, node, node + 1, 1), 1);
    assert_int_equal(cuGraphDestroy(clone), 0);
    assert_int_equal(cuGraphDestroy(graph), 0);
    assert_int_equal(cuModuleUnload(module), 0);
}

static void copies_to_arrays_count_in_bytes(void **state)
{
    (void)state;
    CUarray array;
    const CUDA_ARRAY_DESCRIPTOR shape = {8, 4, 0x20, 2};
    float rows[4][4], back[4][4] = {{0}};
    for (int i = 0; i < 16; i++)
        rows[i / 4][i % 4] = (float)i;
    assert_int_equal(cuArrayCreate_v2(&array, &shape), 0);
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = rows,
                          .srcPitch = 16,
                          .dstXInBytes = 8,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 16,
                          .Height = 4};
    assert_int_equal(cuMemcpy2D_v2(&copy), 0);
    CUDA_MEMCPY2D out = {.srcXInBytes = 8,
                         .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = array,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .dstPitch = 16,
                         .WidthInBytes = 16,
                         .Height = 4};
    assert_int_equal(cuMemcpy2D_v2(&out), 0);
    assert_memory_equal(rows, back, sizeof rows);
    copy.dstXInBytes = 56; /* 8 elements of 8 bytes are 64 */
    assert_int_equal(cuMemcpy2D_v2(&copy), 1);
    copy.dstXInBytes = 8;
    copy.dstY = SIZE_MAX;
    assert_int_equal(cuMemcpy2D_v2(&copy), 1);
    assert_int_equal(cuArrayDestroy(array), 0);
}

static void an_address_of_the_host_has_no_attributes(void **state)
{
    (void)state;
    int local, attribute[] = {1, 2, 8, 9}, ordinal = 7;
    void *context = &local;
    unsigned type = 7;
    unsigned char managed = 7;
    void *data[] = {&context, &type, &managed, &ordinal};
    assert_int_equal(cuPointerGetAttributes(4, attribute, data, (CUdeviceptr)&local), 0);
    assert_null(context);
    assert_int_equal(type, 0);
    assert_int_equal(managed, 0);
    assert_int_equal(ordinal, -2);
}

static void entry_points_are_found_by_name_and_version(void **state)
{
    (void)state;
    void *old, *new, *per_thread;
    int status;
    assert_int_equal(cuGetProcAddress_v2("cuCtxCreate", &old, 3020, 0, &status), 0);
    assert_ptr_equal(old, dlsym(RTLD_DEFAULT, "cuCtxCreate_v2"));
    assert_int_equal(cuGetProcAddress_v2("cuCtxCreate", &new, 13000, 0, &status), 0);
    assert_ptr_equal(new, dlsym(RTLD_DEFAULT, "cuCtxCreate_v4"));
    assert_int_equal(cuGetProcAddress_v2("cuMemcpyHtoD", &per_thread, 12000, 2, &status), 0);
    assert_ptr_equal(per_thread, dlsym(RTLD_DEFAULT, "cuMemcpyHtoD_v2_ptds"));
    assert_int_equal(cuGetProcAddress_v2("cuMemAllocAsync", &old, 3020, 0, &status), 0);
    assert_null(old);
    assert_int_equal(status, 2);
    assert_int_equal(cuGetProcAddress_v2("", &old, 0, 0, &status), 0);
    assert_null(old);
    assert_int_equal(status, 1);
}

static void only_the_two_harmless_tables_are_answered(void **state)
{
    (void)state;
    const CUuuid context = {{0x42, (char)0xd8, 0x5a, (char)0x81, 0x23, (char)0xf6, (char)0xcb, 0x47, (char)0x82,
                             (char)0x98, (char)0xf6, (char)0xe7, (char)0x8a, 0x3a, (char)0xec, (char)0xdc}};
    const CUuuid other = {{1, 2, 3}};
    const void *table = NULL;
    CUcontext current, asked;
    assert_int_equal(cuGetExportTable(&table, &context), 0);
    assert_int_equal(*(const size_t *)table, 4 * sizeof(void *));
    assert_int_equal(cuCtxGetCurrent(&current), 0);
    assert_int_equal(((CUresult(*const *)(CUcontext *))table)[2](&asked), 0);
    assert_ptr_equal(asked, current);
    assert_int_equal(cuGetExportTable(&table, &other), 500);
    assert_null(table);
}

static void what_is_missing_returns_not_supported(void **state)
{
    (void)state;
    char handle[64];
    assert_int_equal(cuImportExternalMemory(handle, 0), 801);
}

static void fills_of_two_bytes_need_even_addresses(void **state)
{
    (void)state;
    CUdeviceptr data;
    unsigned short values[4] = {0};
    assert_int_equal(cuMemAlloc_v2(&data, 8), 0);
    assert_int_equal(cuMemsetD16_v2(data, 0x1234, 4), 0);
    assert_int_equal(cuMemcpyDtoH_v2(values, data, 8), 0);
    assert_int_equal(values[3], 0x1234);
    assert_int_equal(cuMemsetD16_v2(data + 1, 1, 1), 1);
    assert_int_equal(cuMemFree_v2(data), 0);
}

enum { FORMAT_UNSIGNED_INT8 = 1, FORMAT_FLOAT = 0x20 };

static void levels_are_arrays_that_go_with_their_mipmapped_array(void **state)
{
    (void)state;
    const CUDA_ARRAY3D_DESCRIPTOR shape = {20, 6, 0, FORMAT_FLOAT, 2, 0};
    CUDA_ARRAY3D_DESCRIPTOR level;
    CUmipmappedArray mipmap;
    CUarray array, again;
    assert_int_equal(cuMipmappedArrayCreate(&mipmap, &shape, 9), 0); /* as many as there can be: 5 */
    assert_int_equal(cuMipmappedArrayGetLevel(&array, mipmap, 3), 0);
    assert_int_equal(cuMipmappedArrayGetLevel(&again, mipmap, 3), 0);
    assert_ptr_equal(array, again);
    assert_int_equal(cuArray3DGetDescriptor_v2(&level, array), 0);
    assert_int_equal(level.Width, 2);
    assert_int_equal(level.Height, 1);
    assert_int_equal(level.Depth, 0);
    assert_int_equal(level.NumChannels, 2);
    assert_int_equal(cuMipmappedArrayGetLevel(&again, mipmap, 4), 0);
    assert_int_equal(cuMipmappedArrayGetLevel(&again, mipmap, 5), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuArrayDestroy(array), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMipmappedArrayDestroy(mipmap), 0);
    assert_int_equal(cuMipmappedArrayDestroy(mipmap), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuArray3DGetDescriptor_v2(&level, array), CUDA_ERROR_INVALID_HANDLE);
}

static void objects_remember_what_they_were_made_of(void **state)
{
    (void)state;
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        8, 8, 12, FORMAT_UNSIGNED_INT8, 4, cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore};
    CUDA_RESOURCE_DESC resource = {.resType = cudaResourceTypeArray}, back;
    CUDA_TEXTURE_DESC texture = {.filterMode = cudaFilterModeLinear, .maxAnisotropy = 4, .mipmapLevelBias = 0.5f}, same;
    texture.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SEAMLESS_CUBEMAP;
    const CUDA_RESOURCE_VIEW_DESC half = {.format = 3, .width = 8, .height = 8, .firstLayer = 6, .lastLayer = 11};
    CUDA_RESOURCE_VIEW_DESC view;
    CUtexObject object, surface;
    CUarray array;
    assert_int_equal(cuArray3DCreate_v2(&array, &shape), 0);
    resource.res.array.hArray = array;
    assert_int_equal(cuTexObjectCreate(&object, &resource, &texture, &half), 0);
    assert_int_equal(cuTexObjectGetTextureDesc(&same, object), 0);
    assert_memory_equal(&same, &texture, sizeof same);
    assert_int_equal(cuTexObjectGetResourceDesc(&back, object), 0);
    assert_memory_equal(&back, &resource, sizeof back);
    assert_int_equal(cuTexObjectGetResourceViewDesc(&view, object), 0);
    assert_memory_equal(&view, &half, sizeof view);
    assert_int_equal(cuSurfObjectCreate(&surface, &resource), 0);
    assert_int_equal(cuSurfObjectGetResourceDesc(&back, surface), 0);
    assert_ptr_equal(back.res.array.hArray, array);
    assert_int_equal(cuSurfObjectGetResourceDesc(&back, object), CUDA_ERROR_INVALID_VALUE); /* it is a texture */
    assert_int_equal(cuTexObjectDestroy(surface), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuSurfObjectDestroy(surface), 0);
    assert_int_equal(cuTexObjectDestroy(object), 0);
    assert_int_equal(cuArrayDestroy(array), 0);
    resource.resType = cudaResourceTypeLinear;
    assert_int_equal(cuSurfObjectCreate(&surface, &resource), CUDA_ERROR_INVALID_VALUE);
}

static void views_must_fit_what_they_show(void **state)
{
    (void)state;
    const CUDA_ARRAY_DESCRIPTOR shape = {8, 8, FORMAT_FLOAT, 1};
    CUDA_RESOURCE_DESC resource = {.resType = cudaResourceTypeArray};
    const CUDA_TEXTURE_DESC texture = {.flags = CU_TRSF_READ_AS_INTEGER};
    CUDA_RESOURCE_VIEW_DESC view = {.format = 3, .width = 8, .height = 8}; /* four bytes for a float */
    CUtexObject object;
    assert_int_equal(cuArrayCreate_v2(&resource.res.array.hArray, &shape), 0);
    assert_int_equal(cuTexObjectCreate(&object, &resource, &texture, &view), 0);
    assert_int_equal(cuTexObjectDestroy(object), 0);
    view.format = 2;
    assert_int_equal(cuTexObjectCreate(&object, &resource, &texture, &view), CUDA_ERROR_INVALID_VALUE);
    view.format = 3;
    view.lastMipmapLevel = 1;
    assert_int_equal(cuTexObjectCreate(&object, &resource, &texture, &view), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuArrayDestroy(resource.res.array.hArray), 0);
}

static void runs_of_bytes_go_on_in_the_next_row(void **state)
{
    (void)state;
    const CUDA_ARRAY_DESCRIPTOR wide = {7, 2, FORMAT_UNSIGNED_INT8, 1}, narrow = {5, 3, FORMAT_UNSIGNED_INT8, 1};
    const char text[14] = "ABCDEFGHIJKLMN";
    char got[15] = {0};
    CUarray from, to;
    assert_int_equal(cuArrayCreate_v2(&from, &wide), 0);
    assert_int_equal(cuArrayCreate_v2(&to, &narrow), 0);
    assert_int_equal(cuMemcpyHtoA_v2(from, 0, text, 14), 0);
    assert_int_equal(cuMemcpyAtoA_v2(to, 3, from, 2, 12), 0);
    assert_int_equal(cuMemcpyAtoH_v2(got, to, 3, 2), 0);
    assert_string_equal(got, "CD");
    assert_int_equal(cuMemcpyAtoA_v2(from, 0, to, 3, 12), 0);
    assert_int_equal(cuMemcpyAtoH_v2(got, from, 0, 14), 0);
    assert_string_equal(got, "CDEFGHIJKLMNMN");
    assert_int_equal(cuMemcpyAtoA_v2(to, 3, from, 2, 13), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuArrayDestroy(from), 0);
    assert_int_equal(cuArrayDestroy(to), 0);
}

static void clusters_are_given_by_the_launch_or_the_kernel(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry any(.param .u64 p)\n{\n.reg .b64 %d;\n.reg .b32 %r;\nld.param.u64 %d, [p];\n"
        "mov.u32 %r, %cluster_nctarank;\nst.global.u32 [%d], %r;\nret;\n}\n"
        ".visible .entry pair(.param .u64 p)\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\n.reg .b64 %d;\n"
        ".reg .b32 %r;\nld.param.u64 %d, [p];\nmov.u32 %r, %cluster_nctarank;\nst.global.u32 [%d], %r;\nret;\n}\n"
        ".visible .entry told()\n.explicitcluster\n{\nret;\n}\n";
    enum { MUST_SET = 10, WIDTH, HEIGHT, DEPTH, NON_PORTABLE };
    CUmodule module;
    CUfunction any, pair, told;
    CUdeviceptr data;
    int value = 0;
    assert_int_equal(cuModuleLoadData(&module, text), 0);
    assert_int_equal(cuModuleGetFunction(&any, module, "any"), 0);
    assert_int_equal(cuModuleGetFunction(&pair, module, "pair"), 0);
    assert_int_equal(cuModuleGetFunction(&told, module, "told"), 0);
    assert_int_equal(cuMemAlloc_v2(&data, 4), 0);
    void *params[] = {&data};
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension, .val.clusterDim = {4, 1, 1}};
    CUlaunchConfig config = {.gridDimX = 16,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 32,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};
    assert_int_equal(cuLaunchKernelEx(&config, any, params, NULL), 0);
    assert_int_equal(cuMemcpyDtoH_v2(&value, data, 4), 0);
    assert_int_equal(value, 4);
    assert_int_equal(cuLaunchKernel(pair, 4, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 0);
    assert_int_equal(cuMemcpyDtoH_v2(&value, data, 4), 0);
    assert_int_equal(value, 2);
    assert_int_equal(cuFuncGetAttribute(&value, WIDTH, pair), 0);
    assert_int_equal(value, 2);
    assert_int_equal(cuFuncGetAttribute(&value, MUST_SET, told), 0);
    assert_int_equal(value, 1);
    assert_int_not_equal(cuLaunchKernel(told, 4, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
    assert_int_equal(cuOccupancyMaxActiveClusters(&value, any, &config), 0);
    assert_in_range(value, 1, 132 * 32 / 4);
    attribute.val.clusterDim.x = 5; /* a grid of 16 blocks is no number of such clusters */
    assert_int_equal(cuLaunchKernelEx(&config, any, params, NULL), 912);
    assert_int_equal(cuLaunchKernel(pair, 3, 1, 1, 1, 1, 1, 0, NULL, params, NULL), 912);
    attribute.val.clusterDim.x = 16;
    assert_int_equal(cuLaunchKernelEx(&config, any, params, NULL), 912);
    assert_int_equal(cuOccupancyMaxPotentialClusterSize(&value, any, &config), 0);
    assert_int_equal(value, 8);
    assert_int_equal(cuFuncSetAttribute(any, NON_PORTABLE, 1), 0);
    assert_int_equal(cuOccupancyMaxPotentialClusterSize(&value, any, &config), 0);
    assert_int_equal(value, 16);
    assert_int_equal(cuLaunchKernelEx(&config, any, params, NULL), 0);
    assert_int_equal(cuMemFree_v2(data), 0);
    assert_int_equal(cuModuleUnload(module), 0);
}

static void maps_that_cannot_be_used_are_not_encoded(void **state)
{
    (void)state;
    static _Alignas(64) uint64_t map[16];
    static const struct {
        int type;
        uintptr_t address;
        uint64_t stride;
        uint32_t box[2], step[2];
        int swizzle, fill;
        CUresult result;
    } cases[] = {
        {2, 0x10000, 256, {32, 32}, {1, 1}, 3, 0, 0},
        {7, 0x10000, 256, {32, 32}, {1, 1}, 0, 1, 0},
        {2, 0x10004, 256, {32, 32}, {1, 1}, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {2, 0x10000, 100, {32, 32}, {1, 1}, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {2, 0x10000, 256, {300, 1}, {1, 1}, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {2, 0x10000, 256, {32, 32}, {1, 0}, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {2, 0x10000, 256, {32, 32}, {1, 9}, 0, 0, CUDA_ERROR_INVALID_VALUE},
        {2, 0x10000, 256, {32, 32}, {1, 1}, 2, 0, CUDA_ERROR_INVALID_VALUE}, /* rows wider than the swizzle's span */
        {2, 0x10000, 256, {32, 32}, {1, 1}, 0, 1, CUDA_ERROR_INVALID_VALUE}, /* NaN for integers */
        {40, 0x10000, 256, {32, 32}, {1, 1}, 0, 0, CUDA_ERROR_INVALID_VALUE},
    };
    static const uint64_t size[2] = {64, 16};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cuTensorMapEncodeTiled(map, cases[i].type, 2, (void *)cases[i].address, size, &cases[i].stride,
                                                cases[i].box, cases[i].step, 0, cases[i].swizzle, 0, cases[i].fill),
                         cases[i].result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(maps_that_cannot_be_used_are_not_encoded, start),
        cmocka_unit_test_setup(levels_are_arrays_that_go_with_their_mipmapped_array, start),
        cmocka_unit_test_setup(objects_remember_what_they_were_made_of, start),
        cmocka_unit_test_setup(views_must_fit_what_they_show, start),
        cmocka_unit_test_setup(runs_of_bytes_go_on_in_the_next_row, start),
        cmocka_unit_test_setup(each_thread_has_contexts_of_its_own, start),
        cmocka_unit_test_setup(a_module_lists_its_kernels, start),
        cmocka_unit_test_setup(a_module_that_does_not_compile_fills_the_log, start),
        cmocka_unit_test_setup(images_without_ptx_are_refused, start),
        cmocka_unit_test_setup(streams_and_memory_are_those_of_the_runtime, start),
        cmocka_unit_test_setup(a_captured_graph_keeps_its_memory_for_every_launch, start),
        cmocka_unit_test_setup(a_graph_tells_its_nodes_and_edges, start),
        cmocka_unit_test_setup(copies_to_arrays_count_in_bytes, start),
        cmocka_unit_test_setup(an_address_of_the_host_has_no_attributes, start),
        cmocka_unit_test_setup(entry_points_are_found_by_name_and_version, start),
        cmocka_unit_test_setup(only_the_two_harmless_tables_are_answered, start),
        cmocka_unit_test_setup(what_is_missing_returns_not_supported, start),
        cmocka_unit_test_setup(fills_of_two_bytes_need_even_addresses, start),
        cmocka_unit_test_setup(clusters_are_given_by_the_launch_or_the_kernel, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
