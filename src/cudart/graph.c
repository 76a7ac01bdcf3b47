/* SPDX-License-Identifier: MIT */
/* Graphs: pieces of work kept for later, by stream capture or node by node.
 *
 * A graph's nodes run one after the other in an order that respects their dependencies; of several such orders, the one
 * nearest to the order in which nodes were added. Not there: conditional nodes, external semaphores, memory nodes. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

struct sl_rt_node {
    sl_rt_op op;
    cudaGraph_t graph;
    bool disabled;
    SL_ARRAY(cudaGraphNode_t) after;
    unsigned index; /* position in the graph; used while sorting and cloning */
};

struct sl_rt_graph {
    SL_ARRAY(cudaGraphNode_t) nodes; /* in the order they were added */
    unsigned users;                  /* the program's handle, executables, nodes of other graphs */
};

struct sl_rt_graph_exec {
    cudaGraph_t graph; /* a private copy */
};

/* ---- building ---- */

static cudaGraph_t new_graph(void)
{
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (graph)
        graph->users = 1;
    return graph;
}

static void release_graph(cudaGraph_t graph);

static void free_node(cudaGraphNode_t node)
{
    if (node->op.kind == SL_RT_CHILD)
        release_graph(node->op.child);
    sl_rt_op_fini(&node->op);
    sl_array_free(&node->after);
    free(node);
}

static void release_graph(cudaGraph_t graph)
{
    if (--graph->users)
        return;
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.items[i]);
    sl_array_free(&graph->nodes);
    free(graph);
}

cudaError_t sl_rt_graph_add(sl_rt *rt, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, sl_rt_op *op,
                            cudaGraphNode_t *node)
{
    (void)rt;
    cudaGraphNode_t n = calloc(1, sizeof *n);
    if (!n || !sl_array_push(&graph->nodes, n)) {
        free(n);
        sl_rt_op_fini(op);
        return cudaErrorMemoryAllocation;
    }
    n->op = *op;
    n->graph = graph;
    for (size_t i = 0; i < count; i++)
        if (!sl_array_push(&n->after, after[i]))
            return cudaErrorMemoryAllocation;
    *node = n;
    return cudaSuccess;
}

static void number_nodes(cudaGraph_t graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i]->index = (unsigned)i;
}

/* A deep copy: later changes of one do not show in the other. */
static cudaGraph_t clone_graph(cudaGraph_t graph)
{
    cudaGraph_t copy = new_graph();
    number_nodes(graph);
    for (size_t i = 0; copy && i < graph->nodes.count; i++) {
        const cudaGraphNode_t from = graph->nodes.items[i];
        cudaGraphNode_t to = calloc(1, sizeof *to);
        bool ok = to && sl_array_push(&copy->nodes, to);
        if (ok) {
            to->op = from->op;
            to->graph = copy;
            to->disabled = from->disabled;
            if (to->op.kind == SL_RT_LAUNCH) {
                to->op.launch.params = malloc(from->op.launch.param_bytes + 1);
                ok = to->op.launch.params != NULL;
                if (ok)
                    memcpy(to->op.launch.params, from->op.launch.params, from->op.launch.param_bytes);
            } else if (to->op.kind == SL_RT_CHILD) {
                to->op.child->users++;
            }
        }
        if (!ok) {
            release_graph(copy);
            return NULL;
        }
    }
    for (size_t i = 0; copy && i < graph->nodes.count; i++) {
        const cudaGraphNode_t from = graph->nodes.items[i];
        for (size_t d = 0; d < from->after.count; d++)
            if (!sl_array_push(&copy->nodes.items[i]->after, copy->nodes.items[from->after.items[d]->index])) {
                release_graph(copy);
                return NULL;
            }
    }
    return copy;
}

/* ---- running ---- */

static bool ready(const cudaGraphNode_t node, const bool *done)
{
    for (size_t d = 0; d < node->after.count; d++)
        if (!done[node->after.items[d]->index])
            return false;
    return true;
}

