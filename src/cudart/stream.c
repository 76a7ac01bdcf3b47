/* SPDX-License-Identifier: MIT */
/* Streams, events and host functions. Work runs when it is issued, so a stream is only a name, and waiting is free. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { RECORD_NS = 2000 }; /* what an event costs on the time line */

bool sl_rt_stream_known(sl_rt *rt, cudaStream_t stream, struct sl_rt_stream **found)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
        *found = &rt->default_stream;
        return true;
    }
    for (struct sl_rt_stream *s = rt->streams; s; s = s->next)
        if (s == stream) {
            *found = s;
            return true;
        }
    return false;
}

static bool event_known(sl_rt *rt, cudaEvent_t event)
{
    for (struct sl_rt_event *e = rt->events; e; e = e->next)
        if (e == event)
            return true;
    return false;
}

void sl_rt_op_fini(sl_rt_op *op)
{
    if (op->kind == SL_RT_LAUNCH)
        free(op->launch.params);
    op->kind = SL_RT_EMPTY;
}

static cudaError_t run_host(sl_rt *rt, const sl_rt_op *op)
{
    sl_rt_flush_printed(rt);
    /* The function may wait for other threads of the program that are in CUDA calls. */
    sl_rt_unlock(rt);
    if (op->kind == SL_RT_HOST)
        op->host.function(op->host.data);
    else
        op->host.callback(op->stream, cudaSuccess, op->host.data);
    sl_rt_relock(rt);
    return cudaSuccess;
}

cudaError_t sl_rt_run_op(sl_rt *rt, const sl_rt_op *op)
{
    struct sl_rt_stream *stream = &rt->default_stream;
    if (rt->fault)
        return rt->fault;
    switch (op->kind) {
    case SL_RT_EMPTY:
    case SL_RT_WAIT:
        return cudaSuccess;
    case SL_RT_LAUNCH:
        sl_rt_stream_known(rt, op->stream, &stream);
        return sl_rt_launch_run(rt, &op->launch, stream->id);
    case SL_RT_COPY:
        return sl_rt_copy_run(rt, &op->copy);
    case SL_RT_FILL:
        return sl_rt_fill_run(rt, &op->fill);
    case SL_RT_HOST:
    case SL_RT_CALLBACK:
        return run_host(rt, op);
    case SL_RT_RECORD:
        rt->time_ns += RECORD_NS;
        op->event->time_ns = rt->time_ns;
        op->event->recorded = true;
        return cudaSuccess;
    case SL_RT_CHILD:
        return sl_rt_graph_run(rt, op->child, op->stream);
    case SL_RT_FREE:
        return sl_rt_free(rt, op->pointer);
    }
    return cudaErrorInvalidValue;
}

cudaError_t sl_rt_submit(sl_rt *rt, cudaStream_t stream, sl_rt_op *op)
{
    struct sl_rt_stream *s;
    cudaError_t error;
    if (!sl_rt_stream_known(rt, stream, &s)) {
        sl_rt_op_fini(op);
        return cudaErrorInvalidResourceHandle;
    }
    op->stream = stream;
    if (s->capture) {
        error = sl_rt_graph_add(rt, s->capture, &s->last, s->last ? 1 : 0, op, &s->last);
        if (error)
            s->capture_invalid = true;
        return error;
    }
    error = sl_rt_run_op(rt, op);
    sl_rt_op_fini(op);
    return error;
}

