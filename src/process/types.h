/* SPDX-License-Identifier: MIT */
/* The parts of CUDA's binary interface that all its versions share and that the core speaks: numbers, struct layouts,
 * handle types. Names follow the runtime so that code reads like its manual; where the driver has the same thing under
 * another name, the numbers are the same too. */
#ifndef SL_PROC_TYPES_H
#define SL_PROC_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_API __attribute__((visibility("default")))
/* Callers of the entry points use CUDA's prototypes. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

typedef enum cudaError_t {
#define SL_PROC_ERROR(number, name, text) name = number,
#include "process/errors.def"
#undef SL_PROC_ERROR
} cudaError_t;

typedef struct dim3 {
    uint32_t x, y, z;
} dim3;

typedef struct sl_proc_stream *cudaStream_t;
typedef struct sl_proc_event *cudaEvent_t;
typedef struct sl_proc_function *cudaFunction_t; /* cudaKernel_t, CUfunction and CUkernel are the same thing here */
typedef struct sl_proc_array *cudaArray_t;
typedef struct sl_proc_mipmap *cudaMipmappedArray_t;
typedef struct sl_proc_pool *cudaMemPool_t;
typedef struct sl_proc_graph *cudaGraph_t;
typedef struct sl_proc_node *cudaGraphNode_t;
typedef struct sl_proc_graph_exec *cudaGraphExec_t;
typedef struct sl_proc_user_object *cudaUserObject_t;
typedef unsigned long long cudaTextureObject_t; /* and cudaSurfaceObject_t */

/* cudaIpcMemHandle_t and cudaIpcEventHandle_t: 64 bytes, which mean nothing to programs (processes.c). */
typedef struct sl_proc_ipc_handle {
    uint32_t kind;
    int32_t owner, file; /* a process, and its number of the file */
    uint64_t address, bytes, unused[4];
} sl_proc_ipc_handle;
_Static_assert(sizeof(sl_proc_ipc_handle) == 64, "CUDA's size");

typedef void (*cudaHostFn_t)(void *user_data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user_data);

/* The two default streams can also be named by these values. */
#define cudaStreamLegacy    ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum {
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4,
};

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
} cudaMemcpyKind;

typedef enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged,
} cudaMemoryType;

typedef enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15,
} cudaFuncAttribute;

typedef enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize,
    SL_PROC_LIMITS,
} cudaLimit;

typedef enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone,
} cudaChannelFormatKind;

typedef struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits per component */
    cudaChannelFormatKind f;
} cudaChannelFormatDesc;

typedef struct cudaExtent {
    size_t width, height, depth;
} cudaExtent;

typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
} cudaMemcpy3DParms;

typedef struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;

typedef enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D,
} cudaResourceType;

/* What a texture is made of. Every version of the runtime has it; CUDA 13 keeps room behind it. */
typedef struct sl_proc_resource {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
} sl_proc_resource;

enum {
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8,
    SL_ARRAY_DEPTH = 0x10, /* of the driver */
    cudaArrayColorAttachment = 0x20,
    cudaArraySparse = 0x40,
    cudaArrayDeferredMapping = 0x80,
    SL_ARRAY_FLAGS = 0xff, /* all of these */
};

enum { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum { cudaFilterModePoint, cudaFilterModeLinear };
enum { cudaReadModeElementType, cudaReadModeNormalizedFloat };

typedef struct cudaTextureDesc {
    int addressMode[3];
    int filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap; /* not in CUDA 11 */
} cudaTextureDesc;

/* Also CUDA_RESOURCE_VIEW_DESC. The driver and CUDA 13's runtime keep room behind it. */
typedef struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
} cudaResourceViewDesc;

typedef struct cudaLaunchAttribute {
    int id;
    char pad[4];
    union {
        char pad[64];
        int cooperative;
        struct {
            unsigned x, y, z;
        } clusterDim;
        int priority;
        unsigned sharedMemCarveout;
    } val;
} cudaLaunchAttribute;

enum {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributePriority = 8,
    cudaLaunchAttributePreferredSharedMemoryCarveout = 14,
};

typedef struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

typedef struct cudaMemLocation {
    int type; /* 1: device `id`, 2: host */
    int id;
} cudaMemLocation;

typedef struct cudaMemPoolProps {
    int allocType, handleTypes;
    cudaMemLocation location;
    void *win32SecurityAttributes;
    unsigned char reserved[64]; /* newer versions use part of it */
} cudaMemPoolProps;

typedef enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic,
    cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold,
    cudaMemPoolAttrReservedMemCurrent,
    cudaMemPoolAttrReservedMemHigh,
    cudaMemPoolAttrUsedMemCurrent,
    cudaMemPoolAttrUsedMemHigh,
} cudaMemPoolAttr;

typedef struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
} cudaMemsetParams;

typedef struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
} cudaKernelNodeParams;

typedef struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
} cudaMemAllocNodeParams;

typedef struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
} cudaHostNodeParams;

enum { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };

typedef enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent,
    cudaGraphNodeTypeEventRecord,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeBatchMemOp = 12, /* the driver's */
    cudaGraphNodeTypeConditional = 13,
} cudaGraphNodeType;

typedef enum cudaGraphConditionalNodeType {
    cudaGraphCondTypeIf,
    cudaGraphCondTypeWhile,
    cudaGraphCondTypeSwitch,
} cudaGraphConditionalNodeType;

typedef struct cudaConditionalNodeParams {
    unsigned long long handle;
    cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *phGraph_out;
} cudaConditionalNodeParams;

/* Of any node. The driver's have more behind a kernel (a kernel handle, a context) and describe copies otherwise. */
typedef struct cudaGraphNodeParams {
    cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            cudaMemcpy3DParms copyParams;
        } memcpy;
        cudaMemsetParams memset;
        cudaHostNodeParams host;
        struct {
            cudaGraph_t graph;
            int ownership;
        } graph;
        cudaEvent_t event; /* to wait for, or to record */
        cudaMemAllocNodeParams alloc;
        void *pointer; /* to free */
        cudaConditionalNodeParams conditional;
    };
    long long reserved2;
} cudaGraphNodeParams;

typedef struct cudaGraphExecUpdateResultInfo {
    int result; /* 0: success, 1: error, 2: topology changed */
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

typedef struct cudaGraphInstantiateParams {
    unsigned long long flags;
    cudaStream_t uploadStream;
    cudaGraphNode_t errNode_out;
    int result_out;
} cudaGraphInstantiateParams;

typedef struct cudaUUID_t {
    char bytes[16];
} cudaUUID_t;

enum { SL_FATBIN_WRAPPER_MAGIC = 0x466243b1 };
/* Fat binaries, as compilers hand them over. */
typedef struct sl_fatbin_wrapper {
    uint32_t magic;   /* 0x466243b1 */
    uint32_t version; /* 1: one container; 2: and an array of containers to link with it */
    const void *container;
    const void *const *prelinked; /* version 2: NULL-terminated */
} sl_fatbin_wrapper;

#endif
