/* SPDX-License-Identifier: MIT */
/* Memory: allocation of every kind, pools, and questions about pointers. */
#include "cudart/runtime.h"

#include <string.h>

/* ---- allocation ---- */

SL_API cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    SL_CALL(sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE));
}

SL_API cudaError_t cudaFree(void *pointer)
{
    SL_CALL(sl_rt_free_kind(rt, pointer, false));
}

SL_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    SL_CALL(flags == 1 || flags == 2 ? sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_MANAGED) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    SL_CALL(sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_HOST));
}

SL_API cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    SL_CALL(flags < 16 ? sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_HOST) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaFreeHost(void *pointer)
{
    SL_CALL(sl_rt_free_kind(rt, pointer, true));
}

SL_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    SL_CALL(sl_rt_alloc_pitched(rt, pointer, pitch, width, height, 1));
}

static cudaError_t alloc_3d(sl_rt *rt, cudaPitchedPtr *pitched, cudaExtent extent)
{
    if (!pitched)
        return cudaErrorInvalidValue;
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return sl_rt_alloc_pitched(rt, &pitched->ptr, &pitched->pitch, extent.width, extent.height, extent.depth);
}

SL_API cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent)
{
    SL_CALL(alloc_3d(rt, pitched, extent));
}

/* ---- host memory ---- */

SL_API cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
    SL_CALL(sl_rt_register_host(rt, pointer, bytes, flags));
}

SL_API cudaError_t cudaHostUnregister(void *pointer)
{
    SL_CALL(sl_rt_unregister_host(rt, pointer));
}

SL_API cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    (void)flags;
    SL_CALL(sl_rt_host_pointer(rt, device, host));
}

static cudaError_t host_flags(sl_rt *rt, unsigned *flags, void *host)
{
    void *ignored;
    cudaError_t error = flags ? sl_rt_host_pointer(rt, &ignored, host) : cudaErrorInvalidValue;
    if (!error)
        *flags = 3; /* portable and mapped: with unified addressing all pinned memory is */
    return error;
}

SL_API cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
    SL_CALL(host_flags(rt, flags, host));
}

/* ---- questions ---- */

SL_API cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    SL_CALL(sl_rt_memory_info(rt, available, total));
}

static cudaError_t pointer_attributes(sl_rt *rt, cudaPointerAttributes *a, const void *pointer)
{
    char *base;
    size_t bytes;
    if (!a)
        return cudaErrorInvalidValue;
    memset(a, 0, sizeof *a);
    a->hostPointer = (void *)(uintptr_t)pointer;
    if (!sl_rt_pointer_find(rt, pointer, &a->type, &base, &bytes)) {
        a->type = cudaMemoryTypeUnregistered;
        a->device = -2;
        return cudaSuccess;
    }
    a->devicePointer = a->hostPointer;
    if (a->type == cudaMemoryTypeDevice)
        a->hostPointer = NULL;
    return cudaSuccess;
}

SL_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer)
{
    SL_CALL(pointer_attributes(rt, attributes, pointer));
}

/* ---- managed memory: advice about placement that changes nothing here ---- */

#if SL_CUDART >= 13
SL_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                        cudaStream_t stream)
{
    (void)location, (void)flags, (void)stream;
    SL_CALL(sl_rt_check_managed(rt, pointer, bytes));
}

SL_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, cudaMemLocation location)
{
    (void)advice, (void)location;
    SL_CALL(sl_rt_check_managed(rt, pointer, bytes));
}
#else
SL_API cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream)
{
    (void)device, (void)stream;
    SL_CALL(sl_rt_check_managed(rt, pointer, bytes));
}

SL_API cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device)
{
    (void)advice, (void)device;
    SL_CALL(sl_rt_check_managed(rt, pointer, bytes));
}

SL_API cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                           cudaStream_t stream)
{
    (void)location, (void)flags, (void)stream;
    SL_CALL(sl_rt_check_managed(rt, pointer, bytes));
}
SL_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2);

SL_API cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice, cudaMemLocation location)
{
    (void)advice, (void)location;
    SL_CALL(sl_rt_check_managed(rt, pointer, bytes));
}
#endif
SL_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

/* ---- pools: every pool hands out memory of the one heap ---- */

SL_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    SL_CALL(sl_rt_default_pool(rt, pool, device));
}

SL_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    SL_CALL(sl_rt_default_pool(rt, pool, device));
}

SL_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    SL_CALL(device ? cudaErrorInvalidDevice : sl_rt_pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *props)
{
    SL_CALL(sl_rt_pool_create(rt, pool, props));
}

SL_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    SL_CALL(sl_rt_pool_destroy(rt, pool));
}

SL_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    SL_CALL(sl_rt_pool_attribute(rt, pool, attribute, value, true));
}

SL_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value)
{
    SL_CALL(sl_rt_pool_attribute(rt, pool, attribute, value, false));
}

SL_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    (void)bytes;
    SL_CALL(sl_rt_pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    SL_CALL(sl_rt_alloc_async(rt, pointer, bytes, stream));
}
SL_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);

SL_API cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    SL_CALL(sl_rt_pool_known(rt, pool) ? sl_rt_alloc_async(rt, pointer, bytes, stream) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

SL_API cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    SL_CALL(sl_rt_free_async(rt, pointer, stream));
}
SL_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
