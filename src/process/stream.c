/* SPDX-License-Identifier: MIT */
/* Streams, events and host functions. Work runs when it is issued, so a stream is only a name, and waiting is free. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/mangle.h"

enum { RECORD_NS = 2000 }; /* what an event costs on the time line */

bool sl_proc_stream_known(sl_proc *rt, cudaStream_t stream, struct sl_proc_stream **found)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
        *found = &rt->default_stream;
        return true;
    }
    for (struct sl_proc_stream *s = rt->streams; s; s = s->next)
        if (s == stream) {
            *found = s;
            return true;
        }
    return false;
}

static bool event_known(sl_proc *rt, cudaEvent_t event)
{
    for (struct sl_proc_event *e = rt->events; e; e = e->next)
        if (e == event)
            return true;
    return false;
}

static void free_event(struct sl_proc_event *e)
{
    sl_array_free(&e->captured_after);
    sl_array_free(&e->mark.clock);
    free(e);
}

static cudaError_t run_host(sl_proc *rt, const sl_proc_op *op)
{
    sl_proc_flush_printed(rt);
    /* The function may wait for other threads of the program that are in CUDA calls. */
    sl_proc_unlock(rt);
    if (op->kind == SL_PROC_HOST)
        op->host.function(op->host.data);
    else
        op->host.callback(op->stream, cudaSuccess, op->host.data);
    sl_proc_relock(rt);
    return cudaSuccess;
}

cudaError_t sl_proc_run_op(sl_proc *rt, const sl_proc_op *op)
{
    struct sl_proc_stream *stream = &rt->default_stream;
    if (rt->fault)
        return rt->fault;
    switch (op->kind) {
    case SL_PROC_EMPTY:
    case SL_PROC_WAIT:
    case SL_PROC_ALLOC:
        return cudaSuccess;
    case SL_PROC_LAUNCH:
        sl_proc_stream_known(rt, op->stream, &stream);
        return sl_proc_launch_run(rt, &op->launch, stream->id);
    case SL_PROC_COPY:
        return sl_proc_copy_run(rt, &op->copy);
    case SL_PROC_FILL:
        return sl_proc_fill_run(rt, &op->fill);
    case SL_PROC_HOST:
    case SL_PROC_CALLBACK:
        return run_host(rt, op);
    case SL_PROC_RECORD:
        rt->time_ns += RECORD_NS;
        op->event->time_ns = rt->time_ns;
        op->event->recorded = true;
        return cudaSuccess;
    case SL_PROC_CHILD:
        return sl_proc_child_run(rt, op);
    case SL_PROC_CONDITIONAL:
        return sl_proc_conditional_run(rt, op);
    case SL_PROC_FREE:
        return sl_proc_free(rt, op->memory.pointer);
    case SL_PROC_VALUES:
        return sl_proc_values_run(rt, op);
    }
    return cudaErrorInvalidValue;
}

cudaError_t sl_proc_submit(sl_proc *rt, cudaStream_t stream, sl_proc_op *op)
{
    struct sl_proc_stream *s;
    cudaError_t error;
    if (!sl_proc_stream_known(rt, stream, &s)) {
        sl_proc_op_fini(rt, op);
        return cudaErrorInvalidResourceHandle;
    }
    op->stream = stream;
    if (s->capture)
        return sl_proc_capture_add(rt, s, op);
    error = sl_proc_run_op(rt, op);
    if (op->kind == SL_PROC_RECORD)
        sl_proc_order_record(&rt->order, s->slot, &op->event->mark);
    else
        sl_proc_order_issue(&rt->order, s->slot,
                            op->kind == SL_PROC_LAUNCH  ? op->launch.function->name
                            : op->kind == SL_PROC_CHILD ? "a graph"
                                                        : NULL);
    sl_proc_op_fini(rt, op);
    return error;
}

