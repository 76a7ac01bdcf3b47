/* SPDX-License-Identifier: MIT */
/* The part of the CUDA driver's binary interface that Sluice calls: types, numbers and entry points, so that nothing of
 * CUDA is needed to build. Names and numbers are those of cuda.h and have been stable since CUDA 11. */
#ifndef SL_DEVICE_CUDA_DRIVER_H
#define SL_DEVICE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int cu_result; /* 0: success */
typedef int cu_device;
typedef uint64_t cu_deviceptr;
typedef struct cu_context *cu_context;
typedef struct cu_module *cu_module;
typedef struct cu_function *cu_function;
typedef struct cu_stream *cu_stream;
typedef struct cu_event *cu_event;

enum {
    CU_OUT_OF_MEMORY = 2,
    CU_NO_DEVICE = 100,
    CU_INVALID_DEVICE = 101,
    CU_INVALID_IMAGE = 200,
    CU_NO_BINARY_FOR_GPU = 209,
    CU_INVALID_PTX = 218,
    CU_UNSUPPORTED_PTX_VERSION = 222,
    /* From here to CU_LAUNCH_FAILED: a kernel went wrong. */
    CU_ILLEGAL_ADDRESS = 700,
    CU_LAUNCH_OUT_OF_RESOURCES = 701,
    CU_LAUNCH_FAILED = 719,

    CU_ATTR_MAX_THREADS_PER_BLOCK = 1,
    CU_ATTR_MAX_BLOCK_DIM_X = 2, /* Y and Z follow */
    CU_ATTR_MAX_GRID_DIM_X = 5,  /* Y and Z follow */
    CU_ATTR_MAX_SHARED_PER_BLOCK = 8,
    CU_ATTR_TOTAL_CONST = 9,
    CU_ATTR_WARP_SIZE = 10,
    CU_ATTR_SM_COUNT = 16,
    CU_ATTR_MAX_THREADS_PER_SM = 39,
    CU_ATTR_CAPABILITY_MAJOR = 75,
    CU_ATTR_CAPABILITY_MINOR = 76,
    CU_ATTR_MAX_SHARED_PER_SM = 81,
    CU_ATTR_MAX_REGISTERS_PER_SM = 82,
    CU_ATTR_MAX_SHARED_PER_BLOCK_OPTIN = 97,
    CU_ATTR_MAX_BLOCKS_PER_SM = 106,
    CU_ATTR_RESERVED_SHARED_PER_BLOCK = 111,

    CU_ATTR_MAX_PERSISTING_L2 = 108,
    CU_ATTR_MAX_WINDOW = 109,

    CU_FUNC_STATIC_SHARED = 1,
    CU_FUNC_MAX_DYNAMIC_SHARED = 8,
    CU_FUNC_CARVE_OUT = 9,

    CU_LIMIT_PERSISTING_L2 = 6,
    CU_LAUNCH_WINDOW = 1, /* launch attribute: a window of L2 */
    CU_ACCESS_NORMAL = 0,
    CU_ACCESS_PERSISTING = 2,

    CU_JIT_OPT_ERROR_LOG = 5,
    CU_JIT_OPT_ERROR_LOG_BYTES = 6,
    CU_JIT_OPT_LINE_INFO = 13,
};

typedef struct cu_launch_attribute { /* CUlaunchAttribute, of a window */
    int id;
    struct {
        uint64_t base;
        size_t bytes;
        float hit_ratio;
        int hit, miss; /* CU_ACCESS_* */
    } window;
    char rest[32]; /* of the 64 bytes of a value */
} cu_launch_attribute;
_Static_assert(sizeof(cu_launch_attribute) == 72, "as the driver has it");
/* A window over `bytes` at `base`, of which L2 keeps as much as was set aside; at most `most` bytes, where that is
 * known. */
static inline cu_launch_attribute sl_cu_window(uint64_t base, uint64_t bytes, int most, uint64_t set_aside)
{
    bytes = most > 0 && bytes > (uint64_t)most ? (uint64_t)most : bytes;
    double share = (double)set_aside / (double)bytes;
    return (cu_launch_attribute){.id = CU_LAUNCH_WINDOW,
                                 .window = {.base = base,
                                            .bytes = bytes,
                                            .hit_ratio = share < 1 ? (float)share : 1,
                                            .hit = CU_ACCESS_PERSISTING,
                                            .miss = CU_ACCESS_NORMAL}};
}

