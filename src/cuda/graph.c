/* SPDX-License-Identifier: MIT */
/* Graphs: pieces of work kept for later, by stream capture or node by node.
 *
 * A graph's nodes run one after the other in an order that respects their dependencies; of several such orders, the one
 * nearest to the order in which nodes were added. Not there: conditional nodes, external semaphores. */
#include "cuda/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

cudaGraph_t sl_rt_graph_new(void)
{
    cudaGraph_t graph = calloc(1, sizeof *graph);
    if (graph)
        graph->users = 1;
    return graph;
}

static void free_node(cudaGraphNode_t node)
{
    if (node->op.kind == SL_RT_CHILD)
        sl_rt_graph_release(node->op.child);
    sl_rt_op_fini(&node->op);
    sl_array_free(&node->after);
    free(node->args);
    free(node);
}

void sl_rt_graph_release(cudaGraph_t graph)
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
cudaGraph_t sl_rt_graph_clone(cudaGraph_t graph)
{
    cudaGraph_t copy = sl_rt_graph_new();
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
            sl_rt_graph_release(copy);
            return NULL;
        }
    }
    for (size_t i = 0; copy && i < graph->nodes.count; i++) {
        const cudaGraphNode_t from = graph->nodes.items[i];
        for (size_t d = 0; d < from->after.count; d++)
            if (!sl_array_push(&copy->nodes.items[i]->after, copy->nodes.items[from->after.items[d]->index])) {
                sl_rt_graph_release(copy);
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

cudaError_t sl_rt_capture_begin(sl_rt *rt, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
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
    s->capture = graph ? graph : sl_rt_graph_new();
    if (!s->capture)
        return cudaErrorMemoryAllocation;
    s->capture_origin = true;
    s->capture_invalid = false;
    s->capture_id = ++rt->captures;
    return count > 1    ? sl_rt_graph_add(rt, s->capture, after, count, &start, &s->last)
           : count == 1 ? (s->last = after[0], cudaSuccess)
                        : cudaSuccess;
}

cudaError_t sl_rt_capture_end(sl_rt *rt, cudaStream_t stream, cudaGraph_t *graph)
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
        sl_rt_graph_release(captured);
        return cudaErrorStreamCaptureInvalidated;
    }
    if (captured->users > 1) /* captured into a graph that the program has already */
        captured->users--;
    *graph = captured;
    return cudaSuccess;
}

cudaError_t sl_rt_capture_info(sl_rt *rt, cudaStream_t stream, int *status, unsigned long long *id, cudaGraph_t *graph,
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

/* ---- graphs, node by node ---- */

cudaError_t sl_rt_graph_add_node(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, sl_rt_op *op)
{
    if (!node || !graph || (count && !after)) {
        sl_rt_op_fini(op);
        return cudaErrorInvalidValue;
    }
    return sl_rt_graph_add(rt, graph, after, count, op, node);
}

static cudaError_t kernel_op(sl_rt *rt, const cudaKernelNodeParams *p, dim3 cluster, sl_rt_op *op)
{
    if (!p)
        return cudaErrorInvalidValue;
    sl_rt_config config = {.function = p->func,
                           .grid = p->gridDim,
                           .block = p->blockDim,
                           .cluster = cluster,
                           .shared = p->sharedMemBytes,
                           .args = p->kernelParams};
    cudaError_t error = sl_rt_config_extra(&config, p->extra);
    return error ? error : sl_rt_launch_make(rt, &config, op);
}

cudaError_t sl_rt_graph_add_kernel(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, const cudaKernelNodeParams *p)
{
    sl_rt_op op;
    cudaError_t error = kernel_op(rt, p, (dim3){0}, &op);
    return error ? error : sl_rt_graph_add_node(rt, node, graph, after, count, &op);
}

cudaError_t sl_rt_graph_add_copy(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const cudaMemcpy3DParms *params)
{
    sl_rt_op op = {.kind = SL_RT_COPY};
    cudaError_t error = sl_rt_copy_of_params(rt, params, &op.copy);
    return error ? error : sl_rt_graph_add_node(rt, node, graph, after, count, &op);
}

static bool is_fill(const cudaMemsetParams *p)
{
    return p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4);
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

cudaError_t sl_rt_graph_add_fill(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const cudaMemsetParams *params)
{
    if (!is_fill(params))
        return cudaErrorInvalidValue;
    sl_rt_op op = fill_op(params);
    return sl_rt_graph_add_node(rt, node, graph, after, count, &op);
}

cudaError_t sl_rt_graph_add_host(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                 size_t count, const cudaHostNodeParams *params)
{
    if (!params || !params->fn)
        return cudaErrorInvalidValue;
    sl_rt_op op = {.kind = SL_RT_HOST, .host = {.function = params->fn, .data = params->userData}};
    return sl_rt_graph_add_node(rt, node, graph, after, count, &op);
}

cudaError_t sl_rt_graph_add_child(sl_rt *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                  size_t count, cudaGraph_t child)
{
    sl_rt_op op = {.kind = SL_RT_CHILD};
    if (!child || !(op.child = sl_rt_graph_clone(child)))
        return child ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    return sl_rt_graph_add_node(rt, node, graph, after, count, &op);
}

cudaError_t sl_rt_graph_add_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sl_array_push(&to[i]->after, from[i]))
            return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t sl_rt_graph_list(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
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

cudaError_t sl_rt_node_type(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    static const cudaGraphNodeType TYPES[] = {
        [SL_RT_EMPTY] = cudaGraphNodeTypeEmpty,        [SL_RT_LAUNCH] = cudaGraphNodeTypeKernel,
        [SL_RT_COPY] = cudaGraphNodeTypeMemcpy,        [SL_RT_FILL] = cudaGraphNodeTypeMemset,
        [SL_RT_HOST] = cudaGraphNodeTypeHost,          [SL_RT_CALLBACK] = cudaGraphNodeTypeHost,
        [SL_RT_RECORD] = cudaGraphNodeTypeEventRecord, [SL_RT_WAIT] = cudaGraphNodeTypeWaitEvent,
        [SL_RT_CHILD] = cudaGraphNodeTypeGraph,        [SL_RT_FREE] = cudaGraphNodeTypeMemFree,
        [SL_RT_ALLOC] = cudaGraphNodeTypeMemAlloc,
    };
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = TYPES[node->op.kind];
    return cudaSuccess;
}

cudaError_t sl_rt_node_destroy(cudaGraphNode_t node)
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

/* ---- questions about graphs ---- */

enum { EDGE_DATA_BYTES = 8 };

cudaError_t sl_rt_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges, size_t *count)
{
    if (!graph || !count)
        return cudaErrorInvalidValue;
    size_t room = from && to ? *count : 0, found = 0;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const cudaGraphNode_t node = graph->nodes.items[i];
        for (size_t d = 0; d < node->after.count; d++, found++)
            if (found < room) {
                from[found] = node->after.items[d];
                to[found] = node;
            }
    }
    for (size_t i = found; i < room; i++)
        from[i] = to[i] = NULL;
    if (edges && room)
        memset(edges, 0, room * EDGE_DATA_BYTES);
    *count = found;
    return cudaSuccess;
}