cudaError_t sl_rt_graph_run(sl_rt *rt, cudaGraph_t graph, cudaStream_t stream)
{
    size_t count = graph->nodes.count;
    bool *done = calloc(count + 1, sizeof *done), progress = true;
    cudaError_t error = done ? cudaSuccess : cudaErrorMemoryAllocation;
    number_nodes(graph);
    for (size_t left = count; left && progress && !error;) {
        progress = false;
        for (size_t i = 0; i < count && !error; i++) {
            cudaGraphNode_t node = graph->nodes.items[i];
            if (done[i] || !ready(node, done))
                continue;
            sl_rt_op op = node->op;
            op.stream = stream;
            if (!node->disabled)
                error = sl_rt_run_op(rt, &op);
            done[i] = progress = true;
            left--;
        }
    }
    free(done);
    return !error && !progress && count ? cudaErrorInvalidValue : error;
}

/* ---- stream capture ---- */

static cudaError_t begin_capture(sl_rt *rt, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count)
{
    struct sl_rt_stream *s;
    if (!sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (s == &rt->default_stream)
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    sl_rt_op start = {.kind = SL_RT_EMPTY};
    s->last = NULL;
    if (graph)
        graph->users++;
    s->capture = graph ? graph : new_graph();
    if (!s->capture)
        return cudaErrorMemoryAllocation;
    s->capture_origin = true;
    s->capture_invalid = false;
    s->capture_id = ++rt->captures;
    return count > 1    ? sl_rt_graph_add(rt, s->capture, after, count, &start, &s->last)
           : count == 1 ? (s->last = after[0], cudaSuccess)
                        : cudaSuccess;
}

SL_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    (void)mode;
    SL_CALL(begin_capture(rt, stream, NULL, NULL, 0));
}
SL_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

SL_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                                 const void *edge_data, size_t count, int mode)
{
    (void)edge_data, (void)mode;
    SL_CALL(graph ? begin_capture(rt, stream, graph, after, count) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

static cudaError_t end_capture(sl_rt *rt, cudaStream_t stream, cudaGraph_t *graph)
{
    struct sl_rt_stream *s;
    if (!sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    if (!s->capture || !graph)
        return s->capture ? cudaErrorInvalidValue : cudaErrorIllegalState;
    if (!s->capture_origin)
        return cudaErrorStreamCaptureUnmatched;
    cudaGraph_t captured = s->capture;
    bool invalid = false;
    for (struct sl_rt_stream *each = rt->streams; each; each = each->next)
        if (each->capture == captured) {
            invalid = invalid || each->capture_invalid;
            each->capture = NULL;
            each->last = NULL;
            each->capture_origin = each->capture_invalid = false;
        }
    for (struct sl_rt_event *e = rt->events; e; e = e->next)
        if (e->capture == captured)
            e->capture = NULL;
    *graph = NULL;
    if (invalid) {
        release_graph(captured);
        return cudaErrorStreamCaptureInvalidated;
    }
    if (captured->users > 1) /* captured into a graph that the program has already */
        captured->users--;
    *graph = captured;
    return cudaSuccess;
}

SL_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    SL_CALL(end_capture(rt, stream, graph));
}
SL_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

static cudaError_t capture_info(sl_rt *rt, cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
                                const cudaGraphNode_t **after, size_t *count)
{
    struct sl_rt_stream *s;
    if (!sl_rt_stream_known(rt, stream, &s))
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
        *after = &s->last;
    if (count)
        *count = s->capture && s->last ? 1 : 0;
    return cudaSuccess;
}

SL_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
    SL_CALL(capture_info(rt, stream, status, NULL, NULL, NULL, NULL));
}
SL_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

#if SL_CUDART >= 13
SL_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
                                            cudaGraph_t *graph, const cudaGraphNode_t **after, const void **edges,
                                            size_t *count)
{
    if (edges)
        *edges = NULL;
    SL_CALL(capture_info(rt, stream, status, id, graph, after, count));
}
#else
SL_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id)
{
    SL_CALL(capture_info(rt, stream, status, id, NULL, NULL, NULL));
}

SL_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                                               cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count)
{
    SL_CALL(capture_info(rt, stream, status, id, graph, after, count));
}
SL_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
#endif
SL_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);