cudaError_t sl_rt_synchronize(sl_rt *rt, cudaStream_t stream)
{
    struct sl_rt_stream *s;
    if (!sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (s->capture) {
        s->capture_invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    sl_rt_flush_printed(rt);
    return rt->fault;
}

void sl_rt_streams_forget_device(sl_rt *rt)
{
    while (rt->streams) {
        struct sl_rt_stream *next = rt->streams->next;
        free(rt->streams);
        rt->streams = next;
    }
    while (rt->events) {
        struct sl_rt_event *next = rt->events->next;
        free(rt->events);
        rt->events = next;
    }
    memset(&rt->default_stream, 0, sizeof rt->default_stream);
}

/* ---- waiting ---- */

static cudaError_t device_synchronize(sl_rt *rt)
{
    for (struct sl_rt_stream *s = rt->streams; s; s = s->next)
        if (s->capture) {
            s->capture_invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
    sl_rt_flush_printed(rt);
    return rt->fault;
}

/* These must pass printf output on even when a kernel has failed, so they look at the failure themselves. */
#define SL_CALL_WAITING(expression)                                                                                    \
    do {                                                                                                               \
        sl_rt *rt = sl_rt_enter();                                                                                     \
        cudaError_t sl_call_error = sl_rt_ready(rt);                                                                   \
        if (!sl_call_error || sl_call_error == rt->fault)                                                              \
            sl_call_error = (expression);                                                                              \
        return sl_rt_leave(rt, sl_call_error);                                                                         \
    } while (0)

SL_API cudaError_t cudaDeviceSynchronize(void)
{
    SL_CALL_WAITING(device_synchronize(rt));
}
SL_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);

SL_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    SL_CALL_WAITING(sl_rt_synchronize(rt, stream));
}
SL_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
SL_ALIAS(cudaStreamQuery, cudaStreamSynchronize);
SL_ALIAS(cudaStreamQuery_ptsz, cudaStreamSynchronize);

/* ---- streams ---- */

static cudaError_t create_stream(sl_rt *rt, cudaStream_t *stream, unsigned flags, int priority)
{
    if (!stream || flags > cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    struct sl_rt_stream *s = calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    *s = (struct sl_rt_stream){.id = ++rt->next_stream,
                               .flags = flags,
                               .priority = priority > 0    ? 0
                                           : priority < -5 ? -5
                                                           : priority,
                               .next = rt->streams};
    rt->streams = s;
    *stream = s;
    return cudaSuccess;
}

SL_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    SL_CALL(create_stream(rt, stream, 0, 0));
}

SL_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    SL_CALL(create_stream(rt, stream, flags, 0));
}

SL_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    SL_CALL(create_stream(rt, stream, flags, priority));
}

static cudaError_t destroy_stream(sl_rt *rt, cudaStream_t stream)
{
    for (struct sl_rt_stream **s = &rt->streams; *s; s = &(*s)->next)
        if (*s == stream) {
            *s = stream->next;
            free(stream);
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle;
}

SL_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    SL_CALL(destroy_stream(rt, stream));
}

static cudaError_t stream_facts(sl_rt *rt, cudaStream_t stream, unsigned *flags, int *priority, uint64_t *id)
{
    struct sl_rt_stream *s;
    if (!sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!flags && !priority && !id)
        return cudaErrorInvalidValue;
    if (flags)
        *flags = s->flags;
    if (priority)
        *priority = s->priority;
    if (id)
        *id = s->id;
    return cudaSuccess;
}

SL_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    SL_CALL(stream_facts(rt, stream, flags, NULL, NULL));
}
SL_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

SL_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    SL_CALL(stream_facts(rt, stream, NULL, priority, NULL));
}
SL_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

SL_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    uint64_t number = 0;
    if (id)
        *id = 0;
    sl_rt *rt = sl_rt_enter();
    cudaError_t error = sl_rt_ready(rt);
    if (!error)
        error = stream_facts(rt, stream, NULL, NULL, id ? &number : NULL);
    if (!error)
        *id = number;
    return sl_rt_leave(rt, error);
}
SL_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

SL_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    unsigned ignored;
    if (device)
        *device = 0;
    SL_CALL(device ? stream_facts(rt, stream, &ignored, NULL, NULL) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

/* Hints to a scheduler that there is none of: taken and forgotten. */
static cudaError_t stream_hint(sl_rt *rt, cudaStream_t stream)
{
    struct sl_rt_stream *s;
    return sl_rt_stream_known(rt, stream, &s) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

SL_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute, const void *value)
{
    (void)attribute, (void)value;
    SL_CALL(stream_hint(rt, stream));
}
SL_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

SL_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    (void)from;
    SL_CALL(stream_hint(rt, to));
}
SL_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

SL_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned flags)
{
    (void)pointer, (void)bytes, (void)flags;
    SL_CALL(stream_hint(rt, stream));
}
SL_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/* ---- host functions ---- */

