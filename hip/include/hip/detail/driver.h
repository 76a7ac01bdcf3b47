/* SPDX-License-Identifier: MIT */
/* HIP's functions for modules, contexts and devices, which in CUDA are the driver's. They are looked up when they are
 * called, so that programs need not be linked with libcuda. Errors of the driver have the runtime's numbers. */
#ifndef SLUICE_HIP_DRIVER_H
#define SLUICE_HIP_DRIVER_H

#include <cuda.h>
#include <stddef.h>

#define hipCtx_t                                         CUcontext
#define hipDevice_t                                      CUdevice
#define hipDeviceptr_t                                   CUdeviceptr
#define hipModule_t                                      CUmodule
#define hipFunction_attribute                            CUfunction_attribute
#define hipJitOption                                     CUjit_option
#define hipPointer_attribute                             CUpointer_attribute
#define HIP_LAUNCH_PARAM_BUFFER_POINTER                  CU_LAUNCH_PARAM_BUFFER_POINTER
#define HIP_LAUNCH_PARAM_BUFFER_SIZE                     CU_LAUNCH_PARAM_BUFFER_SIZE
#define HIP_LAUNCH_PARAM_END                             CU_LAUNCH_PARAM_END
#define hipJitOptionMaxRegisters                         CU_JIT_MAX_REGISTERS
#define hipJitOptionThreadsPerBlock                      CU_JIT_THREADS_PER_BLOCK
#define hipJitOptionWallTime                             CU_JIT_WALL_TIME
#define hipJitOptionInfoLogBuffer                        CU_JIT_INFO_LOG_BUFFER
#define hipJitOptionInfoLogBufferSizeBytes               CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES
#define hipJitOptionErrorLogBuffer                       CU_JIT_ERROR_LOG_BUFFER
#define hipJitOptionErrorLogBufferSizeBytes              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
#define hipJitOptionOptimizationLevel                    CU_JIT_OPTIMIZATION_LEVEL
#define HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK         CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
#define HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES             CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
#define HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES              CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES
#define HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES              CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES
#define HIP_FUNC_ATTRIBUTE_NUM_REGS                      CU_FUNC_ATTRIBUTE_NUM_REGS
#define HIP_FUNC_ATTRIBUTE_PTX_VERSION                   CU_FUNC_ATTRIBUTE_PTX_VERSION
#define HIP_FUNC_ATTRIBUTE_BINARY_VERSION                CU_FUNC_ATTRIBUTE_BINARY_VERSION
#define HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES

static inline cudaError_t sluice_hip_driver(const char *name, void **function)
{
#if CUDART_VERSION >= 12050
    enum cudaDriverEntryPointQueryResult found;
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, cudaEnableDefault, &found);
#elif CUDART_VERSION >= 12000
    enum cudaDriverEntryPointQueryResult found;
    return cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &found);
#else
    return cudaGetDriverEntryPoint(name, function, cudaEnableDefault);
#endif
}

