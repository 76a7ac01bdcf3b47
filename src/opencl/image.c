/* SPDX-License-Identifier: MIT */
/* Images: rows in device memory, and textures of the emulator that read them, one for each state a sampler can have, so
 * that a kernel finds the texture for an image and a sampler by adding two numbers (builtins.cl). */
#include "opencl/opencl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_ALIGNMENT = 32 };

/* ---- formats ---- */

enum { Z = SL_SWIZZLE_ZERO, I = SL_SWIZZLE_ONE };
static const struct {
    cl_channel_order order;
    uint8_t channels, swizzle[4]; /* as in sl_texture */
} ORDERS[] = {
    {CL_R, 1, {0, Z, Z, I}},         {CL_Rx, 1, {0, Z, Z, I}},        {CL_A, 1, {Z, Z, Z, 0}},
    {CL_INTENSITY, 1, {0, 0, 0, 0}}, {CL_LUMINANCE, 1, {0, 0, 0, I}}, {CL_RG, 2, {0, 1, Z, I}},
    {CL_RGx, 2, {0, 1, Z, I}},       {CL_RA, 2, {0, Z, Z, 1}},        {CL_RGBA, 4, {0, 1, 2, 3}},
    {CL_BGRA, 4, {2, 1, 0, 3}},      {CL_ARGB, 4, {1, 2, 3, 0}},
};
static const struct {
    cl_channel_type type;
    uint8_t bits;
    char kind;
    bool normalized;
} TYPES[] = {
    {CL_SNORM_INT8, 8, 's', true},       {CL_SNORM_INT16, 16, 's', true},   {CL_UNORM_INT8, 8, 'u', true},
    {CL_UNORM_INT16, 16, 'u', true},     {CL_SIGNED_INT8, 8, 's', false},   {CL_SIGNED_INT16, 16, 's', false},
    {CL_SIGNED_INT32, 32, 's', false},   {CL_UNSIGNED_INT8, 8, 'u', false}, {CL_UNSIGNED_INT16, 16, 'u', false},
    {CL_UNSIGNED_INT32, 32, 'u', false}, {CL_HALF_FLOAT, 16, 'f', false},   {CL_FLOAT, 32, 'f', false},
};
enum { ORDER_COUNT = sizeof ORDERS / sizeof *ORDERS, TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

/* Which types OpenCL allows for an order. */
static bool goes_with(cl_channel_order order, cl_channel_type type)
{
    bool bytes = type == CL_SNORM_INT8 || type == CL_UNORM_INT8 || type == CL_SIGNED_INT8 || type == CL_UNSIGNED_INT8;
    bool fractions = type <= CL_UNORM_INT16 || type == CL_HALF_FLOAT || type == CL_FLOAT;
    if (order == CL_BGRA || order == CL_ARGB)
        return bytes;
    return fractions || (order != CL_INTENSITY && order != CL_LUMINANCE);
}

static int find_order(cl_channel_order order)
{
    for (int i = 0; i < ORDER_COUNT; i++)
        if (ORDERS[i].order == order)
            return i;
    return -1;
}

static int find_type(cl_channel_type type)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (TYPES[i].type == type)
            return i;
    return -1;
}

