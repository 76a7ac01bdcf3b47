/* SPDX-License-Identifier: MIT */
/* Stream capture and graphs. */
#include "cudadriver/driver.h"

#include <string.h>

/* ---- stream capture ---- */

SL_API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
    (void)mode;
    SL_CALL(sl_rt_capture_begin(rt, stream, NULL, NULL, 0));
}
SL_PTSZ(cuStreamBeginCapture_v2);

SL_API CUresult cuStreamBeginCapture(CUstream stream)
{
    SL_CALL(sl_rt_capture_begin(rt, stream, NULL, NULL, 0));
}
SL_PTSZ(cuStreamBeginCapture);

SL_API CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode *after, const void *edges,
                                            size_t count, int mode)
{
    (void)edges, (void)mode;
    SL_CALL(graph ? sl_rt_capture_begin(rt, stream, graph, after, count) : cudaErrorInvalidValue);
}
SL_PTSZ(cuStreamBeginCaptureToGraph);

SL_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    SL_CALL(sl_rt_capture_end(rt, stream, graph));
}
SL_PTSZ(cuStreamEndCapture);

SL_API CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
    SL_CALL(sl_rt_capture_info(rt, stream, status, NULL, NULL, NULL, NULL));
}
SL_PTSZ(cuStreamIsCapturing);

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

SL_API CUresult cuThreadExchangeStreamCaptureMode(int *mode)
{
    SL_CALL_FREE(mode ? (*mode = 0, cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- graphs, node by node ---- */

SL_API CUresult cuGraphCreate(CUgraph *graph, unsigned flags)
{
    SL_CALL_FREE(!graph || flags                ? cudaErrorInvalidValue
                 : (*graph = sl_rt_graph_new()) ? cudaSuccess
                                                : cudaErrorMemoryAllocation);
}

SL_API CUresult cuGraphDestroy(CUgraph graph)
{
    SL_CALL_FREE(graph ? (sl_rt_graph_release(graph), cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphClone(CUgraph *clone, CUgraph graph)
{
    SL_CALL_FREE(!clone || !graph                      ? cudaErrorInvalidValue
                 : (*clone = sl_rt_graph_clone(graph)) ? cudaSuccess
                                                       : cudaErrorMemoryAllocation);
}

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
    sl_rt_op op = params ? sl_rt_fill_op(params) : (sl_rt_op){0};
    SL_CALL(params && (params->elementSize == 1 || params->elementSize == 2 || params->elementSize == 4)
                ? sl_rt_graph_add_node(rt, node, graph, after, count, &op)
                : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                   const cudaHostNodeParams *params)
{
    sl_rt_op op = {.kind = SL_RT_HOST};
    if (params) {
        op.host.function = params->fn;
        op.host.data = params->userData;
    }
    SL_CALL(params && params->fn ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count)
{
    sl_rt_op op = {.kind = SL_RT_EMPTY};
    SL_CALL(sl_rt_graph_add_node(rt, node, graph, after, count, &op));
}

SL_API CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                          CUevent event)
{
    sl_rt_op op = {.kind = SL_RT_RECORD, .event = event};
    SL_CALL(event ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                        CUevent event)
{
    sl_rt_op op = {.kind = SL_RT_WAIT, .event = event};
    SL_CALL(event ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                         CUgraph child)
{
    SL_CALL(sl_rt_graph_add_child(rt, node, graph, after, count, child));
}

SL_API CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                       cudaMemAllocNodeParams *params)
{
    SL_CALL(sl_rt_graph_add_alloc(rt, node, graph, after, count, params));
}

SL_API CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count,
                                      CUdeviceptr address)
{
    sl_rt_op op = {.kind = SL_RT_FREE, .pointer = SL_POINTER(address)};
    SL_CALL(address ? sl_rt_graph_add_node(rt, node, graph, after, count, &op) : cudaErrorInvalidValue);
}

SL_API CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : sl_rt_graph_memory(rt, attribute, value));
}

SL_API CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void *value)
{
    (void)attribute; /* only what was used at most can be set, to 0 */
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : value ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API CUresult cuDeviceGraphMemTrim(CUdevice device)
{
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : cudaSuccess);
}

SL_API CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    SL_CALL(graph ? sl_rt_graph_add_dependencies(from, to, count) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                          const void *edges, size_t count)
{
    (void)edges;
    SL_CALL(graph ? sl_rt_graph_add_dependencies(from, to, count) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    SL_CALL(sl_rt_graph_list(graph, nodes, count, false));
}

SL_API CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    SL_CALL(sl_rt_graph_list(graph, nodes, count, true));
}

SL_API CUresult cuGraphNodeGetType(CUgraphNode node, cudaGraphNodeType *type)
{
    SL_CALL(sl_rt_node_type(node, type));
}

SL_API CUresult cuGraphDestroyNode(CUgraphNode node)
{
    SL_CALL(sl_rt_node_destroy(node));
}

/* ---- executables ---- */

SL_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    (void)flags;
    SL_CALL(sl_rt_graph_instantiate(exec, graph));
}

SL_API CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *failed, char *log, size_t bytes)
{
    if (failed)
        *failed = NULL;
    if (log && bytes)
        *log = 0;
    SL_CALL(sl_rt_graph_instantiate(exec, graph));
}
SL_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);

