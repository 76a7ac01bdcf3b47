/* SPDX-License-Identifier: MIT */
/* Stream capture and graphs. */
#include "cudadriver/driver.h"

#include <string.h>

/* ---- stream capture ---- */

SL_API CUresult cuStreamBeginCapture(CUstream stream)
{
    SL_CALL(sl_rt_capture_begin(rt, stream, NULL, NULL, 0));
}
SL_PTSZ(cuStreamBeginCapture);

SL_API CUresult cuStreamGetCaptureInfo(CUstream stream, int *status, unsigned long long *id)
{
    SL_CALL(sl_rt_capture_info(rt, stream, status, id, NULL, NULL, NULL));
}
SL_PTSZ(cuStreamGetCaptureInfo);

SL_API CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                          const CUgraphNode **after, size_t *count)
{
    SL_CALL(sl_rt_capture_info(rt, stream, status, id, graph, after, count));
}
SL_PTSZ(cuStreamGetCaptureInfo_v2);

SL_API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                          const CUgraphNode **after, const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    SL_CALL(sl_rt_capture_info(rt, stream, status, id, graph, after, count));
}
SL_PTSZ(cuStreamGetCaptureInfo_v3);

/* ---- graphs, node by node ---- */

/* A kernel node as the core has it. `kern` takes the place of `func`; version 1 does not have it. */
static cudaKernelNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS *p, bool has_kern)
{
    return (cudaKernelNodeParams){.func = p->func || !has_kern ? p->func : p->kern,
                                  .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                  .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                  .sharedMemBytes = p->sharedMemBytes,
                                  .kernelParams = p->kernelParams,
                                  .extra = p->extra};
}

static cudaError_t add_kernel(sl_rt *rt, CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *p, bool has_kern)
{
    if (!p)
        return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = kernel_params(p, has_kern);
    return sl_rt_graph_add_kernel(rt, node, graph, after, count, &params);
}

SL_API CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                        const CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(add_kernel(rt, node, graph, after, count, params, true));
}

SL_API CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(add_kernel(rt, node, graph, after, count, params, false));
}

static cudaError_t add_copy(sl_rt *rt, CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                            const CUDA_MEMCPY3D *params)
{
    sl_rt_op op = {.kind = SL_RT_COPY};
    cudaError_t error = sl_driver_copy_3d(rt, params, &op.copy);
    return error ? error : sl_rt_graph_add_node(rt, node, graph, after, count, &op);
}

SL_API CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                     const CUDA_MEMCPY3D *params, CUcontext context)
{
    (void)context;
    SL_CALL(add_copy(rt, node, graph, after, count, params));
}

SL_API CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                     const cudaMemsetParams *params, CUcontext context)
{
    (void)context;
    SL_CALL(sl_rt_graph_add_fill(rt, node, graph, after, count, params));
}

static cudaError_t set_kernel(sl_rt *rt, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p, bool has_kern)
{
    if (!p)
        return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = kernel_params(p, has_kern);
    return sl_rt_node_set_kernel(rt, node, &params);
}

SL_API CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(set_kernel(rt, node, params, true));
}

SL_API CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(set_kernel(rt, node, params, false));
}

SL_API CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                                  const CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(set_kernel(rt, sl_rt_node_in_exec(exec, node), params, true));
}

SL_API CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(set_kernel(rt, sl_rt_node_in_exec(exec, node), params, false));
}

static cudaError_t set_copy(sl_rt *rt, CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    if (!node || node->op.kind != SL_RT_COPY)
        return cudaErrorInvalidValue;
    return sl_driver_copy_3d(rt, params, &node->op.copy);
}

SL_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    SL_CALL(set_copy(rt, node, params));
}

SL_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                               CUcontext context)
{
    (void)context;
    SL_CALL(set_copy(rt, sl_rt_node_in_exec(exec, node), params));
}

SL_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const cudaMemsetParams *params,
                                               CUcontext context)
{
    (void)context;
    SL_CALL(sl_rt_node_set_fill(sl_rt_node_in_exec(exec, node), params));
}

static cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p, size_t bytes)
{
    cudaKernelNodeParams params;
    cudaError_t error = p ? sl_rt_node_get_kernel(node, &params) : cudaErrorInvalidValue;
    if (error)
        return error;
    const CUDA_KERNEL_NODE_PARAMS all = {.func = node->op.launch.function,
                                         .gridDimX = params.gridDim.x,
                                         .gridDimY = params.gridDim.y,
                                         .gridDimZ = params.gridDim.z,
                                         .blockDimX = params.blockDim.x,
                                         .blockDimY = params.blockDim.y,
                                         .blockDimZ = params.blockDim.z,
                                         .sharedMemBytes = params.sharedMemBytes,
                                         .kernelParams = params.kernelParams};
    memcpy(p, &all, bytes);
    return cudaSuccess;
}

SL_API CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(get_kernel(node, params, sizeof *params));
}

SL_API CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)
{
    SL_CALL(get_kernel(node, params, offsetof(CUDA_KERNEL_NODE_PARAMS, kern)));
}