static cl_int check_format(const cl_image_format *f)
{
    if (!f || f->image_channel_order < CL_R || f->image_channel_order > CL_ABGR ||
        f->image_channel_data_type < CL_SNORM_INT8 || f->image_channel_data_type > CL_UNORM_INT_101010_2)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (find_order(f->image_channel_order) < 0 || find_type(f->image_channel_data_type) < 0)
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    return goes_with(f->image_channel_order, f->image_channel_data_type) ? CL_SUCCESS
                                                                         : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

static size_t element_bytes(const cl_image_format *f)
{
    return (size_t)ORDERS[find_order(f->image_channel_order)].channels *
           TYPES[find_type(f->image_channel_data_type)].bits / 8;
}

static cl_int supported(cl_context context, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
                        cl_image_format *formats, cl_uint *count)
{
    cl_uint found = 0;
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (formats && !room) ||
        sl_cl_mem_flags_check(flags, NULL) == CL_INVALID_VALUE)
        return CL_INVALID_VALUE;
    int orders = flags & CL_MEM_KERNEL_READ_AND_WRITE ? 0 : ORDER_COUNT; /* kernels read an image or write it */
    for (int o = 0; o < orders; o++)
        for (int t = 0; t < TYPE_COUNT; t++) {
            if (!goes_with(ORDERS[o].order, TYPES[t].type))
                continue;
            if (formats && found < room)
                formats[found] = (cl_image_format){ORDERS[o].order, TYPES[t].type};
            found++;
        }
    if (count)
        *count = found;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint room,
                                                           cl_image_format *formats, cl_uint *count)
{
    SL_CL_CALL((void)rt, supported(context, flags, type, room, formats, count));
}

/* ---- textures ---- */

static uint32_t dims_of(cl_mem_object_type type)
{
    switch (type) {
    case CL_MEM_OBJECT_IMAGE3D:
        return 3;
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return 2;
    default:
        return 1;
    }
}