/* hip: HIP's name; cuda: the driver's; then the parameters, and what is passed on. */
#define SLUICE_HIP_DRIVER(hip, cuda, parameters, arguments)                                                            \
    static inline cudaError_t hip parameters                                                                           \
    {                                                                                                                  \
        union {                                                                                                        \
            void *found;                                                                                               \
            CUresult(CUDAAPI *call) parameters;                                                                        \
        } function;                                                                                                    \
        cudaError_t error = sluice_hip_driver(#cuda, &function.found);                                                 \
        return error != cudaSuccess ? error                                                                            \
               : !function.found    ? cudaErrorNotSupported                                                            \
                                    : (cudaError_t)function.call arguments;                                               \
    }
// clang-format off
SLUICE_HIP_DRIVER(hipInit, cuInit, (unsigned flags), (flags))
SLUICE_HIP_DRIVER(hipDeviceGet, cuDeviceGet, (CUdevice *device, int ordinal), (device, ordinal))
SLUICE_HIP_DRIVER(hipDeviceGetName, cuDeviceGetName, (char *name, int bytes, CUdevice device), (name, bytes, device))
SLUICE_HIP_DRIVER(hipDeviceGetUuid, cuDeviceGetUuid, (CUuuid *uuid, CUdevice device), (uuid, device))
SLUICE_HIP_DRIVER(hipDeviceTotalMem, cuDeviceTotalMem, (size_t *bytes, CUdevice device), (bytes, device))
SLUICE_HIP_DRIVER(hipDeviceComputeCapability, cuDeviceComputeCapability, (int *major, int *minor, CUdevice device), (major, minor, device))
SLUICE_HIP_DRIVER(hipDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device), (context, device))
SLUICE_HIP_DRIVER(hipDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, (CUdevice device), (device))
SLUICE_HIP_DRIVER(hipDevicePrimaryCtxReset, cuDevicePrimaryCtxReset, (CUdevice device), (device))
SLUICE_HIP_DRIVER(hipDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), (device, flags))
SLUICE_HIP_DRIVER(hipDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active), (device, flags, active))
SLUICE_HIP_DRIVER(hipCtxDestroy, cuCtxDestroy, (CUcontext context), (context))
SLUICE_HIP_DRIVER(hipCtxPushCurrent, cuCtxPushCurrent, (CUcontext context), (context))
SLUICE_HIP_DRIVER(hipCtxPopCurrent, cuCtxPopCurrent, (CUcontext *context), (context))
SLUICE_HIP_DRIVER(hipCtxSetCurrent, cuCtxSetCurrent, (CUcontext context), (context))
SLUICE_HIP_DRIVER(hipCtxGetCurrent, cuCtxGetCurrent, (CUcontext *context), (context))
SLUICE_HIP_DRIVER(hipCtxGetDevice, cuCtxGetDevice, (CUdevice *device), (device))
SLUICE_HIP_DRIVER(hipModuleLoad, cuModuleLoad, (CUmodule *module, const char *file), (module, file))
SLUICE_HIP_DRIVER(hipModuleLoadData, cuModuleLoadData, (CUmodule *module, const void *image), (module, image))
SLUICE_HIP_DRIVER(hipModuleLoadDataEx, cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned options, CUjit_option *option, void **value), (module, image, options, option, value))
SLUICE_HIP_DRIVER(hipModuleUnload, cuModuleUnload, (CUmodule module), (module))
SLUICE_HIP_DRIVER(hipModuleGetFunction, cuModuleGetFunction, (CUfunction *function_, CUmodule module, const char *name), (function_, module, name))
SLUICE_HIP_DRIVER(hipModuleGetGlobal, cuModuleGetGlobal, (CUdeviceptr *at, size_t *bytes, CUmodule module, const char *name), (at, bytes, module, name))
SLUICE_HIP_DRIVER(hipFuncGetAttribute, cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction of), (value, attribute, of))
SLUICE_HIP_DRIVER(hipModuleLaunchKernel, cuLaunchKernel, (CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments, void **extra), (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments, extra))
SLUICE_HIP_DRIVER(hipModuleLaunchCooperativeKernel, cuLaunchCooperativeKernel, (CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void **arguments), (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, arguments))
SLUICE_HIP_DRIVER(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction kernel, int threads, size_t shared_bytes), (blocks, kernel, threads, shared_bytes))
SLUICE_HIP_DRIVER(hipMemGetAddressRange, cuMemGetAddressRange, (CUdeviceptr *base, size_t *bytes, CUdeviceptr at), (base, bytes, at))
SLUICE_HIP_DRIVER(hipMemcpyHtoD, cuMemcpyHtoD, (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))
SLUICE_HIP_DRIVER(hipMemcpyDtoH, cuMemcpyDtoH, (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))
SLUICE_HIP_DRIVER(hipMemcpyDtoD, cuMemcpyDtoD, (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
SLUICE_HIP_DRIVER(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream), (to, from, bytes, stream))
SLUICE_HIP_DRIVER(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
SLUICE_HIP_DRIVER(hipMemcpyDtoDAsync, cuMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
SLUICE_HIP_DRIVER(hipMemsetD8, cuMemsetD8, (CUdeviceptr to, unsigned char value, size_t count), (to, value, count))
SLUICE_HIP_DRIVER(hipMemsetD16, cuMemsetD16, (CUdeviceptr to, unsigned short value, size_t count), (to, value, count))
SLUICE_HIP_DRIVER(hipMemsetD32, cuMemsetD32, (CUdeviceptr to, unsigned value, size_t count), (to, value, count))
SLUICE_HIP_DRIVER(hipMemsetD8Async, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream), (to, value, count, stream))
SLUICE_HIP_DRIVER(hipMemsetD16Async, cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream), (to, value, count, stream))
SLUICE_HIP_DRIVER(hipMemsetD32Async, cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream stream), (to, value, count, stream))
SLUICE_HIP_DRIVER(hipStreamWaitValue32, cuStreamWaitValue32, (CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags), (stream, at, value, flags))
SLUICE_HIP_DRIVER(hipStreamWaitValue64, cuStreamWaitValue64, (CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags), (stream, at, value, flags))
SLUICE_HIP_DRIVER(hipStreamWriteValue32, cuStreamWriteValue32, (CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags), (stream, at, value, flags))
SLUICE_HIP_DRIVER(hipStreamWriteValue64, cuStreamWriteValue64, (CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags), (stream, at, value, flags))
SLUICE_HIP_DRIVER(hipDrvGetErrorName, cuGetErrorName, (CUresult error_, const char **name), (error_, name))
SLUICE_HIP_DRIVER(hipDrvGetErrorString, cuGetErrorString, (CUresult error_, const char **text), (error_, text))
// clang-format on

/* There is one context, that of the device. */
static inline cudaError_t hipCtxCreate(CUcontext *context, unsigned flags, CUdevice device)
{
    (void)flags;
    cudaError_t error = hipDevicePrimaryCtxRetain(context, device);
    return error != cudaSuccess ? error : hipCtxPushCurrent(*context);
}
#define hipCtxSynchronize cudaDeviceSynchronize

#endif