static bool depends(const cudaGraphNode_t node, const cudaGraphNode_t on)
{
    for (size_t d = 0; d < node->after.count; d++)
        if (node->after.items[d] == on)
            return true;
    return false;
}

cudaError_t sl_rt_node_neighbours(cudaGraphNode_t node, bool after, cudaGraphNode_t *nodes, void *edges, size_t *count)
{
    if (!node || !count)
        return cudaErrorInvalidValue;
    size_t room = nodes ? *count : 0, found = 0;
    for (size_t i = 0; i < node->graph->nodes.count; i++) {
        cudaGraphNode_t other = node->graph->nodes.items[i];
        if (after ? !depends(other, node) : !depends(node, other))
            continue;
        if (found < room)
            nodes[found] = other;
        found++;
    }
    for (size_t i = found; i < room; i++)
        nodes[i] = NULL;
    if (edges && room)
        memset(edges, 0, room * EDGE_DATA_BYTES);
    *count = found;
    return cudaSuccess;
}

cudaError_t sl_rt_graph_remove_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    if (count && (!from || !to))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        size_t kept = 0, before = to[i]->after.count;
        for (size_t d = 0; d < before; d++)
            if (to[i]->after.items[d] != from[i])
                to[i]->after.items[kept++] = to[i]->after.items[d];
        to[i]->after.count = kept;
        if (kept == before)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t sl_rt_node_get_kernel(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    if (!node || !params || node->op.kind != SL_RT_LAUNCH || !node->op.launch.function->kernel)
        return cudaErrorInvalidValue;
    const sl_rt_launch *launch = &node->op.launch;
    const sl_ptx_func *func = sl_emu_kernel_func(launch->function->kernel);
    if (!node->args) {
        node->args = calloc(func->params + 1, sizeof *node->args);
        for (uint32_t i = 0; node->args && i < func->params; i++)
            node->args[i] = (char *)launch->params + func->param[i]->offset;
    }
    *params = (cudaKernelNodeParams){
        .func = (void *)(uintptr_t)(launch->function->host ? launch->function->host : launch->function),
        .gridDim = launch->grid,
        .blockDim = launch->block,
        .sharedMemBytes = launch->dynamic_shared,
        .kernelParams = node->args};
    return node->args ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t sl_rt_node_get_fill(cudaGraphNode_t node, cudaMemsetParams *params)
{
    if (!node || !params || node->op.kind != SL_RT_FILL)
        return cudaErrorInvalidValue;
    const sl_rt_fill *f = &node->op.fill;
    *params = (cudaMemsetParams){.dst = f->dst,
                                 .pitch = f->pitch,
                                 .value = f->value,
                                 .elementSize = f->element_bytes,
                                 .width = f->width / f->element_bytes,
                                 .height = f->height};
    return cudaSuccess;
}

cudaError_t sl_rt_node_get_host(cudaGraphNode_t node, cudaHostNodeParams *params)
{
    if (!node || !params || node->op.kind != SL_RT_HOST)
        return cudaErrorInvalidValue;
    *params = (cudaHostNodeParams){node->op.host.function, node->op.host.data};
    return cudaSuccess;
}

cudaError_t sl_rt_node_set_host(cudaGraphNode_t node, const cudaHostNodeParams *params)
{
    if (!node || !params || !params->fn || node->op.kind != SL_RT_HOST)
        return cudaErrorInvalidValue;
    node->op.host.function = params->fn;
    node->op.host.data = params->userData;
    return cudaSuccess;
}

cudaError_t sl_rt_node_get_event(cudaGraphNode_t node, sl_rt_op_kind kind, cudaEvent_t *event)
{
    if (!node || !event || node->op.kind != kind)
        return cudaErrorInvalidValue;
    *event = node->op.event;
    return cudaSuccess;
}

cudaError_t sl_rt_node_set_event(cudaGraphNode_t node, sl_rt_op_kind kind, cudaEvent_t event)
{
    if (!node || !event || node->op.kind != kind)
        return cudaErrorInvalidValue;
    node->op.event = event;
    return cudaSuccess;
}

/* ---- executables ---- */

cudaError_t sl_rt_graph_instantiate(cudaGraphExec_t *exec, cudaGraph_t graph)
{
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    cudaGraphExec_t made = calloc(1, sizeof *made);
    if (!made || !(made->graph = sl_rt_graph_clone(graph))) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *exec = made;
    return cudaSuccess;
}

cudaError_t sl_rt_graph_launch(sl_rt *rt, cudaGraphExec_t exec, cudaStream_t stream)
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

/* An executable takes over another graph of the same shape. */
cudaError_t sl_rt_graph_update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    if (info)
        *info = (cudaGraphExecUpdateResultInfo){0};
    if (!exec || !graph)
        return cudaErrorInvalidValue;
    bool same = exec->graph->nodes.count == graph->nodes.count;
    for (size_t i = 0; same && i < graph->nodes.count; i++)
        same = exec->graph->nodes.items[i]->op.kind == graph->nodes.items[i]->op.kind &&
               exec->graph->nodes.items[i]->after.count == graph->nodes.items[i]->after.count;
    if (!same) {
        if (info)
            info->result = 2;
        return cudaErrorGraphExecUpdateFailure;
    }
    cudaGraph_t copy = sl_rt_graph_clone(graph);
    if (!copy)
        return cudaErrorMemoryAllocation;
    sl_rt_graph_release(exec->graph);
    exec->graph = copy;
    return cudaSuccess;
}

