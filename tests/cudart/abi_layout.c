/* SPDX-License-Identifier: MIT */
/* Prints sizes, offsets and numbers of CUDA's interface: from src/cudart/abi.h, or with CUDA_HEADERS from CUDA's own
 * headers. tests/cudart/abi.sh compares the two. */
#include <stddef.h>
#include <stdio.h>

#ifdef CUDA_HEADERS
#include <cuda_runtime_api.h>
#else
#define SL_CUDART 13
#include "cudart/abi.h"
#endif

#define SIZE(type)      printf("sizeof " #type " %zu\n", sizeof(type))
#define AT(type, field) printf(#type "." #field " %zu\n", offsetof(type, field))
#ifdef CUDA_HEADERS
#define RESOURCE_AT(field) printf("ResourceDesc." #field " %zu\n", offsetof(ResourceDesc, field))
#else
#define RESOURCE_AT(field) printf("ResourceDesc." #field " %zu\n", offsetof(ResourceDesc, known.field))
#endif
#define NUMBER(name) printf(#name " %d\n", (int)name)

#ifdef CUDA_HEADERS
typedef struct cudaDeviceProp DeviceProp;
typedef struct cudaPointerAttributes PointerAttributes;
typedef struct cudaFuncAttributes FuncAttributes;
typedef struct cudaMemcpy3DParms Memcpy3DParms;
typedef struct cudaMemcpy3DPeerParms Memcpy3DPeerParms;
typedef struct cudaResourceDesc ResourceDesc;
typedef struct cudaTextureDesc TextureDesc;
typedef struct cudaResourceViewDesc ResourceViewDesc;
typedef struct cudaMemPoolProps MemPoolProps;
typedef struct cudaMemsetParams MemsetParams;
typedef struct cudaKernelNodeParams KernelNodeParams;
typedef struct cudaGraphNodeParams GraphNodeParams;
typedef struct cudaConditionalNodeParams ConditionalNodeParams;
typedef struct cudaMemLocation MemLocation;
#else
typedef cudaDeviceProp DeviceProp;
typedef cudaPointerAttributes PointerAttributes;
typedef cudaFuncAttributes FuncAttributes;
typedef cudaMemcpy3DParms Memcpy3DParms;
typedef cudaMemcpy3DPeerParms Memcpy3DPeerParms;
typedef cudaResourceDesc ResourceDesc;
typedef cudaTextureDesc TextureDesc;
typedef cudaResourceViewDesc ResourceViewDesc;
typedef cudaMemPoolProps MemPoolProps;
typedef cudaMemsetParams MemsetParams;
typedef cudaKernelNodeParams KernelNodeParams;
typedef cudaGraphNodeParams GraphNodeParams;
typedef cudaConditionalNodeParams ConditionalNodeParams;
typedef cudaMemLocation MemLocation;
#endif

static void sizes(void)
{
    SIZE(DeviceProp);
    SIZE(PointerAttributes);
    SIZE(FuncAttributes);
    SIZE(Memcpy3DParms);
    SIZE(Memcpy3DPeerParms);
    SIZE(ResourceDesc);
    SIZE(TextureDesc);
    SIZE(MemPoolProps);
    SIZE(MemsetParams);
    SIZE(KernelNodeParams);
    SIZE(GraphNodeParams);
    AT(GraphNodeParams, kernel);
    AT(GraphNodeParams, memcpy.copyParams);
    AT(GraphNodeParams, alloc.dptr);
    SIZE(ConditionalNodeParams);
    AT(ConditionalNodeParams, phGraph_out);
    SIZE(MemLocation);
    SIZE(cudaLaunchAttribute);
    SIZE(cudaLaunchConfig_t);
    SIZE(cudaGraphInstantiateParams);
    SIZE(cudaGraphExecUpdateResultInfo);
}

static void offsets(void)
{
    AT(ResourceViewDesc, depth);
    AT(ResourceViewDesc, lastLayer);
    AT(DeviceProp, totalGlobalMem);
    AT(DeviceProp, maxGridSize);
    AT(DeviceProp, totalConstMem);
    AT(DeviceProp, major);
    AT(DeviceProp, multiProcessorCount);
    AT(DeviceProp, maxTexture3DAlt);
    AT(DeviceProp, surfaceAlignment);
    AT(DeviceProp, asyncEngineCount);
    AT(DeviceProp, l2CacheSize);
    AT(DeviceProp, sharedMemPerMultiprocessor);
    AT(DeviceProp, cooperativeLaunch);
    AT(DeviceProp, sharedMemPerBlockOptin);
    AT(DeviceProp, reservedSharedMemPerBlock);
    AT(DeviceProp, memoryPoolsSupported);
    AT(DeviceProp, unifiedFunctionPointers);
    AT(PointerAttributes, hostPointer);
    AT(FuncAttributes, numRegs);
    AT(FuncAttributes, maxDynamicSharedSizeBytes);
    AT(FuncAttributes, nonPortableClusterSizeAllowed);
    AT(Memcpy3DParms, dstArray);
    AT(Memcpy3DParms, kind);
    AT(Memcpy3DPeerParms, dstDevice);
    RESOURCE_AT(res.pitch2D.pitchInBytes);
    RESOURCE_AT(res.linear.sizeInBytes);
    AT(TextureDesc, normalizedCoords);
    AT(TextureDesc, seamlessCubemap);
    AT(MemPoolProps, location);
    AT(MemsetParams, height);
    AT(KernelNodeParams, kernelParams);
    AT(cudaLaunchAttribute, val.clusterDim);
    AT(cudaLaunchConfig_t, attrs);
    AT(cudaLaunchConfig_t, numAttrs);
}

static void numbers(void)
{
#define SL_PROC_ERROR(number, name, text) NUMBER(name);
#include "process/errors.def"
#undef SL_PROC_ERROR
    NUMBER(cudaMemcpyDefault);
    NUMBER(cudaMemoryTypeManaged);
    NUMBER(cudaFuncAttributeMaxDynamicSharedMemorySize);
    NUMBER(cudaFuncAttributeClusterSchedulingPolicyPreference);
    NUMBER(cudaLimitPersistingL2CacheSize);
    NUMBER(cudaResourceTypePitch2D);
    NUMBER(cudaAddressModeBorder);
    NUMBER(cudaChannelFormatKindNone);
    NUMBER(cudaLaunchAttributeCooperative);
    NUMBER(cudaLaunchAttributeClusterDimension);
    NUMBER(cudaMemPoolAttrUsedMemHigh);
    NUMBER(cudaGraphNodeTypeEventRecord);
    NUMBER(cudaGraphNodeTypeMemFree);
    NUMBER(cudaStreamCaptureStatusInvalidated);
    NUMBER(cudaEventInterprocess);
    NUMBER(cudaStreamNonBlocking);
}

int main(void)
{
    sizes();
    offsets();
    numbers();
    return 0;
}
