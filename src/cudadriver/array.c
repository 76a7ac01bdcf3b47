/* SPDX-License-Identifier: MIT */
/* Arrays, texture and surface objects. */
#include "cudadriver/driver.h"

#include <string.h>

/* ---- formats ---- */

static const struct {
    int driver, bits;
    cudaChannelFormatKind kind;
} FORMATS[] = {
    {0x01, 8, cudaChannelFormatKindUnsigned},  {0x02, 16, cudaChannelFormatKindUnsigned},
    {0x03, 32, cudaChannelFormatKindUnsigned}, {0x08, 8, cudaChannelFormatKindSigned},
    {0x09, 16, cudaChannelFormatKindSigned},   {0x0a, 32, cudaChannelFormatKindSigned},
    {0x10, 16, cudaChannelFormatKindFloat},    {0x20, 32, cudaChannelFormatKindFloat},
};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static bool format_of(int driver, unsigned channels, cudaChannelFormatDesc *format)
{
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (FORMATS[i].driver == driver && channels >= 1 && channels <= 4) {
            int bits = FORMATS[i].bits;
            *format = (cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                              channels > 3 ? bits : 0, FORMATS[i].kind};
            return true;
        }
    return false;
}

static void driver_format(const cudaChannelFormatDesc *format, int *driver, unsigned *channels)
{
    *channels = 1u + (format->y != 0) + (format->z != 0) + (format->w != 0);
    *driver = 0;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (FORMATS[i].bits == format->x && FORMATS[i].kind == format->f)
            *driver = FORMATS[i].driver;
}

/* ---- arrays ---- */

static cudaError_t create(sl_proc *rt, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    cudaChannelFormatDesc format;
    if (!array || !format_of(d->Format, d->NumChannels, &format))
        return cudaErrorInvalidValue;
    return sl_proc_array_create(rt, array, &format, (cudaExtent){d->Width, d->Height, d->Depth}, d->Flags);
}

SL_API CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    SL_CALL(d ? create(rt, array, d) : cudaErrorInvalidValue);
}

SL_API CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
    const CUDA_ARRAY3D_DESCRIPTOR whole = {.Width = d ? d->Width : 0,
                                           .Height = d ? d->Height : 0,
                                           .Format = d ? d->Format : 0,
                                           .NumChannels = d ? d->NumChannels : 0};
    SL_CALL(create(rt, array, &whole));
}

static cudaError_t describe(sl_proc *rt, CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    cudaChannelFormatDesc format;
    cudaExtent extent;
    *d = (CUDA_ARRAY3D_DESCRIPTOR){0};
    cudaError_t error = sl_proc_array_info(rt, &format, &extent, &d->Flags, array);
    if (error)
        return error;
    d->Width = extent.width;
    d->Height = extent.height;
    d->Depth = extent.depth;
    driver_format(&format, &d->Format, &d->NumChannels);
    return cudaSuccess;
}

SL_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
    SL_CALL(d ? describe(rt, d, array) : cudaErrorInvalidValue);
}

static cudaError_t describe_2d(sl_proc *rt, CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    cudaError_t error = d ? describe(rt, &whole, array) : cudaErrorInvalidValue;
    if (!error)
        *d = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return error;
}

SL_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
    SL_CALL(describe_2d(rt, d, array));
}

SL_API CUresult cuArrayDestroy(CUarray array)
{
    SL_CALL(array ? sl_proc_array_free(rt, array) : cudaErrorInvalidResourceHandle);
}

static cudaError_t create_mipmap(sl_proc *rt, CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                 unsigned levels)
{
    cudaChannelFormatDesc format;
    if (!mipmap || !d || !format_of(d->Format, d->NumChannels, &format))
        return cudaErrorInvalidValue;
    return sl_proc_mipmap_create(rt, mipmap, &format, (cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags);
}

SL_API CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned levels)
{
    SL_CALL(create_mipmap(rt, mipmap, d, levels));
}