cudaError_t sl_proc_synchronize(sl_proc *rt, cudaStream_t stream)
{
    struct sl_proc_stream *s;
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (s->capture) {
        s->capture_invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    sl_proc_flush_printed(rt);
    sl_proc_order_host(&rt->order, s->slot);
    return rt->fault;
}

void sl_proc_streams_forget_device(sl_proc *rt)
{
    for (struct sl_proc_stream *s = rt->streams; s; s = s->next)
        sl_proc_capture_abandon(rt, s);
    while (rt->streams) {
        struct sl_proc_stream *next = rt->streams->next;
        sl_array_free(&rt->streams->last);
        sl_array_free(&rt->streams->attributes);
        free(rt->streams);
        rt->streams = next;
    }
    while (rt->events) {
        struct sl_proc_event *next = rt->events->next;
        free_event(rt->events);
        rt->events = next;
    }
    memset(&rt->default_stream, 0, sizeof rt->default_stream);
    sl_proc_order_fini(&rt->order);
}

/* ---- waiting ---- */

cudaError_t sl_proc_device_synchronize(sl_proc *rt)
{
    for (struct sl_proc_stream *s = rt->streams; s; s = s->next)
        if (s->capture) {
            s->capture_invalid = true;
            return cudaErrorStreamCaptureUnsupported;
        }
    sl_proc_flush_printed(rt);
    sl_proc_order_host_all(&rt->order);
    return rt->fault;
}

/* ---- streams ---- */

cudaError_t sl_proc_stream_create(sl_proc *rt, cudaStream_t *stream, unsigned flags, int priority)
{
    if (!stream || flags > cudaStreamNonBlocking)
        return cudaErrorInvalidValue;
    struct sl_proc_stream *s = calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    *s = (struct sl_proc_stream){.id = ++rt->next_stream,
                                 .slot = sl_proc_order_add_stream(&rt->order, !(flags & cudaStreamNonBlocking)),
                                 .flags = flags,
                                 .priority = priority > 0    ? 0
                                             : priority < -5 ? -5
                                                             : priority,
                                 .next = rt->streams};
    rt->streams = s;
    *stream = s;
    return cudaSuccess;
}

cudaError_t sl_proc_stream_destroy(sl_proc *rt, cudaStream_t stream)
{
    for (struct sl_proc_stream **s = &rt->streams; *s; s = &(*s)->next)
        if (*s == stream) {
            sl_proc_capture_abandon(rt, stream);
            *s = stream->next;
            sl_array_free(&stream->last);
            sl_array_free(&stream->attributes);
            free(stream);
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t sl_proc_stream_facts(sl_proc *rt, cudaStream_t stream, unsigned *flags, int *priority, uint64_t *id)
{
    struct sl_proc_stream *s;
    if (!sl_proc_stream_known(rt, stream, &s))
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

cudaError_t sl_proc_stream_attribute(sl_proc *rt, cudaStream_t stream, int id, void *get, const void *set)
{
    struct sl_proc_stream *s;
    cudaLaunchAttribute *found = NULL, added = {.id = id};
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!get && !set)
        return cudaErrorInvalidValue;
    for (size_t i = 0; !found && i < s->attributes.count; i++)
        if (s->attributes.items[i].id == id)
            found = &s->attributes.items[i];
    if (set) {
        memcpy(&added.val, set, sizeof added.val);
        if (!found)
            return sl_array_push(&s->attributes, added) ? cudaSuccess : cudaErrorMemoryAllocation;
        *found = added;
        return cudaSuccess;
    }
    if (!found && id == cudaLaunchAttributePriority)
        added.val.priority = s->priority;
    memcpy(get, found ? &found->val : &added.val, sizeof added.val);
    return cudaSuccess;
}

/* Hints to a scheduler that there is none of: taken and forgotten. */
cudaError_t sl_proc_stream_hint(sl_proc *rt, cudaStream_t stream)
{
    struct sl_proc_stream *s;
    return sl_proc_stream_known(rt, stream, &s) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* ---- host functions ---- */

cudaError_t sl_proc_submit_host(sl_proc *rt, cudaStream_t stream, cudaHostFn_t function, cudaStreamCallback_t callback,
                                void *data)
{
    sl_proc_op op = {.kind = function ? SL_PROC_HOST : SL_PROC_CALLBACK,
                     .host = {.function = function, .callback = callback, .data = data}};
    return function || callback ? sl_proc_submit(rt, stream, &op) : cudaErrorInvalidValue;
}

/* ---- events ---- */

cudaError_t sl_proc_event_create(sl_proc *rt, cudaEvent_t *event, unsigned flags)
{
    if (!event || flags > 7 || ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming)))
        return cudaErrorInvalidValue;
    struct sl_proc_event *e = calloc(1, sizeof *e);
    if (!e)
        return cudaErrorMemoryAllocation;
    *e = (struct sl_proc_event){.flags = flags, .next = rt->events};
    rt->events = e;
    *event = e;
    return cudaSuccess;
}

cudaError_t sl_proc_event_destroy(sl_proc *rt, cudaEvent_t event)
{
    for (struct sl_proc_event **e = &rt->events; *e; e = &(*e)->next)
        if (*e == event) {
            *e = event->next;
            free_event(event);
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t sl_proc_event_record(sl_proc *rt, cudaEvent_t event, cudaStream_t stream)
{
    struct sl_proc_stream *s;
    sl_proc_op op = {.kind = SL_PROC_RECORD, .event = event};
    if (!event_known(rt, event) || !sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    /* In a capturing stream the event only marks a position in the graph. */
    event->capture = s->capture;
    event->captured_after.count = 0;
    if (!sl_proc_nodes_add(&event->captured_after, s->last.items, s->last.count))
        return cudaErrorMemoryAllocation;
    event->capture_id = s->capture_id;
    return s->capture ? cudaSuccess : sl_proc_submit(rt, stream, &op);
}

/* Waiting for an event of a capturing stream pulls the waiting stream into the same capture. */
cudaError_t sl_proc_event_wait(sl_proc *rt, cudaStream_t stream, cudaEvent_t event)
{
    struct sl_proc_stream *s;
    if (!event_known(rt, event) || !sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!event->capture && s->capture)
        return event->recorded ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    if (!event->capture) {
        sl_proc_order_wait(&rt->order, s->slot, &event->mark);
        return cudaSuccess;
    }
    if (s->capture && s->capture != event->capture)
        return cudaErrorStreamCaptureMerge;
    if (s == &rt->default_stream)
        return cudaErrorStreamCaptureImplicit;
    if (!s->capture) {
        s->capture = event->capture;
        s->capture_id = event->capture_id;
        s->last.count = 0;
    }
    return sl_proc_nodes_add(&s->last, event->captured_after.items, event->captured_after.count)
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

cudaError_t sl_proc_event_synchronize(sl_proc *rt, cudaEvent_t event)
{
    if (!event_known(rt, event))
        return cudaErrorInvalidResourceHandle;
    if (event->capture)
        return cudaErrorCapturedEvent;
    sl_proc_flush_printed(rt);
    sl_proc_order_host_event(&rt->order, &event->mark);
    return rt->fault;
}

cudaError_t sl_proc_event_elapsed(sl_proc *rt, float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (!milliseconds)
        return cudaErrorInvalidValue;
    if (!event_known(rt, start) || !event_known(rt, end) || !start->recorded || !end->recorded ||
        ((start->flags | end->flags) & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    char name[128];
    const char *untimed = sl_proc_order_untimed(&start->mark, &end->mark);
    if (untimed)
        sl_proc_problem(rt,
                        "the time between two events is without kernel %s: it runs in a stream that the second event "
                        "does not wait for",
                        sl_function_name(untimed, name, sizeof name));
    *milliseconds = (float)((double)(int64_t)(end->time_ns - start->time_ns) * 1e-6);
    return cudaSuccess;
}
