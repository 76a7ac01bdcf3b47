/* SPDX-License-Identifier: MIT */
/* Nodes of graphs: the work that parameters describe, and parameters as programs ask for them. */
#include "process/core.h"

#include <stdlib.h>
#include <string.h>

/* ---- from parameters to work ---- */

static cudaError_t kernel_op(sl_proc *rt, const cudaKernelNodeParams *p, sl_proc_op *op)
{
    sl_proc_config config = {.function = p->func,
                             .grid = p->gridDim,
                             .block = p->blockDim,
                             .shared = p->sharedMemBytes,
                             .args = p->kernelParams};
    cudaError_t error = sl_proc_config_extra(&config, p->extra);
    return error ? error : sl_proc_launch_make(rt, &config, op);
}

static cudaError_t fill_op(const cudaMemsetParams *p, sl_proc_op *op)
{
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return cudaErrorInvalidValue;
    *op = (sl_proc_op){.kind = SL_PROC_FILL,
                       .fill = {.dst = p->dst,
                                .pitch = p->pitch,
                                .width = p->width * p->elementSize,
                                .height = p->height,
                                .depth = 1,
                                .value = p->value,
                                .element_bytes = p->elementSize}};
    return cudaSuccess;
}

static cudaError_t conditional_op(sl_proc *rt, cudaConditionalNodeParams *p, sl_proc_op *op)
{
    bool sized = p->type == cudaGraphCondTypeSwitch ? p->size > 0
                                                    : p->size == 1 || (p->size == 2 && p->type == cudaGraphCondTypeIf);
    if ((unsigned)p->type > cudaGraphCondTypeSwitch || !sized || !p->handle || p->handle > rt->conditions.count)
        return cudaErrorInvalidValue;
    *op = (sl_proc_op){.kind = SL_PROC_CONDITIONAL,
                       .conditional = {p->handle, p->type, p->size, calloc(p->size, sizeof(cudaGraph_t))}};
    bool made = op->conditional.body;
    for (unsigned i = 0; made && i < p->size; i++)
        made = (op->conditional.body[i] = sl_proc_graph_new());
    if (!made)
        sl_proc_op_fini(rt, op);
    else
        p->phGraph_out = op->conditional.body;
    return made ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t sl_proc_node_op(sl_proc *rt, cudaGraphNodeParams *p, sl_proc_op *op)
{
    cudaError_t error = cudaSuccess;
    *op = (sl_proc_op){.kind = SL_PROC_EMPTY};
    switch (p->type) {
    case cudaGraphNodeTypeEmpty:
        return cudaSuccess;
    case cudaGraphNodeTypeKernel:
        return kernel_op(rt, &p->kernel, op);
    case cudaGraphNodeTypeMemcpy:
        op->kind = SL_PROC_COPY;
        return sl_proc_copy_of_params(rt, &p->memcpy.copyParams, &op->copy);
    case cudaGraphNodeTypeMemset:
        return fill_op(&p->memset, op);
    case cudaGraphNodeTypeHost:
        *op = (sl_proc_op){.kind = SL_PROC_HOST, .host = {.function = p->host.fn, .data = p->host.userData}};
        return p->host.fn ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeGraph:
        if (!p->graph.graph)
            return cudaErrorInvalidValue;
        op->child = sl_proc_graph_clone(rt, p->graph.graph);
        op->kind = op->child ? SL_PROC_CHILD : SL_PROC_EMPTY;
        return op->child ? cudaSuccess : cudaErrorMemoryAllocation;
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
        *op = (sl_proc_op){.kind = p->type == cudaGraphNodeTypeWaitEvent ? SL_PROC_WAIT : SL_PROC_RECORD,
                           .event = p->event};
        return p->event ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeMemAlloc:
        error =
            p->alloc.bytesize ? sl_proc_alloc_for_graph(rt, &p->alloc.dptr, p->alloc.bytesize) : cudaErrorInvalidValue;
        *op = (sl_proc_op){.kind = SL_PROC_ALLOC, .memory = {p->alloc.dptr, p->alloc.bytesize}};
        return error;
    case cudaGraphNodeTypeMemFree:
        *op = (sl_proc_op){.kind = SL_PROC_FREE, .memory = {p->pointer, 0}};
        return p->pointer ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeConditional:
        return conditional_op(rt, &p->conditional, op);
    case cudaGraphNodeTypeBatchMemOp:
        break;
    }
    return cudaErrorInvalidValue;
}

cudaError_t sl_proc_graph_add(sl_proc *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                              const void *edges, size_t count, cudaGraphNodeParams *params)
{
    sl_proc_op op;
    cudaError_t error = node && graph && params ? sl_proc_node_op(rt, params, &op) : cudaErrorInvalidValue;
    return error ? error : sl_proc_graph_add_node(rt, node, graph, after, edges, count, &op);
}

/* The parameters of one kind, where they are among those of any. */
static void *place_of(cudaGraphNodeParams *p)
{
    return p->type == cudaGraphNodeTypeMemcpy ? (void *)&p->memcpy.copyParams : (void *)p->reserved1;
}

cudaError_t sl_proc_graph_add_kind(sl_proc *rt, cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                   size_t count, cudaGraphNodeType type, void *params, size_t bytes)
{
    cudaGraphNodeParams any = {.type = type};
    if (!params)
        return cudaErrorInvalidValue;
    memcpy(place_of(&any), params, bytes);
    cudaError_t error = sl_proc_graph_add(rt, node, graph, after, NULL, count, &any);
    if (!error && type == cudaGraphNodeTypeMemAlloc)
        memcpy(params, &any.alloc, bytes); /* its address */
    return error;
}

/* ---- other parameters for a node ---- */

cudaError_t sl_proc_node_replace(sl_proc *rt, cudaGraphNode_t node, sl_proc_op *op)
{
    if (!node || node->op.kind != op->kind) {
        sl_proc_op_fini(rt, op);
        return cudaErrorInvalidValue;
    }
    if (op->kind == SL_PROC_LAUNCH) {
        op->launch.cooperative = node->op.launch.cooperative;
        op->launch.cluster = node->op.launch.cluster;
        free(node->args);
        node->args = NULL;
    }
    sl_proc_op_fini(rt, &node->op);
    node->op = *op;
    return cudaSuccess;
}

cudaError_t sl_proc_node_set(sl_proc *rt, cudaGraphNode_t node, cudaGraphNodeParams *params)
{
    sl_proc_op op;
    bool fixed = params && (params->type == cudaGraphNodeTypeMemAlloc || params->type == cudaGraphNodeTypeMemFree ||
                            params->type == cudaGraphNodeTypeConditional); /* they are what they were made */
    cudaError_t error = node && params && !fixed ? sl_proc_node_op(rt, params, &op) : cudaErrorInvalidValue;
    return error ? error : sl_proc_node_replace(rt, node, &op);
}

cudaError_t sl_proc_node_set_kind(sl_proc *rt, cudaGraphNode_t node, cudaGraphNodeType type, const void *params,
                                  size_t bytes)
{
    cudaGraphNodeParams any = {.type = type};
    if (!params)
        return cudaErrorInvalidValue;
    memcpy(place_of(&any), params, bytes);
    return sl_proc_node_set(rt, node, &any);
}

cudaError_t sl_proc_node_enable(cudaGraphNode_t node, bool enabled, unsigned *was)
{
    if (!node)
        return cudaErrorInvalidValue;
    if (was)
        *was = !node->disabled;
    else
        node->disabled = !enabled;
    return cudaSuccess;
}

/* ---- questions ---- */

cudaError_t sl_proc_node_type(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    static const cudaGraphNodeType TYPES[] = {
        [SL_PROC_EMPTY] = cudaGraphNodeTypeEmpty,        [SL_PROC_LAUNCH] = cudaGraphNodeTypeKernel,
        [SL_PROC_COPY] = cudaGraphNodeTypeMemcpy,        [SL_PROC_FILL] = cudaGraphNodeTypeMemset,
        [SL_PROC_HOST] = cudaGraphNodeTypeHost,          [SL_PROC_CALLBACK] = cudaGraphNodeTypeHost,
        [SL_PROC_RECORD] = cudaGraphNodeTypeEventRecord, [SL_PROC_WAIT] = cudaGraphNodeTypeWaitEvent,
        [SL_PROC_CHILD] = cudaGraphNodeTypeGraph,        [SL_PROC_FREE] = cudaGraphNodeTypeMemFree,
        [SL_PROC_ALLOC] = cudaGraphNodeTypeMemAlloc,     [SL_PROC_CONDITIONAL] = cudaGraphNodeTypeConditional,
        [SL_PROC_VALUES] = cudaGraphNodeTypeBatchMemOp,
    };
    if (!node || !type)
        return cudaErrorInvalidValue;
    *type = TYPES[node->op.kind];
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_kernel(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    if (!node || !params || node->op.kind != SL_PROC_LAUNCH || !node->op.launch.function->kernel)
        return cudaErrorInvalidValue;
    const sl_proc_launch *launch = &node->op.launch;
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

/* Arrays are reported as the memory that they are. */
cudaError_t sl_proc_node_get_copy(cudaGraphNode_t node, cudaMemcpy3DParms *params)
{
    if (!node || !params || node->op.kind != SL_PROC_COPY)
        return cudaErrorInvalidValue;
    const sl_proc_copy *c = &node->op.copy;
    size_t src_rows = c->src_pitch ? c->src_slice / c->src_pitch : 0;
    size_t dst_rows = c->dst_pitch ? c->dst_slice / c->dst_pitch : 0;
    *params = (cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)c->src, c->src_pitch ? c->src_pitch : c->width, c->width, src_rows},
        .dstPtr = {c->dst, c->dst_pitch ? c->dst_pitch : c->width, c->width, dst_rows},
        .extent = {c->width, c->height, c->depth},
        .kind = c->kind};
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_fill(cudaGraphNode_t node, cudaMemsetParams *params)
{
    if (!node || !params || node->op.kind != SL_PROC_FILL)
        return cudaErrorInvalidValue;
    const sl_proc_fill *f = &node->op.fill;
    *params = (cudaMemsetParams){.dst = f->dst,
                                 .pitch = f->pitch,
                                 .value = f->value,
                                 .elementSize = f->element_bytes,
                                 .width = f->width / f->element_bytes,
                                 .height = f->height};
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_host(cudaGraphNode_t node, cudaHostNodeParams *params)
{
    if (!node || !params || node->op.kind != SL_PROC_HOST)
        return cudaErrorInvalidValue;
    *params = (cudaHostNodeParams){node->op.host.function, node->op.host.data};
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_alloc(cudaGraphNode_t node, cudaMemAllocNodeParams *params)
{
    enum { PINNED = 1, DEVICE = 1 };
    if (!node || !params || node->op.kind != SL_PROC_ALLOC)
        return cudaErrorInvalidValue;
    *params = (cudaMemAllocNodeParams){.poolProps = {.allocType = PINNED, .location = {DEVICE, 0}},
                                       .bytesize = node->op.memory.bytes,
                                       .dptr = node->op.memory.pointer};
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_free(cudaGraphNode_t node, void **pointer)
{
    if (!node || !pointer || node->op.kind != SL_PROC_FREE)
        return cudaErrorInvalidValue;
    *pointer = node->op.memory.pointer;
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_child(cudaGraphNode_t node, cudaGraph_t *graph)
{
    if (!node || !graph || node->op.kind != SL_PROC_CHILD)
        return cudaErrorInvalidValue;
    *graph = node->op.child;
    return cudaSuccess;
}

cudaError_t sl_proc_node_get_event(cudaGraphNode_t node, sl_proc_op_kind kind, cudaEvent_t *event)
{
    if (!node || !event || node->op.kind != kind)
        return cudaErrorInvalidValue;
    *event = node->op.event;
    return cudaSuccess;
}

/* ---- attributes of kernels ---- */

cudaError_t sl_proc_node_attribute(cudaGraphNode_t node, int id, void *get, const void *set)
{
    if (!node || node->op.kind != SL_PROC_LAUNCH || (!get && !set))
        return cudaErrorInvalidValue;
    cudaLaunchAttribute *found = NULL, added = {.id = id};
    for (size_t i = 0; !found && i < node->attributes.count; i++)
        if (node->attributes.items[i].id == id)
            found = &node->attributes.items[i];
    if (!set) {
        if (!found && id == cudaLaunchAttributeCooperative)
            added.val.cooperative = node->op.launch.cooperative;
        memcpy(get, found ? &found->val : &added.val, sizeof added.val);
        return cudaSuccess;
    }
    memcpy(&added.val, set, sizeof added.val);
    sl_proc_config config = {0};
    cudaError_t error = sl_proc_launch_attributes(&added, 1, &config);
    if (error)
        return error;
    if (id == cudaLaunchAttributeCooperative)
        node->op.launch.cooperative = config.cooperative;
    if (id == cudaLaunchAttributeClusterDimension)
        node->op.launch.cluster = config.cluster;
    if (found)
        *found = added;
    return found || sl_array_push(&node->attributes, added) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t sl_proc_node_copy_attributes(cudaGraphNode_t to, cudaGraphNode_t from)
{
    if (!to || !from || to->op.kind != SL_PROC_LAUNCH || from->op.kind != SL_PROC_LAUNCH)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; !error && i < from->attributes.count; i++)
        error = sl_proc_node_attribute(to, from->attributes.items[i].id, NULL, &from->attributes.items[i].val);
    return error;
}
