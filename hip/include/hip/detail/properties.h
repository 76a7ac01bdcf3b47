/* SPDX-License-Identifier: MIT */
/* hipDeviceProp_t: CUDA's, with the fields that only HIP has and those that CUDA 13 dropped. */
#ifndef SLUICE_HIP_PROPERTIES_H
#define SLUICE_HIP_PROPERTIES_H

#ifdef __cplusplus
#include <cstdio>

#if SLUICE_HIP_LANES == 64
/* A constant, as in HIP. nvcc has a variable of that name, which is 32; the same name is also that of a field. */
static constexpr int sluice_hip_warp_size = 64;
#undef warpSize
#define warpSize sluice_hip_warp_size
#endif

struct hipDeviceArch_t {
    unsigned hasGlobalInt32Atomics : 1, hasGlobalFloatAtomicExch : 1, hasSharedInt32Atomics : 1,
        hasSharedFloatAtomicExch : 1, hasFloatAtomicAdd : 1, hasGlobalInt64Atomics : 1, hasSharedInt64Atomics : 1,
        hasDoubles : 1, hasWarpVote : 1, hasWarpBallot : 1, hasWarpShuffle : 1, hasFunnelShift : 1,
        hasThreadFenceSystem : 1, hasSyncThreadsExt : 1, hasSurfaceFuncs : 1, has3dGrid : 1, hasDynamicParallelism : 1;
};

struct hipDeviceProp_t : cudaDeviceProp {
#if SLUICE_HIP_LANES == 64
    int warpSize;
#endif
    hipDeviceArch_t arch;
    char gcnArchName[256];
    size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate, isLargeBar, asicRevision, cooperativeMultiDeviceLaunch;
    int cooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedGridDim;
    int cooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedSharedMem;
    unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
#if CUDART_VERSION >= 13000
    int clockRate, memoryClockRate, computeMode, kernelExecTimeoutEnabled, deviceOverlap, maxTexture1DLinear;
    int singleToDoublePrecisionPerfRatio;
#endif
};

static inline cudaError_t hipGetDeviceProperties(hipDeviceProp_t *to, int device)
{
    *to = hipDeviceProp_t();
    cudaError_t error = cudaGetDeviceProperties(static_cast<cudaDeviceProp *>(to), device);
    if (error != cudaSuccess)
        return error;
    hipDeviceArch_t &a = to->arch;
    a.hasGlobalInt32Atomics = a.hasGlobalFloatAtomicExch = a.hasSharedInt32Atomics = 1;
    a.hasSharedFloatAtomicExch = a.hasFloatAtomicAdd = a.hasGlobalInt64Atomics = a.hasSharedInt64Atomics = 1;
    a.hasDoubles = a.hasWarpVote = a.hasWarpBallot = a.hasWarpShuffle = a.hasFunnelShift = 1;
    a.hasThreadFenceSystem = a.hasSyncThreadsExt = a.hasSurfaceFuncs = a.has3dGrid = a.hasDynamicParallelism = 1;
#if SLUICE_HIP_LANES == 64
    error = cudaDeviceGetAttribute(&to->warpSize, cudaDevAttrWarpSize, device);
    if (error != cudaSuccess)
        return error;
#endif
    snprintf(to->gcnArchName, sizeof to->gcnArchName, "sm_%d%d", to->major, to->minor);
    to->maxSharedMemoryPerMultiProcessor = to->sharedMemPerMultiprocessor;
#if CUDART_VERSION >= 13000
    const struct {
        int *field;
        cudaDeviceAttr attribute;
    } dropped[] = {{&to->clockRate, cudaDevAttrClockRate},
                   {&to->memoryClockRate, cudaDevAttrMemoryClockRate},
                   {&to->computeMode, cudaDevAttrComputeMode},
                   {&to->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
                   {&to->deviceOverlap, cudaDevAttrGpuOverlap},
                   {&to->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
                   {&to->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio}};
    for (const auto &each : dropped)
        if ((error = cudaDeviceGetAttribute(each.field, each.attribute, device)) != cudaSuccess)
            return error;
#endif
    to->clockInstructionRate = to->clockRate;
    return cudaSuccess;
}

static inline cudaError_t hipChooseDevice(int *device, const hipDeviceProp_t *wanted)
{
    return cudaChooseDevice(device, wanted);
}
#else
typedef struct cudaDeviceProp hipDeviceProp_t;
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipChooseDevice        cudaChooseDevice
#endif

#endif
