/* SPDX-License-Identifier: MIT */
/* Mapping: the host can access the device's memory, so that a mapped pointer leads there. With CL_MEM_USE_HOST_PTR it
 * leads to the program's memory, which has the contents at all times. */
#include "opencl/opencl.h"

static const cl_map_flags WRITES = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

static cl_int check(cl_command_queue queue, cl_mem mem, cl_map_flags flags)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (mem->context != queue->context)
        return CL_INVALID_CONTEXT;
    if (flags & ~(CL_MAP_READ | WRITES) ||
        (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)))
        return CL_INVALID_VALUE;
    if ((flags & CL_MAP_READ && mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) ||
        (flags & WRITES && mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* The bytes of a mapping, copied onto themselves: so the checks of memory learn that the host has written. */
static cl_int add_copy(sl_proc *rt, cl_event command, cl_mem mem, const sl_cl_mapping *m)
{
    const sl_cl_end here = {m->pointer, mem->pitch, mem->slice};
    sl_proc_op op = {.kind = SL_PROC_COPY, .copy = sl_cl_copy(&here, &here, m->region[0], m->region[1], m->region[2])};
    return sl_cl_command_add(rt, command, &op);
}

/* Maps `m` with a command of this type. */
static cl_int map(sl_proc *rt, cl_command_queue queue, cl_command_type type, cl_mem mem, bool blocking,
                  const sl_cl_mapping *m, cl_uint count, const cl_event *waits, cl_event *event)
{
    cl_event command;
    cl_int error = sl_cl_command_new(rt, queue, type, count, waits, &command);
    if (error)
        return error;
    error = sl_cl_command_use(command, mem);
    if (!error && mem->host_ptr && !(m->flags & CL_MAP_WRITE_INVALIDATE_REGION)) /* its contents are a result */
        error = add_copy(rt, command, mem, m);
    if (!error && !sl_array_push(&mem->mappings, *m))
        error = CL_OUT_OF_HOST_MEMORY;
    return error ? sl_cl_command_drop(rt, command, error) : sl_cl_command_enqueue(rt, command, blocking, event);
}

static cl_int map_buffer(sl_proc *rt, cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                         size_t offset, size_t bytes, cl_uint count, const cl_event *waits, cl_event *event,
                         char **made)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!sl_cl_is_buffer(buffer))
        return CL_INVALID_MEM_OBJECT;
    cl_int error = check(queue, buffer, flags);
    if (!error && (!bytes || offset > buffer->bytes || bytes > buffer->bytes - offset))
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    const sl_cl_mapping m = {.pointer = sl_cl_mem_at(buffer) + offset, .flags = flags, .region = {bytes, 1, 1}};
    error = map(rt, queue, CL_COMMAND_MAP_BUFFER, buffer, blocking, &m, count, waits, event);
    *made = error ? NULL : m.pointer;
    return error;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                                  const cl_event *waits, cl_event *event, cl_int *error)
{
    SL_CL_MAKE(char *, error,
               map_buffer(rt, queue, buffer, blocking, flags, offset, bytes, count, waits, event, &made));
}

static cl_int map_image(sl_proc *rt, cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
                        const size_t *origin, const size_t *region, size_t *row, size_t *slice, cl_uint count,
                        const cl_event *waits, cl_event *event, char **made)
{
    size_t start;
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!sl_cl_is_image(image))
        return CL_INVALID_MEM_OBJECT;
    cl_int error = check(queue, image, flags);
    if (!error)
        error = sl_cl_image_region(image, origin, region, &start);
    if (!error && (!row || (image->extent[2] > 1 && !slice)))
        error = CL_INVALID_VALUE;
    if (error)
        return error;
    const sl_cl_mapping m = {.pointer = sl_cl_mem_at(image) + start,
                             .flags = flags,
                             .region = {region[0] * image->element_bytes, region[1], region[2]}};
    error = map(rt, queue, CL_COMMAND_MAP_IMAGE, image, blocking, &m, count, waits, event);
    *made = error ? NULL : m.pointer;
    if (!error)
        *row = image->pitch;
    if (!error && slice)
        *slice = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->pitch : image->extent[2] > 1 ? image->slice : 0;
    return error;
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                                 cl_map_flags flags, const size_t *origin, const size_t *region,
                                                 size_t *row, size_t *slice, cl_uint count, const cl_event *waits,
                                                 cl_event *event, cl_int *error)
{
    SL_CL_MAKE(char *, error,
               map_image(rt, queue, image, blocking, flags, origin, region, row, slice, count, waits, event, &made));
}

static cl_int unmap(sl_proc *rt, cl_command_queue queue, cl_mem mem, const void *pointer, cl_uint count,
                    const cl_event *waits, cl_event *event)
{
    cl_event command;
    size_t i = 0;
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!sl_cl_is(mem, SL_CL_MEM))
        return CL_INVALID_MEM_OBJECT;
    if (mem->context != queue->context)
        return CL_INVALID_CONTEXT;
    while (i < mem->mappings.count && mem->mappings.items[i].pointer != pointer)
        i++;
    if (i == mem->mappings.count)
        return CL_INVALID_VALUE;
    const sl_cl_mapping m = mem->mappings.items[i];
    cl_int error = sl_cl_command_new(rt, queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, waits, &command);
    if (error)
        return error;
    error = sl_cl_command_use(command, mem);
    if (!error && m.flags & WRITES)
        error = add_copy(rt, command, mem, &m);
    if (error)
        return sl_cl_command_drop(rt, command, error);
    mem->mappings.items[i] = mem->mappings.items[--mem->mappings.count];
    return sl_cl_command_enqueue(rt, command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer,
                                                        cl_uint count, const cl_event *waits, cl_event *event)
{
    SL_CL_CALL(unmap(rt, queue, mem, pointer, count, waits, event));
}
