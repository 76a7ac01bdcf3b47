/* SPDX-License-Identifier: MIT */
/* Copies and fills. Every variant of CUDA's comes down to one shape: depth x height rows of some bytes. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

/* Bytes from the first to the last of a pitched block; false: more than there are addresses. */
static bool span_of(size_t pitch, size_t slice, size_t width, size_t height, size_t depth, size_t *bytes)
{
    size_t rows, slices;
    return !__builtin_mul_overflow(height - 1, pitch, &rows) && !__builtin_mul_overflow(depth - 1, slice, &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) && !__builtin_add_overflow(*bytes, width, bytes) &&
           *bytes <= PTRDIFF_MAX;
}

/* Whether rows of a pitched block all lie in one live allocation. */
static bool on_device(const sl_rt *rt, const char *data, size_t pitch, size_t slice, size_t width, size_t height,
                      size_t depth)
{
    size_t bytes;
    return span_of(pitch, slice, width, height, depth, &bytes) &&
           sl_heap_contains(sl_emu_heap(rt->emu), (uintptr_t)data, bytes);
}

/* Host memory and host memory: 1 us and 50 GB/s if it must cross the bus, else 2 TB/s. */
static void spend_copy_time(sl_rt *rt, uint64_t bytes, bool bus)
{
    rt->time_ns += 1000 + bytes / (bus ? 50 : 2000);
}

cudaError_t sl_rt_copy_run(sl_rt *rt, const sl_rt_copy *c)
{
    if (!c->width || !c->height || !c->depth)
        return cudaSuccess;
    size_t span;
    if (!c->dst || !c->src || !span_of(c->dst_pitch, c->dst_slice, c->width, c->height, c->depth, &span) ||
        !span_of(c->src_pitch, c->src_slice, c->width, c->height, c->depth, &span))
        return cudaErrorInvalidValue;
    bool to_device = c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice;
    bool from_device = c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;
    bool dst_here = on_device(rt, c->dst, c->dst_pitch, c->dst_slice, c->width, c->height, c->depth);
    if ((to_device && !dst_here) ||
        (from_device && !on_device(rt, c->src, c->src_pitch, c->src_slice, c->width, c->height, c->depth)))
        return cudaErrorInvalidValue;
    /* A pointer into the heap that is not wholly inside an allocation is wrong whatever the direction. */
    if (!dst_here && sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)c->dst))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            char *dst = c->dst + z * c->dst_slice + y * c->dst_pitch;
            memmove(dst, c->src + z * c->src_slice + y * c->src_pitch, c->width);
            if (dst_here)
                sl_heap_mark_written(sl_emu_heap(rt->emu), (uintptr_t)dst, c->width);
        }
    spend_copy_time(rt, (uint64_t)c->width * c->height * c->depth, c->kind != cudaMemcpyDeviceToDevice);
    return cudaSuccess;
}

cudaError_t sl_rt_fill_run(sl_rt *rt, const sl_rt_fill *f)
{
    if (!f->width || !f->height || !f->depth)
        return cudaSuccess;
    if (!on_device(rt, f->dst, f->pitch, f->slice, f->width, f->height, f->depth))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < f->depth; z++)
        for (size_t y = 0; y < f->height; y++) {
            char *row = f->dst + z * f->slice + y * f->pitch;
            if (f->element_bytes == 1)
                memset(row, (int)f->value, f->width);
            else
                for (size_t x = 0; x + f->element_bytes <= f->width; x += f->element_bytes)
                    memcpy(row + x, &f->value, f->element_bytes);
            sl_heap_mark_written(sl_emu_heap(rt->emu), (uintptr_t)row, f->width);
        }
    spend_copy_time(rt, (uint64_t)f->width * f->height * f->depth, false);
    return cudaSuccess;
}

