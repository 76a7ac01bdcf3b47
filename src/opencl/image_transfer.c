/* SPDX-License-Identifier: MIT */
/* Reading, writing, copying and filling of images. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

static sl_proc_copy copy_of(const sl_cl_end *to, const sl_cl_end *from, size_t element, const size_t *region)
{
    return sl_cl_copy(to, from, region[0] * element, region[1], region[2]);
}

/* The image's end of a copy. */
static cl_int end_of(cl_mem image, const size_t *origin, const size_t *region, sl_cl_end *e)
{
    size_t start;
    cl_int error = sl_cl_image_region(image, origin, region, &start);
    if (!error)
        *e = (sl_cl_end){sl_cl_mem_at(image) + start, image->pitch, image->slice};
    return error;
}

/* ---- the program's memory ---- */

/* A 1D array's layers are rows of a region, and slices of the program's memory. */
static cl_int host_end(cl_mem image, const size_t *region, size_t row, size_t slice, const void *memory, sl_cl_end *e)
{
    size_t tight = region[0] * image->element_bytes;
    bool line_array = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (!memory || (row && row < tight))
        return CL_INVALID_VALUE;
    if (line_array && slice)
        row = slice;
    row = row ? row : tight;
    if (line_array || !slice)
        slice = row * region[1];
    if (slice < row * region[1])
        return CL_INVALID_VALUE;
    *e = (sl_cl_end){(char *)(uintptr_t)memory, row, slice};
    return CL_SUCCESS;
}

static cl_int transfer(sl_proc *rt, const sl_cl_request *r, cl_mem image, const size_t *origin, const size_t *region,
                       size_t row, size_t slice, const void *memory)
{
    sl_cl_end device, host;
    bool reads = r->type == CL_COMMAND_READ_IMAGE;
    cl_int error = sl_cl_request_check(r, image, true);
    if (!error)
        error = end_of(image, origin, region, &device);
    if (!error)
        error = host_end(image, region, row, slice, memory, &host);
    if (!error && image->flags & (reads ? SL_CL_NO_READ : SL_CL_NO_WRITE))
        error = CL_INVALID_OPERATION;
    if (error)
        return error;
    const sl_proc_copy copy = reads ? copy_of(&host, &device, image->element_bytes, region)
                                    : copy_of(&device, &host, image->element_bytes, region);
    return sl_cl_copy_submit(rt, r, &copy, image, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                   const size_t *origin, const size_t *region, size_t row, size_t slice,
                                                   void *to, cl_uint count, const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_READ_IMAGE, blocking, count, waits, event};
    SL_CL_CALL(transfer(rt, &r, image, origin, region, row, slice, to));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                    const size_t *origin, const size_t *region, size_t row,
                                                    size_t slice, const void *from, cl_uint count,
                                                    const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_WRITE_IMAGE, blocking, count, waits, event};
    SL_CL_CALL(transfer(rt, &r, image, origin, region, row, slice, from));
}

/* ---- on the device ---- */

static bool overlap(const size_t *a, const size_t *b, const size_t *region)
{
    for (int k = 0; k < 3; k++)
        if (a[k] + region[k] <= b[k] || b[k] + region[k] <= a[k])
            return false;
    return true;
}

static cl_int copy_image(sl_proc *rt, const sl_cl_request *r, cl_mem src, cl_mem dst, const size_t *src_origin,
                         const size_t *dst_origin, const size_t *region)
{
    sl_cl_end from, to;
    cl_int error = sl_cl_request_check(r, src, true);
    if (!error)
        error = sl_cl_request_check(r, dst, true);
    if (!error && memcmp(&src->format, &dst->format, sizeof src->format) != 0)
        error = CL_IMAGE_FORMAT_MISMATCH;
    if (!error)
        error = end_of(src, src_origin, region, &from);
    if (!error)
        error = end_of(dst, dst_origin, region, &to);
    if (!error && src == dst && overlap(src_origin, dst_origin, region))
        error = CL_MEM_COPY_OVERLAP;
    if (error)
        return error;
    const sl_proc_copy copy = copy_of(&to, &from, src->element_bytes, region);
    return sl_cl_copy_submit(rt, r, &copy, src, dst);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem src, cl_mem dst,
                                                   const size_t *src_origin, const size_t *dst_origin,
                                                   const size_t *region, cl_uint count, const cl_event *waits,
                                                   cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_COPY_IMAGE, false, count, waits, event};
    SL_CL_CALL(copy_image(rt, &r, src, dst, src_origin, dst_origin, region));
}