SL_API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode)
{
    SL_CALL(mode ? (*mode = 0, cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- graphs, node by node ---- */

SL_API cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    SL_CALL(!graph || flags ? cudaErrorInvalidValue : (*graph = new_graph()) ? cudaSuccess : cudaErrorMemoryAllocation);
}

SL_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    SL_CALL(graph ? (release_graph(graph), cudaSuccess) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    SL_CALL(!clone || !graph                ? cudaErrorInvalidValue
            : (*clone = clone_graph(graph)) ? cudaSuccess
                                            : cudaErrorMemoryAllocation);
}

static cudaError_t add_node(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t count, sl_rt_op *op)
{
    if (!node || !graph || (count && !after)) {
        sl_rt_op_fini(op);
        return cudaErrorInvalidValue;
    }
    return sl_rt_graph_add(rt, graph, after, count, op, node);
}

static cudaError_t kernel_op(sl_rt *rt, const cudaKernelNodeParams *p, sl_rt_op *op)
{
    static bool said;
    if (!p)
        return cudaErrorInvalidValue;
    if (!p->kernelParams && p->extra)
        return sl_rt_missing("a kernel node with its arguments in `extra`", &said);
    return sl_rt_launch_make(rt, p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes, false, op);
}

static cudaError_t add_kernel_node(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const cudaKernelNodeParams *p)
{
    sl_rt_op op;
    cudaError_t error = kernel_op(rt, p, &op);
    return error ? error : add_node(rt, node, graph, after, count, &op);
}

SL_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaKernelNodeParams *params)
{
    SL_CALL(add_kernel_node(rt, node, graph, after, count, params));
}

static cudaError_t add_copy_node(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const cudaMemcpy3DParms *params)
{
    sl_rt_op op = {.kind = SL_RT_COPY};
    cudaError_t error = sl_rt_copy_of_params(rt, params, &op.copy);
    return error ? error : add_node(rt, node, graph, after, count, &op);
}

SL_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaMemcpy3DParms *params)
{
    SL_CALL(add_copy_node(rt, node, graph, after, count, params));
}

SL_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                            size_t count, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    sl_rt_op op = {.kind = SL_RT_COPY,
                   .copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
    SL_CALL(add_node(rt, node, graph, after, count, &op));
}

static sl_rt_op fill_op(const cudaMemsetParams *p)
{
    return (sl_rt_op){.kind = SL_RT_FILL,
                      .fill = {.dst = p->dst,
                               .pitch = p->pitch,
                               .width = p->width * p->elementSize,
                               .height = p->height,
                               .depth = 1,
                               .value = p->value,
                               .element_bytes = p->elementSize}};
}

SL_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaMemsetParams *params)
{
    sl_rt_op op = params ? fill_op(params) : (sl_rt_op){0};
    SL_CALL(params && (params->elementSize == 1 || params->elementSize == 2 || params->elementSize == 4)
                ? add_node(rt, node, graph, after, count, &op)
                : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                        size_t count, const cudaHostNodeParams *params)
{
    sl_rt_op op = {.kind = SL_RT_HOST};
    if (params) {
        op.host.function = params->fn;
        op.host.data = params->userData;
    }
    SL_CALL(params && params->fn ? add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                         size_t count)
{
    sl_rt_op op = {.kind = SL_RT_EMPTY};
    SL_CALL(add_node(rt, node, graph, after, count, &op));
}

SL_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                               size_t count, cudaEvent_t event)
{
    sl_rt_op op = {.kind = SL_RT_RECORD, .event = event};
    SL_CALL(event ? add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t count, cudaEvent_t event)
{
    sl_rt_op op = {.kind = SL_RT_WAIT, .event = event};
    SL_CALL(event ? add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

static cudaError_t add_child(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                             size_t count, cudaGraph_t child)
{
    sl_rt_op op = {.kind = SL_RT_CHILD};
    if (!child || !(op.child = clone_graph(child)))
        return child ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    return add_node(rt, node, graph, after, count, &op);
}

SL_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                              size_t count, cudaGraph_t child)
{
    SL_CALL(add_child(rt, node, graph, after, count, child));
}

static cudaError_t add_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sl_array_push(&to[i]->after, from[i]))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

#if SL_CUDART >= 13
SL_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            const void *edge_data, size_t count)
{
    (void)edge_data;
    SL_CALL(graph ? add_dependencies(from, to, count) : cudaErrorInvalidValue);
}
#else
SL_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            size_t count)
{
    SL_CALL(graph ? add_dependencies(from, to, count) : cudaErrorInvalidValue);
}
#endif

