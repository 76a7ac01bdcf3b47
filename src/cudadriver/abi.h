/* SPDX-License-Identifier: MIT */
/* The CUDA driver's binary interface, as far as it is not that of the core (process/types.h): struct layouts of CUDA 11
 * to 13, which have not changed. tests/cudadriver compares them with CUDA's header where that is installed. */
#ifndef SL_CUDADRIVER_ABI_H
#define SL_CUDADRIVER_ABI_H

#include "process/core.h"

/* Numbers of errors that the runtime does not have, or has under another number. */
typedef int CUresult;
enum { CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_INVALID_HANDLE = 400, CUDA_ERROR_NOT_FOUND = 500 };

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef sl_proc_context *CUcontext;
typedef sl_proc_binary *CUmodule;  /* and CUlibrary */
typedef cudaFunction_t CUfunction; /* and CUkernel */
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaArray_t CUarray;
typedef cudaMemPool_t CUmemoryPool;
typedef cudaGraph_t CUgraph;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaGraphExec_t CUgraphExec;
typedef cudaTextureObject_t CUtexObject; /* and CUsurfObject */
typedef cudaMipmappedArray_t CUmipmappedArray;
typedef cudaResourceViewDesc CUDA_RESOURCE_VIEW_DESC; /* without the room behind it */
typedef struct sl_proc_linker *CUlinkState;

enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED };

/* One side of a copy; those of two dimensions have less of it. */
typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

/* Also CUDA_MEMCPY3D_PEER, which names contexts where this has room. */
typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct CUDA_RESOURCE_DESC {
    int resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

enum {
    CU_TRSF_READ_AS_INTEGER = 1,
    CU_TRSF_NORMALIZED_COORDINATES = 2,
    CU_TRSF_SRGB = 0x10,
    CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION = 0x20,
    CU_TRSF_SEAMLESS_CUBEMAP = 0x40,
};

typedef struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

typedef struct CUDA_KERNEL_NODE_PARAMS { /* of version 2; version 1 ends with `extra` */
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    CUfunction kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUstreamBatchMemOpParams { /* a union: those that write and wait are alike */
    int operation;
    CUdeviceptr address;
    uint64_t value; /* 32-bit ones are its lower half */
    unsigned flags;
    uint64_t more[2];
} CUstreamBatchMemOpParams;

typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS {
    CUcontext ctx;
    unsigned count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;

typedef union CUgraphNodeParams {
    cudaGraphNodeParams any;
    struct {
        int head[4];
        union { /* where they are not those of the runtime */
            CUDA_KERNEL_NODE_PARAMS kernel;
            struct {
                int flags, reserved;
                CUcontext copyCtx;
                CUDA_MEMCPY3D copyParams;
            } memcpy;
            CUDA_BATCH_MEM_OP_NODE_PARAMS values;
        };
    };
} CUgraphNodeParams;

typedef struct CUmemAllocationProp {
    int type, requestedHandleTypes;
    cudaMemLocation location;
    void *win32HandleMetaData;
    unsigned char allocFlags[8];
} CUmemAllocationProp;

typedef struct CUmemAccessDesc {
    cudaMemLocation location;
    unsigned flags;
} CUmemAccessDesc;

typedef struct CUdevprop {
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth,
        memPitch, regsPerBlock, clockRate, textureAlign;
} CUdevprop;

typedef struct CUuuid {
    char bytes[16];
} CUuuid;

typedef enum CUjit_option {
    CU_JIT_INFO_LOG_BUFFER = 3,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_ERROR_LOG_BUFFER,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
} CUjit_option;

#endif
