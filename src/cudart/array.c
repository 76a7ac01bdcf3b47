/* SPDX-License-Identifier: MIT */
/* CUDA arrays, texture and surface objects. */
#include "cudart/runtime.h"

#include <string.h>

/* ---- arrays ---- */

SL_API cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *format, size_t width, size_t height,
                                   unsigned flags)
{
    SL_CALL(sl_proc_array_create(rt, array, format, (cudaExtent){width, height, 0}, flags));
}

SL_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                                     unsigned flags)
{
    SL_CALL(sl_proc_array_create(rt, array, format, extent, flags));
}

SL_API cudaError_t cudaFreeArray(cudaArray_t array)
{
    SL_CALL(sl_proc_array_free(rt, array));
}

SL_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                                    cudaArray_t array)
{
    SL_CALL(sl_proc_array_info(rt, format, extent, flags, array));
}

SL_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *format, cudaArray_t array)
{
    SL_CALL(sl_proc_array_info(rt, format, NULL, NULL, array));
}

SL_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return (cudaChannelFormatDesc){x, y, z, w, kind};
}

SL_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,
                                            cudaExtent extent, unsigned levels, unsigned flags)
{
    SL_CALL(sl_proc_mipmap_create(rt, mipmap, format, extent, levels, flags));
}

SL_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
    SL_CALL(sl_proc_mipmap_free(rt, mipmap));
}

SL_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_t mipmap, unsigned level)
{
    SL_CALL(sl_proc_mipmap_level(rt, array, mipmap, level));
}

/* ---- textures ---- */

static cudaError_t create_texture(sl_proc *rt, cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                  const cudaTextureDesc *desc, const cudaResourceViewDesc *view)
{
    cudaTextureDesc whole = {0};
    if (!resource || !desc)
        return cudaErrorInvalidValue;
    memcpy(&whole, desc, SL_TEXTURE_DESC_BYTES);
    return sl_proc_texture_create(rt, object, &resource->known, &whole, view);
}

SL_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const cudaResourceDesc *resource,
                                           const cudaTextureDesc *desc, const cudaResourceViewDesc *view)
{
    SL_CALL(create_texture(rt, object, resource, desc, view));
}
SL_ALIAS(cudaCreateTextureObject_v2, cudaCreateTextureObject);

SL_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    SL_CALL(sl_proc_texture_destroy(rt, object, false));
}

static cudaError_t texture_descs(sl_proc *rt, cudaResourceDesc *resource, cudaTextureDesc *desc,
                                 cudaTextureObject_t object)
{
    sl_proc_resource known;
    cudaTextureDesc whole;
    cudaError_t error =
        resource || desc ? sl_proc_texture_descs(rt, &known, &whole, NULL, object) : cudaErrorInvalidValue;
    if (!error && resource) {
        memset(resource, 0, sizeof *resource);
        resource->known = known;
    }
    if (!error && desc)
        memcpy(desc, &whole, SL_TEXTURE_DESC_BYTES);
    return error;
}

SL_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object)
{
    SL_CALL(texture_descs(rt, resource, NULL, object));
}

SL_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *desc, cudaTextureObject_t object)
{
    SL_CALL(texture_descs(rt, NULL, desc, object));
}
SL_ALIAS(cudaGetTextureObjectTextureDesc_v2, cudaGetTextureObjectTextureDesc);

SL_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *view, cudaTextureObject_t object)
{
    SL_CALL(view ? sl_proc_texture_descs(rt, NULL, NULL, view, object) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const cudaChannelFormatDesc *format, int device)
{
    if (!width || !format || device)
        return cudaErrorInvalidValue;
    *width = SL_MAX_LINEAR_TEXELS;
    return cudaSuccess;
}

/* ---- surfaces ---- */

SL_API cudaError_t cudaCreateSurfaceObject(cudaTextureObject_t *object, const cudaResourceDesc *resource)
{
    SL_CALL(sl_proc_surface_create(rt, object, resource ? &resource->known : NULL));
}

SL_API cudaError_t cudaDestroySurfaceObject(cudaTextureObject_t object)
{
    SL_CALL(sl_proc_texture_destroy(rt, object, true));
}

static cudaError_t surface_resource(sl_proc *rt, cudaResourceDesc *resource, cudaTextureObject_t object)
{
    sl_proc_resource known;
    cudaError_t error = resource ? sl_proc_surface_resource(rt, &known, object) : cudaErrorInvalidValue;
    if (!error) {
        memset(resource, 0, sizeof *resource);
        resource->known = known;
    }
    return error;
}

SL_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *resource, cudaTextureObject_t object)
{
    SL_CALL(surface_resource(rt, resource, object));
}