static cudaError_t submit_host(sl_rt *rt, cudaStream_t stream, cudaHostFn_t function, cudaStreamCallback_t callback,
                               void *data)
{
    sl_rt_op op = {.kind = function ? SL_RT_HOST : SL_RT_CALLBACK,
                   .host = {.function = function, .callback = callback, .data = data}};
    return function || callback ? sl_rt_submit(rt, stream, &op) : cudaErrorInvalidValue;
}

SL_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    SL_CALL(submit_host(rt, stream, function, NULL, data));
}
SL_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

SL_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    SL_CALL(flags ? cudaErrorInvalidValue : submit_host(rt, stream, NULL, callback, data));
}
SL_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

/* ---- events ---- */

static cudaError_t create_event(sl_rt *rt, cudaEvent_t *event, unsigned flags)
{
    if (!event || flags > 7 || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    struct sl_rt_event *e = calloc(1, sizeof *e);
    if (!e)
        return cudaErrorMemoryAllocation;
    *e = (struct sl_rt_event){.flags = flags, .next = rt->events};
    rt->events = e;
    *event = e;
    return cudaSuccess;
}

SL_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    SL_CALL(create_event(rt, event, 0));
}

SL_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    SL_CALL(create_event(rt, event, flags));
}

static cudaError_t destroy_event(sl_rt *rt, cudaEvent_t event)
{
    for (struct sl_rt_event **e = &rt->events; *e; e = &(*e)->next)
        if (*e == event) {
            *e = event->next;
            free(event);
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle;
}

SL_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    SL_CALL(destroy_event(rt, event));
}

static cudaError_t record(sl_rt *rt, cudaEvent_t event, cudaStream_t stream)
{
    struct sl_rt_stream *s;
    sl_rt_op op = {.kind = SL_RT_RECORD, .event = event};
    if (!event_known(rt, event) || !sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    /* In a capturing stream the event only marks a position in the graph. */
    event->capture = s->capture;
    event->captured_after = s->last;
    event->capture_id = s->capture_id;
    return s->capture ? cudaSuccess : sl_rt_submit(rt, stream, &op);
}

SL_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    SL_CALL(record(rt, event, stream));
}
SL_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);

SL_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    (void)flags;
    SL_CALL(record(rt, event, stream));
}
SL_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

/* Waiting for an event of a capturing stream pulls the waiting stream into the same capture. */
static cudaError_t wait_event(sl_rt *rt, cudaStream_t stream, cudaEvent_t event)
{
    struct sl_rt_stream *s;
    if (!event_known(rt, event) || !sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!event->capture)
        return s->capture && event->recorded ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    if (s->capture && s->capture != event->capture)
        return cudaErrorStreamCaptureMerge;
    if (s == &rt->default_stream)
        return cudaErrorStreamCaptureImplicit;
    if (!s->capture) {
        s->capture = event->capture;
        s->capture_id = event->capture_id;
        s->last = event->captured_after;
        return cudaSuccess;
    }
    sl_rt_op join = {.kind = SL_RT_EMPTY, .stream = stream};
    const cudaGraphNode_t after[2] = {s->last, event->captured_after};
    if (!after[0] || !after[1] || after[0] == after[1]) {
        s->last = after[0] ? after[0] : after[1];
        return cudaSuccess;
    }
    return sl_rt_graph_add(rt, s->capture, after, 2, &join, &s->last);
}

SL_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    SL_CALL(wait_event(rt, stream, event));
}
SL_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

static cudaError_t event_synchronize(sl_rt *rt, cudaEvent_t event)
{
    if (!event_known(rt, event))
        return cudaErrorInvalidResourceHandle;
    if (event->capture)
        return cudaErrorCapturedEvent;
    sl_rt_flush_printed(rt);
    return rt->fault;
}

SL_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    SL_CALL_WAITING(event_synchronize(rt, event));
}
SL_ALIAS(cudaEventQuery, cudaEventSynchronize);

static cudaError_t elapsed(sl_rt *rt, float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds)
        return cudaErrorInvalidValue;
    if (!event_known(rt, start) || !event_known(rt, end) || !start->recorded || !end->recorded ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    *milliseconds = (float)((double)(int64_t)(end->time_ns - start->time_ns) * 1e-6);
    return cudaSuccess;
}

SL_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    SL_CALL(elapsed(rt, milliseconds, start, end));
}
SL_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