static bool has_layers(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static sl_texture describe(const struct _cl_mem *m)
{
    int order = find_order(m->format.image_channel_order), type = find_type(m->format.image_channel_data_type);
    bool line_array = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    sl_texture t = {.dims = dims_of(m->type),
                    .layers = has_layers(m->type) ? (uint32_t)m->extent[line_array ? 1 : 2] : 0,
                    .levels = 1,
                    .channels = ORDERS[order].channels,
                    .channel_bits = TYPES[type].bits,
                    .channel_kind = TYPES[type].kind,
                    .normalized_float = TYPES[type].normalized,
                    .swizzled = true,
                    .channel_order = m->format.image_channel_order};
    t.level[0] = (sl_texture_level){
        .data = (uintptr_t)m->data,
        .size = {m->extent[0], line_array ? 1 : m->extent[1], m->type == CL_MEM_OBJECT_IMAGE3D ? m->extent[2] : 1},
        .pitch = m->pitch,
        .slice = line_array ? m->pitch : m->slice};
    memcpy(t.swizzle, ORDERS[order].swizzle, sizeof t.swizzle);
    return t;
}

/* The state of samplers that a number stands for: a bit for normalized coordinates, three for addressing, one for the
 * filter; as in clang's literals. */
static void set_sampler(sl_texture *t, uint32_t state)
{
    static const sl_tex_address ADDRESS[] = {SL_TEX_CLAMP, SL_TEX_CLAMP, SL_TEX_BORDER, SL_TEX_WRAP, SL_TEX_MIRROR};
    uint32_t mode = state >> 1 & 7;
    t->normalized_coords = state & 1;
    t->linear_filter = state & 16 && (t->channel_kind == 'f' || t->normalized_float);
    for (int k = 0; k < 3; k++)
        t->address[k] = (uint8_t)(mode < 5 ? ADDRESS[mode] : SL_TEX_CLAMP);
}

static cl_int make_textures(sl_proc *rt, cl_mem m)
{
    sl_texture t = describe(m);
    uint64_t object;
    for (uint32_t state = 0; state < SL_CL_SAMPLERS; state++) {
        set_sampler(&t, state);
        if (sl_proc_sampled_create(rt, &t, &object))
            return CL_OUT_OF_RESOURCES;
        m->texture = m->texture ? m->texture : object;
    }
    t.surface = true;
    return sl_proc_sampled_create(rt, &t, &m->surface) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

void sl_cl_image_fini(sl_proc *rt, cl_mem mem)
{
    for (uint32_t state = 0; mem->texture && state < SL_CL_SAMPLERS; state++)
        sl_proc_sampled_destroy(rt, mem->texture + state);
    if (mem->surface)
        sl_proc_sampled_destroy(rt, mem->surface);
}

uint64_t sl_cl_image_handle(cl_mem image, cl_kernel_arg_access_qualifier access)
{
    return access == CL_KERNEL_ARG_ACCESS_READ_ONLY ? image->texture : image->surface;
}

/* ---- making ---- */

/* Sizes as they must be; fills in the extent. */
static cl_int check_desc(const cl_image_desc *d, size_t extent[3])
{
    const size_t most = d->image_type == CL_MEM_OBJECT_IMAGE3D          ? SL_CL_IMAGE_SIDE_3D
                        : d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? SL_CL_IMAGE_BUFFER_PIXELS
                                                                        : SL_CL_IMAGE_SIDE;
    if (d->image_type < CL_MEM_OBJECT_IMAGE2D || d->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER || d->num_mip_levels ||
        d->num_samples)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    uint32_t dims = dims_of(d->image_type);
    extent[0] = d->image_width;
    extent[1] = dims > 1 ? d->image_height : 1;
    extent[2] = dims > 2 ? d->image_depth : 1;
    if (!extent[0] || !extent[1] || !extent[2])
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (extent[0] > most || extent[1] > most || extent[2] > most)
        return CL_INVALID_IMAGE_SIZE;
    if (has_layers(d->image_type)) {
        if (!d->image_array_size)
            return CL_INVALID_IMAGE_DESCRIPTOR;
        if (d->image_array_size > SL_CL_IMAGE_LAYERS)
            return CL_INVALID_IMAGE_SIZE;
        extent[dims] = d->image_array_size;
    }
    return CL_SUCCESS;
}

/* How rows and slices lie in the program's memory. */
static cl_int host_pitches(const cl_image_desc *d, const size_t extent[3], size_t element, bool host, size_t *row,
                           size_t *slice)
{
    size_t tight = extent[0] * element;
    if (!host && (d->image_row_pitch || d->image_slice_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    *row = d->image_row_pitch ? d->image_row_pitch : tight;
    if (d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY && d->image_slice_pitch) /* a layer is a slice of one row */
        *row = d->image_slice_pitch;
    *slice =
        d->image_slice_pitch && d->image_type != CL_MEM_OBJECT_IMAGE1D_ARRAY ? d->image_slice_pitch : *row * extent[1];
    return *row < tight || *row % element || *slice < *row * extent[1] || *slice % *row ? CL_INVALID_IMAGE_DESCRIPTOR
                                                                                        : CL_SUCCESS;
}

/* An image of a buffer: in its memory. */
static cl_int place_in_buffer(cl_mem m, cl_mem buffer)
{
    if (!sl_cl_is_buffer(buffer) || m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || m->extent[2] > 1)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    m->pitch = m->desc.image_row_pitch ? m->desc.image_row_pitch : m->extent[0] * m->element_bytes;
    if (m->pitch % m->element_bytes || m->pitch < m->extent[0] * m->element_bytes ||
        m->pitch * m->extent[1] > buffer->bytes)
        return CL_INVALID_IMAGE_SIZE;
    m->slice = m->pitch * m->extent[1];
    m->bytes = m->slice;
    m->data = buffer->data;
    m->host_ptr = buffer->host_ptr;
    m->parent = buffer;
    sl_cl_use(buffer);
    return CL_SUCCESS;
}

static cl_int place_alone(sl_proc *rt, cl_mem m, const void *host_ptr, size_t row, size_t slice)
{
    void *data;
    m->pitch = (m->extent[0] * m->element_bytes + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    if (m->host_ptr)
        m->pitch = row;
    m->slice = m->host_ptr ? slice : m->pitch * m->extent[1];
    if (__builtin_mul_overflow(m->slice, m->extent[2], &m->bytes) || m->bytes > sl_cl_max_alloc(rt) ||
        sl_proc_alloc(rt, &data, m->bytes, SL_ALLOC_MANAGED))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    m->data = data;
    if (m->host_ptr)
        return CL_SUCCESS;
    sl_proc_op op = {.kind = SL_PROC_COPY,
                     .copy = {.dst = m->data,
                              .src = host_ptr,
                              .dst_pitch = m->pitch,
                              .dst_slice = m->slice,
                              .src_pitch = row,
                              .src_slice = slice,
                              .width = m->extent[0] * m->element_bytes,
                              .height = m->extent[1],
                              .depth = m->extent[2],
                              .kind = cudaMemcpyHostToDevice}};
    if (host_ptr && sl_proc_submit(rt, NULL, &op))
        return sl_cl_working(rt) ? CL_OUT_OF_RESOURCES : CL_INVALID_HOST_PTR;
    return CL_SUCCESS;
}

static cl_int create(sl_proc *rt, cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                     const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_mem *made)
{
    size_t extent[3], row = 0, slice = 0;
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (properties && *properties)
        return CL_INVALID_PROPERTY;
    cl_mem buffer = desc ? desc->buffer : NULL;
    cl_int error = sl_cl_mem_flags_check(flags, host_ptr);
    if (error == CL_INVALID_VALUE)
        return error;
    cl_int unusable = check_format(format);
    if (!unusable)
        unusable = desc ? check_desc(desc, extent) : CL_INVALID_IMAGE_DESCRIPTOR;
    if (!unusable && !buffer == (desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER))
        unusable = desc->image_type == CL_MEM_OBJECT_IMAGE2D && buffer ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
    if (!unusable && !buffer)
        unusable = host_pitches(desc, extent, element_bytes(format), host_ptr != NULL, &row, &slice);
    if (unusable || error)
        return unusable ? unusable : error;
    cl_mem m = sl_cl_new(SL_CL_MEM);
    if (!m)
        return CL_OUT_OF_HOST_MEMORY;
    m->context = context;
    m->type = desc->image_type;
    m->flags = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) ? flags : flags | CL_MEM_READ_WRITE;
    m->format = *format;
    m->desc = *desc;
    m->element_bytes = element_bytes(format);
    m->host_ptr = flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
    memcpy(m->extent, extent, sizeof extent);
    sl_cl_use(context);
    error = sl_cl_properties_keep(&m->properties, properties);
    if (!error)
        error = buffer ? place_in_buffer(m, buffer) : place_alone(rt, m, host_ptr, row, slice);
    if (!error)
        error = make_textures(rt, m);
    if (error)
        sl_cl_release(rt, m, SL_CL_MEM, error);
    else
        *made = m;
    return error;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                              const cl_image_desc *desc, void *host_ptr, cl_int *error)
{
    SL_CL_MAKE(cl_mem, error, create(rt, context, NULL, flags, format, desc, host_ptr, &made));
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                            cl_mem_flags flags, const cl_image_format *format,
                                                            const cl_image_desc *desc, void *host_ptr, cl_int *error)
{
    SL_CL_MAKE(cl_mem, error, create(rt, context, properties, flags, format, desc, host_ptr, &made));
}

/* OpenCL 1.1 has other errors for sizes. */
static cl_int create_1_1(sl_proc *rt, cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_mem *made)
{
    cl_int error = create(rt, context, NULL, flags, format, desc, host_ptr, made);
    return error == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t row_pitch, void *host_ptr,
                                                cl_int *error)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row_pitch};
    SL_CL_MAKE(cl_mem, error, create_1_1(rt, context, flags, format, &desc, host_ptr, &made));
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                                                size_t width, size_t height, size_t depth, size_t row_pitch,
                                                size_t slice_pitch, void *host_ptr, cl_int *error)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row_pitch,
                                .image_slice_pitch = slice_pitch};
    SL_CL_MAKE(cl_mem, error, create_1_1(rt, context, flags, format, &desc, host_ptr, &made));
}