/* `wait`: the call returns only when the copy is done, and so passes printf output on. */
static cudaError_t submit_copy(sl_rt *rt, const sl_rt_copy *copy, cudaStream_t stream, bool wait)
{
    sl_rt_op op = {.kind = SL_RT_COPY, .copy = *copy};
    if (copy->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = wait ? sl_rt_synchronize(rt, stream) : cudaSuccess;
    return error ? error : sl_rt_submit(rt, stream, &op);
}

static cudaError_t copy_1d(sl_rt *rt, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                           cudaStream_t stream, bool wait)
{
    const sl_rt_copy copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return submit_copy(rt, &copy, stream, wait);
}

SL_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    SL_CALL(copy_1d(rt, dst, src, bytes, kind, NULL, true));
}
SL_ALIAS(cudaMemcpy_ptds, cudaMemcpy);

SL_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(copy_1d(rt, dst, src, bytes, kind, stream, false));
}
SL_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

SL_API cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
    SL_CALL(dst_device || src_device ? cudaErrorInvalidDevice
                                     : copy_1d(rt, dst, src, bytes, cudaMemcpyDeviceToDevice, NULL, true));
}

SL_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                                       cudaStream_t stream)
{
    SL_CALL(dst_device || src_device ? cudaErrorInvalidDevice
                                     : copy_1d(rt, dst, src, bytes, cudaMemcpyDeviceToDevice, stream, false));
}

/* ---- symbols ---- */

static cudaError_t copy_symbol(sl_rt *rt, const void *symbol, size_t offset, void *to, const void *from, size_t bytes,
                               cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    char *location;
    size_t size;
    cudaError_t error = sl_rt_variable_address(rt, symbol, &location, &size);
    if (error)
        return error;
    if (offset > size || bytes > size - offset)
        return cudaErrorInvalidValue;
    bool out = kind == cudaMemcpyDeviceToHost;
    if (from ? out : kind == cudaMemcpyHostToDevice)
        return cudaErrorInvalidMemcpyDirection;
    return from ? copy_1d(rt, location + offset, from, bytes, kind, stream, wait)
                : copy_1d(rt, to, location + offset, bytes, kind, stream, wait);
}

SL_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind)
{
    SL_CALL(src ? copy_symbol(rt, symbol, offset, NULL, src, bytes, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);

SL_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(src ? copy_symbol(rt, symbol, offset, NULL, src, bytes, kind, stream, false) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);

SL_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind)
{
    SL_CALL(copy_symbol(rt, symbol, offset, dst, NULL, bytes, kind, NULL, true));
}
SL_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);

SL_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(copy_symbol(rt, symbol, offset, dst, NULL, bytes, kind, stream, false));
}
SL_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

/* ---- two dimensions ---- */

static cudaError_t copy_2d(sl_rt *rt, void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                           size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    const sl_rt_copy copy = {.dst = dst,
                             .src = src,
                             .dst_pitch = dst_pitch,
                             .src_pitch = src_pitch,
                             .width = width,
                             .height = height,
                             .depth = 1,
                             .kind = kind};
    if (width > dst_pitch || width > src_pitch)
        return SL_CUDART < 13 ? cudaErrorInvalidPitchValue : cudaErrorInvalidValue;
    return submit_copy(rt, &copy, stream, wait);
}

SL_API cudaError_t cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind)
{
    SL_CALL(copy_2d(rt, dst, dst_pitch, src, src_pitch, width, height, kind, NULL, true));
}
SL_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);

SL_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(copy_2d(rt, dst, dst_pitch, src, src_pitch, width, height, kind, stream, false));
}
SL_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);

/* ---- three dimensions ---- */

typedef struct side {
    char *data;
    size_t pitch, slice, element_bytes;
} side;

/* One side of a 3-D copy: an array (positions in elements) or pitched memory (positions in bytes). */
static cudaError_t side_of(sl_rt *rt, cudaArray_t array, const cudaPitchedPtr *memory, cudaPos pos, cudaExtent extent,
                           side *s)
{
    sl_rt_array_shape shape;
    if (!array) {
        if (!memory->ptr)
            return cudaErrorInvalidValue;
        size_t slice = memory->pitch * memory->ysize;
        *s = (side){(char *)memory->ptr + pos.z * slice + pos.y * memory->pitch + pos.x, memory->pitch, slice, 1};
        return cudaSuccess;
    }
    cudaError_t error = sl_rt_array_shape_of(rt, array, &shape);
    if (error)
        return error;
    if (pos.x > shape.width || extent.width > shape.width - pos.x || pos.y > shape.height ||
        extent.height > shape.height - pos.y || pos.z > shape.depth || extent.depth > shape.depth - pos.z)
        return cudaErrorInvalidValue;
    *s = (side){shape.data + pos.z * shape.slice + pos.y * shape.pitch + pos.x * shape.element_bytes, shape.pitch,
                shape.slice, shape.element_bytes};
    return cudaSuccess;
}

