/* SPDX-License-Identifier: MIT */
/* Events: waiting, questions, user events, callbacks, profiling. Times are the core's estimates, on one time line. */
#include "opencl/opencl.h"

CL_API_ENTRY cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    SL_CL_CALL(sl_cl_retain(event, SL_CL_EVENT, CL_INVALID_EVENT));
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    SL_CL_CALL(sl_cl_release(rt, event, SL_CL_EVENT, CL_INVALID_EVENT));
}

static cl_int wait_all(sl_proc *rt, cl_uint count, const cl_event *events)
{
    if (!count || !events)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!sl_cl_is(events[i], SL_CL_EVENT))
            return CL_INVALID_EVENT;
    for (cl_uint i = 0; i < count; i++)
        if (events[i]->context != events[0]->context)
            return CL_INVALID_CONTEXT;
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++) {
        if (!sl_cl_is(events[i], SL_CL_EVENT)) /* released by another thread, meanwhile */
            return CL_INVALID_EVENT;
        sl_cl_use(events[i]);
        sl_cl_event_wait(rt, events[i]);
        if (events[i]->status < 0)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        sl_cl_unuse(rt, events[i]);
    }
    sl_proc_flush_printed(rt);
    return error;
}

CL_API_ENTRY cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    SL_CL_CALL(wait_all(rt, count, events));
}

static cl_int event_info(cl_event event, cl_event_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(event, SL_CL_EVENT))
        return CL_INVALID_EVENT;
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE:
        return SL_CL_GIVE(to, cl_command_queue, event->queue);
    case CL_EVENT_CONTEXT:
        return SL_CL_GIVE(to, cl_context, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return SL_CL_GIVE(to, cl_command_type, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return SL_CL_GIVE(to, cl_int, event->status);
    case CL_EVENT_REFERENCE_COUNT:
        return SL_CL_GIVE(to, cl_uint, event->object.references);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *value,
                                               size_t *size)
{
    SL_CL_CALL((void)rt, event_info(event, what, &(sl_cl_answer){room, value, size}));
}

static cl_int profiling_info(cl_event event, cl_profiling_info what, const sl_cl_answer *to)
{
    if (!sl_cl_is(event, SL_CL_EVENT))
        return CL_INVALID_EVENT;
    if (what < CL_PROFILING_COMMAND_QUEUED || what > CL_PROFILING_COMMAND_COMPLETE)
        return CL_INVALID_VALUE;
    if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) || event->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    const uint64_t times[] = {event->queued_ns, event->submitted_ns, event->started_ns, event->ended_ns,
                              event->ended_ns};
    return SL_CL_GIVE(to, cl_ulong, times[what - CL_PROFILING_COMMAND_QUEUED]);
}

CL_API_ENTRY cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room,
                                                        void *value, size_t *size)
{
    SL_CL_CALL((void)rt, profiling_info(event, what, &(sl_cl_answer){room, value, size}));
}

/* ---- user events ---- */

static cl_int create_user_event(cl_context context, cl_event *made)
{
    if (!sl_cl_is(context, SL_CL_CONTEXT))
        return CL_INVALID_CONTEXT;
    cl_event event = sl_cl_new(SL_CL_EVENT);
    if (!event)
        return CL_OUT_OF_HOST_MEMORY;
    event->context = context;
    event->type = CL_COMMAND_USER;
    event->status = CL_SUBMITTED;
    sl_cl_use(context);
    *made = event;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *error)
{
    SL_CL_MAKE(cl_event, error, (void)rt, create_user_event(context, &made));
}

static cl_int set_user_event(sl_proc *rt, cl_event event, cl_int status)
{
    if (!sl_cl_is(event, SL_CL_EVENT) || event->queue)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    if (event->status <= CL_COMPLETE)
        return CL_INVALID_OPERATION;
    sl_cl_event_set(rt, event, status);
    sl_cl_commands_continue(rt);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status)
{
    SL_CL_CALL(set_user_event(rt, event, status));
}

/* ---- callbacks ---- */

static cl_int set_callback(cl_event event, cl_int status, void(CL_CALLBACK *notify)(cl_event, cl_int, void *),
                           void *data)
{
    if (!sl_cl_is(event, SL_CL_EVENT))
        return CL_INVALID_EVENT;
    if (!notify || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE))
        return CL_INVALID_VALUE;
    sl_cl_callback c = {.kind = SL_CL_ON_EVENT, .event = notify, .object = event, .data = data, .status = status};
    if (event->status > status)
        return sl_array_push(&event->callbacks, c) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (event->status < 0)
        c.status = event->status;
    sl_cl_use(event);
    sl_cl_callback_due(&c);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int status,
                                                   void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *data)
{
    SL_CL_CALL((void)rt, set_callback(event, status, notify, data));
}
