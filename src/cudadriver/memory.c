/* SPDX-License-Identifier: MIT */
/* Memory: allocation of every kind, pools, and questions about pointers. */
#include "cudadriver/driver.h"

#include <string.h>

/* ---- allocation ---- */

static cudaError_t alloc(sl_rt *rt, CUdeviceptr *address, size_t bytes, sl_alloc_kind kind)
{
    void *pointer;
    if (!address || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = sl_rt_alloc(rt, &pointer, bytes, kind);
    if (!error)
        *address = (uintptr_t)pointer;
    return error;
}

SL_API CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    SL_CALL(alloc(rt, address, bytes, SL_ALLOC_DEVICE));
}

SL_API CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
    SL_CALL(flags == 1 || flags == 2 ? alloc(rt, address, bytes, SL_ALLOC_MANAGED) : cudaErrorInvalidValue);
}

static cudaError_t alloc_pitch(sl_rt *rt, CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                               unsigned element)
{
    void *pointer;
    if (!address || !width || !height || (element != 4 && element != 8 && element != 16))
        return cudaErrorInvalidValue;
    cudaError_t error = sl_rt_alloc_pitched(rt, &pointer, pitch, width, height, 1);
    if (!error)
        *address = (uintptr_t)pointer;
    return error;
}

SL_API CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
    SL_CALL(alloc_pitch(rt, address, pitch, width, height, element));
}

SL_API CUresult cuMemFree_v2(CUdeviceptr address)
{
    SL_CALL(sl_rt_free_kind(rt, SL_POINTER(address), false));
}

/* ---- host memory ---- */

SL_API CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    SL_CALL(sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_HOST));
}

SL_API CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    SL_CALL(flags < 16 ? sl_rt_alloc(rt, pointer, bytes, SL_ALLOC_HOST) : cudaErrorInvalidValue);
}

SL_API CUresult cuMemFreeHost(void *pointer)
{
    SL_CALL(sl_rt_free_kind(rt, pointer, true));
}

SL_API CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    SL_CALL(sl_rt_register_host(rt, pointer, bytes, flags));
}

SL_API CUresult cuMemHostUnregister(void *pointer)
{
    SL_CALL(sl_rt_unregister_host(rt, pointer));
}

static cudaError_t host_pointer(sl_rt *rt, CUdeviceptr *device, void *host)
{
    void *pointer;
    cudaError_t error = device ? sl_rt_host_pointer(rt, &pointer, host) : cudaErrorInvalidValue;
    if (!error)
        *device = (uintptr_t)pointer;
    return error;
}

SL_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host, unsigned flags)
{
    (void)flags;
    SL_CALL(host_pointer(rt, device, host));
}

static cudaError_t host_flags(sl_rt *rt, unsigned *flags, void *host)
{
    CUdeviceptr ignored;
    cudaError_t error = flags ? host_pointer(rt, &ignored, host) : cudaErrorInvalidValue;
    if (!error)
        *flags = 3; /* portable and mapped: with unified addressing all pinned memory is */
    return error;
}

SL_API CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
    SL_CALL(host_flags(rt, flags, host));
}

/* ---- questions ---- */

SL_API CUresult cuMemGetInfo_v2(size_t *available, size_t *total)
{
    SL_CALL(sl_rt_memory_info(rt, available, total));
}

static cudaError_t address_range(sl_rt *rt, CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    cudaMemoryType type;
    char *start;
    size_t size;
    if (!sl_rt_pointer_find(rt, SL_POINTER(address), &type, &start, &size))
        return cudaErrorSymbolNotFound;
    if (base)
        *base = (uintptr_t)start;
    if (bytes)
        *bytes = size;
    return cudaSuccess;
}

SL_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    SL_CALL(address_range(rt, base, bytes, address));
}