SL_API CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, cudaGraphInstantiateParams *params)
{
    if (params) {
        params->errNode_out = NULL;
        params->result_out = 0;
    }
    SL_CALL(params ? sl_rt_graph_instantiate(exec, graph) : cudaErrorInvalidValue);
}
SL_PTSZ(cuGraphInstantiateWithParams);

SL_API CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    SL_CALL_FREE(exec ? (sl_rt_graph_exec_destroy(exec), cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    SL_CALL(sl_rt_graph_launch(rt, exec, stream));
}
SL_PTSZ(cuGraphLaunch);

SL_API CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
    SL_CALL(exec ? sl_rt_stream_hint(rt, stream) : cudaErrorInvalidValue);
}
SL_PTSZ(cuGraphUpload);

SL_API CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, cudaGraphExecUpdateResultInfo *info)
{
    int result;
    if (info)
        memset(info, 0, sizeof *info);
    SL_CALL(sl_rt_graph_update(exec, graph, info ? &info->result : &result));
}

SL_API CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *node, int *result)
{
    int ignored;
    if (node)
        *node = NULL;
    SL_CALL(sl_rt_graph_update(exec, graph, result ? result : &ignored));
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

SL_API CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const cudaMemsetParams *params)
{
    SL_CALL(sl_rt_node_set_fill(node, params));
}

SL_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const cudaMemsetParams *params,
                                               CUcontext context)
{
    (void)context;
    SL_CALL(sl_rt_node_set_fill(sl_rt_node_in_exec(exec, node), params));
}

SL_API CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
    CUgraphNode copy = sl_rt_node_in_exec(exec, node);
    SL_CALL(copy ? (copy->disabled = !enabled, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
    CUgraphNode copy = sl_rt_node_in_exec(exec, node);
    SL_CALL(copy && enabled ? (*enabled = !copy->disabled, cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- questions about graphs ---- */

SL_API CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    SL_CALL(sl_rt_graph_edges(graph, from, to, NULL, count));
}

SL_API CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, false, nodes, NULL, count));
}

SL_API CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, true, nodes, NULL, count));
}

SL_API CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count)
{
    SL_CALL(graph ? sl_rt_graph_remove_dependencies(from, to, count) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, void *edges, size_t *count)
{
    SL_CALL(sl_rt_graph_edges(graph, from, to, edges, count));
}

SL_API CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, void *edges, size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, false, nodes, edges, count));
}

SL_API CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, void *edges, size_t *count)
{
    SL_CALL(sl_rt_node_neighbours(node, true, nodes, edges, count));
}

SL_API CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                             const void *edges, size_t count)
{
    (void)edges;
    SL_CALL(graph ? sl_rt_graph_remove_dependencies(from, to, count) : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode node, CUgraph clone)
{
    SL_CALL(found && (*found = sl_rt_node_in_clone(clone, node)) ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    SL_CALL(node && graph && node->op.kind == SL_RT_CHILD ? (*graph = node->op.child, cudaSuccess)
                                                          : cudaErrorInvalidValue);
}

SL_API CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, cudaMemsetParams *params)
{
    SL_CALL(sl_rt_node_get_fill(node, params));
}

SL_API CUresult cuGraphHostNodeGetParams(CUgraphNode node, cudaHostNodeParams *params)
{
    SL_CALL(sl_rt_node_get_host(node, params));
}

SL_API CUresult cuGraphHostNodeSetParams(CUgraphNode node, const cudaHostNodeParams *params)
{
    SL_CALL(sl_rt_node_set_host(node, params));
}

SL_API CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const cudaHostNodeParams *params)
{
    SL_CALL(sl_rt_node_set_host(sl_rt_node_in_exec(exec, node), params));
}

SL_API CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event)
{
    SL_CALL(sl_rt_node_get_event(node, SL_RT_RECORD, event));
}

SL_API CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event)
{
    SL_CALL(sl_rt_node_set_event(node, SL_RT_RECORD, event));
}

SL_API CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    SL_CALL(sl_rt_node_set_event(sl_rt_node_in_exec(exec, node), SL_RT_RECORD, event));
}

SL_API CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event)
{
    SL_CALL(sl_rt_node_get_event(node, SL_RT_WAIT, event));
}

SL_API CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event)
{
    SL_CALL(sl_rt_node_set_event(node, SL_RT_WAIT, event));
}

SL_API CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event)
{
    SL_CALL(sl_rt_node_set_event(sl_rt_node_in_exec(exec, node), SL_RT_WAIT, event));
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
