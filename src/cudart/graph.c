/* SPDX-License-Identifier: MIT */
/* Stream capture and graphs. */
#include "cudart/runtime.h"

#include <string.h>

/* ---- stream capture ---- */

SL_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    (void)mode;
    SL_CALL(sl_rt_capture_begin(rt, stream, NULL, NULL, 0));
}
SL_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

SL_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                                                 const void *edge_data, size_t count, int mode)
{
    (void)edge_data, (void)mode;
    SL_CALL(graph ? sl_rt_capture_begin(rt, stream, graph, after, count) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

SL_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    SL_CALL(sl_rt_capture_end(rt, stream, graph));
}
SL_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

SL_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status)
{
    SL_CALL(sl_rt_capture_info(rt, stream, status, NULL, NULL, NULL, NULL));
}
SL_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

#if SL_CUDART >= 13
SL_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id,
                                            cudaGraph_t *graph, const cudaGraphNode_t **after, const void **edges,
                                            size_t *count)
{
    if (edges)
        *edges = NULL;
    SL_CALL(sl_rt_capture_info(rt, stream, status, id, graph, after, count));
}
#else
SL_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id)
{
    SL_CALL(sl_rt_capture_info(rt, stream, status, id, NULL, NULL, NULL));
}

SL_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status, unsigned long long *id,
                                               cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *count)
{
    SL_CALL(sl_rt_capture_info(rt, stream, status, id, graph, after, count));
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
    SL_CALL(!graph || flags                ? cudaErrorInvalidValue
            : (*graph = sl_rt_graph_new()) ? cudaSuccess
                                           : cudaErrorMemoryAllocation);
}

SL_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    SL_CALL(graph ? (sl_rt_graph_release(graph), cudaSuccess) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    SL_CALL(!clone || !graph                      ? cudaErrorInvalidValue
            : (*clone = sl_rt_graph_clone(graph)) ? cudaSuccess
                                                  : cudaErrorMemoryAllocation);
}

SL_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaKernelNodeParams *params)
{
    SL_CALL(sl_rt_graph_add_kernel(rt, node, graph, after, count, params));
}

SL_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaMemcpy3DParms *params)
{
    SL_CALL(sl_rt_graph_add_copy(rt, node, graph, after, count, params));
}

SL_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                            size_t count, void *dst, const void *src, size_t bytes, cudaMemcpyKind kind)
{
    sl_rt_op op = {.kind = SL_RT_COPY,
                   .copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind}};
    SL_CALL(sl_rt_graph_add_node(rt, node, graph, after, count, &op));
}

SL_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                          size_t count, const cudaMemsetParams *params)
{
    sl_rt_op op = params ? sl_rt_fill_op(params) : (sl_rt_op){0};
    SL_CALL(params && (params->elementSize == 1 || params->elementSize == 2 || params->elementSize == 4)
                ? sl_rt_graph_add_node(rt, node, graph, after, count, &op)
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
    SL_CALL(params && params->fn ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                         size_t count)
{
    sl_rt_op op = {.kind = SL_RT_EMPTY};
    SL_CALL(sl_rt_graph_add_node(rt, node, graph, after, count, &op));
}

SL_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                               size_t count, cudaEvent_t event)
{
    sl_rt_op op = {.kind = SL_RT_RECORD, .event = event};
    SL_CALL(event ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t count, cudaEvent_t event)
{
    sl_rt_op op = {.kind = SL_RT_WAIT, .event = event};
    SL_CALL(event ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                              size_t count, cudaGraph_t child)
{
    SL_CALL(sl_rt_graph_add_child(rt, node, graph, after, count, child));
}

SL_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                            size_t count, cudaMemAllocNodeParams *params)
{
    SL_CALL(sl_rt_graph_add_alloc(rt, node, graph, after, count, params));
}

SL_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t count, void *pointer)
{
    sl_rt_op op = {.kind = SL_RT_FREE, .pointer = pointer};
    SL_CALL(pointer ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    SL_CALL(device ? cudaErrorInvalidDevice : sl_rt_graph_memory(rt, attribute, value));
}

SL_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    (void)attribute; /* only what was used at most can be set, to 0 */
    SL_CALL(device ? cudaErrorInvalidDevice : value ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaDeviceGraphMemTrim(int device)
{
    SL_CALL(device ? cudaErrorInvalidDevice : cudaSuccess);
}

#if SL_CUDART >= 13
SL_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            const void *edge_data, size_t count)
{
    (void)edge_data;
    SL_CALL(graph ? sl_rt_graph_add_dependencies(from, to, count) : cudaErrorInvalidValue);
}
#else
SL_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                            size_t count)
{
    SL_CALL(graph ? sl_rt_graph_add_dependencies(from, to, count) : cudaErrorInvalidValue);
}
#endif

SL_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    SL_CALL(sl_rt_graph_list(graph, nodes, count, false));
}

SL_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    SL_CALL(sl_rt_graph_list(graph, nodes, count, true));
}

SL_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type)
{
    SL_CALL(sl_rt_node_type(node, type));
}

SL_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    SL_CALL(sl_rt_node_destroy(node));
}

/* ---- executables ---- */

#if SL_CUDART >= 12
SL_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    SL_CALL(sl_rt_graph_instantiate(exec, graph));
}
#else
SL_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                        char *log, size_t log_bytes)
{
    if (error_node)
        *error_node = NULL;
    if (log && log_bytes)
        *log = 0;
    SL_CALL(sl_rt_graph_instantiate(exec, graph));
}
#endif