SL_API CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned level)
{
    SL_CALL(sl_proc_mipmap_level(rt, array, mipmap, level));
}

SL_API CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
    SL_CALL(mipmap ? sl_proc_mipmap_free(rt, mipmap) : cudaErrorInvalidResourceHandle);
}

/* ---- textures ---- */

static cudaError_t resource_of(const CUDA_RESOURCE_DESC *d, sl_proc_resource *r)
{
    bool known = true;
    *r = (sl_proc_resource){.resType = (cudaResourceType)d->resType};
    if (r->resType == cudaResourceTypeArray) {
        r->res.array.array = d->res.array.hArray;
    } else if (r->resType == cudaResourceTypeMipmappedArray) {
        r->res.mipmap.mipmap = d->res.mipmap.hMipmappedArray;
    } else if (r->resType == cudaResourceTypeLinear) {
        r->res.linear.devPtr = SL_POINTER(d->res.linear.devPtr);
        r->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        known = format_of(d->res.linear.format, d->res.linear.numChannels, &r->res.linear.desc);
    } else if (r->resType == cudaResourceTypePitch2D) {
        r->res.pitch2D.devPtr = SL_POINTER(d->res.pitch2D.devPtr);
        r->res.pitch2D.width = d->res.pitch2D.width;
        r->res.pitch2D.height = d->res.pitch2D.height;
        r->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        known = format_of(d->res.pitch2D.format, d->res.pitch2D.numChannels, &r->res.pitch2D.desc);
    }
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t format_of_resource(sl_proc *rt, const sl_proc_resource *r, cudaChannelFormatDesc *format)
{
    if (r->resType == cudaResourceTypeArray)
        return sl_proc_array_info(rt, format, NULL, NULL, r->res.array.array);
    if (r->resType == cudaResourceTypeMipmappedArray) {
        CUarray first;
        cudaError_t error = sl_proc_mipmap_level(rt, &first, r->res.mipmap.mipmap, 0);
        return error ? error : sl_proc_array_info(rt, format, NULL, NULL, first);
    }
    *format = r->resType == cudaResourceTypeLinear ? r->res.linear.desc : r->res.pitch2D.desc;
    return cudaSuccess;
}

static cudaError_t create_texture(sl_proc *rt, CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view)
{
    sl_proc_resource r;
    cudaChannelFormatDesc format;
    if (!object || !resource || !t)
        return cudaErrorInvalidValue;
    cudaError_t error = resource_of(resource, &r);
    if (!error)
        error = format_of_resource(rt, &r, &format);
    if (error)
        return error;
    /* Integers of 8 and 16 bits are read as fractions unless the program wants them as they are. */
    bool normalized = !(t->flags & CU_TRSF_READ_AS_INTEGER) && format.f != cudaChannelFormatKindFloat && format.x < 32;
    cudaTextureDesc desc = {.filterMode = t->filterMode,
                            .readMode = normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
                            .sRGB = (t->flags & CU_TRSF_SRGB) != 0,
                            .normalizedCoords = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
                            .maxAnisotropy = t->maxAnisotropy,
                            .mipmapFilterMode = t->mipmapFilterMode,
                            .mipmapLevelBias = t->mipmapLevelBias,
                            .minMipmapLevelClamp = t->minMipmapLevelClamp,
                            .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
                            .disableTrilinearOptimization = (t->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
                            .seamlessCubemap = (t->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
    memcpy(desc.addressMode, t->addressMode, sizeof desc.addressMode);
    memcpy(desc.borderColor, t->borderColor, sizeof desc.borderColor);
    return sl_proc_texture_create(rt, object, &r, &desc, view);
}

SL_API CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
    SL_CALL(create_texture(rt, object, resource, texture, view));
}

SL_API CUresult cuTexObjectDestroy(CUtexObject object)
{
    SL_CALL(sl_proc_texture_destroy(rt, object, false));
}

static void describe_resource(const sl_proc_resource *r, CUDA_RESOURCE_DESC *d)
{
    *d = (CUDA_RESOURCE_DESC){.resType = r->resType};
    if (r->resType == cudaResourceTypeArray) {
        d->res.array.hArray = r->res.array.array;
    } else if (r->resType == cudaResourceTypeMipmappedArray) {
        d->res.mipmap.hMipmappedArray = r->res.mipmap.mipmap;
    } else if (r->resType == cudaResourceTypeLinear) {
        d->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
        d->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        driver_format(&r->res.linear.desc, &d->res.linear.format, &d->res.linear.numChannels);
    } else {
        d->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
        d->res.pitch2D.width = r->res.pitch2D.width;
        d->res.pitch2D.height = r->res.pitch2D.height;
        d->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        driver_format(&r->res.pitch2D.desc, &d->res.pitch2D.format, &d->res.pitch2D.numChannels);
    }
}

static cudaError_t texture_resource(sl_proc *rt, CUDA_RESOURCE_DESC *d, CUtexObject object)
{
    sl_proc_resource r;
    cudaError_t error = d ? sl_proc_texture_descs(rt, &r, NULL, NULL, object) : cudaErrorInvalidValue;
    if (!error)
        describe_resource(&r, d);
    return error;
}

SL_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *d, CUtexObject object)
{
    SL_CALL(texture_resource(rt, d, object));
}

static cudaError_t texture_desc(sl_proc *rt, CUDA_TEXTURE_DESC *d, CUtexObject object)
{
    cudaTextureDesc t;
    cudaError_t error = d ? sl_proc_texture_descs(rt, NULL, &t, NULL, object) : cudaErrorInvalidValue;
    if (error)
        return error;
    *d = (CUDA_TEXTURE_DESC){
        .filterMode = t.filterMode,
        .flags = (t.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
                 (t.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (t.sRGB ? CU_TRSF_SRGB : 0) |
                 (t.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
                 (t.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0),
        .maxAnisotropy = t.maxAnisotropy,
        .mipmapFilterMode = t.mipmapFilterMode,
        .mipmapLevelBias = t.mipmapLevelBias,
        .minMipmapLevelClamp = t.minMipmapLevelClamp,
        .maxMipmapLevelClamp = t.maxMipmapLevelClamp,
    };
    memcpy(d->addressMode, t.addressMode, sizeof d->addressMode);
    memcpy(d->borderColor, t.borderColor, sizeof d->borderColor);
    return cudaSuccess;
}

SL_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *d, CUtexObject object)
{
    SL_CALL(texture_desc(rt, d, object));
}

SL_API CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject object)
{
    SL_CALL(view ? sl_proc_texture_descs(rt, NULL, NULL, view, object) : cudaErrorInvalidValue);
}

/* ---- surfaces ---- */

static cudaError_t create_surface(sl_proc *rt, CUtexObject *object, const CUDA_RESOURCE_DESC *resource)
{
    sl_proc_resource r;
    cudaError_t error = resource ? resource_of(resource, &r) : cudaErrorInvalidValue;
    return error ? error : sl_proc_surface_create(rt, object, &r);
}

SL_API CUresult cuSurfObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource)
{
    SL_CALL(create_surface(rt, object, resource));
}

SL_API CUresult cuSurfObjectDestroy(CUtexObject object)
{
    SL_CALL(sl_proc_texture_destroy(rt, object, true));
}

static cudaError_t surface_resource(sl_proc *rt, CUDA_RESOURCE_DESC *d, CUtexObject object)
{
    sl_proc_resource r;
    cudaError_t error = d ? sl_proc_surface_resource(rt, &r, object) : cudaErrorInvalidValue;
    if (!error)
        describe_resource(&r, d);
    return error;
}

SL_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *d, CUtexObject object)
{
    SL_CALL(surface_resource(rt, d, object));
}