cudaError_t sl_rt_copy_of_params(sl_rt *rt, const cudaMemcpy3DParms *p, sl_rt_copy *copy)
{
    side dst, src;
    cudaError_t error = p ? side_of(rt, p->dstArray, &p->dstPtr, p->dstPos, p->extent, &dst) : cudaErrorInvalidValue;
    if (!error)
        error = side_of(rt, p->srcArray, &p->srcPtr, p->srcPos, p->extent, &src);
    if (error)
        return error;
    if (p->dstArray && p->srcArray && dst.element_bytes != src.element_bytes)
        return cudaErrorInvalidValue;
    *copy = (sl_rt_copy){.dst = dst.data,
                         .src = src.data,
                         .dst_pitch = dst.pitch,
                         .dst_slice = dst.slice,
                         .src_pitch = src.pitch,
                         .src_slice = src.slice,
                         .width = p->extent.width * (p->dstArray ? dst.element_bytes : src.element_bytes),
                         .height = p->extent.height,
                         .depth = p->extent.depth,
                         .kind = p->kind};
    return cudaSuccess;
}

static cudaError_t copy_3d(sl_rt *rt, const cudaMemcpy3DParms *params, cudaStream_t stream, bool wait)
{
    sl_rt_copy copy;
    cudaError_t error = sl_rt_copy_of_params(rt, params, &copy);
    return error ? error : submit_copy(rt, &copy, stream, wait);
}

SL_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params)
{
    SL_CALL(copy_3d(rt, params, NULL, true));
}
SL_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

SL_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *params, cudaStream_t stream)
{
    SL_CALL(copy_3d(rt, params, stream, false));
}
SL_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);

static cudaError_t copy_3d_peer(sl_rt *rt, const cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool wait)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcDevice || p->dstDevice)
        return cudaErrorInvalidDevice;
    const cudaMemcpy3DParms params = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                                      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDefault};
    return copy_3d(rt, &params, stream, wait);
}

SL_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *params)
{
    SL_CALL(copy_3d_peer(rt, params, NULL, true));
}
SL_ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);

SL_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *params, cudaStream_t stream)
{
    SL_CALL(copy_3d_peer(rt, params, stream, false));
}
SL_ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);

/* ---- arrays, by the older calls: x offsets and widths are in bytes ---- */

static cudaError_t array_2d(sl_rt *rt, cudaArray_t array, size_t x, size_t y, void *out, const void *in, size_t pitch,
                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    sl_rt_array_shape s;
    cudaError_t error = sl_rt_array_shape_of(rt, array, &s);
    if (error)
        return error;
    if (x + width > s.width * s.element_bytes || y + height > s.height)
        return cudaErrorInvalidValue;
    char *location = s.data + y * s.pitch + x;
    return in ? copy_2d(rt, location, s.pitch, in, pitch, width, height, kind, stream, wait)
              : copy_2d(rt, out, pitch, location, s.pitch, width, height, kind, stream, wait);
}

