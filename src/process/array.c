/* SPDX-License-Identifier: MIT */
/* CUDA arrays, mipmapped arrays, texture and surface objects.
 *
 * On a GPU the layout of an array is hidden; here it is plain rows in device memory, which texture fetches, surfaces
 * and copies use alike: slices, layers or faces one behind the other. Not there: sparse arrays, depth textures, formats
 * of compressed blocks. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_ALIGNMENT = 32, CUBE_FACES = 6 };

struct sl_proc_array {
    cudaChannelFormatDesc format;
    cudaExtent extent; /* as asked for: 0 for dimensions that are not there */
    unsigned flags;
    sl_proc_array_shape shape;
    struct sl_proc_mipmap *mipmap; /* it is a level of; NULL: of none */
    struct sl_proc_array *next;
};

struct sl_proc_mipmap {
    unsigned levels;
    struct sl_proc_array *level[SL_TEX_LEVELS];
    struct sl_proc_mipmap *next;
};

typedef struct sl_proc_texture {
    cudaTextureObject_t object;
    bool surface;
    sl_proc_resource resource;
    cudaTextureDesc texture;
    cudaResourceViewDesc view; /* as given, or all of it */
    struct sl_proc_texture *next;
} sl_proc_texture;

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

/* Layers and cube maps: which extents go with which flags. */
static bool extent_allowed(cudaExtent e, unsigned flags)
{
    bool layered = flags & cudaArrayLayered;
    if (!e.width || (e.depth && !e.height && !layered) || (layered && !e.depth))
        return false;
    if (flags & cudaArrayTextureGather && (!e.height || e.depth))
        return false;
    if (flags & cudaArrayCubemap)
        return e.width == e.height && (layered ? e.depth % CUBE_FACES == 0 : e.depth == CUBE_FACES);
    return true;
}

