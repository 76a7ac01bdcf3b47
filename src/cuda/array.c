/* SPDX-License-Identifier: MIT */
/* CUDA arrays and texture objects.
 *
 * On a GPU the layout of an array is hidden; here it is plain rows in device memory, which texture fetches and copies
 * use alike. Not there: mipmaps, layers, cube maps, sRGB, surfaces. */
#include "cuda/core.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_ALIGNMENT = 32 };

struct sl_rt_array {
    cudaChannelFormatDesc format;
    cudaExtent extent; /* as asked for: 0 for dimensions that are not there */
    unsigned flags;
    sl_rt_array_shape shape;
    struct sl_rt_array *next;
};

typedef struct sl_rt_texture {
    cudaTextureObject_t object;
    sl_cuda_resource resource;
    cudaTextureDesc texture;
    struct sl_rt_texture *next;
} sl_rt_texture;

/* ---- arrays ---- */

/* Channels must be the first 1, 2 or 4 components, all of one width that textures can have. */
static bool format_facts(const cudaChannelFormatDesc *f, uint8_t *channels, uint8_t *bits, char *kind)
{
    static const char KINDS[] = {'s', 'u', 'f'};
    const int width[4] = {f->x, f->y, f->z, f->w};
    unsigned count = 0;
    while (count < 4 && width[count])
        count++;
    if (count != 1 && count != 2 && count != 4)
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (width[i] != (i < count ? width[0] : 0))
            return false;
    if ((unsigned)f->f > cudaChannelFormatKindFloat || (width[0] != 8 && width[0] != 16 && width[0] != 32) ||
        (f->f == cudaChannelFormatKindFloat && width[0] == 8))
        return false;
    *channels = (uint8_t)count;
    *bits = (uint8_t)width[0];
    *kind = KINDS[f->f];
    return true;
}

cudaError_t sl_rt_array_create(sl_rt *rt, cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                               unsigned flags)
{
    static bool said;
    uint8_t channels, bits;
    char kind;
    void *data;
    if (!array || !format || !extent.width || (extent.depth && !extent.height))
        return cudaErrorInvalidValue;
    if (!format_facts(format, &channels, &bits, &kind))
        return cudaErrorInvalidChannelDescriptor;
    /* Surface use and gathering change nothing about the storage; layers and cube maps would. */
    if (flags & 5)
        return sl_rt_missing("a layered or cube-map array", &said);
    sl_rt_array_shape shape = {.element_bytes = channels * bits / 8,
                               .width = extent.width,
                               .height = extent.height ? extent.height : 1,
                               .depth = extent.depth ? extent.depth : 1};
    size_t row, bytes;
    if (__builtin_mul_overflow(shape.width, shape.element_bytes, &row) ||
        __builtin_add_overflow(row, ROW_ALIGNMENT - 1, &row))
        return cudaErrorInvalidValue;
    shape.pitch = row / ROW_ALIGNMENT * ROW_ALIGNMENT;
    if (__builtin_mul_overflow(shape.pitch, shape.height, &shape.slice) ||
        __builtin_mul_overflow(shape.slice, shape.depth, &bytes))
        return cudaErrorMemoryAllocation;
    struct sl_rt_array *a = calloc(1, sizeof *a);
    cudaError_t error = a ? sl_rt_alloc(rt, &data, bytes, SL_ALLOC_DEVICE) : cudaErrorMemoryAllocation;
    if (error) {
        free(a);
        return error;
    }
    shape.data = data;
    *a = (struct sl_rt_array){.format = *format, .extent = extent, .flags = flags, .shape = shape, .next = rt->arrays};
    rt->arrays = a;
    *array = a;
    return cudaSuccess;
}

static bool array_known(const sl_rt *rt, cudaArray_t array)
{
    for (const struct sl_rt_array *a = rt->arrays; a; a = a->next)
        if (a == array)
            return true;
    return false;
}

