/* SPDX-License-Identifier: MIT */
/* Memory: allocation of every kind, pools, and questions about pointers. */
#include "cudart/runtime.h"

#include <string.h>

/* ---- allocation ---- */

SL_API cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    SL_CALL(sl_proc_alloc(rt, pointer, bytes, SL_ALLOC_DEVICE));
}

SL_API cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    SL_CALL(flags == 1 || flags == 2 ? sl_proc_alloc(rt, pointer, bytes, SL_ALLOC_MANAGED) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    SL_CALL(sl_proc_alloc_pitched(rt, pointer, pitch, width, height, 1));
}

static cudaError_t alloc_3d(sl_proc *rt, cudaPitchedPtr *pitched, cudaExtent extent)
{
    if (!pitched)
        return cudaErrorInvalidValue;
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return sl_proc_alloc_pitched(rt, &pitched->ptr, &pitched->pitch, extent.width, extent.height, extent.depth);
}

SL_API cudaError_t cudaMalloc3D(cudaPitchedPtr *pitched, cudaExtent extent)
{
    SL_CALL(alloc_3d(rt, pitched, extent));
}

/* ---- questions ---- */

static cudaError_t pointer_attributes(sl_proc *rt, cudaPointerAttributes *a, const void *pointer)
{
    char *base;
    size_t bytes;
    if (!a)
        return cudaErrorInvalidValue;
    memset(a, 0, sizeof *a);
    a->hostPointer = (void *)(uintptr_t)pointer;
    if (!sl_proc_pointer_find(rt, pointer, &a->type, &base, &bytes)) {
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