/* ---- questions, and what transfers need ---- */

static cl_int image_info(cl_mem m, cl_image_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is_image(m))
        return CL_INVALID_MEM_OBJECT;
    uint32_t dims = dims_of(m->type);
    switch (what) {
    case CL_IMAGE_FORMAT:
        return sl_cl_give(to, &m->format, sizeof m->format);
    case CL_IMAGE_ELEMENT_SIZE:
        return SL_CL_GIVE(to, size_t, m->element_bytes);
    case CL_IMAGE_ROW_PITCH:
        return SL_CL_GIVE(to, size_t, m->pitch);
    case CL_IMAGE_SLICE_PITCH:
        return SL_CL_GIVE(to, size_t,
                          m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? m->pitch
                          : m->extent[2] > 1                     ? m->slice
                                                                 : 0);
    case CL_IMAGE_WIDTH:
        return SL_CL_GIVE(to, size_t, m->extent[0]);
    case CL_IMAGE_HEIGHT:
        return SL_CL_GIVE(to, size_t, dims > 1 ? m->extent[1] : 0);
    case CL_IMAGE_DEPTH:
        return SL_CL_GIVE(to, size_t, dims > 2 ? m->extent[2] : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return SL_CL_GIVE(to, size_t, has_layers(m->type) ? m->extent[dims] : 0);
    case CL_IMAGE_BUFFER:
        return SL_CL_GIVE(to, cl_mem, m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return SL_CL_GIVE(to, cl_uint, 0);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info what, size_t room, void *value, size_t *size)
{
    SL_CL_CALL((void)rt, image_info(image, what, &(sl_cl_answer){room, value, size}));
}

cl_int sl_cl_image_region(cl_mem m, const size_t *origin, const size_t *region, size_t *start)
{
    if (!origin || !region)
        return CL_INVALID_VALUE;
    for (int k = 0; k < 3; k++)
        if (!region[k] || origin[k] > m->extent[k] || region[k] > m->extent[k] - origin[k])
            return CL_INVALID_VALUE;
    *start = origin[2] * m->slice + origin[1] * m->pitch + origin[0] * m->element_bytes;
    return CL_SUCCESS;
}

/* A float as a half: nearest, even at ties. */
static uint16_t half_of(float f)
{
    uint32_t bits, sign, magnitude;
    memcpy(&bits, &f, sizeof bits);
    sign = bits >> 16 & 0x8000;
    magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) /* 65520 and more */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* subnormal */
        float scaled = fabsf(f) * 0x1p24f;
        return (uint16_t)(sign | (uint32_t)rintf(scaled));
    }
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded - 0x38000000) >> 13));
}

