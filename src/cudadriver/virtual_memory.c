/* SPDX-License-Identifier: MIT */
/* Virtual memory management. */
#include "cudadriver/driver.h"

typedef struct sl_proc_physical *handle; /* a CUmemGenericAllocationHandle is a number of its size */

enum { PINNED = 1, DEVICE = 1, FILE_DESCRIPTOR = 1 };

static bool is_here(const CUmemAllocationProp *p)
{
    return p && p->type == PINNED && p->location.type == DEVICE && p->location.id == 0;
}

SL_API CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties, int option)
{
    (void)option; /* the least and the recommended one are the same */
    SL_CALL_FREE(bytes && is_here(properties) ? (*bytes = sl_proc_vm_granularity(), cudaSuccess)
                                              : cudaErrorInvalidValue);
}

SL_API CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t align, CUdeviceptr wish,
                                    unsigned long long flags)
{
    (void)wish; /* no promise */
    SL_CALL_FREE(flags ? cudaErrorInvalidValue : sl_proc_vm_reserve(rt, address, bytes, align));
}

SL_API CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    SL_CALL_FREE(sl_proc_vm_unreserve(rt, address, bytes));
}

SL_API CUresult cuMemCreate(handle *memory, size_t bytes, const CUmemAllocationProp *properties,
                            unsigned long long flags)
{
    SL_CALL_FREE(flags || !is_here(properties) ? cudaErrorInvalidValue : sl_proc_vm_create(rt, memory, bytes));
}

SL_API CUresult cuMemRelease(handle memory)
{
    SL_CALL_FREE(sl_proc_vm_release(rt, memory));
}

SL_API CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, handle memory, unsigned long long flags)
{
    SL_CALL_FREE(flags    ? cudaErrorInvalidValue
                 : offset ? cudaErrorNotSupported /* as on an H200 */
                          : sl_proc_vm_map(rt, address, bytes, memory));
}

SL_API CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    SL_CALL_FREE(sl_proc_vm_unmap(rt, address, bytes));
}

SL_API CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
    SL_CALL_FREE(count == 1 && access && access->location.type == DEVICE && access->location.id == 0 &&
                         access->flags <= SL_ACCESS_READ_WRITE
                     ? sl_proc_vm_set_access(rt, address, bytes, access->flags)
                     : cudaErrorInvalidValue);
}

static cudaError_t get_access(sl_proc *rt, unsigned long long *flags, const cudaMemLocation *location,
                              CUdeviceptr address)
{
    unsigned access;
    if (!flags || !location || location->type != DEVICE || location->id)
        return cudaErrorInvalidValue;
    cudaError_t error = sl_proc_vm_access(rt, address, &access);
    *flags = access;
    return error;
}

SL_API CUresult cuMemGetAccess(unsigned long long *flags, const cudaMemLocation *location, CUdeviceptr address)
{
    SL_CALL_FREE(get_access(rt, flags, location, address));
}

SL_API CUresult cuMemRetainAllocationHandle(handle *memory, void *address)
{
    SL_CALL_FREE(memory ? sl_proc_vm_retain(rt, (uintptr_t)address, memory) : cudaErrorInvalidValue);
}

static cudaError_t describe(sl_proc *rt, CUmemAllocationProp *properties, handle memory)
{
    size_t bytes;
    cudaError_t error = properties ? sl_proc_vm_size(rt, memory, &bytes) : cudaErrorInvalidValue;
    if (!error)
        *properties = (CUmemAllocationProp){.type = PINNED, .location = {DEVICE, 0}};
    return error;
}

SL_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, handle memory)
{
    SL_CALL_FREE(describe(rt, properties, memory));
}

SL_API CUresult cuMemExportToShareableHandle(void *shared, handle memory, int type, unsigned long long flags)
{
    SL_CALL_FREE(!shared || flags          ? cudaErrorInvalidValue
                 : type == FILE_DESCRIPTOR ? sl_proc_vm_export(rt, memory, shared)
                                           : cudaErrorNotSupported);
}

SL_API CUresult cuMemImportFromShareableHandle(handle *memory, void *shared, int type)
{
    SL_CALL_FREE(type == FILE_DESCRIPTOR ? sl_proc_vm_import(rt, memory, (int)(intptr_t)shared)
                                         : cudaErrorNotSupported);
}
