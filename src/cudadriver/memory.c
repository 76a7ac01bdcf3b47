/* SPDX-License-Identifier: MIT */
/* Memory: allocation of every kind, pools, and questions about pointers. */
#include "cudadriver/driver.h"

#include <string.h>

/* ---- allocation ---- */

static cudaError_t alloc(sl_proc *rt, CUdeviceptr *address, size_t bytes, sl_alloc_kind kind)
{
    void *pointer;
    if (!address || !bytes)
        return cudaErrorInvalidValue;
    cudaError_t error = sl_proc_alloc(rt, &pointer, bytes, kind);
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

static cudaError_t alloc_pitch(sl_proc *rt, CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                               unsigned element)
{
    void *pointer;
    if (!address || !width || !height || (element != 4 && element != 8 && element != 16))
        return cudaErrorInvalidValue;
    cudaError_t error = sl_proc_alloc_pitched(rt, &pointer, pitch, width, height, 1);
    if (!error)
        *address = (uintptr_t)pointer;
    return error;
}

SL_API CUresult cuMemAllocPitch_v2(CUdeviceptr *address, size_t *pitch, size_t width, size_t height, unsigned element)
{
    SL_CALL(alloc_pitch(rt, address, pitch, width, height, element));
}

/* ---- questions ---- */

static cudaError_t address_range(sl_proc *rt, CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    cudaMemoryType type;
    char *start;
    size_t size;
    if (!sl_proc_pointer_find(rt, SL_POINTER(address), &type, &start, &size))
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
};

/* Writes the attribute; of an address that is none of ours, zeros. `found` says which. */
static cudaError_t pointer_attribute(sl_proc *rt, void *data, int attribute, CUdeviceptr address, bool *found)
{
    cudaMemoryType type = cudaMemoryTypeUnregistered;
    char *base = NULL;
    size_t bytes = 0;
    *found = sl_proc_pointer_find(rt, SL_POINTER(address), &type, &base, &bytes);
    uint64_t wide = 0;
    int narrow = 0;
    bool is_wide = true;
    switch (attribute) {
    case ATTRIBUTE_CONTEXT:
        wide = *found ? (uintptr_t)sl_proc_context_current(rt) : 0;
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
                 : attribute == ATTRIBUTE_ACCESS_FLAGS   ? (*found ? SL_ACCESS_READ_WRITE : 0)
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

static cudaError_t one_attribute(sl_proc *rt, void *data, int attribute, CUdeviceptr address)
{
    bool found;
    cudaError_t error = data ? pointer_attribute(rt, data, attribute, address, &found) : cudaErrorInvalidValue;
    return error || found ? error : cudaErrorInvalidValue;
}

SL_API CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address)
{
    SL_CALL_FREE(one_attribute(rt, data, attribute, address));
}

static cudaError_t several_attributes(sl_proc *rt, unsigned count, const int *attribute, void **data,
                                      CUdeviceptr address)
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