static void pack_float(char kind, uint32_t bits, float x, unsigned char *to)
{
    if (kind == 'f' && bits == 32) {
        memcpy(to, &x, 4);
    } else if (kind == 'f') {
        uint16_t half = half_of(x);
        memcpy(to, &half, 2);
    } else {
        double most = kind == 's' ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
        double scaled = x == x ? fmin(fmax(x, kind == 's' ? -1 : 0), 1) * most : 0;
        int32_t number = (int32_t)rint(scaled);
        memcpy(to, &number, bits / 8);
    }
}

static void pack_integer(char kind, uint32_t bits, uint32_t value, unsigned char *to)
{
    if (bits < 32 && kind == 'u' && value >= 1u << bits)
        value = (1u << bits) - 1;
    if (bits < 32 && kind == 's') {
        int32_t most = (1 << (bits - 1)) - 1, number = (int32_t)value;
        value = (uint32_t)(number > most ? most : number < -most - 1 ? -most - 1 : number);
    }
    memcpy(to, &value, bits / 8);
}

void sl_cl_image_pack(const struct _cl_mem *m, const void *color, unsigned char element[16])
{
    int order = find_order(m->format.image_channel_order), type = find_type(m->format.image_channel_data_type);
    uint32_t values[4], bits = TYPES[type].bits;
    memcpy(values, color, sizeof values);
    for (uint32_t c = 0; c < ORDERS[order].channels; c++) {
        unsigned k = 0;
        while (k < 3 && ORDERS[order].swizzle[k] != c)
            k++;
        float x;
        memcpy(&x, &values[k], sizeof x);
        if (TYPES[type].kind == 'f' || TYPES[type].normalized)
            pack_float(TYPES[type].kind, bits, x, element + c * bits / 8);
        else
            pack_integer(TYPES[type].kind, bits, values[k], element + c * bits / 8);
    }
}
