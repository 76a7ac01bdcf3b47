/* SPDX-License-Identifier: MIT */
/* The header of HIP programs: the runtime, launches, and what kernels have. */
#ifndef SLUICE_HIP_RUNTIME_H
#define SLUICE_HIP_RUNTIME_H

#include "hip/hip_runtime_api.h"
#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#define HIP_KERNEL_NAME(...)           __VA_ARGS__
#define HIP_SYMBOL(name)               name
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...)                                             \
    do {                                                                                                               \
        kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__);                                            \
    } while (0)

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x  blockIdx.x
#define hipBlockIdx_y  blockIdx.y
#define hipBlockIdx_z  blockIdx.z
#define hipBlockDim_x  blockDim.x
#define hipBlockDim_y  blockDim.y
#define hipBlockDim_z  blockDim.z
#define hipGridDim_x   gridDim.x
#define hipGridDim_y   gridDim.y
#define hipGridDim_z   gridDim.z

#include "hip/detail/device.h"

#endif