/* Rows of a region, one behind the other in a buffer. */
static cl_int buffer_end(cl_mem buffer, cl_mem image, const size_t *region, size_t offset, sl_cl_end *e)
{
    size_t row = region[0] * image->element_bytes, bytes = row * region[1] * region[2];
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
        return CL_INVALID_VALUE;
    *e = (sl_cl_end){sl_cl_mem_at(buffer) + offset, row, row * region[1]};
    return CL_SUCCESS;
}

static cl_int image_and_buffer(sl_proc *rt, const sl_cl_request *r, cl_mem image, cl_mem buffer, const size_t *origin,
                               const size_t *region, size_t offset)
{
    sl_cl_end device, rows;
    bool to_buffer = r->type == CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    cl_int error = sl_cl_request_check(r, image, true);
    if (!error)
        error = sl_cl_request_check(r, buffer, false);
    if (!error)
        error = end_of(image, origin, region, &device);
    if (!error)
        error = buffer_end(buffer, image, region, offset, &rows);
    if (error)
        return error;
    const sl_proc_copy copy =
        copy_of(to_buffer ? &rows : &device, to_buffer ? &device : &rows, image->element_bytes, region);
    return sl_cl_copy_submit(rt, r, &copy, image, buffer);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                                           const size_t *origin, const size_t *region, size_t offset,
                                                           cl_uint count, const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, false, count, waits, event};
    SL_CL_CALL(image_and_buffer(rt, &r, image, buffer, origin, region, offset));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                                           size_t offset, const size_t *origin, const size_t *region,
                                                           cl_uint count, const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, false, count, waits, event};
    SL_CL_CALL(image_and_buffer(rt, &r, image, buffer, origin, region, offset));
}

/* ---- filling ---- */

/* A row of the color is copied to every row of the region. */
static cl_int fill(sl_proc *rt, const sl_cl_request *r, cl_mem image, const void *color, const size_t *origin,
                   const size_t *region)
{
    sl_cl_end to;
    cl_event command;
    unsigned char element[16];
    cl_int error = sl_cl_request_check(r, image, true);
    if (!error)
        error = color ? end_of(image, origin, region, &to) : CL_INVALID_VALUE;
    if (!error)
        error = sl_cl_command_new(rt, r->queue, r->type, r->count, r->waits, &command);
    if (error)
        return error;
    size_t bytes = image->element_bytes;
    sl_cl_image_pack(image, color, element);
    char *row = command->data = malloc(region[0] * bytes);
    error = row ? sl_cl_command_use(command, image) : CL_OUT_OF_HOST_MEMORY;
    for (size_t x = 0; !error && x < region[0]; x++)
        memcpy(row + x * bytes, element, bytes);
    const size_t line[3] = {region[0], 1, 1};
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; !error && y < region[1]; y++) {
            const sl_cl_end from = {row, 0, 0}, here = {to.at + z * to.slice + y * to.row, 0, 0};
            sl_proc_op op = {.kind = SL_PROC_COPY, .copy = copy_of(&here, &from, bytes, line)};
            error = sl_cl_command_add(rt, command, &op);
        }
    return error ? sl_cl_command_drop(rt, command, error) : sl_cl_command_enqueue(rt, command, false, r->event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color,
                                                   const size_t *origin, const size_t *region, cl_uint count,
                                                   const cl_event *waits, cl_event *event)
{
    const sl_cl_request r = {queue, CL_COMMAND_FILL_IMAGE, false, count, waits, event};
    SL_CL_CALL(fill(rt, &r, image, color, origin, region));
}