enum {
    ATTRIBUTE_CONTEXT = 1,
    ATTRIBUTE_MEMORY_TYPE,
    ATTRIBUTE_DEVICE_POINTER,
    ATTRIBUTE_HOST_POINTER,
    ATTRIBUTE_P2P_TOKENS,
    ATTRIBUTE_SYNC_MEMOPS,
    ATTRIBUTE_BUFFER_ID,
    ATTRIBUTE_IS_MANAGED,
    ATTRIBUTE_DEVICE_ORDINAL,
    ATTRIBUTE_IPC_CAPABLE,
    ATTRIBUTE_RANGE_START,
    ATTRIBUTE_RANGE_SIZE,
    ATTRIBUTE_MAPPED,
    ATTRIBUTE_HANDLE_TYPES,
    ATTRIBUTE_RDMA_CAPABLE,
    ATTRIBUTE_ACCESS_FLAGS,
    ATTRIBUTE_POOL,
    NO_DEVICE = -2,
    ACCESS_READ_WRITE = 3,
};

/* Writes the attribute; of an address that is none of ours, zeros. `found` says which. */
static cudaError_t pointer_attribute(sl_rt *rt, void *data, int attribute, CUdeviceptr address, bool *found)
{
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    char *base = NULL;
    size_t bytes = 0;
    *found = sl_rt_pointer_find(rt, SL_POINTER(address), &type, &base, &bytes);
    uint64_t wide = 0;
    int narrow = 0;
    bool is_wide = true;
    switch (attribute) {
    case ATTRIBUTE_CONTEXT:
        wide = *found ? (uintptr_t)sl_rt_context_current(rt) : 0;
        break;
    case ATTRIBUTE_DEVICE_POINTER:
        wide = *found ? address : 0;
        break;
    case ATTRIBUTE_HOST_POINTER:
        wide = *found && type != cudaMemoryTypeDevice ? address : 0;
        break;
    case ATTRIBUTE_BUFFER_ID:
    case ATTRIBUTE_RANGE_START:
        wide = (uintptr_t)base;
        break;
    case ATTRIBUTE_RANGE_SIZE:
        wide = bytes;
        break;
    case ATTRIBUTE_HANDLE_TYPES:
    case ATTRIBUTE_POOL:
        break;
    default:
        is_wide = false;
        narrow = attribute == ATTRIBUTE_MEMORY_TYPE      ? (!*found                      ? 0
                                                            : type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST
                                                                                         : CU_MEMORYTYPE_DEVICE)
                 : attribute == ATTRIBUTE_IS_MANAGED     ? type == cudaMemoryTypeManaged
                 : attribute == ATTRIBUTE_DEVICE_ORDINAL ? (*found ? 0 : NO_DEVICE)
                 : attribute == ATTRIBUTE_MAPPED         ? *found
                 : attribute == ATTRIBUTE_ACCESS_FLAGS   ? (*found ? ACCESS_READ_WRITE : 0)
                                                         : 0;
        if (attribute < ATTRIBUTE_CONTEXT || attribute > ATTRIBUTE_POOL || attribute == ATTRIBUTE_P2P_TOKENS)
            return cudaErrorInvalidValue;
    }
    if (is_wide)
        memcpy(data, &wide, sizeof wide);
    else if (attribute == ATTRIBUTE_IS_MANAGED || attribute == ATTRIBUTE_SYNC_MEMOPS ||
             attribute == ATTRIBUTE_IPC_CAPABLE || attribute == ATTRIBUTE_MAPPED || attribute == ATTRIBUTE_RDMA_CAPABLE)
        *(unsigned char *)data = (unsigned char)narrow; /* CUDA has a boolean there, which may be one byte only */
    else
        memcpy(data, &narrow, sizeof narrow);
    return cudaSuccess;
}

static cudaError_t one_attribute(sl_rt *rt, void *data, int attribute, CUdeviceptr address)
{
    bool found;
    cudaError_t error = data ? pointer_attribute(rt, data, attribute, address, &found) : cudaErrorInvalidValue;
    return error || found ? error : cudaErrorInvalidValue;
}

SL_API CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address)
{
    SL_CALL_FREE(one_attribute(rt, data, attribute, address));
}

static cudaError_t several_attributes(sl_rt *rt, unsigned count, const int *attribute, void **data, CUdeviceptr address)
{
    bool found;
    cudaError_t error = !attribute || !data ? cudaErrorInvalidValue : cudaSuccess;
    for (unsigned i = 0; i < count && !error; i++)
        error = pointer_attribute(rt, data[i], attribute[i], address, &found);
    return error;
}

