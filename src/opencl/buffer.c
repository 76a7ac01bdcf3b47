/* SPDX-License-Identifier: MIT */
/* Buffers and sub-buffers, and what all memory objects have: references, destructors, questions.
 *
 * A buffer is memory of the device's heap, which the host can access as well. One of the program's memory (with
 * CL_MEM_USE_HOST_PTR) is that memory: all commands read and write it there. Kernels alone have a copy, which is
 * brought up to date before each of them and given back behind it, so that addresses do not depend on where a program's
 * memory happens to be. */
#include "opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

static const cl_mem_flags ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags HOST_PTR = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool sl_cl_is_buffer(cl_mem mem)
{
    return sl_cl_is(mem, SL_CL_MEM) && mem->type == CL_MEM_OBJECT_BUFFER;
}

bool sl_cl_is_image(cl_mem mem)
{
    return sl_cl_is(mem, SL_CL_MEM) && mem->type != CL_MEM_OBJECT_BUFFER;
}

static bool at_most_one(cl_mem_flags flags)
{
    return !(flags & (flags - 1));
}

cl_int sl_cl_mem_flags_check(cl_mem_flags flags, const void *host_ptr)
{
    if (flags & ~(ACCESS | HOST_ACCESS | HOST_PTR | CL_MEM_KERNEL_READ_AND_WRITE) || !at_most_one(flags & ACCESS) ||
        !at_most_one(flags & HOST_ACCESS))
        return CL_INVALID_VALUE;
    if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        return CL_INVALID_VALUE;
    bool wanted = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wanted == (host_ptr != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

void sl_cl_mem_fini(sl_proc *rt, cl_mem mem)
{
    for (size_t i = mem->destroyed.count; i-- > 0;) /* the last registered first */
        sl_cl_callback_due(&mem->destroyed.items[i]);
    sl_array_free(&mem->destroyed);
    sl_array_free(&mem->mappings);
    sl_cl_image_fini(rt, mem);
    if (mem->parent)
        sl_cl_unuse(rt, mem->parent);
    else
        sl_proc_free(rt, mem->data);
    free(mem->properties.item);
    sl_cl_unuse(rt, mem->context);
}

void sl_cl_mem_to_device(sl_proc *rt, cl_mem mem)
{
    if (!mem->host_ptr)
        return;
    memcpy(mem->data, mem->host_ptr, mem->bytes);
    sl_heap_mark_written(sl_emu_heap(rt->emu), (uintptr_t)mem->data, mem->bytes);
}

void sl_cl_mem_to_host(cl_mem mem)
{
    if (mem->host_ptr && !(mem->flags & CL_MEM_READ_ONLY))
        memcpy(mem->host_ptr, mem->data, mem->bytes);
}

/* ---- making ---- */

static cl_int create(sl_proc *rt, cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
                     size_t bytes, void *host_ptr, cl_mem *made)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (properties && *properties)
        return CL_INVALID_PROPERTY;
    cl_int error = sl_cl_mem_flags_check(flags, host_ptr);
    if (error == CL_INVALID_VALUE)
        return error;
    if (!bytes || bytes > sl_cl_max_alloc(rt))
        return CL_INVALID_BUFFER_SIZE;
    if (error)
        return error;
    void *data;
    if (sl_proc_alloc(rt, &data, bytes, SL_ALLOC_MANAGED))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    cl_mem m = sl_cl_new(SL_CL_MEM);
    if (!m) {
        sl_proc_free(rt, data);
        return CL_OUT_OF_HOST_MEMORY;
    }
    m->context = context;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->flags = flags & ACCESS ? flags : flags | CL_MEM_READ_WRITE;
    m->data = data;
    m->bytes = bytes;
    m->host_ptr = flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
    sl_cl_use(context);
    error = sl_cl_properties_keep(&m->properties, properties);
    if (!error && flags & CL_MEM_COPY_HOST_PTR &&
        sl_proc_copy_1d(rt, data, host_ptr, bytes, cudaMemcpyHostToDevice, NULL, false))
        error = sl_cl_working(rt) ? CL_OUT_OF_RESOURCES : CL_INVALID_HOST_PTR;
    if (error)
        sl_cl_release(rt, m, SL_CL_MEM, error);
    else
        *made = m;
    return error;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host_ptr,
                                               cl_int *error)
{
    SL_CL_MAKE(cl_mem, error, create(rt, context, NULL, flags, bytes, host_ptr, &made));
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                             cl_mem_flags flags, size_t bytes, void *host_ptr,
                                                             cl_int *error)
{
    SL_CL_MAKE(cl_mem, error, create(rt, context, properties, flags, bytes, host_ptr, &made));
}

/* The flags of a sub-buffer: its own, and the buffer's where it has none. */
static cl_int sub_flags(cl_mem_flags whole, cl_mem_flags *flags)
{
    cl_mem_flags f = *flags;
    if (f & ~(ACCESS | HOST_ACCESS) || !at_most_one(f & ACCESS) || !at_most_one(f & HOST_ACCESS))
        return CL_INVALID_VALUE;
    if ((whole & CL_MEM_WRITE_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
        (whole & CL_MEM_READ_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) ||
        (whole & CL_MEM_HOST_WRITE_ONLY && f & CL_MEM_HOST_READ_ONLY) ||
        (whole & CL_MEM_HOST_READ_ONLY && f & CL_MEM_HOST_WRITE_ONLY) ||
        (whole & CL_MEM_HOST_NO_ACCESS && f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
        return CL_INVALID_VALUE;
    *flags = (f & ACCESS ? f & ACCESS : whole & ACCESS) | (f & HOST_ACCESS ? f & HOST_ACCESS : whole & HOST_ACCESS) |
             (whole & HOST_PTR);
    return CL_SUCCESS;
}

static cl_int create_sub(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_mem *made)
{
    if (!sl_cl_is_buffer(buffer) || buffer->parent)
        return CL_INVALID_MEM_OBJECT;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !info)
        return CL_INVALID_VALUE;
    cl_int error = sub_flags(buffer->flags, &flags);
    cl_buffer_region region;
    memcpy(&region, info, sizeof region);
    if (error || region.origin > buffer->bytes || region.size > buffer->bytes - region.origin)
        return CL_INVALID_VALUE;
    if (!region.size)
        return CL_INVALID_BUFFER_SIZE;
    if (region.origin % (SL_CL_BASE_ALIGN_BITS / 8))
        return CL_MISALIGNED_SUB_BUFFER_OFFSET;
    cl_mem m = sl_cl_new(SL_CL_MEM);
    if (!m)
        return CL_OUT_OF_HOST_MEMORY;
    m->context = buffer->context;
    m->type = CL_MEM_OBJECT_BUFFER;
    m->flags = flags;
    m->parent = buffer;
    m->offset = region.origin;
    m->data = buffer->data + region.origin;
    m->bytes = region.size;
    m->host_ptr = buffer->host_ptr ? buffer->host_ptr + region.origin : NULL;
    sl_cl_use(buffer->context);
    sl_cl_use(buffer);
    *made = m;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                                  const void *info, cl_int *error)
{
    SL_CL_MAKE(cl_mem, error, (void)rt, create_sub(buffer, flags, type, info, &made));
}

/* ---- all memory objects ---- */

CL_API_ENTRY cl_int CL_API_CALL clRetainMemObject(cl_mem mem)
{
    SL_CL_CALL(sl_cl_retain(mem, SL_CL_MEM, CL_INVALID_MEM_OBJECT));
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem mem)
{
    SL_CL_CALL(sl_cl_release(rt, mem, SL_CL_MEM, CL_INVALID_MEM_OBJECT));
}

static cl_int mem_info(cl_mem mem, cl_mem_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(mem, SL_CL_MEM))
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE:
        return SL_CL_GIVE(to, cl_mem_object_type, mem->type);
    case CL_MEM_FLAGS:
        return SL_CL_GIVE(to, cl_mem_flags, mem->flags);
    case CL_MEM_SIZE:
        return SL_CL_GIVE(to, size_t, mem->bytes);
    case CL_MEM_HOST_PTR:
        return SL_CL_GIVE(to, void *, mem->host_ptr);
    case CL_MEM_MAP_COUNT:
        return SL_CL_GIVE(to, cl_uint, (cl_uint)mem->mappings.count);
    case CL_MEM_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, mem->object.references);
    case CL_MEM_CONTEXT:
        return SL_CL_GIVE(to, cl_context, mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return SL_CL_GIVE(to, cl_mem, mem->parent);
    case CL_MEM_OFFSET:
        return SL_CL_GIVE(to, size_t, mem->offset);
    case CL_MEM_USES_SVM_POINTER:
        return SL_CL_GIVE(to, cl_bool, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return sl_cl_give(to, mem->properties.item, mem->properties.bytes);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t room, void *value, size_t *size)
{
    SL_CL_CALL((void)rt, mem_info(mem, what, &(sl_cl_answer){room, value, size}));
}

static cl_int on_destroyed(cl_mem mem, void(CL_CALLBACK *notify)(cl_mem, void *), void *data)
{
    if (!sl_cl_is(mem, SL_CL_MEM))
        return CL_INVALID_MEM_OBJECT;
    if (!notify)
        return CL_INVALID_VALUE;
    const sl_cl_callback added = {.kind = SL_CL_ON_MEM, .mem = notify, .object = mem, .data = data};
    return sl_array_push(&mem->destroyed, added) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

CL_API_ENTRY cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *notify)(cl_mem, void *),
                                                                 void *data)
{
    SL_CL_CALL((void)rt, on_destroyed(mem, notify, data));
}

/* Everything is where it is needed. */
static cl_int migrate(sl_proc *rt, cl_command_queue queue, cl_uint mems, const cl_mem *mem,
                      cl_mem_migration_flags flags, cl_uint count, const cl_event *waits, cl_event *event)
{
    cl_event command;
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!mems || !mem ||
        flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < mems; i++) {
        if (!sl_cl_is(mem[i], SL_CL_MEM))
            return CL_INVALID_MEM_OBJECT;
        if (mem[i]->context != queue->context)
            return CL_INVALID_CONTEXT;
    }
    cl_int error = sl_cl_command_new(rt, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, waits, &command);
    return error ? error : sl_cl_command_enqueue(rt, command, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint mems, const cl_mem *mem,
                                                           cl_mem_migration_flags flags, cl_uint count,
                                                           const cl_event *waits, cl_event *event)
{
    SL_CL_CALL(migrate(rt, queue, mems, mem, flags, count, waits, event));
}