cudaError_t sl_rt_graph_update_11(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = sl_rt_graph_update(exec, graph, &info);
    if (node)
        *node = info.errorNode;
    if (result)
        *result = info.result;
    return error;
}

cudaError_t sl_rt_node_enable(cudaGraphNode_t node, bool enabled, unsigned *was)
{
    if (!node)
        return cudaErrorInvalidValue;
    if (was)
        *was = !node->disabled;
    else
        node->disabled = !enabled;
    return cudaSuccess;
}

/* The node of an executable that was made from `node` of a graph: copies keep positions. */
cudaGraphNode_t sl_rt_node_in_clone(cudaGraph_t clone, cudaGraphNode_t node)
{
    if (!clone || !node)
        return NULL;
    number_nodes(node->graph);
    return node->index < clone->nodes.count ? clone->nodes.items[node->index] : NULL;
}

cudaGraphNode_t sl_rt_node_in_exec(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return exec ? sl_rt_node_in_clone(exec->graph, node) : NULL;
}

void sl_rt_graph_exec_destroy(cudaGraphExec_t exec)
{
    sl_rt_graph_release(exec->graph);
    free(exec);
}

cudaError_t sl_rt_node_set_kernel(sl_rt *rt, cudaGraphNode_t node, const cudaKernelNodeParams *params)
{
    sl_rt_op op;
    if (!node || node->op.kind != SL_RT_LAUNCH)
        return cudaErrorInvalidValue;
    cudaError_t error = kernel_op(rt, params, node->op.launch.cluster, &op);
    if (error)
        return error;
    op.launch.cooperative = node->op.launch.cooperative;
    sl_rt_op_fini(&node->op);
    free(node->args);
    node->args = NULL;
    node->op = op;
    return cudaSuccess;
}

cudaError_t sl_rt_node_set_copy(cudaGraphNode_t node, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    if (!node || node->op.kind != SL_RT_COPY)
        return cudaErrorInvalidValue;
    node->op.copy = (sl_rt_copy){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return cudaSuccess;
}

cudaError_t sl_rt_node_set_fill(cudaGraphNode_t node, const cudaMemsetParams *params)
{
    if (!node || node->op.kind != SL_RT_FILL || !is_fill(params))
        return cudaErrorInvalidValue;
    node->op = fill_op(params);
    return cudaSuccess;
}
