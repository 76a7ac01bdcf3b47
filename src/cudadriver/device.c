/* SPDX-License-Identifier: MIT */
/* Start, devices (there is one), errors, profilers. */
#include "cudadriver/driver.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool initialized;

cudaError_t sl_driver_ready(sl_proc *rt, bool context)
{
    if (!initialized && !rt->emu) /* the runtime starts the driver as well */
        return cudaErrorInitializationError;
    if (context && !sl_proc_context_current(rt))
        return cudaErrorDeviceUninitialized;
    return sl_proc_ready(rt);
}

CUresult sl_driver_error(cudaError_t error)
{
    switch ((int)error) {
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    default: /* what only the runtime has, and lies below the driver's numbers, are complaints about values */
        return (int)error > 4 && (int)error < 100 ? CUDA_ERROR_INVALID_VALUE : (CUresult)error;
    }
}

SL_API CUresult cuInit(unsigned flags)
{
    sl_proc *rt = sl_proc_enter();
    initialized = true;
    cudaError_t error = flags ? cudaErrorInvalidValue : sl_proc_ready(rt);
    sl_proc_unlock(rt);
    return sl_driver_error(error);
}

SL_API CUresult cuDriverGetVersion(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = SL_DRIVER_VERSION;
    return 0;
}

/* ---- errors ---- */

SL_API CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    switch (error) {
#define SL_DRIVER_ERROR(number, text)                                                                                  \
    case number:                                                                                                       \
        *name = #text;                                                                                                 \
        return 0;
#include "cudadriver/errors.def"
#undef SL_DRIVER_ERROR
    }
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

SL_API CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = sl_proc_error_text((cudaError_t)error);
    return *text ? 0 : CUDA_ERROR_INVALID_VALUE;
}

/* ---- devices ---- */

static cudaError_t check_device(CUdevice device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

SL_API CUresult cuDeviceGetCount(int *count)
{
    SL_CALL_FREE(count ? (*count = 1, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    SL_CALL_FREE(!device ? cudaErrorInvalidValue : ordinal ? cudaErrorInvalidDevice : (*device = 0, cudaSuccess));
}

static cudaError_t device_name(sl_proc *rt, char *name, int length, CUdevice device)
{
    if (!name || length <= 0)
        return cudaErrorInvalidValue;
    if (check_device(device))
        return cudaErrorInvalidDevice;
    sl_proc_device_name(sl_proc_machine(rt), name, (size_t)length);
    return cudaSuccess;
}

SL_API CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    SL_CALL_FREE(device_name(rt, name, length, device));
}

SL_API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    SL_CALL_FREE(!uuid                  ? cudaErrorInvalidValue
                 : check_device(device) ? cudaErrorInvalidDevice
                                        : (sl_proc_device_uuid(uuid->bytes), cudaSuccess));
}
SL_ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2);

SL_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    SL_CALL_FREE(!bytes                 ? cudaErrorInvalidValue
                 : check_device(device) ? cudaErrorInvalidDevice
                                        : (*bytes = sl_proc_limits(rt)->memory_bytes, cudaSuccess));
}

SL_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    SL_CALL_FREE(!major || !minor ? cudaErrorInvalidValue
                 : check_device(device)
                     ? cudaErrorInvalidDevice
                     : (*major = (int)sl_proc_capability_for(rt, sl_proc_calling_library(rt)) / 10,
                        *minor = (int)sl_proc_capability_for(rt, sl_proc_calling_library(rt)) % 10, cudaSuccess));
}

/* By the attributes of the same meaning. */
static cudaError_t properties(sl_proc *rt, CUdevprop *p, CUdevice device)
{
    static const int NUMBERS[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    int values[sizeof NUMBERS / sizeof *NUMBERS];
    if (!p || check_device(device))
        return p ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        values[i] = sl_proc_attribute(rt, NUMBERS[i]);
    _Static_assert(sizeof values == sizeof *p, "a CUdevprop is these attributes in order");
    memcpy(p, values, sizeof values);
    return cudaSuccess;
}

SL_API CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice device)
{
    SL_CALL_FREE(properties(rt, p, device));
}

SL_API CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels, CUdevice device)
{
    (void)format, (void)channels;
    SL_CALL_FREE(width && !device ? (*width = SL_MAX_LINEAR_TEXELS, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuDeviceGetExecAffinitySupport(int *supported, int type, CUdevice device)
{
    (void)type, (void)device;
    SL_CALL_FREE(supported ? (*supported = 0, cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- other devices: there are none ---- */

SL_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    (void)peer, (void)flags;
    SL_CALL(cudaErrorInvalidDevice);
}

SL_API CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    (void)peer;
    SL_CALL(cudaErrorPeerAccessNotEnabled);
}
