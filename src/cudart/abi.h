/* SPDX-License-Identifier: MIT */
/* The parts of the CUDA runtime's binary interface that changed between versions; the others are in process/types.h.
 *
 * One source serves CUDA 11, 12 and 13; SL_CUDART is the major version it is built for. tests/cudart compares the
 * layouts with the CUDA headers when they are installed. */
#ifndef SL_CUDART_ABI_H
#define SL_CUDART_ABI_H

#include "process/types.h"

#ifndef SL_CUDART
#error "SL_CUDART must be 11, 12 or 13"
#endif

typedef struct cudaResourceDesc {
    sl_proc_resource known;
#if SL_CUDART >= 13
    char room[144 - sizeof(sl_proc_resource)];
#endif
} cudaResourceDesc;

/* Bytes of a cudaTextureDesc of this version. */
#if SL_CUDART >= 12
enum { SL_TEXTURE_DESC_BYTES = sizeof(cudaTextureDesc) };
#else
enum { SL_TEXTURE_DESC_BYTES = offsetof(cudaTextureDesc, seamlessCubemap) };
#endif

typedef struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
#if SL_CUDART >= 13
    long reserved[8];
#endif
} cudaPointerAttributes;

typedef struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout;
#if SL_CUDART >= 12
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
        clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
#endif
} cudaFuncAttributes;

/* cudaDeviceProp: 11's fields are a prefix of 12's; 13 removed some and took up room that 12 had kept free. */
typedef struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
#if SL_CUDART < 13
    int clockRate;
#endif
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
#if SL_CUDART < 13
    int deviceOverlap;
#endif
    int multiProcessorCount;
#if SL_CUDART < 13
    int kernelExecTimeoutEnabled;
#endif
    int integrated, canMapHostMemory;
#if SL_CUDART < 13
    int computeMode;
#endif
    int maxTexture1D, maxTexture1DMipmap;
#if SL_CUDART < 13
    int maxTexture1DLinear;
#endif
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3],
        maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3],
        maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3],
        maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing;
#if SL_CUDART < 13
    int memoryClockRate;
#endif
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported,
        globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
#if SL_CUDART < 13
    int singleToDoublePrecisionPerfRatio;
#endif
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
        cooperativeLaunch;
#if SL_CUDART < 13
    int cooperativeMultiDeviceLaunch;
#endif
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    /* CUDA 11 ends here. */
#if SL_CUDART >= 12
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
        timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int reserved[63]; /* 13 names the first seven */
#endif
} cudaDeviceProp;

#endif