SL_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind)
{
    SL_CALL(src ? array_2d(rt, dst, x, y, NULL, src, pitch, width, height, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);

SL_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(src ? array_2d(rt, dst, x, y, NULL, src, pitch, width, height, kind, stream, false)
                : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);

SL_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y, size_t width,
                                         size_t height, cudaMemcpyKind kind)
{
    SL_CALL(dst ? array_2d(rt, src, x, y, dst, NULL, pitch, width, height, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);

SL_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x, size_t y,
                                              size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(dst ? array_2d(rt, src, x, y, dst, NULL, pitch, width, height, kind, stream, false)
                : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);

/* A run of bytes that starts at (x, y) and goes on row by row. */
static cudaError_t array_run(sl_rt *rt, cudaArray_t array, size_t x, size_t y, char *out, const char *in, size_t bytes,
                             cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    sl_rt_array_shape s;
    cudaError_t error = sl_rt_array_shape_of(rt, array, &s);
    while (!error && bytes) {
        size_t row = s.width * s.element_bytes;
        if (x >= row || y >= s.height)
            return cudaErrorInvalidValue;
        size_t part = bytes < row - x ? bytes : row - x;
        char *location = s.data + y * s.pitch + x;
        error = in ? copy_1d(rt, location, in, part, kind, stream, wait)
                   : copy_1d(rt, out, location, part, kind, stream, wait);
        in = in ? in + part : NULL;
        out = out ? out + part : NULL;
        bytes -= part;
        x = 0;
        y++;
    }
    return error;
}

SL_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                     cudaMemcpyKind kind)
{
    SL_CALL(src ? array_run(rt, dst, x, y, NULL, src, bytes, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);

SL_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(src ? array_run(rt, dst, x, y, NULL, src, bytes, kind, stream, false) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);

SL_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind kind)
{
    SL_CALL(dst ? array_run(rt, src, x, y, dst, NULL, bytes, kind, NULL, true) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

SL_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream)
{
    SL_CALL(dst ? array_run(rt, src, x, y, dst, NULL, bytes, kind, stream, false) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);

static cudaError_t array_to_array(sl_rt *rt, cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                  size_t src_y, size_t width, size_t height, cudaMemcpyKind kind)
{
    sl_rt_array_shape s;
    cudaError_t error = sl_rt_array_shape_of(rt, src, &s);
    if (error)
        return error;
    if (src_x + width > s.width * s.element_bytes || src_y + height > s.height)
        return cudaErrorInvalidValue;
    return array_2d(rt, dst, dst_x, dst_y, NULL, s.data + src_y * s.pitch + src_x, s.pitch, width, height, kind, NULL,
                    true);
}

SL_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                            size_t src_y, size_t width, size_t height, cudaMemcpyKind kind)
{
    SL_CALL(array_to_array(rt, dst, dst_x, dst_y, src, src_x, src_y, width, height, kind));
}
SL_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

/* ---- fills ---- */

static cudaError_t fill(sl_rt *rt, void *dst, size_t pitch, size_t slice, int value, size_t width, size_t height,
                        size_t depth, cudaStream_t stream)
{
    sl_rt_op op = {.kind = SL_RT_FILL,
                   .fill = {.dst = dst,
                            .pitch = pitch,
                            .slice = slice,
                            .width = width,
                            .height = height,
                            .depth = depth,
                            .value = (uint8_t)value,
                            .element_bytes = 1}};
    return sl_rt_submit(rt, stream, &op);
}

SL_API cudaError_t cudaMemset(void *dst, int value, size_t bytes)
{
    SL_CALL(fill(rt, dst, 0, 0, value, bytes, 1, 1, NULL));
}
SL_ALIAS(cudaMemset_ptds, cudaMemset);

SL_API cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream)
{
    SL_CALL(fill(rt, dst, 0, 0, value, bytes, 1, 1, stream));
}
SL_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);

SL_API cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
    SL_CALL(fill(rt, dst, pitch, 0, value, width, height, 1, NULL));
}
SL_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

SL_API cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream)
{
    SL_CALL(fill(rt, dst, pitch, 0, value, width, height, 1, stream));
}
SL_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);

SL_API cudaError_t cudaMemset3D(cudaPitchedPtr dst, int value, cudaExtent extent)
{
    SL_CALL(
        fill(rt, dst.ptr, dst.pitch, dst.pitch * dst.ysize, value, extent.width, extent.height, extent.depth, NULL));
}
SL_ALIAS(cudaMemset3D_ptds, cudaMemset3D);

SL_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr dst, int value, cudaExtent extent, cudaStream_t stream)
{
    SL_CALL(
        fill(rt, dst.ptr, dst.pitch, dst.pitch * dst.ysize, value, extent.width, extent.height, extent.depth, stream));
}
SL_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