SL_API CUresult cuPointerGetAttributes(unsigned count, int *attribute, void **data, CUdeviceptr address)
{
    SL_CALL_FREE(several_attributes(rt, count, attribute, data, address));
}

SL_API CUresult cuPointerSetAttribute(const void *value, int attribute, CUdeviceptr address)
{
    (void)value, (void)address;
    SL_CALL_FREE(attribute == ATTRIBUTE_SYNC_MEMOPS ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- managed memory: advice about placement that changes nothing here ---- */

SL_API CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream)
{
    (void)device, (void)stream;
    SL_CALL(sl_rt_check_managed(rt, SL_POINTER(address), bytes));
}
SL_PTSZ(cuMemPrefetchAsync);

SL_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, cudaMemLocation location, unsigned flags,
                                      CUstream stream)
{
    (void)location, (void)flags, (void)stream;
    SL_CALL(sl_rt_check_managed(rt, SL_POINTER(address), bytes));
}
SL_PTSZ(cuMemPrefetchAsync_v2);

SL_API CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, int advice, CUdevice device)
{
    (void)advice, (void)device;
    SL_CALL(sl_rt_check_managed(rt, SL_POINTER(address), bytes));
}

SL_API CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, int advice, cudaMemLocation location)
{
    (void)advice, (void)location;
    SL_CALL(sl_rt_check_managed(rt, SL_POINTER(address), bytes));
}

/* ---- pools ---- */

SL_API CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    SL_CALL_FREE(sl_rt_default_pool(rt, pool, device));
}
SL_ALIAS(cuDeviceGetMemPool, cuDeviceGetDefaultMemPool);

SL_API CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : sl_rt_pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API CUresult cuMemPoolCreate(CUmemoryPool *pool, const cudaMemPoolProps *props)
{
    SL_CALL_FREE(sl_rt_pool_create(rt, pool, props));
}

SL_API CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    SL_CALL_FREE(sl_rt_pool_destroy(rt, pool));
}

SL_API CUresult cuMemPoolSetAttribute(CUmemoryPool pool, cudaMemPoolAttr attribute, void *value)
{
    SL_CALL_FREE(sl_rt_pool_attribute(rt, pool, attribute, value, true));
}

SL_API CUresult cuMemPoolGetAttribute(CUmemoryPool pool, cudaMemPoolAttr attribute, void *value)
{
    SL_CALL_FREE(sl_rt_pool_attribute(rt, pool, attribute, value, false));
}

SL_API CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    (void)bytes;
    SL_CALL_FREE(sl_rt_pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

/* The one device may access every pool. */
SL_API CUresult cuMemPoolSetAccess(CUmemoryPool pool, const void *access, size_t count)
{
    (void)access, (void)count;
    SL_CALL_FREE(sl_rt_pool_known(rt, pool) ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool pool, cudaMemLocation *location)
{
    SL_CALL_FREE(flags && location && sl_rt_pool_known(rt, pool) ? (*flags = ACCESS_READ_WRITE, cudaSuccess)
                                                                 : cudaErrorInvalidValue);
}

static cudaError_t alloc_async(sl_rt *rt, CUdeviceptr *address, size_t bytes, CUstream stream)
{
    void *pointer;
    cudaError_t error = address ? sl_rt_alloc_async(rt, &pointer, bytes, stream) : cudaErrorInvalidValue;
    if (!error)
        *address = (uintptr_t)pointer;
    return error;
}

SL_API CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    SL_CALL(alloc_async(rt, address, bytes, stream));
}
SL_PTSZ(cuMemAllocAsync);

SL_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    SL_CALL(sl_rt_pool_known(rt, pool) ? alloc_async(rt, address, bytes, stream) : cudaErrorInvalidValue);
}
SL_PTSZ(cuMemAllocFromPoolAsync);

SL_API CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    SL_CALL(sl_rt_free_async(rt, SL_POINTER(address), stream));
}
SL_PTSZ(cuMemFreeAsync);
