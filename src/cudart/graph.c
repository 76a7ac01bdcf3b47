/* SPDX-License-Identifier: MIT */
/* Stream capture and graphs, where the interface differs from the driver's. */
#include "cudart/runtime.h"

/* ---- stream capture ---- */

static cudaError_t capture_info(sl_proc *rt, cudaStream_t stream, int *status, unsigned long long *id,
                                cudaGraph_t *graph, const cudaGraphNode_t **after, const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    return sl_proc_capture_info(rt, stream, status, id, graph, after, count);
}

SL_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, int *status, unsigned long long *id,
                                               cudaGraph_t *graph, const cudaGraphNode_t **after, const void **edges,
                                               size_t *count)
{
    SL_CALL(capture_info(rt, stream, status, id, graph, after, edges, count));
}
SL_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);
#if SL_CUDART >= 13
SL_ALIAS(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3);
SL_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo_v3);
#endif

/* ---- nodes ---- */

#define NEW_NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after
#define PLACE    rt, node, graph, after

#if SL_CUDART < 13
SL_API cudaError_t cudaGraphAddNode(NEW_NODE, size_t count, cudaGraphNodeParams *params)
{
    SL_CALL(sl_proc_graph_add(PLACE, NULL, count, params));
}

SL_API cudaError_t cudaGraphAddNode_v2(NEW_NODE, const void *edges, size_t count, cudaGraphNodeParams *params)
{
    SL_CALL(sl_proc_graph_add(PLACE, edges, count, params));
}
#else
SL_API cudaError_t cudaGraphAddNode(NEW_NODE, const void *edges, size_t count, cudaGraphNodeParams *params)
{
    SL_CALL(sl_proc_graph_add(PLACE, edges, count, params));
}
#endif

SL_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *params)
{
    SL_CALL(sl_proc_node_set(rt, node, params));
}

SL_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams *params)
{
    SL_CALL(sl_proc_node_set(rt, sl_proc_node_in_exec(exec, node), params));
}

/* Kinds of nodes whose parameters the driver lays out otherwise: added, set in a graph, set in an executable. */
#define KIND(name, type, struct)                                                                                       \
    SL_API cudaError_t cudaGraphAdd##name##Node(NEW_NODE, size_t count, struct *params)                                \
    {                                                                                                                  \
        SL_CALL(sl_proc_graph_add_kind(PLACE, count, type, params, sizeof *params));                                   \
    }                                                                                                                  \
    SL_API cudaError_t cudaGraph##name##NodeSetParams(cudaGraphNode_t node, const struct *params)                      \
    {                                                                                                                  \
        SL_CALL(sl_proc_node_set_kind(rt, node, type, params, sizeof *params));                                        \
    }                                                                                                                  \
    SL_API cudaError_t cudaGraphExec##name##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,                  \
                                                          const struct *params)                                        \
    {                                                                                                                  \
        SL_CALL(sl_proc_node_set_kind(rt, sl_proc_node_in_exec(exec, node), type, params, sizeof *params));            \
    }
KIND(Kernel, cudaGraphNodeTypeKernel, cudaKernelNodeParams)
KIND(Memcpy, cudaGraphNodeTypeMemcpy, cudaMemcpy3DParms)

SL_API cudaError_t cudaGraphAddMemsetNode(NEW_NODE, size_t count, cudaMemsetParams *params)
{
    SL_CALL(sl_proc_graph_add_kind(PLACE, count, cudaGraphNodeTypeMemset, params, sizeof *params));
}

SL_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaMemsetParams *params)
{
    SL_CALL(
        sl_proc_node_set_kind(rt, sl_proc_node_in_exec(exec, node), cudaGraphNodeTypeMemset, params, sizeof *params));
}

SL_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    SL_CALL(sl_proc_node_get_kernel(node, params));
}

SL_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *params)
{
    SL_CALL(sl_proc_node_get_copy(node, params));
}

/* ---- copies of one row, and of symbols ---- */

static sl_proc_op copy_op(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    return (sl_proc_op){.kind = SL_PROC_COPY,
                        .copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
}

/* `symbol` takes the place of the pointer that is NULL. */
static cudaError_t symbol_op(sl_proc *rt, sl_proc_op *op, const void *symbol, size_t offset)
{
    char *location;
    size_t size;
    cudaError_t error = sl_proc_variable_address(rt, symbol, &location, &size);
    if (error)
        return error;
    if (offset > size || op->copy.width > size - offset)
        return cudaErrorInvalidValue;
    if (op->copy.src)
        op->copy.dst = location + offset;
    else
        op->copy.src = location + offset;
    return op->copy.dst ? cudaSuccess : cudaErrorInvalidValue;
}

/* Form of a copy, its parameters, its work: added, set in a graph, set in an executable. */
#define COPY(form, parameters, prepare, ...)                                                                           \
    SL_API cudaError_t cudaGraphAddMemcpyNode##form(NEW_NODE, size_t count, UNPACK parameters)                         \
    {                                                                                                                  \
        sl_proc_op op = copy_op(__VA_ARGS__, kind);                                                                    \
        SL_CALL(node &&graph ? (prepare) ?: sl_proc_graph_add_node(PLACE, NULL, count, &op) : cudaErrorInvalidValue);  \
    }                                                                                                                  \
    SL_API cudaError_t cudaGraphMemcpyNodeSetParams##form(cudaGraphNode_t node, UNPACK parameters)                     \
    {                                                                                                                  \
        sl_proc_op op = copy_op(__VA_ARGS__, kind);                                                                    \
        SL_CALL((prepare) ?: sl_proc_node_replace(rt, node, &op));                                                     \
    }                                                                                                                  \
    SL_API cudaError_t cudaGraphExecMemcpyNodeSetParams##form(cudaGraphExec_t exec, cudaGraphNode_t node,              \
                                                              UNPACK parameters)                                       \
    {                                                                                                                  \
        sl_proc_op op = copy_op(__VA_ARGS__, kind);                                                                    \
        SL_CALL((prepare) ?: sl_proc_node_replace(rt, sl_proc_node_in_exec(exec, node), &op));                         \
    }
#define UNPACK(...) __VA_ARGS__
COPY(1D, (void *dst, const void *src, size_t bytes, cudaMemcpyKind kind), cudaSuccess, dst, src, bytes)
COPY(ToSymbol, (const void *symbol, const void *src, size_t bytes, size_t offset, cudaMemcpyKind kind),
     symbol_op(rt, &op, symbol, offset), NULL, src, bytes)
COPY(FromSymbol, (void *dst, const void *symbol, size_t bytes, size_t offset, cudaMemcpyKind kind),
     symbol_op(rt, &op, symbol, offset), dst, NULL, bytes)