static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
    if (!graph || !count)
        return cudaErrorInvalidValue;
    size_t room = nodes ? *count : 0, found = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (roots && graph->nodes.items[i]->after.count)
            continue;
        if (found < room)
            nodes[found] = graph->nodes.items[i];
        found++;
    }
    for (size_t i = found; i < room; i++)
        nodes[i] = NULL;
    *count = found;
    return cudaSuccess;
}

SL_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    SL_CALL(list_nodes(graph, nodes, count, false));
}

SL_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    SL_CALL(list_nodes(graph, nodes, count, true));
}

static cudaError_t node_type(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    static const cudaGraphNodeType TYPES[] = {
        [SL_RT_EMPTY] = cudaGraphNodeTypeEmpty,        [SL_RT_LAUNCH] = cudaGraphNodeTypeKernel,
        [SL_RT_COPY] = cudaGraphNodeTypeMemcpy,        [SL_RT_FILL] = cudaGraphNodeTypeMemset,
        [SL_RT_HOST] = cudaGraphNodeTypeHost,          [SL_RT_CALLBACK] = cudaGraphNodeTypeHost,
        [SL_RT_RECORD] = cudaGraphNodeTypeEventRecord, [SL_RT_WAIT] = cudaGraphNodeTypeWaitEvent,
        [SL_RT_CHILD] = cudaGraphNodeTypeGraph,        [SL_RT_FREE] = cudaGraphNodeTypeMemFree,
    };
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = TYPES[node->op.kind];
    return cudaSuccess;
}

SL_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    SL_CALL(node_type(node, type));
}

static cudaError_t destroy_node(cudaGraphNode_t node)
{
    if (!node)
        return cudaErrorInvalidValue;
    cudaGraph_t graph = node->graph;
    size_t kept = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        cudaGraphNode_t other = graph->nodes.items[i];
        size_t edges = 0;
        for (size_t d = 0; d < other->after.count; d++)
            if (other->after.items[d] != node)
                other->after.items[edges++] = other->after.items[d];
        other->after.count = edges;
        if (other != node)
            graph->nodes.items[kept++] = other;
    }
    graph->nodes.count = kept;
    free_node(node);
    return cudaSuccess;
}

SL_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    SL_CALL(destroy_node(node));
}

/* ---- executables ---- */

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph)
{
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    cudaGraphExec_t made = calloc(1, sizeof *made);
    if (!made || !(made->graph = clone_graph(graph))) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *exec = made;
    return cudaSuccess;
}

#if SL_CUDART >= 12
SL_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    SL_CALL(instantiate(exec, graph));
}
#else
SL_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                        char *log, size_t log_bytes)
{
    if (error_node)
        *error_node = NULL;
    if (log && log_bytes)
        *log = 0;
    SL_CALL(instantiate(exec, graph));
}
#endif

SL_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    SL_CALL(instantiate(exec, graph));
}

SL_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                  cudaGraphInstantiateParams *params)
{
    if (params) {
        params->errNode_out = NULL;
        params->result_out = 0;
    }
    SL_CALL(params ? instantiate(exec, graph) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

SL_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    SL_CALL(exec ? (release_graph(exec->graph), free(exec), cudaSuccess) : cudaErrorInvalidValue);
}

static cudaError_t launch_graph(sl_rt *rt, cudaGraphExec_t exec, cudaStream_t stream)
{
    struct sl_rt_stream *s;
    if (!exec)
        return cudaErrorInvalidValue;
    if (!sl_rt_stream_known(rt, stream, &s))
        return cudaErrorInvalidResourceHandle;
    sl_rt_op op = {.kind = SL_RT_CHILD, .child = exec->graph};
    if (s->capture)
        exec->graph->users++;
    return sl_rt_submit(rt, stream, &op);
}

SL_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    SL_CALL(launch_graph(rt, exec, stream));
}
SL_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);