SL_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    SL_CALL(sl_rt_graph_instantiate(exec, graph));
}

SL_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                  cudaGraphInstantiateParams *params)
{
    if (params) {
        params->errNode_out = NULL;
        params->result_out = 0;
    }
    SL_CALL(params ? sl_rt_graph_instantiate(exec, graph) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

SL_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    SL_CALL(exec ? (sl_rt_graph_exec_destroy(exec), cudaSuccess) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    SL_CALL(sl_rt_graph_launch(rt, exec, stream));
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

#if SL_CUDART >= 12
SL_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    int result;
    if (info)
        memset(info, 0, sizeof *info);
    SL_CALL(sl_rt_graph_update(exec, graph, info ? &info->result : &result));
}
#else
SL_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node, int *result)
{
    int ignored;
    if (node)
        *node = NULL;
    SL_CALL(sl_rt_graph_update(exec, graph, result ? result : &ignored));
}
#endif

SL_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params)
{
    SL_CALL(sl_rt_node_set_kernel(rt, node, params));
}

SL_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *params)
{
    SL_CALL(sl_rt_node_set_kernel(rt, sl_rt_node_in_exec(exec, node), params));
}

SL_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t bytes,
                                                  cudaMemcpyKind kind)
{
    SL_CALL(sl_rt_node_set_copy(node, dst, src, bytes, kind));
}

SL_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *dst,
                                                      const void *src, size_t bytes, cudaMemcpyKind kind)
{
    SL_CALL(sl_rt_node_set_copy(sl_rt_node_in_exec(exec, node), dst, src, bytes, kind));
}

SL_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *params)
{
    SL_CALL(sl_rt_node_set_fill(node, params));
}

SL_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaMemsetParams *params)
{
    SL_CALL(sl_rt_node_set_fill(sl_rt_node_in_exec(exec, node), params));
}

SL_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled)
{
    cudaGraphNode_t copy = sl_rt_node_in_exec(exec, node);
    SL_CALL(copy ? (copy->disabled = !enabled, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled)
{
    cudaGraphNode_t copy = sl_rt_node_in_exec(exec, node);
    SL_CALL(copy && enabled ? (*enabled = !copy->disabled, cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- questions about graphs ---- */

#if SL_CUDART >= 13
SL_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges,
                                     size_t *count)
{
    SL_CALL(sl_rt_graph_edges(graph, from, to, edges, count));
}

SL_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges,
                                                size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, false, nodes, edges, count));
}

SL_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges,
                                                  size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, true, nodes, edges, count));
}

SL_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, const void *edges, size_t count)
{
    (void)edges;
    SL_CALL(graph ? sl_rt_graph_remove_dependencies(from, to, count) : cudaErrorInvalidValue);
}

#else
SL_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    SL_CALL(sl_rt_graph_edges(graph, from, to, NULL, count));
}

SL_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, false, nodes, NULL, count));
}

SL_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, true, nodes, NULL, count));
}

SL_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count)
{
    SL_CALL(graph ? sl_rt_graph_remove_dependencies(from, to, count) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, void *edges,
                                        size_t *count)
{
    SL_CALL(sl_rt_graph_edges(graph, from, to, edges, count));
}

SL_API cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges,
                                                   size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, false, nodes, edges, count));
}

SL_API cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes, void *edges,
                                                     size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, true, nodes, edges, count));
}

SL_API cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, const void *edges, size_t count)
{
    (void)edges;
    SL_CALL(graph ? sl_rt_graph_remove_dependencies(from, to, count) : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, const void *edges, size_t count)
{
    (void)edges;
    SL_CALL(graph ? sl_rt_graph_add_dependencies(from, to, count) : cudaErrorInvalidValue);
}
#endif

SL_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *found, cudaGraphNode_t node, cudaGraph_t clone)
{
    SL_CALL(found && (*found = sl_rt_node_in_clone(clone, node)) ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph)
{
    SL_CALL(node && graph && node->op.kind == SL_RT_CHILD ? (*graph = node->op.child, cudaSuccess)
                                                          : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    SL_CALL(sl_rt_node_get_kernel(node, params));
}

SL_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *params)
{
    SL_CALL(sl_rt_node_get_fill(node, params));
}

SL_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *params)
{
    SL_CALL(sl_rt_node_get_host(node, params));
}

SL_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *params)
{
    SL_CALL(sl_rt_node_set_host(node, params));
}

SL_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  const cudaHostNodeParams *params)
{
    SL_CALL(sl_rt_node_set_host(sl_rt_node_in_exec(exec, node), params));
}

SL_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    SL_CALL(sl_rt_node_get_event(node, SL_RT_RECORD, event));
}

SL_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    SL_CALL(sl_rt_node_set_event(node, SL_RT_RECORD, event));
}

SL_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    SL_CALL(sl_rt_node_set_event(sl_rt_node_in_exec(exec, node), SL_RT_RECORD, event));
}

SL_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event)
{
    SL_CALL(sl_rt_node_get_event(node, SL_RT_WAIT, event));
}

SL_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    SL_CALL(sl_rt_node_set_event(node, SL_RT_WAIT, event));
}

SL_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event)
{
    SL_CALL(sl_rt_node_set_event(sl_rt_node_in_exec(exec, node), SL_RT_WAIT, event));
}
