/* SPDX-License-Identifier: MIT */
/* Stream capture and graphs, where the interface differs from the runtime's. */
#include "cudadriver/driver.h"

#include <string.h>

/* ---- stream capture ---- */

SL_API CUresult cuStreamBeginCapture(CUstream stream)
{
    SL_CALL(sl_proc_capture_begin(rt, stream, NULL, NULL, NULL, 0));
}
SL_PTSZ(cuStreamBeginCapture);

SL_API CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int *status, unsigned long long *id, CUgraph *graph,
                                          const CUgraphNode **after, const void **edges, size_t *count)
{
    if (edges)
        *edges = NULL;
    SL_CALL(sl_proc_capture_info(rt, stream, status, id, graph, after, count));
}
SL_PTSZ(cuStreamGetCaptureInfo_v3);

/* ---- from the driver's parameters to those of the core ---- */

#define NEW_NODE CUgraphNode *node, CUgraph graph, const CUgraphNode *after
#define PLACE    rt, node, graph, after

/* Version 1 of a kernel's parameters ends before `kern`, which takes the place of `func`. */
static cudaKernelNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS *p, bool has_kern)
{
    return (cudaKernelNodeParams){.func = p->func || !has_kern ? p->func : p->kern,
                                  .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                  .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                  .sharedMemBytes = p->sharedMemBytes,
                                  .kernelParams = p->kernelParams,
                                  .extra = p->extra};
}

static cudaError_t values_op(sl_proc *rt, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p, sl_proc_op *op)
{
    *op = (sl_proc_op){.kind = SL_PROC_VALUES};
    return p ? sl_driver_values(rt, p->count, p->paramArray, &op->values.item, &op->values.count)
             : cudaErrorInvalidValue;
}

/* Any node. */
static cudaError_t op_of(sl_proc *rt, CUgraphNodeParams *p, sl_proc_op *op)
{
    if (!p)
        return cudaErrorInvalidValue;
    switch ((int)p->any.type) {
    case cudaGraphNodeTypeKernel:
        if (!p->kernel.func)
            p->any.kernel.func = p->kernel.kern;
        return sl_proc_node_op(rt, &p->any, op);
    case cudaGraphNodeTypeMemcpy:
        *op = (sl_proc_op){.kind = SL_PROC_COPY};
        return sl_driver_copy_3d(rt, &p->memcpy.copyParams, &op->copy);
    case cudaGraphNodeTypeBatchMemOp:
        return values_op(rt, &p->values, op);
    default:
        return sl_proc_node_op(rt, &p->any, op);
    }
}

static cudaError_t add(sl_proc *rt, NEW_NODE, const void *edges, size_t count, CUgraphNodeParams *params)
{
    sl_proc_op op;
    cudaError_t error = node && graph ? op_of(rt, params, &op) : cudaErrorInvalidValue;
    return error ? error : sl_proc_graph_add_node(PLACE, edges, count, &op);
}

SL_API CUresult cuGraphAddNode(NEW_NODE, size_t count, CUgraphNodeParams *params)
{
    SL_CALL(add(PLACE, NULL, count, params));
}

SL_API CUresult cuGraphAddNode_v2(NEW_NODE, const void *edges, size_t count, CUgraphNodeParams *params)
{
    SL_CALL(add(PLACE, edges, count, params));
}

static cudaError_t set(sl_proc *rt, CUgraphNode node, CUgraphNodeParams *params)
{
    sl_proc_op op;
    if (!params || params->any.type == cudaGraphNodeTypeMemAlloc || params->any.type == cudaGraphNodeTypeConditional)
        return cudaErrorInvalidValue;
    cudaError_t error = op_of(rt, params, &op);
    return error ? error : sl_proc_node_replace(rt, node, &op);
}

SL_API CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params)
{
    SL_CALL(set(rt, node, params));
}

SL_API CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params)
{
    SL_CALL(set(rt, sl_proc_node_in_exec(exec, node), params));
}

/* ---- kernels ---- */

static cudaError_t add_kernel(sl_proc *rt, NEW_NODE, size_t count, const CUDA_KERNEL_NODE_PARAMS *p, bool has_kern)
{
    if (!p)
        return cudaErrorInvalidValue;
    cudaKernelNodeParams params = kernel_params(p, has_kern);
    return sl_proc_graph_add_kind(PLACE, count, cudaGraphNodeTypeKernel, &params, sizeof params);
}

static cudaError_t set_kernel(sl_proc *rt, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *p, bool has_kern)
{
    if (!p)
        return cudaErrorInvalidValue;
    const cudaKernelNodeParams params = kernel_params(p, has_kern);
    return sl_proc_node_set_kind(rt, node, cudaGraphNodeTypeKernel, &params, sizeof params);
}

static cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *p, size_t bytes)
{
    cudaKernelNodeParams params;
    cudaError_t error = p ? sl_proc_node_get_kernel(node, &params) : cudaErrorInvalidValue;
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

/* Both versions: suffix, whether it has `kern`, bytes of its parameters. */
#define KERNELS(suffix, has_kern, bytes)                                                                               \
    SL_API CUresult cuGraphAddKernelNode##suffix(NEW_NODE, size_t count, const CUDA_KERNEL_NODE_PARAMS *params)        \
    {                                                                                                                  \
        SL_CALL(add_kernel(PLACE, count, params, has_kern));                                                           \
    }                                                                                                                  \
    SL_API CUresult cuGraphKernelNodeSetParams##suffix(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)        \
    {                                                                                                                  \
        SL_CALL(set_kernel(rt, node, params, has_kern));                                                               \
    }                                                                                                                  \
    SL_API CUresult cuGraphExecKernelNodeSetParams##suffix(CUgraphExec exec, CUgraphNode node,                         \
                                                           const CUDA_KERNEL_NODE_PARAMS *params)                      \
    {                                                                                                                  \
        SL_CALL(set_kernel(rt, sl_proc_node_in_exec(exec, node), params, has_kern));                                   \
    }                                                                                                                  \
    SL_API CUresult cuGraphKernelNodeGetParams##suffix(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params)              \
    {                                                                                                                  \
        SL_CALL(get_kernel(node, params, bytes));                                                                      \
    }
KERNELS(, false, offsetof(CUDA_KERNEL_NODE_PARAMS, kern))
KERNELS(_v2, true, sizeof(CUDA_KERNEL_NODE_PARAMS))

/* ---- copies and fills ---- */

static cudaError_t add_copy(sl_proc *rt, NEW_NODE, size_t count, const CUDA_MEMCPY3D *params)
{
    sl_proc_op op = {.kind = SL_PROC_COPY};
    cudaError_t error = node && graph ? sl_driver_copy_3d(rt, params, &op.copy) : cudaErrorInvalidValue;
    return error ? error : sl_proc_graph_add_node(PLACE, NULL, count, &op);
}

SL_API CUresult cuGraphAddMemcpyNode(NEW_NODE, size_t count, const CUDA_MEMCPY3D *params, CUcontext context)
{
    (void)context;
    SL_CALL(add_copy(PLACE, count, params));
}

static cudaError_t set_copy(sl_proc *rt, CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    sl_proc_op op = {.kind = SL_PROC_COPY};
    cudaError_t error = sl_driver_copy_3d(rt, params, &op.copy);
    return error ? error : sl_proc_node_replace(rt, node, &op);
}

SL_API CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params)
{
    SL_CALL(set_copy(rt, node, params));
}

SL_API CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                                               CUcontext context)
{
    (void)context;
    SL_CALL(set_copy(rt, sl_proc_node_in_exec(exec, node), params));
}

static cudaError_t get_copy(CUgraphNode node, CUDA_MEMCPY3D *p)
{
    cudaMemcpy3DParms c;
    cudaError_t error = p ? sl_proc_node_get_copy(node, &c) : cudaErrorInvalidValue;
    if (error)
        return error;
    bool to_host = c.kind == cudaMemcpyDeviceToHost, from_host = c.kind == cudaMemcpyHostToDevice;
    *p = (CUDA_MEMCPY3D){.srcMemoryType = from_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                         .srcHost = from_host ? c.srcPtr.ptr : NULL,
                         .srcDevice = from_host ? 0 : (uintptr_t)c.srcPtr.ptr,
                         .srcPitch = c.srcPtr.pitch,
                         .srcHeight = c.srcPtr.ysize,
                         .dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                         .dstHost = to_host ? c.dstPtr.ptr : NULL,
                         .dstDevice = to_host ? 0 : (uintptr_t)c.dstPtr.ptr,
                         .dstPitch = c.dstPtr.pitch,
                         .dstHeight = c.dstPtr.ysize,
                         .WidthInBytes = c.extent.width,
                         .Height = c.extent.height,
                         .Depth = c.extent.depth};
    return cudaSuccess;
}

SL_API CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    SL_CALL(get_copy(node, params));
}

SL_API CUresult cuGraphAddMemsetNode(NEW_NODE, size_t count, cudaMemsetParams *params, CUcontext context)
{
    (void)context;
    SL_CALL(sl_proc_graph_add_kind(PLACE, count, cudaGraphNodeTypeMemset, params, sizeof *params));
}

SL_API CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const cudaMemsetParams *params,
                                               CUcontext context)
{
    (void)context;
    SL_CALL(
        sl_proc_node_set_kind(rt, sl_proc_node_in_exec(exec, node), cudaGraphNodeTypeMemset, params, sizeof *params));
}

/* ---- values in memory ---- */

static cudaError_t add_values(sl_proc *rt, NEW_NODE, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    sl_proc_op op;
    cudaError_t error = node && graph ? values_op(rt, params, &op) : cudaErrorInvalidValue;
    return error ? error : sl_proc_graph_add_node(PLACE, NULL, count, &op);
}

SL_API CUresult cuGraphAddBatchMemOpNode(NEW_NODE, size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    SL_CALL(add_values(PLACE, count, params));
}

static cudaError_t set_values(sl_proc *rt, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    sl_proc_op op;
    cudaError_t error = values_op(rt, params, &op);
    return error ? error : sl_proc_node_replace(rt, node, &op);
}

SL_API CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    SL_CALL(set_values(rt, node, params));
}

SL_API CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *params)
{
    SL_CALL(set_values(rt, sl_proc_node_in_exec(exec, node), params));
}
