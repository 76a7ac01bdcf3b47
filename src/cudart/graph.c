/* SPDX-License-Identifier: MIT */
/* Stream capture and graphs. */
#include "cudart/runtime.h"

/* ---- stream capture ---- */

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

/* ---- graphs, node by node ---- */

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
    SL_CALL(sl_rt_graph_add_fill(rt, node, graph, after, count, params));
}

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

SL_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaMemsetParams *params)
{
    SL_CALL(sl_rt_node_set_fill(sl_rt_node_in_exec(exec, node), params));
}

SL_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params)
{
    SL_CALL(sl_rt_node_get_kernel(node, params));
}
