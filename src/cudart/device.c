/* SPDX-License-Identifier: MIT */
/* The device: properties, attributes, settings. There is one. */
#include "cudart/runtime.h"

#include <string.h>
#include <strings.h>

#if SL_CUDART == 13
enum { VERSION = 13000 };
#elif SL_CUDART == 12
enum { VERSION = 12090 };
#else
enum { VERSION = 11080 };
#endif

/* ---- which device ---- */

SL_API cudaError_t cudaGetDeviceCount(int *count)
{
    sl_proc *rt = sl_proc_enter();
    if (count)
        *count = 1;
    return sl_cudart_leave(rt, count ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaGetDevice(int *device)
{
    sl_proc *rt = sl_proc_enter();
    if (device)
        *device = 0;
    return sl_cudart_leave(rt, device ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t check_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

SL_API cudaError_t cudaSetDevice(int device)
{
    SL_CALL(check_device(device));
}

SL_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    SL_CALL(check_device(device));
}

SL_API cudaError_t cudaSetValidDevices(int *devices, int count)
{
    (void)devices;
    SL_CALL(count < 0 || count > 1 ? cudaErrorInvalidValue : cudaSuccess);
}

SL_API cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted)
{
    if (device)
        *device = 0;
    SL_CALL(device && wanted ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    SL_CALL((rt->device_flags = flags, cudaSuccess));
}

SL_API cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    SL_CALL(flags ? (*flags = rt->device_flags | 8u /* host memory can be mapped */, cudaSuccess)
                  : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaDeviceReset(void)
{
    sl_proc *rt = sl_proc_enter();
    sl_proc_reset(rt);
    return sl_cudart_leave(rt, cudaSuccess);
}
SL_ALIAS(cudaThreadExit, cudaDeviceReset);

SL_API cudaError_t cudaRuntimeGetVersion(int *version)
{
    sl_proc *rt = sl_proc_enter();
    if (version)
        *version = VERSION;
    return sl_cudart_leave(rt, version ? cudaSuccess : cudaErrorInvalidValue);
}

SL_API cudaError_t cudaDriverGetVersion(int *version)
{
    sl_proc *rt = sl_proc_enter();
    if (version)
        *version = SL_DRIVER_VERSION;
    return sl_cudart_leave(rt, version ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- properties ---- */

static cudaError_t properties(sl_proc *rt, cudaDeviceProp *p, int device)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (check_device(device))
        return cudaErrorInvalidDevice;
    const sl_machine *m = sl_proc_machine(rt);
    const sl_gpu_limits *l = sl_proc_limits(rt);
    memset(p, 0, sizeof *p);
    sl_proc_device_name(sl_proc_machine(rt), p->name, sizeof p->name);
    sl_proc_device_uuid(p->uuid.bytes);
    p->totalGlobalMem = l->memory_bytes;
#define SL_ATTRIBUTE(number, value)
#define SL_ATTRIBUTE_PROPERTY(number, value, field) p->field = (__typeof(p->field))(value);
#if SL_CUDART < 13
#define SL_ATTRIBUTE_UNTIL_12(number, value, field) SL_ATTRIBUTE_PROPERTY(number, value, field)
#else
#define SL_ATTRIBUTE_UNTIL_12(number, value, field)
#endif
#if SL_CUDART >= 12
#define SL_ATTRIBUTE_FROM_12(number, value, field) SL_ATTRIBUTE_PROPERTY(number, value, field)
#else
#define SL_ATTRIBUTE_FROM_12(number, value, field)
#endif
#include "process/attributes.def"
#undef SL_ATTRIBUTE
#undef SL_ATTRIBUTE_PROPERTY
#undef SL_ATTRIBUTE_UNTIL_12
#undef SL_ATTRIBUTE_FROM_12
    return cudaSuccess;
}

#if SL_CUDART != 12
SL_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    SL_CALL(properties(rt, p, device));
}
SL_ALIAS(cudaGetDeviceProperties_v2, cudaGetDeviceProperties);
#else
SL_API cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *p, int device)
{
    SL_CALL(properties(rt, p, device));
}

/* Programs made for CUDA 11 give room for the first part only. */
static cudaError_t old_properties(sl_proc *rt, void *p, int device)
{
    cudaDeviceProp all;
    cudaError_t error = p ? properties(rt, &all, device) : cudaErrorInvalidValue;
    if (!error)
        memcpy(p, &all, offsetof(cudaDeviceProp, hostRegisterSupported));
    return error;
}

SL_API cudaError_t cudaGetDeviceProperties(void *p, int device)
{
    SL_CALL(old_properties(rt, p, device));
}
#endif

/* ---- other devices: there are none ---- */

SL_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    SL_CALL(cudaErrorInvalidDevice);
}

SL_API cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    SL_CALL(cudaErrorPeerAccessNotEnabled);
}
