/* SPDX-License-Identifier: MIT */
/* Functions of the runtime whose parameters differ between HIP and CUDA, or between versions of CUDA. */
#ifndef SLUICE_HIP_CHANGED_H
#define SLUICE_HIP_CHANGED_H

#ifdef __cplusplus
template <class T> static inline cudaError_t hipHostMalloc(T **to, size_t bytes, unsigned flags = 0)
{
    return cudaMallocHost(to, bytes, flags);
}
template <class T> static inline cudaError_t hipExtMallocWithFlags(T **to, size_t bytes, unsigned)
{
    return cudaMalloc(to, bytes);
}
#define SLUICE_HIP_OR(value) = value
#else
#define hipHostMalloc(to, bytes, flags) cudaHostAlloc((to), (bytes), (flags))
#define SLUICE_HIP_OR(value)
#endif

/* Coherence is not a matter of flags here. */
#define hipHostMallocNumaUser      0
#define hipHostMallocCoherent      0
#define hipHostMallocNonCoherent   0
#define hipDeviceMallocDefault     0
#define hipDeviceMallocFinegrained 0
#define hipDeviceMallocUncached    0
#define hipMallocSignalMemory      0
#define hipEventReleaseToDevice    0
#define hipEventReleaseToSystem    0
#define hipEventDisableSystemFence 0

static inline cudaError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                              cudaStream_t stream)
{
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, stream);
    return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

#if CUDART_VERSION >= 13000
static inline struct cudaMemLocation sluice_hip_location(int device)
{
    struct cudaMemLocation location;
    location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device < 0 ? 0 : device;
    return location;
}
#else
#define sluice_hip_location(device) (device)
#endif

static inline cudaError_t hipMemPrefetchAsync(const void *at, size_t bytes, int device,
                                              cudaStream_t stream SLUICE_HIP_OR(0))
{
#if CUDART_VERSION >= 13000
    return cudaMemPrefetchAsync(at, bytes, sluice_hip_location(device), 0, stream);
#else
    return cudaMemPrefetchAsync(at, bytes, device, stream);
#endif
}

static inline cudaError_t hipMemAdvise(const void *at, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(at, bytes, advice, sluice_hip_location(device));
}

/* Banks of shared memory have had one width since CUDA's compute capability 5.0. */
typedef enum hipSharedMemConfig {
    hipSharedMemBankSizeDefault,
    hipSharedMemBankSizeFourByte,
    hipSharedMemBankSizeEightByte
} hipSharedMemConfig;
static inline cudaError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config)
{
    (void)config;
    return cudaSuccess;
}
static inline cudaError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config)
{
    *config = hipSharedMemBankSizeFourByte;
    return cudaSuccess;
}
static inline cudaError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config)
{
    (void)function, (void)config;
    return cudaSuccess;
}

/* CUDA 13 gave edges data of their own. */
#if CUDART_VERSION >= 13000
#define SLUICE_HIP_NO_EDGE_DATA NULL,
#else
#define SLUICE_HIP_NO_EDGE_DATA
#endif
static inline cudaError_t hipGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, SLUICE_HIP_NO_EDGE_DATA count);
}
static inline cudaError_t hipGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                     const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphRemoveDependencies(graph, from, to, SLUICE_HIP_NO_EDGE_DATA count);
}
static inline cudaError_t hipGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    return cudaGraphGetEdges(graph, from, to, SLUICE_HIP_NO_EDGE_DATA count);
}
static inline cudaError_t hipGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *to, size_t *count)
{
    return cudaGraphNodeGetDependencies(node, to, SLUICE_HIP_NO_EDGE_DATA count);
}
static inline cudaError_t hipGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *to, size_t *count)
{
    return cudaGraphNodeGetDependentNodes(node, to, SLUICE_HIP_NO_EDGE_DATA count);
}
static inline cudaError_t hipStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
                                                             unsigned flags SLUICE_HIP_OR(0))
{
    return cudaStreamUpdateCaptureDependencies(stream, nodes, SLUICE_HIP_NO_EDGE_DATA count, flags);
}
static inline cudaError_t hipStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                     unsigned long long *id SLUICE_HIP_OR(0),
                                                     cudaGraph_t *graph SLUICE_HIP_OR(0),
                                                     const cudaGraphNode_t **nodes SLUICE_HIP_OR(0),
                                                     size_t *count SLUICE_HIP_OR(0))
{
#if CUDART_VERSION >= 13000
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, NULL, count);
#elif CUDART_VERSION >= 12000
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, count);
#else
    return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
#endif
}
static inline cudaError_t hipStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                  unsigned long long *id)
{
    return hipStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}
static inline cudaError_t hipGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *failed,
                                             enum cudaGraphExecUpdateResult *result)
{
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (failed)
        *failed = info.errorNode;
    if (result)
        *result = info.result;
    return error;
#else
    return cudaGraphExecUpdate(exec, graph, failed, result);
#endif
}

#endif
