/* SPDX-License-Identifier: MIT */
/* Stream capture: work of a stream that becomes nodes of a graph. */
#include "process/core.h"

bool sl_proc_nodes_add(sl_proc_nodes *to, const cudaGraphNode_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool there = false;
        for (size_t k = 0; k < to->count; k++)
            there |= to->items[k] == from[i];
        if (!there && !sl_array_push(to, from[i]))
            return false;
    }
    return true;
}

cudaError_t sl_proc_capture_begin(sl_proc *rt, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                  const void *edges, size_t count)
{
    (void)edges; /* where a kernel may start early: none does */
    struct sl_proc_stream *s;
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (s == &rt->default_stream)
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture || (count && !after))
        return s->capture ? cudaErrorIllegalState : cudaErrorInvalidValue;
    s->last.count = 0;
    if (graph)
        graph->users++;
    s->capture = graph ? graph : sl_proc_graph_new();
    if (!s->capture)
        return cudaErrorMemoryAllocation;
    s->capture_origin = true;
    s->capture_invalid = false;
    s->capture_id = ++rt->captures;
    return sl_proc_nodes_add(&s->last, after, count) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t sl_proc_capture_add(sl_proc *rt, struct sl_proc_stream *s, sl_proc_op *op)
{
    cudaGraphNode_t node;
    cudaError_t error = sl_proc_graph_add_node(rt, &node, s->capture, s->last.items, NULL, s->last.count, op);
    if (!error) {
        s->last.count = 0;
        error = sl_proc_nodes_add(&s->last, &node, 1) ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    s->capture_invalid |= error != cudaSuccess;
    return error;
}

cudaError_t sl_proc_capture_depend(sl_proc *rt, cudaStream_t stream, const cudaGraphNode_t *after, const void *edges,
                                   size_t count, unsigned flags)
{
    enum { ADD, SET };
    (void)edges;
    struct sl_proc_stream *s;
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!s->capture || (count && !after) || flags > SET)
        return s->capture ? cudaErrorInvalidValue : cudaErrorIllegalState;
    if (flags == SET)
        s->last.count = 0;
    return sl_proc_nodes_add(&s->last, after, count) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Ends the capture that began in `s`. True: something in it was not allowed. */
static bool leave_capture(sl_proc *rt, const struct sl_proc_stream *s)
{
    cudaGraph_t captured = s->capture;
    bool invalid = false;
    for (struct sl_proc_stream *each = rt->streams; each; each = each->next)
        if (each->capture == captured) {
            invalid = invalid || each->capture_invalid;
            each->capture = NULL;
            each->last.count = 0;
            each->capture_origin = each->capture_invalid = false;
        }
    for (struct sl_proc_event *e = rt->events; e; e = e->next)
        if (e->capture == captured)
            e->capture = NULL;
    return invalid;
}

void sl_proc_capture_abandon(sl_proc *rt, struct sl_proc_stream *s)
{
    cudaGraph_t captured = s->capture;
    if (!captured || !s->capture_origin)
        return;
    leave_capture(rt, s);
    sl_proc_graph_release(rt, captured);
}

cudaError_t sl_proc_capture_end(sl_proc *rt, cudaStream_t stream, cudaGraph_t *graph)
{
    struct sl_proc_stream *s;
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!s->capture)
        return cudaErrorIllegalState;
    if (!s->capture_origin)
        return cudaErrorStreamCaptureUnmatched;
    cudaGraph_t captured = s->capture;
    bool invalid = leave_capture(rt, s);
    if (graph)
        *graph = invalid ? NULL : captured;
    if (invalid || !graph || captured->users > 1) /* captured into a graph that the program has already */
        sl_proc_graph_release(rt, captured);
    return invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

cudaError_t sl_proc_capture_info(sl_proc *rt, cudaStream_t stream, int *status, unsigned long long *id,
                                 cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count)
{
    struct sl_proc_stream *s;
    if (!sl_proc_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!status)
        return cudaErrorInvalidValue;
    *status = !s->capture          ? cudaStreamCaptureStatusNone
              : s->capture_invalid ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
    if (id)
        *id = s->capture_id;
    if (graph)
        *graph = s->capture;
    if (after)
        *after = s->last.items;
    if (count)
        *count = s->capture ? s->last.count : 0;
    return cudaSuccess;
}
