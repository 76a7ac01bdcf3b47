/* SPDX-License-Identifier: MIT */
/* Copies and fills. Every variant of CUDA's comes down to one shape: depth x height rows of some bytes. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- running ---- */

/* Bytes from the first to the last of a pitched block; false: more than there are addresses, or rows or slices overlap,
 * which CUDA refuses too. So the number of rows is bounded by the memory that they lie in. */
static bool span_of(size_t pitch, size_t slice, size_t width, size_t height, size_t depth, size_t *bytes)
{
    size_t rows, slices;
    if ((height > 1 && pitch < width) || __builtin_mul_overflow(height - 1, pitch, &rows) ||
        __builtin_add_overflow(rows, width, &rows) || (depth > 1 && slice < rows))
        return false;
    return !__builtin_mul_overflow(depth - 1, slice, &slices) && !__builtin_add_overflow(rows, slices, bytes) &&
           *bytes <= PTRDIFF_MAX;
}

/* Whether rows of a pitched block all lie in one live allocation that programs know of. */
static bool on_device(const sl_proc *rt, const char *data, size_t pitch, size_t slice, size_t width, size_t height,
                      size_t depth)
{
    size_t bytes;
    const sl_heap *heap = sl_emu_heap(rt->emu);
    return span_of(pitch, slice, width, height, depth, &bytes) && sl_heap_contains(heap, (uintptr_t)data, bytes) &&
           !sl_heap_is_internal(heap, (uintptr_t)data, bytes);
}

/* Host memory and host memory: 1 us and 50 GB/s if it must cross the bus, else 2 TB/s. */
static void spend_copy_time(sl_proc *rt, uint64_t bytes, bool bus)
{
    rt->time_ns += 1000 + bytes / (bus ? 50 : 2000);
}

/* With --check=uninit: what nothing has written is no result. Memory that was freed and allocated again counts as not
 * written, whatever it still holds. */
static void check_written(sl_proc *rt, const sl_proc_copy *c)
{
    const sl_heap *heap = sl_emu_heap(rt->emu);
    uint64_t unwritten = 0;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++)
            unwritten += sl_heap_unwritten(heap, (uintptr_t)(c->src + z * c->src_slice + y * c->src_pitch), c->width);
    if (unwritten)
        sl_proc_problem(rt, "a copy to the host of %llu bytes reads %llu that nothing has written",
                        (unsigned long long)c->width * c->height * c->depth, (unsigned long long)unwritten);
}

cudaError_t sl_proc_copy_run(sl_proc *rt, const sl_proc_copy *c)
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
    if (rt->options.settings.check == SL_CHECK_UNINIT && !dst_here &&
        sl_heap_find(sl_emu_heap(rt->emu), (uintptr_t)c->src))
        check_written(rt, c);
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++) {
            char *dst = c->dst + z * c->dst_slice + y * c->dst_pitch;
            memmove(dst, c->src + z * c->src_slice + y * c->src_pitch, c->width);
            if (*rt->options.planned && !dst_here)
                sl_program_results_copy(&rt->planned, dst, c->width);
            if (dst_here)
                sl_heap_mark_written(sl_emu_heap(rt->emu), (uintptr_t)dst, c->width);
        }
    spend_copy_time(rt, (uint64_t)c->width * c->height * c->depth, c->kind != cudaMemcpyDeviceToDevice);
    return cudaSuccess;
}