SL_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    struct sl_rt_stream *s;
    SL_CALL(!exec                                ? cudaErrorInvalidValue
            : sl_rt_stream_known(rt, stream, &s) ? cudaSuccess
                                                 : cudaErrorInvalidResourceHandle);
}
SL_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);

/* An executable takes over another graph of the same shape. */
static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, int *result)
{
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    *result = 0;
    bool same = exec->graph->nodes.count == graph->nodes.count;
    for (size_t i = 0; same && i < graph->nodes.count; i++)
        same = exec->graph->nodes.items[i]->op.kind == graph->nodes.items[i]->op.kind &&
               exec->graph->nodes.items[i]->after.count == graph->nodes.items[i]->after.count;
    if (!same) {
        *result = 2;
        return cudaErrorGraphExecUpdateFailure;
    }
    cudaGraph_t copy = clone_graph(graph);
    if (!copy)
        return cudaErrorMemoryAllocation;
    release_graph(exec->graph);
    exec->graph = copy;
    return cudaSuccess;
}

#if SL_CUDART >= 12
SL_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    int result;
    if (info)
        memset(info, 0, sizeof *info);
    SL_CALL(update(exec, graph, info ? &info->result : &result));
}
#else
SL_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result)
{
    int ignored;
    if (node)
        *node = NULL;
    SL_CALL(update(exec, graph, result ? result : &ignored));
}
#endif

/* The node of an executable that was made from `node` of a graph: copies keep positions. */
static cudaGraphNode_t node_in_copy(cudaGraph_t copy, cudaGraphNode_t node)
{
    if (!node)
        return NULL;
    number_nodes(node->graph);
    return node->index < copy->nodes.count ? copy->nodes.items[node->index] : NULL;
}

static cudaError_t set_kernel_params(sl_rt *rt, cudaGraphNode_t node, const cudaKernelNodeParams *params)
{
    sl_rt_op op;
    if (!node || node->op.kind != SL_RT_LAUNCH)
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_op(rt, params, &op);
    if (error)
        return error;
    op.launch.cooperative = node->op.launch.cooperative;
    sl_rt_op_fini(&node->op);
    node->op = op;
    return cudaSuccess;
}

SL_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params)
{
    SL_CALL(set_kernel_params(rt, node, params));
}

SL_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *params)
{
    SL_CALL(exec ? set_kernel_params(rt, node_in_copy(exec->graph, node), params) : cudaErrorInvalidValue);
}

static cudaError_t set_copy_1d(cudaGraphNode_t node, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    if (!node || node->op.kind != SL_RT_COPY)
        return cudaErrorInvalidValue;
    node->op.copy = (sl_rt_copy){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return cudaSuccess;
}

SL_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
                                                  cudaMemcpyKind kind)
{
    SL_CALL(set_copy_1d(node, dst, src, bytes, kind));
}

SL_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                      const void *src, size_t bytes, cudaMemcpyKind kind)
{
    SL_CALL(exec ? set_copy_1d(node_in_copy(exec->graph, node), dst, src, bytes, kind) : cudaErrorInvalidValue);
}

static cudaError_t set_fill(cudaGraphNode_t node, const cudaMemsetParams *params)
{
    if (!node || node->op.kind != SL_RT_FILL || !params)
        return cudaErrorInvalidValue;
    node->op = fill_op(params);
    return cudaSuccess;
}

SL_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *params)
{
    SL_CALL(set_fill(node, params));
}

SL_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaMemsetParams *params)
{
    SL_CALL(exec ? set_fill(node_in_copy(exec->graph, node), params) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    cudaGraphNode_t copy = exec ? node_in_copy(exec->graph, node) : NULL;
    SL_CALL(copy ? (copy->disabled = !enabled, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t copy = exec ? node_in_copy(exec->graph, node) : NULL;
    SL_CALL(copy && enabled ? (*enabled = !copy->disabled, cudaSuccess) : cudaErrorInvalidValue);
}
