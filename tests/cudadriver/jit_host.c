/* SPDX-License-Identifier: MIT */
/* A program that loads a compiled kernel and launches it by the calls that Triton's launcher makes: add_kernel(x, y,
 * out, n, scratch, profile) over 1000 floats, 512 in a block, and says how many sums are right. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cudadriver/abi.h"

CUresult cuInit(unsigned);
CUresult cuDeviceGet(CUdevice *, int);
CUresult cuDeviceGetAttribute(int *, int, CUdevice);
CUresult cuCtxGetCurrent(CUcontext *);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice);
CUresult cuModuleLoadData(CUmodule *, const void *);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction *, CUmodule, const char *);
CUresult cuFuncGetAttribute(int *, int, CUfunction);
CUresult cuFuncSetAttribute(CUfunction, int, int);
CUresult cuFuncSetCacheConfig(CUfunction, int);
CUresult cuOccupancyMaxActiveClusters(int *, CUfunction, const CUlaunchConfig *);
CUresult cuPointerGetAttribute(void *, int, CUdeviceptr);
CUresult cuMemAlloc_v2(CUdeviceptr *, size_t);
CUresult cuMemcpyHtoD_v2(CUdeviceptr, const void *, size_t);
CUresult cuMemcpyDtoH_v2(void *, CUdeviceptr, size_t);
CUresult cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
CUresult cuCtxSynchronize(void);

enum {
    SHARED_PER_BLOCK_OPTIN = 97, /* CU_DEVICE_ATTRIBUTE_… */
    SHARED_BYTES = 1,            /* CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES */
    MAX_THREADS = 0,             /* …_MAX_THREADS_PER_BLOCK */
    LOCAL_BYTES = 3,             /* …_LOCAL_SIZE_BYTES */
    REGISTERS = 4,               /* …_NUM_REGS */
    MAX_DYNAMIC_SHARED = 8,      /* …_MAX_DYNAMIC_SHARED_SIZE_BYTES */
    NON_PORTABLE_CLUSTERS = 14,  /* …_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
    PREFER_SHARED = 1,           /* CU_FUNC_CACHE_PREFER_SHARED */
    DEVICE_POINTER = 3,          /* CU_POINTER_ATTRIBUTE_DEVICE_POINTER */
    CLUSTER_DIMENSION = 4,       /* CU_LAUNCH_ATTRIBUTE_… */
    PROGRAMMATIC_STREAM = 6,     /* …_PROGRAMMATIC_STREAM_SERIALIZATION */
    COUNT = 1000,
    IN_BLOCK = 512,
    MAX_IMAGE = 1 << 20
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        CUresult result = call;                                                                                        \
        if (result) {                                                                                                  \
            printf("%s: %d\n", #call, (int)result);                                                                    \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

static CUmodule module;
static CUfunction kernel;

static int load(const void *image)
{
    CUcontext context = NULL;
    CUdevice device;
    int registers, local, threads, optin, shared;
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuCtxGetCurrent(&context));
    if (!context) {
        TRY(cuDevicePrimaryCtxRetain(&context, device));
        TRY(cuCtxSetCurrent(context));
    }
    TRY(cuModuleLoadData(&module, image));
    TRY(cuModuleGetFunction(&kernel, module, "add_kernel"));
    TRY(cuFuncGetAttribute(&registers, REGISTERS, kernel));
    TRY(cuFuncGetAttribute(&local, LOCAL_BYTES, kernel));
    TRY(cuFuncGetAttribute(&threads, MAX_THREADS, kernel));
    TRY(cuDeviceGetAttribute(&optin, SHARED_PER_BLOCK_OPTIN, device));
    TRY(cuFuncSetCacheConfig(kernel, PREFER_SHARED));
    TRY(cuFuncGetAttribute(&shared, SHARED_BYTES, kernel));
    TRY(cuFuncSetAttribute(kernel, MAX_DYNAMIC_SHARED, optin - shared));
    TRY(cuFuncSetAttribute(kernel, NON_PORTABLE_CLUSTERS, 1));
    printf("%s, %d local bytes, %d threads, %d bytes of shared memory\n", registers > 0 ? "registers" : "no registers",
           local, threads, optin - shared);
    return 0;
}

static int launch(CUdeviceptr x, CUdeviceptr y, CUdeviceptr out)
{
    cudaLaunchAttribute attributes[2] = {{.id = PROGRAMMATIC_STREAM}, {.id = CLUSTER_DIMENSION}};
    int32_t one = 1, cluster[3] = {1, 1, 1}, clusters, n = COUNT;
    memcpy(&attributes[0].val, &one, sizeof one);
    memcpy(&attributes[1].val, cluster, sizeof cluster);
    CUlaunchConfig config = {.gridDimX = (COUNT + IN_BLOCK - 1) / IN_BLOCK,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 128,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = 65536,
                             .attrs = attributes,
                             .numAttrs = 2};
    CUdeviceptr scratch = 0, pointer;
    void *arguments[] = {&x, &y, &out, &n, &scratch, &scratch};
    TRY(cuPointerGetAttribute(&pointer, DEVICE_POINTER, x));
    TRY(cuOccupancyMaxActiveClusters(&clusters, kernel, &config));
    TRY(cuLaunchKernelEx(&config, kernel, arguments, NULL));
    TRY(cuCtxSynchronize());
    printf("%s, %s\n", pointer == x ? "device pointer" : "another pointer", clusters > 0 ? "clusters" : "no clusters");
    return 0;
}

static int add(void)
{
    static float x[COUNT], y[COUNT], out[COUNT];
    CUdeviceptr device[3];
    int right = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i, y[i] = 2.0f * (float)i;
    for (int i = 0; i < 3; i++)
        TRY(cuMemAlloc_v2(&device[i], sizeof x));
    TRY(cuMemcpyHtoD_v2(device[0], x, sizeof x));
    TRY(cuMemcpyHtoD_v2(device[1], y, sizeof y));
    if (launch(device[0], device[1], device[2]))
        return 1;
    TRY(cuMemcpyDtoH_v2(out, device[2], sizeof out));
    TRY(cuModuleUnload(module));
    for (int i = 0; i < COUNT; i++)
        right += out[i] == x[i] + y[i];
    printf("%d of %d sums are right\n", right, COUNT);
    return right != COUNT;
}

int main(int argc, char **argv)
{
    static char image[MAX_IMAGE];
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file)
        return 2;
    image[fread(image, 1, sizeof image - 1, file)] = 0;
    fclose(file);
    return load(image) || add();
}
