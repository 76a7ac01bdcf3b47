/* SPDX-License-Identifier: MIT */
/* Reading, writing, copying and filling of buffers. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

/* ---- what all transfers are made of ---- */

cl_int sl_cl_request_check(const sl_cl_request *r, cl_mem mem, bool image)
{
    if (!sl_cl_is(r->queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!(image ? sl_cl_is_image(mem) : sl_cl_is_buffer(mem)))
        return CL_INVALID_MEM_OBJECT;
    return mem->context == r->queue->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

sl_proc_copy sl_cl_copy(const sl_cl_end *to, const sl_cl_end *from, size_t width, size_t height, size_t depth)
{
    return (sl_proc_copy){.dst = to->at,
                          .src = from->at,
                          .dst_pitch = to->row,
                          .dst_slice = to->slice,
                          .src_pitch = from->row,
                          .src_slice = from->slice,
                          .width = width,
                          .height = height,
                          .depth = depth,
                          .kind = cudaMemcpyDefault};
}

/* Across the bus or not, which tells how long it takes. An object of the program's memory is not on the device. */
static cudaMemcpyKind kind_of(const sl_cl_request *r, cl_mem first, cl_mem second)
{
    if (first->host_ptr || (second && second->host_ptr))
        return cudaMemcpyDefault;
    switch (r->type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
        return cudaMemcpyDeviceToHost;
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_WRITE_IMAGE:
        return cudaMemcpyHostToDevice;
    default:
        return cudaMemcpyDeviceToDevice;
    }
}

cl_int sl_cl_copy_submit(sl_proc *rt, const sl_cl_request *r, const sl_proc_copy *copy, cl_mem first, cl_mem second)
{
    cl_event command;
    sl_proc_op op = {.kind = SL_PROC_COPY, .copy = *copy};
    op.copy.kind = kind_of(r, first, second);
    cl_int error = sl_cl_command_new(rt, r->queue, r->type, r->count, r->waits, &command);
    if (error)
        return error;
    error = sl_cl_command_add(rt, command, &op);
    if (!error)
        error = sl_cl_command_use(command, first);
    if (!error && second)
        error = sl_cl_command_use(command, second);
    return error ? sl_cl_command_drop(rt, command, error) : sl_cl_command_enqueue(rt, command, r->blocking, r->event);
}

/* ---- lines ---- */

static cl_int inside(cl_mem buffer, size_t offset, size_t bytes)
{
    return offset <= buffer->bytes && bytes <= buffer->bytes - offset ? CL_SUCCESS : CL_INVALID_VALUE;
}

static sl_proc_copy line(char *dst, const char *src, size_t bytes)
{
    const sl_cl_end to = {dst, 0, 0}, from = {(char *)(uintptr_t)src, 0, 0};
    return sl_cl_copy(&to, &from, bytes, 1, 1);
}

static cl_int read_buffer(sl_proc *rt, const sl_cl_request *r, cl_mem buffer, size_t offset, size_t bytes, void *to)
{
    cl_int error = sl_cl_request_check(r, buffer, false);
    if (!error)
        error = !to || !bytes ? CL_INVALID_VALUE : inside(buffer, offset, bytes);
    if (!error && buffer->flags & SL_CL_NO_READ)
        error = CL_INVALID_OPERATION;
    if (error)
        return error;
    const sl_proc_copy copy = line(to, sl_cl_mem_at(buffer) + offset, bytes);
    return sl_cl_copy_submit(rt, r, &copy, buffer, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                    size_t offset, size_t bytes, void *to, cl_uint count,
                                                    const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_READ_BUFFER, blocking, count, waits, event};
    SL_CL_CALL(read_buffer(rt, &r, buffer, offset, bytes, to));
}

static cl_int write_buffer(sl_proc *rt, const sl_cl_request *r, cl_mem buffer, size_t offset, size_t bytes,
                           const void *from)
{
    cl_int error = sl_cl_request_check(r, buffer, false);
    if (!error)
        error = !from || !bytes ? CL_INVALID_VALUE : inside(buffer, offset, bytes);
    if (!error && buffer->flags & SL_CL_NO_WRITE)
        error = CL_INVALID_OPERATION;
    if (error)
        return error;
    const sl_proc_copy copy = line(sl_cl_mem_at(buffer) + offset, from, bytes);
    return sl_cl_copy_submit(rt, r, &copy, buffer, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                     size_t offset, size_t bytes, const void *from, cl_uint count,
                                                     const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_WRITE_BUFFER, blocking, count, waits, event};
    SL_CL_CALL(write_buffer(rt, &r, buffer, offset, bytes, from));
}

static cl_int copy_buffer(sl_proc *rt, const sl_cl_request *r, cl_mem src, cl_mem dst, size_t from, size_t to,
                          size_t bytes)
{
    cl_int error = sl_cl_request_check(r, src, false);
    if (!error)
        error = sl_cl_request_check(r, dst, false);
    if (!error && (!bytes || inside(src, from, bytes) || inside(dst, to, bytes)))
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    const sl_proc_copy copy = line(sl_cl_mem_at(dst) + to, sl_cl_mem_at(src) + from, bytes);
    if (copy.src < copy.dst + bytes && copy.dst < copy.src + bytes)
        return CL_MEM_COPY_OVERLAP;
    return sl_cl_copy_submit(rt, r, &copy, src, dst);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem src, cl_mem dst, size_t from,
                                                    size_t to, size_t bytes, cl_uint count, const cl_event *waits,
                                                    cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_COPY_BUFFER, false, count, waits, event};
    SL_CL_CALL(copy_buffer(rt, &r, src, dst, from, to, bytes));
}

/* ---- boxes ---- */

/* A box in memory: rows and slices with a pitch. */
typedef struct box {
    const size_t *origin;
    size_t row, slice;
} box;

/* Completes the pitches, and says where the box starts and behind which byte it ends. False: there is no such box. */
static bool place(box *b, const size_t region[3], size_t *start, size_t *end)
{
    size_t slices, rows, last;
    if (!b->row)
        b->row = region[0];
    if (b->row < region[0])
        return false;
    if (!b->slice && __builtin_mul_overflow(region[1], b->row, &b->slice))
        return false;
    if (__builtin_mul_overflow(region[1], b->row, &rows) || b->slice < rows || b->slice % b->row)
        return false;
    if (__builtin_mul_overflow(b->origin[2], b->slice, &slices) ||
        __builtin_mul_overflow(b->origin[1], b->row, &rows) || __builtin_add_overflow(slices, rows, start) ||
        __builtin_add_overflow(*start, b->origin[0], start))
        return false;
    return !__builtin_mul_overflow(region[2] - 1, b->slice, &slices) &&
           !__builtin_mul_overflow(region[1] - 1, b->row, &rows) && !__builtin_add_overflow(slices, rows, &last) &&
           !__builtin_add_overflow(last, region[0], &last) && !__builtin_add_overflow(*start, last, end);
}

static bool is_region(const size_t region[3])
{
    return region && region[0] && region[1] && region[2];
}

/* A box of a buffer. */
static cl_int place_in(cl_mem buffer, box *b, const size_t region[3], char **at)
{
    size_t start, end;
    if (!b->origin || !place(b, region, &start, &end) || end > buffer->bytes)
        return CL_INVALID_VALUE;
    *at = sl_cl_mem_at(buffer) + start;
    return CL_SUCCESS;
}

/* A box of the program's memory. */
static cl_int place_at(const void *memory, box *b, const size_t region[3], char **at)
{
    size_t start, end;
    if (!memory || !b->origin || !place(b, region, &start, &end))
        return CL_INVALID_VALUE;
    *at = (char *)(uintptr_t)memory + start;
    return CL_SUCCESS;
}

static sl_proc_copy boxes(char *dst, const box *to, const char *src, const box *from, const size_t region[3])
{
    const sl_cl_end into = {dst, to->row, to->slice}, out = {(char *)(uintptr_t)src, from->row, from->slice};
    return sl_cl_copy(&into, &out, region[0], region[1], region[2]);
}

static cl_int transfer_rect(sl_proc *rt, const sl_cl_request *r, cl_mem buffer, box in_buffer, box in_memory,
                            const size_t *region, const void *memory)
{
    char *device, *host;
    bool reads = r->type == CL_COMMAND_READ_BUFFER_RECT;
    cl_int error = sl_cl_request_check(r, buffer, false);
    if (!error && !is_region(region))
        error = CL_INVALID_VALUE;
    if (!error)
        error = place_in(buffer, &in_buffer, region, &device);
    if (!error)
        error = place_at(memory, &in_memory, region, &host);
    if (!error && buffer->flags & (reads ? SL_CL_NO_READ : SL_CL_NO_WRITE))
        error = CL_INVALID_OPERATION;
    if (error)
        return error;
    const sl_proc_copy copy = reads ? boxes(host, &in_memory, device, &in_buffer, region)
                                    : boxes(device, &in_buffer, host, &in_memory, region);
    return sl_cl_copy_submit(rt, r, &copy, buffer, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                        const size_t *buffer_origin, const size_t *host_origin,
                                                        const size_t *region, size_t buffer_row, size_t buffer_slice,
                                                        size_t host_row, size_t host_slice, void *to, cl_uint count,
                                                        const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_READ_BUFFER_RECT, blocking, count, waits, event};
    SL_CL_CALL(transfer_rect(rt, &r, buffer, (box){buffer_origin, buffer_row, buffer_slice},
                             (box){host_origin, host_row, host_slice}, region, to));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                         const size_t *buffer_origin, const size_t *host_origin,
                                                         const size_t *region, size_t buffer_row, size_t buffer_slice,
                                                         size_t host_row, size_t host_slice, const void *from,
                                                         cl_uint count, const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_WRITE_BUFFER_RECT, blocking, count, waits, event};
    SL_CL_CALL(transfer_rect(rt, &r, buffer, (box){buffer_origin, buffer_row, buffer_slice},
                             (box){host_origin, host_row, host_slice}, region, from));
}