static cudaError_t array_make(sl_proc *rt, cudaArray_t *array, const cudaChannelFormatDesc *format, cudaExtent extent,
                              unsigned flags)
{
    uint8_t channels, bits;
    char kind;
    void *data;
    if (!format_facts(format, &channels, &bits, &kind))
        return cudaErrorInvalidChannelDescriptor;
    sl_proc_array_shape shape = {.element_bytes = channels * bits / 8,
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
    struct sl_proc_array *a = calloc(1, sizeof *a);
    cudaError_t error = a ? sl_proc_alloc(rt, &data, bytes, SL_ALLOC_DEVICE) : cudaErrorMemoryAllocation;
    if (error) {
        free(a);
        return error;
    }
    shape.data = data;
    *a =
        (struct sl_proc_array){.format = *format, .extent = extent, .flags = flags, .shape = shape, .next = rt->arrays};
    rt->arrays = a;
    *array = a;
    return cudaSuccess;
}

static cudaError_t check_array(const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags)
{
    static bool said;
    if (!format || !extent_allowed(extent, flags))
        return cudaErrorInvalidValue;
    if (flags & (cudaArraySparse | SL_ARRAY_DEPTH))
        return sl_proc_missing("a sparse array, or one of depths", &said);
    return flags & ~(unsigned)SL_ARRAY_FLAGS ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t sl_proc_array_create(sl_proc *rt, cudaArray_t *array, const cudaChannelFormatDesc *format,
                                 cudaExtent extent, unsigned flags)
{
    cudaError_t error = array ? check_array(format, extent, flags) : cudaErrorInvalidValue;
    return error ? error : array_make(rt, array, format, extent, flags);
}

static bool array_known(const sl_proc *rt, cudaArray_t array)
{
    for (const struct sl_proc_array *a = rt->arrays; a; a = a->next)
        if (a == array)
            return true;
    return false;
}

cudaError_t sl_proc_array_shape_of(sl_proc *rt, cudaArray_t array, sl_proc_array_shape *shape)
{
    if (!array_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    *shape = array->shape;
    return cudaSuccess;
}

static cudaError_t array_drop(sl_proc *rt, cudaArray_t array)
{
    for (struct sl_proc_array **a = &rt->arrays; *a; a = &(*a)->next)
        if (*a == array) {
            cudaError_t error = sl_proc_free(rt, array->shape.data);
            *a = array->next;
            free(array);
            return error;
        }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t sl_proc_array_free(sl_proc *rt, cudaArray_t array)
{
    if (!array)
        return cudaSuccess;
    return array_known(rt, array) && array->mipmap ? cudaErrorInvalidValue : array_drop(rt, array);
}

cudaError_t sl_proc_array_info(sl_proc *rt, cudaChannelFormatDesc *format, cudaExtent *extent, unsigned *flags,
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

/* ---- mipmapped arrays ---- */

static size_t halved(size_t size, unsigned level)
{
    return !size || size >> level ? size >> level : 1;
}

static bool mipmap_known(const sl_proc *rt, cudaMipmappedArray_t mipmap)
{
    for (const struct sl_proc_mipmap *m = rt->mipmaps; m; m = m->next)
        if (m == mipmap)
            return true;
    return false;
}

static cudaError_t drop_levels(sl_proc *rt, struct sl_proc_mipmap *m)
{
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < m->levels; i++) {
        cudaError_t failed = array_drop(rt, m->level[i]);
        error = error ? error : failed;
    }
    free(m);
    return error;
}

cudaError_t sl_proc_mipmap_create(sl_proc *rt, cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,
                                  cudaExtent extent, unsigned levels, unsigned flags)
{
    cudaError_t error = mipmap ? check_array(format, extent, flags) : cudaErrorInvalidValue;
    if (error)
        return error;
    bool layered = flags & (cudaArrayLayered | cudaArrayCubemap);
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    if (!layered && extent.depth > longest)
        longest = extent.depth;
    unsigned most = 1;
    while (most < SL_TEX_LEVELS && longest >> most)
        most++;
    struct sl_proc_mipmap *m = calloc(1, sizeof *m);
    if (!m)
        return cudaErrorMemoryAllocation;
    levels = levels < 1 ? 1 : levels < most ? levels : most; /* more than there can be is no error */
    while (!error && m->levels < levels) {
        unsigned l = m->levels;
        cudaExtent e = {halved(extent.width, l), halved(extent.height, l),
                        layered ? extent.depth : halved(extent.depth, l)};
        error = array_make(rt, &m->level[l], format, e, flags);
        if (!error)
            m->level[m->levels++]->mipmap = m;
    }
    if (error) {
        drop_levels(rt, m);
        return error;
    }
    m->next = rt->mipmaps;
    rt->mipmaps = m;
    *mipmap = m;
    return cudaSuccess;
}

cudaError_t sl_proc_mipmap_level(sl_proc *rt, cudaArray_t *array, cudaMipmappedArray_t mipmap, unsigned level)
{
    if (!mipmap_known(rt, mipmap))
        return cudaErrorInvalidResourceHandle;
    if (!array || level >= mipmap->levels)
        return cudaErrorInvalidValue;
    *array = mipmap->level[level];
    return cudaSuccess;
}

cudaError_t sl_proc_mipmap_free(sl_proc *rt, cudaMipmappedArray_t mipmap)
{
    if (!mipmap)
        return cudaSuccess;
    for (struct sl_proc_mipmap **m = &rt->mipmaps; *m; m = &(*m)->next)
        if (*m == mipmap) {
            *m = mipmap->next;
            return drop_levels(rt, mipmap);
        }
    return cudaErrorInvalidResourceHandle;
}

/* ---- textures ---- */

static void level_of_array(const struct sl_proc_array *a, sl_texture_level *l)
{
    bool layered = a->flags & (cudaArrayLayered | cudaArrayCubemap);
    *l = (sl_texture_level){.data = (uintptr_t)a->shape.data,
                            .size = {a->shape.width, a->shape.height, layered ? 1 : a->shape.depth},
                            .pitch = a->shape.pitch,
                            .slice = a->shape.slice};
}

static void source_array(const struct sl_proc_array *a, sl_texture *t, cudaChannelFormatDesc *format)
{
    *format = a->format;
    t->cube = a->flags & cudaArrayCubemap;
    t->layers = a->flags & (cudaArrayLayered | cudaArrayCubemap) ? (uint32_t)a->shape.depth : 0;
    t->dims = !t->layers && a->extent.depth ? 3 : a->extent.height ? 2 : 1;
    t->levels = 1;
    level_of_array(a, &t->level[0]);
}

/* Whether memory that a program has allocated holds the texture. */
static bool source_allocated(sl_proc *rt, const sl_texture *t)
{
    const sl_texture_level *l = &t->level[0];
    uint64_t row, bytes;
    return l->size[0] && l->size[1] && (t->dims > 1 || l->size[0] <= SL_MAX_LINEAR_TEXELS) &&
           !__builtin_mul_overflow(l->size[0], t->channels * t->channel_bits / 8u, &row) &&
           !__builtin_mul_overflow(l->size[1] - 1, l->pitch, &bytes) && !__builtin_add_overflow(bytes, row, &bytes) &&
           sl_heap_contains(sl_emu_heap(rt->emu), l->data, bytes);
}

/* Fills in address, size and format of what is fetched from. */
static cudaError_t texture_source(sl_proc *rt, const sl_proc_resource *r, sl_texture *t)
{
    cudaChannelFormatDesc format;
    sl_texture_level *l = &t->level[0];
    bool linear = r->resType == cudaResourceTypeLinear, pitched = r->resType == cudaResourceTypePitch2D;
    t->levels = 1;
    if (r->resType == cudaResourceTypeArray) {
        if (!array_known(rt, r->res.array.array))
            return cudaErrorInvalidResourceHandle;
        source_array(r->res.array.array, t, &format);
    } else if (r->resType == cudaResourceTypeMipmappedArray) {
        cudaMipmappedArray_t m = r->res.mipmap.mipmap;
        if (!mipmap_known(rt, m))
            return cudaErrorInvalidResourceHandle;
        source_array(m->level[0], t, &format);
        t->levels = m->levels;
        for (unsigned i = 0; i < m->levels; i++)
            level_of_array(m->level[i], &t->level[i]);
    } else if (linear) {
        format = r->res.linear.desc;
        t->dims = 1;
        *l = (sl_texture_level){.data = (uintptr_t)r->res.linear.devPtr, .size = {0, 1, 1}};
    } else if (pitched) {
        format = r->res.pitch2D.desc;
        t->dims = 2;
        *l = (sl_texture_level){.data = (uintptr_t)r->res.pitch2D.devPtr,
                                .size = {r->res.pitch2D.width, r->res.pitch2D.height, 1},
                                .pitch = r->res.pitch2D.pitchInBytes};
    } else {
        return cudaErrorInvalidValue;
    }
    if (!format_facts(&format, &t->channels, &t->channel_bits, &t->channel_kind))
        return cudaErrorInvalidChannelDescriptor;
    if (linear)
        l->size[0] = r->res.linear.sizeInBytes / (t->channels * t->channel_bits / 8u);
    return (linear || pitched) && !source_allocated(rt, t) ? cudaErrorInvalidValue : cudaSuccess;
}

/* cudaResourceViewFormat, from 1 on. */
static const struct {
    uint8_t channels, bits;
    char kind;
} FORMATS[] = {{1, 8, 'u'},  {2, 8, 'u'},  {4, 8, 'u'},  {1, 8, 's'},  {2, 8, 's'},  {4, 8, 's'},
               {1, 16, 'u'}, {2, 16, 'u'}, {4, 16, 'u'}, {1, 16, 's'}, {2, 16, 's'}, {4, 16, 's'},
               {1, 32, 'u'}, {2, 32, 'u'}, {4, 32, 'u'}, {1, 32, 's'}, {2, 32, 's'}, {4, 32, 's'},
               {1, 16, 'f'}, {2, 16, 'f'}, {4, 16, 'f'}, {1, 32, 'f'}, {2, 32, 'f'}, {4, 32, 'f'}};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static cudaResourceViewDesc whole_view(const sl_texture *t)
{
    const sl_texture_level *l = &t->level[0];
    cudaResourceViewDesc v = {.width = l->size[0],
                              .height = t->dims > 1 ? l->size[1] : 0,
                              .depth = t->dims > 2 ? l->size[2] : 0,
                              .lastMipmapLevel = t->levels - 1,
                              .lastLayer = t->layers ? t->layers - 1 : 0};
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (FORMATS[i].channels == t->channels && FORMATS[i].bits == t->channel_bits &&
            FORMATS[i].kind == t->channel_kind)
            v.format = i + 1;
    return v;
}

/* A view: other channels of the same size, some of the levels, some of the layers. */
static cudaError_t apply_view(const cudaResourceViewDesc *v, sl_texture *t)
{
    static bool said;
    if (v->format > FORMAT_COUNT)
        return sl_proc_missing("a view of compressed blocks", &said);
    if (v->format > 0) {
        unsigned f = (unsigned)v->format - 1;
        if (FORMATS[f].channels * FORMATS[f].bits != t->channels * t->channel_bits)
            return cudaErrorInvalidValue;
        t->channels = FORMATS[f].channels;
        t->channel_bits = FORMATS[f].bits;
        t->channel_kind = FORMATS[f].kind;
    }
    if (v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel >= t->levels || v->firstLayer > v->lastLayer ||
        (t->layers && v->lastLayer >= t->layers))
        return cudaErrorInvalidValue;
    t->levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    memmove(t->level, &t->level[v->firstMipmapLevel], t->levels * sizeof *t->level);
    if (t->layers && (v->firstLayer || v->lastLayer)) {
        t->layers = v->lastLayer - v->firstLayer + 1;
        for (uint32_t i = 0; i < t->levels; i++)
            t->level[i].data += v->firstLayer * t->level[i].slice;
    }
    return t->cube && t->layers % CUBE_FACES ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t keep_object(sl_proc *rt, cudaTextureObject_t *object, const sl_texture *t,
                               const sl_proc_texture *facts)
{
    sl_error error = {0};
    uint64_t number;
    sl_proc_texture *kept = malloc(sizeof *kept);
    if (!kept)
        return cudaErrorMemoryAllocation;
    if (sl_emu_texture_create(rt->emu, t, &number, &error)) {
        sl_proc_say_error(t->surface ? "cudaCreateSurfaceObject" : "cudaCreateTextureObject", &error);
        free(kept);
        return sl_proc_error_of(error.status);
    }
    *kept = *facts;
    kept->object = *object = number;
    kept->surface = t->surface;
    kept->next = rt->textures;
    rt->textures = kept;
    return cudaSuccess;
}

cudaError_t sl_proc_texture_create(sl_proc *rt, cudaTextureObject_t *object, const sl_proc_resource *resource,
                                   const cudaTextureDesc *desc, const cudaResourceViewDesc *view)
{
    static const uint8_t ADDRESS[] = {SL_TEX_WRAP, SL_TEX_CLAMP, SL_TEX_MIRROR, SL_TEX_BORDER};
    sl_texture t = {0};
    if (!object || !resource || !desc)
        return cudaErrorInvalidValue;
    cudaError_t failed = texture_source(rt, resource, &t);
    if (!failed && view)
        failed = apply_view(view, &t);
    if (failed)
        return failed;
    t.normalized_coords = desc->normalizedCoords != 0;
    t.normalized_float = desc->readMode == cudaReadModeNormalizedFloat && t.channel_kind != 'f';
    t.linear_filter = desc->filterMode == cudaFilterModeLinear;
    t.srgb = desc->sRGB && t.normalized_float && t.channel_kind == 'u' && t.channel_bits == 8;
    t.seamless = desc->seamlessCubemap != 0;
    t.linear_levels = desc->mipmapFilterMode == cudaFilterModeLinear;
    t.level_bias = desc->mipmapLevelBias;
    t.min_level = desc->minMipmapLevelClamp;
    t.max_level = desc->maxMipmapLevelClamp;
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
    return keep_object(
        rt, object, &t,
        &(sl_proc_texture){.resource = *resource, .texture = *desc, .view = view ? *view : whole_view(&t)});
}

cudaError_t sl_proc_surface_create(sl_proc *rt, cudaTextureObject_t *object, const sl_proc_resource *resource)
{
    sl_texture t = {.surface = true};
    cudaChannelFormatDesc format;
    if (!object || !resource || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    cudaArray_t array = resource->res.array.array;
    if (!array_known(rt, array))
        return cudaErrorInvalidResourceHandle;
    source_array(array, &t, &format);
    if (!format_facts(&format, &t.channels, &t.channel_bits, &t.channel_kind))
        return cudaErrorInvalidChannelDescriptor;
    return keep_object(rt, object, &t, &(sl_proc_texture){.resource = *resource});
}

cudaError_t sl_proc_texture_destroy(sl_proc *rt, cudaTextureObject_t object, bool surface)
{
    for (sl_proc_texture **t = &rt->textures; *t; t = &(*t)->next)
        if ((*t)->object == object && (*t)->surface == surface) {
            sl_proc_texture *gone = *t;
            *t = gone->next;
            free(gone);
            return sl_proc_error_of(sl_emu_texture_destroy(rt->emu, object, NULL));
        }
    return object ? cudaErrorInvalidValue : cudaSuccess;
}

static const sl_proc_texture *find_object(const sl_proc *rt, cudaTextureObject_t object, bool surface)
{
    const sl_proc_texture *t = rt->textures;
    while (t && (t->object != object || t->surface != surface))
        t = t->next;
    return t;
}

cudaError_t sl_proc_texture_descs(sl_proc *rt, sl_proc_resource *resource, cudaTextureDesc *desc,
                                  cudaResourceViewDesc *view, cudaTextureObject_t object)
{
    const sl_proc_texture *t = find_object(rt, object, false);
    if (!t)
        return cudaErrorInvalidValue;
    if (resource)
        *resource = t->resource;
    if (desc)
        *desc = t->texture;
    if (view)
        *view = t->view;
    return cudaSuccess;
}

cudaError_t sl_proc_surface_resource(sl_proc *rt, sl_proc_resource *resource, cudaTextureObject_t object)
{
    const sl_proc_texture *t = find_object(rt, object, true);
    if (!t || !resource)
        return cudaErrorInvalidValue;
    *resource = t->resource;
    return cudaSuccess;
}

void sl_proc_arrays_forget_device(sl_proc *rt)
{
    while (rt->arrays) {
        struct sl_proc_array *next = rt->arrays->next;
        free(rt->arrays);
        rt->arrays = next;
    }
    while (rt->mipmaps) {
        struct sl_proc_mipmap *next = rt->mipmaps->next;
        free(rt->mipmaps);
        rt->mipmaps = next;
    }
    while (rt->textures) {
        sl_proc_texture *next = rt->textures->next;
        free(rt->textures);
        rt->textures = next;
    }
}

/* ---- textures of others ---- */

cudaError_t sl_proc_sampled_create(sl_proc *rt, const sl_texture *texture, uint64_t *object)
{
    return sl_proc_error_of(sl_emu_texture_create(rt->emu, texture, object, NULL));
}

void sl_proc_sampled_destroy(sl_proc *rt, uint64_t object)
{
    if (rt->emu)
        sl_emu_texture_destroy(rt->emu, object, NULL);
}
