/* SPDX-License-Identifier: MIT */
/* Command queues: streams of the core. Out of order is a permission: commands run in order, as everything does here. */
#include "opencl/opencl.h"

#include <stdlib.h>

static const cl_command_queue_properties HOST_FLAGS =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties DEVICE_FLAGS = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

void sl_cl_queue_fini(sl_proc *rt, cl_command_queue queue)
{
    sl_proc_stream_destroy(rt, queue->stream);
    free(queue->properties.item);
    sl_cl_unuse(rt, queue->context);
}

static cl_int create(sl_proc *rt, cl_context context, cl_device_id device, cl_command_queue_properties flags,
                     cl_command_queue *made)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!sl_cl_is(device, SL_CL_DEVICE))
        return CL_INVALID_DEVICE;
    if (flags & ~(HOST_FLAGS | DEVICE_FLAGS))
        return CL_INVALID_VALUE;
    if (flags & DEVICE_FLAGS)
        return CL_INVALID_QUEUE_PROPERTIES;
    cl_command_queue q = sl_cl_new(SL_CL_QUEUE);
    if (!q)
        return CL_OUT_OF_HOST_MEMORY;
    q->context = context;
    q->flags = flags;
    sl_cl_use(context);
    if (sl_proc_stream_create(rt, &q->stream, cudaStreamNonBlocking, 0)) {
        sl_cl_release(rt, q, SL_CL_QUEUE, CL_SUCCESS);
        return CL_OUT_OF_HOST_MEMORY;
    }
    *made = q;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                               cl_command_queue_properties flags, cl_int *error)
{
    SL_CL_MAKE(cl_command_queue, error, create(rt, context, device, flags, &made));
}

static cl_int create_with(sl_proc *rt, cl_context context, cl_device_id device, const cl_queue_properties *properties,
                          cl_command_queue *made)
{
    cl_command_queue_properties flags = 0;
    for (const cl_queue_properties *p = properties; p && *p; p += 2) {
        if (*p == CL_QUEUE_SIZE)
            return sl_cl_is(context, SL_CL_CONTEXT) ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_CONTEXT;
        if (*p != CL_QUEUE_PROPERTIES)
            return sl_cl_is(context, SL_CL_CONTEXT) ? CL_INVALID_VALUE : CL_INVALID_CONTEXT;
        flags = p[1];
    }
    cl_int error = create(rt, context, device, flags, made);
    if (!error)
        error = sl_cl_properties_keep(&(*made)->properties, properties);
    if (error && *made)
        sl_cl_release(rt, *made, SL_CL_QUEUE, error);
    return error;
}

CL_API_ENTRY cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                             const cl_queue_properties *properties,
                                                                             cl_int *error)
{
    SL_CL_MAKE(cl_command_queue, error, create_with(rt, context, device, properties, &made));
}

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    SL_CL_CALL(sl_cl_retain(queue, SL_CL_QUEUE, CL_INVALID_COMMAND_QUEUE));
}

static cl_int release(sl_proc *rt, cl_command_queue queue)
{
    if (sl_cl_is(queue, SL_CL_QUEUE)) /* an implicit flush */
        sl_proc_flush_printed(rt);
    return sl_cl_release(rt, queue, SL_CL_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    SL_CL_CALL(release(rt, queue));
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT:
        return SL_CL_GIVE(to, cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return SL_CL_GIVE(to, cl_device_id, &sl_cl_device);
    case CL_QUEUE_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, queue->object.references);
    case CL_QUEUE_PROPERTIES:
        return SL_CL_GIVE(to, cl_command_queue_properties, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return sl_cl_give(to, queue->properties.item, queue->properties.bytes);
    case CL_QUEUE_SIZE:
        return CL_INVALID_COMMAND_QUEUE; /* of queues on devices */
    case CL_QUEUE_DEVICE_DEFAULT:
        return SL_CL_GIVE(to, cl_command_queue, NULL);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t room,
                                                      void *value, size_t *size)
{
    SL_CL_CALL((void)rt, queue_info(queue, what, &(sl_cl_answer){room, value, size}));
}

static cl_int set_property(cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
                           cl_command_queue_properties *before)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (flags & ~HOST_FLAGS)
        return CL_INVALID_VALUE;
    if (before)
        *before = queue->flags;
    queue->flags = enable ? queue->flags | flags : queue->flags & ~flags;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties flags,
                                                          cl_bool enable, cl_command_queue_properties *before)
{
    SL_CL_CALL((void)rt, set_property(queue, flags, enable, before));
}

CL_API_ENTRY cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    SL_CL_CALL((void)rt, sl_cl_is(queue, SL_CL_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
}

static cl_int finish(sl_proc *rt, cl_command_queue queue)
{
    if (!sl_cl_is(queue, SL_CL_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    sl_cl_use(queue);
    while (queue->last) {
        cl_event event = queue->last;
        sl_cl_use(event);
        sl_cl_event_wait(rt, event);
        sl_cl_unuse(rt, event);
    }
    sl_cl_unuse(rt, queue);
    sl_proc_flush_printed(rt);
    return sl_cl_working(rt);
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    SL_CL_CALL(finish(rt, queue));
}