/* Whether two boxes of one pitch share bytes, as OpenCL's appendix decides it. */
static bool boxes_overlap(const sl_proc_copy *c, const box *to, const box *from, const size_t region[3])
{
    size_t most_dst = c->dst_slice * (region[2] - 1) + c->dst_pitch * (region[1] - 1) + region[0];
    size_t most_src = c->src_slice * (region[2] - 1) + c->src_pitch * (region[1] - 1) + region[0];
    if (c->dst + most_dst <= c->src || c->src + most_src <= c->dst)
        return false;
    for (int k = 0; k < 3; k++)
        if (to->origin[k] + region[k] <= from->origin[k] || from->origin[k] + region[k] <= to->origin[k])
            return to->row != from->row || to->slice != from->slice;
    return true;
}

static cl_int copy_rect(sl_proc *rt, const sl_cl_request *r, cl_mem src, cl_mem dst, box from, box to,
                        const size_t *region)
{
    char *at, *into;
    cl_int error = sl_cl_request_check(r, src, false);
    if (!error)
        error = sl_cl_request_check(r, dst, false);
    if (!error && !is_region(region))
        error = CL_INVALID_VALUE;
    if (!error)
        error = place_in(src, &from, region, &at);
    if (!error)
        error = place_in(dst, &to, region, &into);
    if (!error && src == dst && (from.row != to.row || from.slice != to.slice))
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    const sl_proc_copy copy = boxes(into, &to, at, &from, region);
    return src == dst && boxes_overlap(&copy, &to, &from, region) ? CL_MEM_COPY_OVERLAP
                                                                  : sl_cl_copy_submit(rt, r, &copy, src, dst);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem src, cl_mem dst,
                                                        const size_t *src_origin, const size_t *dst_origin,
                                                        const size_t *region, size_t src_row, size_t src_slice,
                                                        size_t dst_row, size_t dst_slice, cl_uint count,
                                                        const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_COPY_BUFFER_RECT, false, count, waits, event};
    SL_CL_CALL(copy_rect(rt, &r, src, dst, (box){src_origin, src_row, src_slice}, (box){dst_origin, dst_row, dst_slice},
                         region));
}

