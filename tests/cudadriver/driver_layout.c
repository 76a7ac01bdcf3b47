/* SPDX-License-Identifier: MIT */
/* Prints sizes and offsets of the driver's structs: from src/cudadriver/abi.h, or with CUDA_HEADERS from CUDA's own
 * header. tests/cudadriver/abi.sh compares the two. */
#include <stddef.h>
#include <stdio.h>

#ifdef CUDA_HEADERS
#include <cuda.h>
#else
#include "cudadriver/abi.h"
typedef cudaLaunchAttribute CUlaunchAttribute;
typedef cudaMemsetParams CUDA_MEMSET_NODE_PARAMS;
typedef cudaHostNodeParams CUDA_HOST_NODE_PARAMS;
typedef cudaMemPoolProps CUmemPoolProps;
typedef cudaMemLocation CUmemLocation;
typedef cudaMemAllocNodeParams CUDA_MEM_ALLOC_NODE_PARAMS;
typedef cudaGraphInstantiateParams CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef cudaGraphExecUpdateResultInfo CUgraphExecUpdateResultInfo;
#endif

#define SIZE(type)      printf("sizeof " #type " %zu\n", sizeof(type))
#define AT(type, field) printf(#type "." #field " %zu\n", offsetof(type, field))

int main(void)
{
    SIZE(CUDA_MEMCPY2D);
    SIZE(CUDA_MEMCPY3D);
    SIZE(CUDA_ARRAY_DESCRIPTOR);
    SIZE(CUDA_ARRAY3D_DESCRIPTOR);
    SIZE(CUDA_RESOURCE_DESC);
    SIZE(CUDA_TEXTURE_DESC);
    SIZE(CUlaunchConfig);
    SIZE(CUlaunchAttribute);
    SIZE(CUDA_KERNEL_NODE_PARAMS);
    SIZE(CUmemAllocationProp);
    AT(CUmemAllocationProp, location);
    SIZE(CUmemAccessDesc);
    SIZE(CUgraphNodeParams);
    AT(CUgraphNodeParams, kernel.kern);
    AT(CUgraphNodeParams, memcpy.copyParams);
    SIZE(CUstreamBatchMemOpParams);
    SIZE(CUDA_BATCH_MEM_OP_NODE_PARAMS);
    SIZE(CUDA_MEMSET_NODE_PARAMS);
    SIZE(CUDA_HOST_NODE_PARAMS);
    SIZE(CUmemPoolProps);
    SIZE(CUDA_MEM_ALLOC_NODE_PARAMS);
    AT(CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
    SIZE(CUmemLocation);
    SIZE(CUDA_GRAPH_INSTANTIATE_PARAMS);
    SIZE(CUgraphExecUpdateResultInfo);
    SIZE(CUdevprop);
    AT(CUDA_RESOURCE_VIEW_DESC, depth);
    AT(CUDA_RESOURCE_VIEW_DESC, lastLayer);
    AT(CUDA_RESOURCE_DESC, res.mipmap.hMipmappedArray);
    AT(CUDA_MEMCPY2D, srcPitch);
    AT(CUDA_MEMCPY2D, dstMemoryType);
    AT(CUDA_MEMCPY2D, WidthInBytes);
    AT(CUDA_MEMCPY3D, srcHeight);
    AT(CUDA_MEMCPY3D, dstMemoryType);
    AT(CUDA_MEMCPY3D, dstArray);
    AT(CUDA_MEMCPY3D, Depth);
    AT(CUDA_ARRAY3D_DESCRIPTOR, Flags);
    AT(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
    AT(CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
    AT(CUDA_RESOURCE_DESC, flags);
    AT(CUDA_TEXTURE_DESC, borderColor);
    AT(CUlaunchConfig, hStream);
    AT(CUlaunchConfig, numAttrs);
    AT(CUDA_KERNEL_NODE_PARAMS, kernelParams);
    AT(CUDA_KERNEL_NODE_PARAMS, kern);
    AT(CUDA_MEMSET_NODE_PARAMS, elementSize);
    AT(CUmemPoolProps, location);
    return 0;
}