typedef struct cu_launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared_bytes;
    cu_stream stream;
    cu_launch_attribute *attribute;
    unsigned attributes;
} cu_launch_config;

/* Member, exported symbol, parameters. Where the driver has versions of a function, the one with 64-bit sizes. */
// clang-format off
#define SL_CUDA_DRIVER_TABLE(F)                                                                                        \
    F(init,                 cuInit,                     (unsigned flags))                                              \
    F(get_error_name,       cuGetErrorName,             (cu_result, const char **))                                    \
    F(get_error_string,     cuGetErrorString,           (cu_result, const char **))                                    \
    F(device_count,         cuDeviceGetCount,           (int *))                                                       \
    F(device_get,           cuDeviceGet,                (cu_device *, int ordinal))                                    \
    F(device_name,          cuDeviceGetName,            (char *, int bytes, cu_device))                                \
    F(device_attribute,     cuDeviceGetAttribute,       (int *, int attribute, cu_device))                             \
    F(device_memory,        cuDeviceTotalMem_v2,        (size_t *, cu_device))                                         \
    F(context_retain,       cuDevicePrimaryCtxRetain,   (cu_context *, cu_device))                                     \
    F(context_release,      cuDevicePrimaryCtxRelease_v2, (cu_device))                                                 \
    F(context_set,          cuCtxSetCurrent,            (cu_context))                                                  \
    F(context_get,          cuCtxGetCurrent,            (cu_context *))                                                \
    F(context_device,       cuCtxGetDevice,             (cu_device *))                                                 \
    F(context_synchronize,  cuCtxSynchronize,           (void))                                                        \
    F(mem_alloc,            cuMemAlloc_v2,              (cu_deviceptr *, size_t))                                      \
    F(mem_free,             cuMemFree_v2,               (cu_deviceptr))                                                \
    F(copy_htod,            cuMemcpyHtoD_v2,            (cu_deviceptr, const void *, size_t))                          \
    F(copy_dtoh,            cuMemcpyDtoH_v2,            (void *, cu_deviceptr, size_t))                                \
    F(copy_dtod,            cuMemcpyDtoD_v2,            (cu_deviceptr, cu_deviceptr, size_t))                          \
    F(memset_d8,            cuMemsetD8_v2,              (cu_deviceptr, unsigned char, size_t))                         \
    F(module_load,          cuModuleLoadDataEx,         (cu_module *, const void *, unsigned, int *, void **))         \
    F(module_unload,        cuModuleUnload,             (cu_module))                                                   \
    F(module_function,      cuModuleGetFunction,        (cu_function *, cu_module, const char *))                      \
    F(module_global,        cuModuleGetGlobal_v2,       (cu_deviceptr *, size_t *, cu_module, const char *))           \
    F(function_set,         cuFuncSetAttribute,         (cu_function, int attribute, int value))                       \
    F(function_get,         cuFuncGetAttribute,         (int *, int attribute, cu_function))                           \
    F(occupancy,            cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, cu_function, int threads, size_t))    \
    F(limit_set,            cuCtxSetLimit,              (int limit, size_t))                                           \
    F(reset_persisting,     cuCtxResetPersistingL2Cache, (void))                                                       \
    F(launch_ex,            cuLaunchKernelEx,           (const cu_launch_config *, cu_function, void **params, void **extra)) \
    F(launch,               cuLaunchKernel,             (cu_function, unsigned gx, unsigned gy, unsigned gz,           \
                                                         unsigned bx, unsigned by, unsigned bz, unsigned shared_bytes, \
                                                         cu_stream, void **params, void **extra))                      \
    F(event_create,         cuEventCreate,              (cu_event *, unsigned flags))                                  \
    F(event_destroy,        cuEventDestroy_v2,          (cu_event))                                                    \
    F(event_record,         cuEventRecord,              (cu_event, cu_stream))                                         \
    F(event_synchronize,    cuEventSynchronize,         (cu_event))                                                    \
    F(event_elapsed,        cuEventElapsedTime,         (float *milliseconds, cu_event, cu_event))
// clang-format on

#define SL_CUDA_MEMBER(member, symbol, params) cu_result(*member) params;
typedef struct sl_cuda_driver {
    SL_CUDA_DRIVER_TABLE(SL_CUDA_MEMBER)
} sl_cuda_driver;
#undef SL_CUDA_MEMBER

#endif