/* ---- filling ---- */

/* The pattern once from the program, then from what is filled already, which doubles. */
static cl_int add_fill(sl_proc *rt, cl_event command, cl_mem buffer, size_t offset, size_t bytes, size_t pattern_bytes)
{
    char *to = sl_cl_mem_at(buffer) + offset;
    sl_proc_op op = {.kind = SL_PROC_COPY, .copy = line(to, command->data, pattern_bytes)};
    cl_int error = sl_cl_command_add(rt, command, &op);
    for (size_t filled = pattern_bytes; !error && filled < bytes; filled *= 2) {
        size_t more = filled < bytes - filled ? filled : bytes - filled;
        op = (sl_proc_op){.kind = SL_PROC_COPY, .copy = line(to + filled, to, more)};
        op.copy.kind = buffer->host_ptr ? cudaMemcpyDefault : cudaMemcpyDeviceToDevice;
        error = sl_cl_command_add(rt, command, &op);
    }
    return error;
}

static cl_int fill_buffer(sl_proc *rt, const sl_cl_request *r, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                          size_t offset, size_t bytes)
{
    enum { MAX_PATTERN = 128 };
    cl_event command;
    cl_int error = sl_cl_request_check(r, buffer, false);
    if (!error && (!pattern || !pattern_bytes || pattern_bytes > MAX_PATTERN || pattern_bytes & (pattern_bytes - 1) ||
                   offset % pattern_bytes || bytes % pattern_bytes || inside(buffer, offset, bytes)))
        error = CL_INVALID_VALUE;
    if (!error)
        error = sl_cl_command_new(rt, r->queue, r->type, r->count, r->waits, &command);
    if (error)
        return error;
    command->data = malloc(pattern_bytes);
    if (command->data)
        memcpy(command->data, pattern, pattern_bytes);
    error = command->data ? sl_cl_command_use(command, buffer) : CL_OUT_OF_HOST_MEMORY;
    if (!error && bytes)
        error = add_fill(rt, command, buffer, offset, bytes, pattern_bytes);
    return error ? sl_cl_command_drop(rt, command, error) : sl_cl_command_enqueue(rt, command, false, r->event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                                    size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                                                    const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_FILL_BUFFER, false, count, waits, event};
    SL_CL_CALL(fill_buffer(rt, &r, buffer, pattern, pattern_bytes, offset, bytes));
}