cudaError_t sl_rt_array_shape_of(sl_rt *rt, cudaArray_t array, sl_rt_array_shape *shape)
{
    if (!array_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    *shape = array->shape;
    return cudaSuccess;
}

cudaError_t sl_rt_array_free(sl_rt *rt, cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    for (struct sl_rt_array **a = &rt->arrays; *a; a = &(*a)->next)
        if (*a == array) {
            cudaError_t error = sl_rt_free(rt, array->shape.data);
            *a = array->next;
            free(array);
            return error;
        }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t sl_rt_array_info(sl_rt *rt, cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
                             cudaArray_t array)
{
    if (!array_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    if (format)
        *format = array->format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cudaSuccess;
}

/* ---- textures ---- */

/* Fills in address, size and format of what is fetched from. */
static cudaError_t texture_source(sl_rt *rt, const sl_cuda_resource *r, sl_texture *t)
{
    static bool said;
    cudaChannelFormatDesc format;
    if (r->resType == cudaResourceTypeArray) {
        cudaArray_t array = r->res.array.array;
        if (!array_known(rt, array))
            return cudaErrorInvalidResourceHandle;
        format = array->format;
        t->data = (uintptr_t)array->shape.data;
        t->dims = array->extent.depth ? 3 : array->extent.height ? 2 : 1;
        t->size[0] = array->shape.width;
        t->size[1] = array->shape.height;
        t->size[2] = array->shape.depth;
        t->pitch = array->shape.pitch;
        t->slice = array->shape.slice;
    } else if (r->resType == cudaResourceTypeLinear) {
        format = r->res.linear.desc;
        t->data = (uintptr_t)r->res.linear.devPtr;
        t->dims = 1;
        t->size[1] = t->size[2] = 1;
        t->pitch = t->slice = r->res.linear.sizeInBytes;
    } else if (r->resType == cudaResourceTypePitch2D) {
        format = r->res.pitch2D.desc;
        t->data = (uintptr_t)r->res.pitch2D.devPtr;
        t->dims = 2;
        t->size[0] = r->res.pitch2D.width;
        t->size[1] = r->res.pitch2D.height;
        t->size[2] = 1;
        t->pitch = r->res.pitch2D.pitchInBytes;
        t->slice = t->pitch * t->size[1];
    } else {
        return sl_rt_missing("a texture of a mipmapped array", &said);
    }
    if (!format_facts(&format, &t->channels, &t->channel_bits, &t->channel_kind))
        return cudaErrorInvalidChannelDescriptor;
    uint64_t element = t->channels * t->channel_bits / 8u;
    if (r->resType == cudaResourceTypeLinear)
        t->size[0] = r->res.linear.sizeInBytes / element;
    uint64_t row, bytes;
    if (!t->size[0] || !t->size[1] || (t->dims == 1 && t->size[0] > SL_MAX_LINEAR_TEXELS) ||
        __builtin_mul_overflow(t->size[0], element, &row) || __builtin_mul_overflow(t->size[1] - 1, t->pitch, &bytes) ||
        __builtin_add_overflow(bytes, row, &bytes) || !sl_heap_contains(sl_emu_heap(rt->emu), t->data, bytes))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t sl_rt_texture_create(sl_rt *rt, cudaTextureObject_t *object, const sl_cuda_resource *resource,
                                 const cudaTextureDesc *desc)
{
    static bool said;
    static const uint8_t ADDRESS[] = {SL_TEX_WRAP, SL_TEX_CLAMP, SL_TEX_MIRROR, SL_TEX_BORDER};
    sl_error error = {0};
    sl_texture t = {0};
    uint64_t number;
    if (!object || !resource || !desc)
        return cudaErrorInvalidValue;
    if (desc->sRGB)
        return sl_rt_missing("a texture with sRGB conversion", &said);
    cudaError_t failed = texture_source(rt, resource, &t);
    if (failed)
        return failed;
    t.normalized_coords = desc->normalizedCoords != 0;
    t.normalized_float = desc->readMode == cudaReadModeNormalizedFloat && t.channel_kind != 'f';
    t.linear_filter = desc->filterMode == cudaFilterModeLinear;
    if (t.normalized_float && t.channel_bits == 32)
        return cudaErrorInvalidNormSetting;
    if (t.linear_filter && t.channel_kind != 'f' && !t.normalized_float)
        return cudaErrorInvalidFilterSetting;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)desc->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        t.address[i] = ADDRESS[desc->addressMode[i]];
        /* Wrapping and mirroring need coordinates in [0, 1): without, hardware clamps. */
        if (!t.normalized_coords && t.address[i] != SL_TEX_BORDER)
            t.address[i] = SL_TEX_CLAMP;
    }
    memcpy(t.border, desc->borderColor, sizeof t.border);
    sl_rt_texture *kept = calloc(1, sizeof *kept);
    if (!kept)
        return cudaErrorMemoryAllocation;
    if (sl_emu_texture_create(rt->emu, &t, &number, &error)) {
        sl_rt_say_error("cudaCreateTextureObject", &error);
        free(kept);
        return sl_rt_error_of(error.status);
    }
    kept->object = *object = number;
    kept->resource = *resource;
    kept->texture = *desc;
    kept->next = rt->textures;
    rt->textures = kept;
    return cudaSuccess;
}

cudaError_t sl_rt_texture_destroy(sl_rt *rt, cudaTextureObject_t object)
{
    for (sl_rt_texture **t = &rt->textures; *t; t = &(*t)->next)
        if ((*t)->object == object) {
            sl_rt_texture *gone = *t;
            *t = gone->next;
            free(gone);
            return sl_rt_error_of(sl_emu_texture_destroy(rt->emu, object, NULL));
        }
    return object ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t sl_rt_texture_descs(sl_rt *rt, sl_cuda_resource *resource, cudaTextureDesc *desc,
                                cudaTextureObject_t object)
{
    for (sl_rt_texture *t = rt->textures; t; t = t->next)
        if (t->object == object) {
            if (resource)
                *resource = t->resource;
            if (desc)
                *desc = t->texture;
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

void sl_rt_arrays_forget_device(sl_rt *rt)
{
    while (rt->arrays) {
        struct sl_rt_array *next = rt->arrays->next;
        free(rt->arrays);
        rt->arrays = next;
    }
    while (rt->textures) {
        sl_rt_texture *next = rt->textures->next;
        free(rt->textures);
        rt->textures = next;
    }
}