cudaError_t sl_proc_fill_run(sl_proc *rt, const sl_proc_fill *f)
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
cudaError_t sl_proc_copy_submit(sl_proc *rt, const sl_proc_copy *copy, cudaStream_t stream, bool wait)
{
    sl_proc_op op = {.kind = SL_PROC_COPY, .copy = *copy};
    if (copy->kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = wait ? sl_proc_synchronize(rt, stream) : cudaSuccess;
    return error ? error : sl_proc_submit(rt, stream, &op);
}

cudaError_t sl_proc_copy_1d(sl_proc *rt, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream, bool wait)
{
    const sl_proc_copy copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return sl_proc_copy_submit(rt, &copy, stream, wait);
}

cudaError_t sl_proc_copy_batch(sl_proc *rt, void *const *dst, const void *const *src, const size_t *bytes, size_t count,
                               size_t *failed, cudaStream_t stream)
{
    cudaError_t error = dst && src && bytes && count ? cudaSuccess : cudaErrorInvalidValue;
    if (failed)
        *failed = SIZE_MAX; /* none in particular */
    for (size_t i = 0; i < count && !error; i++) {
        error = sl_proc_copy_1d(rt, dst[i], src[i], bytes[i], cudaMemcpyDefault, stream, false);
        if (error && failed)
            *failed = i;
    }
    return error;
}

/* ---- two dimensions ---- */

cudaError_t sl_proc_copy_2d(sl_proc *rt, void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                            size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    const sl_proc_copy copy = {.dst = dst,
                               .src = src,
                               .dst_pitch = dst_pitch,
                               .src_pitch = src_pitch,
                               .width = width,
                               .height = height,
                               .depth = 1,
                               .kind = kind};
    if (width > dst_pitch || width > src_pitch)
        return cudaErrorInvalidPitchValue;
    return sl_proc_copy_submit(rt, &copy, stream, wait);
}

/* ---- three dimensions ---- */

typedef struct side {
    char *data;
    size_t pitch, slice, element_bytes;
} side;

cudaError_t sl_proc_pitched_at(void *base, size_t x, size_t y, size_t z, size_t pitch, size_t slice, char **at)
{
    size_t slices, rows, offset;
    uintptr_t location;
    if (!base || __builtin_mul_overflow(z, slice, &slices) || __builtin_mul_overflow(y, pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &offset) || __builtin_add_overflow(offset, x, &offset) ||
        __builtin_add_overflow((uintptr_t)base, offset, &location))
        return cudaErrorInvalidValue;
    *at = (char *)location;
    return cudaSuccess;
}

/* One side of a 3-D copy: an array (positions in elements) or pitched memory (positions in bytes). */
static cudaError_t side_of(sl_proc *rt, cudaArray_t array, const cudaPitchedPtr *memory, cudaPos pos, cudaExtent extent,
                           side *s)
{
    sl_proc_array_shape shape;
    if (!array) {
        *s = (side){NULL, memory->pitch, 0, 1};
        if (__builtin_mul_overflow(memory->pitch, memory->ysize, &s->slice))
            return cudaErrorInvalidValue;
        return sl_proc_pitched_at(memory->ptr, pos.x, pos.y, pos.z, s->pitch, s->slice, &s->data);
    }
    cudaError_t error = sl_proc_array_shape_of(rt, array, &shape);
    if (error)
        return error;
    if (pos.x > shape.width || extent.width > shape.width - pos.x || pos.y > shape.height ||
        extent.height > shape.height - pos.y || pos.z > shape.depth || extent.depth > shape.depth - pos.z)
        return cudaErrorInvalidValue;
    *s = (side){shape.data + pos.z * shape.slice + pos.y * shape.pitch + pos.x * shape.element_bytes, shape.pitch,
                shape.slice, shape.element_bytes};
    return cudaSuccess;
}

cudaError_t sl_proc_copy_of_params(sl_proc *rt, const cudaMemcpy3DParms *p, sl_proc_copy *copy)
{
    side dst, src;
    cudaError_t error = p ? side_of(rt, p->dstArray, &p->dstPtr, p->dstPos, p->extent, &dst) : cudaErrorInvalidValue;
    if (!error)
        error = side_of(rt, p->srcArray, &p->srcPtr, p->srcPos, p->extent, &src);
    if (error)
        return error;
    if (p->dstArray && p->srcArray && dst.element_bytes != src.element_bytes)
        return cudaErrorInvalidValue;
    *copy = (sl_proc_copy){.dst = dst.data,
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

cudaError_t sl_proc_copy_3d(sl_proc *rt, const cudaMemcpy3DParms *params, cudaStream_t stream, bool wait)
{
    sl_proc_copy copy;
    cudaError_t error = sl_proc_copy_of_params(rt, params, &copy);
    return error ? error : sl_proc_copy_submit(rt, &copy, stream, wait);
}

/* ---- arrays, by the older calls: x offsets and widths are in bytes ---- */

static bool exceeds(size_t first, size_t count, size_t limit)
{
    return first > limit || count > limit - first;
}

cudaError_t sl_proc_copy_array_2d(sl_proc *rt, cudaArray_t array, size_t x, size_t y, void *out, const void *in,
                                  size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                                  bool wait)
{
    sl_proc_array_shape s;
    cudaError_t error = sl_proc_array_shape_of(rt, array, &s);
    if (error)
        return error;
    if (exceeds(x, width, s.width * s.element_bytes) || exceeds(y, height, s.height))
        return cudaErrorInvalidValue;
    char *location = s.data + y * s.pitch + x;
    return in ? sl_proc_copy_2d(rt, location, s.pitch, in, pitch, width, height, kind, stream, wait)
              : sl_proc_copy_2d(rt, out, pitch, location, s.pitch, width, height, kind, stream, wait);
}

/* A run of bytes that starts at (x, y) and continues row by row. */
cudaError_t sl_proc_copy_array_run(sl_proc *rt, cudaArray_t array, size_t x, size_t y, char *out, const char *in,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
    sl_proc_array_shape s;
    cudaError_t error = sl_proc_array_shape_of(rt, array, &s);
    while (!error && bytes) {
        size_t row = s.width * s.element_bytes;
        if (x >= row || y >= s.height)
            return cudaErrorInvalidValue;
        size_t part = bytes < row - x ? bytes : row - x;
        char *location = s.data + y * s.pitch + x;
        error = in ? sl_proc_copy_1d(rt, location, in, part, kind, stream, wait)
                   : sl_proc_copy_1d(rt, out, location, part, kind, stream, wait);
        in = in ? in + part : NULL;
        out = out ? out + part : NULL;
        bytes -= part;
        x = 0;
        y++;
    }
    return error;
}

cudaError_t sl_proc_copy_arrays(sl_proc *rt, cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src, size_t src_x,
                                size_t src_y, size_t width, size_t height, cudaMemcpyKind kind)
{
    sl_proc_array_shape s;
    cudaError_t error = sl_proc_array_shape_of(rt, src, &s);
    if (error)
        return error;
    if (exceeds(src_x, width, s.width * s.element_bytes) || exceeds(src_y, height, s.height))
        return cudaErrorInvalidValue;
    return sl_proc_copy_array_2d(rt, dst, dst_x, dst_y, NULL, s.data + src_y * s.pitch + src_x, s.pitch, width, height,
                                 kind, NULL, true);
}

/* Runs of bytes in both. */
cudaError_t sl_proc_copy_array_runs(sl_proc *rt, cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_t src,
                                    size_t src_x, size_t src_y, size_t bytes, cudaMemcpyKind kind)
{
    sl_proc_array_shape s;
    cudaError_t error = sl_proc_array_shape_of(rt, src, &s);
    size_t row = error ? 0 : s.width * s.element_bytes;
    while (!error && bytes) {
        if (src_x >= row || src_y >= s.height)
            return cudaErrorInvalidValue;
        size_t part = bytes < row - src_x ? bytes : row - src_x;
        error = sl_proc_copy_array_run(rt, dst, dst_x, dst_y, NULL, s.data + src_y * s.pitch + src_x, part, kind, NULL,
                                       true);
        bytes -= part;
        src_x = 0;
        src_y++;
        dst_x += part;
        sl_proc_array_shape d;
        if (!error && !(error = sl_proc_array_shape_of(rt, dst, &d))) {
            dst_y += dst_x / (d.width * d.element_bytes);
            dst_x %= d.width * d.element_bytes;
        }
    }
    return error;
}

/* ---- fills ---- */

cudaError_t sl_proc_fill_submit(sl_proc *rt, const sl_proc_fill *fill, cudaStream_t stream)
{
    sl_proc_op op = {.kind = SL_PROC_FILL, .fill = *fill};
    return sl_proc_submit(rt, stream, &op);
}
