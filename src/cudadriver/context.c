/* SPDX-License-Identifier: MIT */
/* Contexts: created ones and the primary one, the stack of each thread, settings. */
#include "cudadriver/driver.h"

static unsigned primary_uses;
static unsigned primary_flags;

/* ---- the stack ---- */

static cudaError_t create(sl_proc *rt, CUcontext *context, unsigned flags, CUdevice device)
{
    if (!context)
        return cudaErrorInvalidValue;
    return device ? cudaErrorInvalidDevice : sl_proc_context_create(rt, flags, context);
}

SL_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    SL_CALL_FREE(create(rt, context, flags, device));
}
SL_ALIAS(cuCtxCreate, cuCtxCreate_v2);

SL_API CUresult cuCtxCreate_v3(CUcontext *context, void *affinities, int count, unsigned flags, CUdevice device)
{
    (void)affinities, (void)count;
    SL_CALL_FREE(create(rt, context, flags, device));
}

SL_API CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags, CUdevice device)
{
    (void)params;
    SL_CALL_FREE(create(rt, context, flags, device));
}

SL_API CUresult cuCtxDestroy_v2(CUcontext context)
{
    SL_CALL_FREE((sl_proc_flush_printed(rt), sl_proc_context_destroy(rt, context)));
}
SL_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);
SL_ALIAS(cuCtxDetach, cuCtxDestroy_v2);

SL_API CUresult cuCtxAttach(CUcontext *context, unsigned flags)
{
    SL_CALL(!context || flags ? cudaErrorInvalidValue : (*context = sl_proc_context_current(rt), cudaSuccess));
}

SL_API CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    SL_CALL_FREE(sl_proc_context_push(rt, context));
}
SL_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

SL_API CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    SL_CALL_FREE(sl_proc_context_pop(rt, context));
}
SL_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

SL_API CUresult cuCtxSetCurrent(CUcontext context)
{
    SL_CALL_FREE(sl_proc_context_set(rt, context));
}

SL_API CUresult cuCtxGetCurrent(CUcontext *context)
{
    SL_CALL_FREE(context ? (*context = sl_proc_context_current(rt), cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- the primary context ---- */

static cudaError_t retain(sl_proc *rt, CUcontext *context, CUdevice device)
{
    if (!context || device)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    rt->primary.is_primary = true;
    primary_uses++;
    *context = &rt->primary;
    return cudaSuccess;
}

SL_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    SL_CALL_FREE(retain(rt, context, device));
}

/* What is on the device stays: the runtime, which uses the same context, may still need it. */
static cudaError_t release(sl_proc *rt, CUdevice device)
{
    if (device)
        return cudaErrorInvalidDevice;
    if (!primary_uses)
        return cudaErrorDeviceUninitialized;
    primary_uses--;
    sl_proc_flush_printed(rt);
    return cudaSuccess;
}

SL_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    SL_CALL_FREE(release(rt, device));
}
SL_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

SL_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    SL_CALL_FREE(device ? cudaErrorInvalidDevice : (primary_flags = flags, cudaSuccess));
}
SL_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

static cudaError_t primary_state(sl_proc *rt, CUdevice device, unsigned *flags, int *active)
{
    if (device || !flags || !active)
        return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *flags = primary_flags;
    *active = primary_uses > 0 || rt->primary.is_primary;
    return cudaSuccess;
}

SL_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    SL_CALL_FREE(primary_state(rt, device, flags, active));
}

SL_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    sl_proc *rt = sl_proc_enter();
    if (!device)
        sl_proc_reset(rt);
    sl_proc_unlock(rt);
    return device ? (CUresult)cudaErrorInvalidDevice : 0;
}
SL_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

/* ---- questions and settings ---- */

SL_API CUresult cuCtxGetDevice(CUdevice *device)
{
    SL_CALL(device ? (*device = 0, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
    SL_CALL_FREE(!device ? cudaErrorInvalidValue
                 : context
                     ? (sl_proc_context_known(rt, context) ? (*device = 0, cudaSuccess) : cudaErrorDeviceUninitialized)
                 : sl_proc_context_current(rt) ? (*device = 0, cudaSuccess)
                                               : cudaErrorDeviceUninitialized);
}

SL_API CUresult cuCtxGetFlags(unsigned *flags)
{
    SL_CALL(flags ? (*flags = sl_proc_context_current(rt)->flags, cudaSuccess) : cudaErrorInvalidValue);
}

SL_API CUresult cuCtxSetFlags(unsigned flags)
{
    SL_CALL((sl_proc_context_current(rt)->flags = flags, cudaSuccess));
}

SL_API CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    SL_CALL(!id ? cudaErrorInvalidValue
                : (*id = (context ? context : sl_proc_context_current(rt))->id + 1, cudaSuccess));
}

SL_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    enum { API_VERSION = 3020 };
    SL_CALL_FREE(!version || (context && !sl_proc_context_known(rt, context)) ? cudaErrorInvalidValue
                                                                              : (*version = API_VERSION, cudaSuccess));
}

SL_API CUresult cuCtxSynchronize_v2(CUcontext context)
{
    (void)context;
    SL_CALL_WAITING(sl_proc_device_synchronize(rt));
}

static cudaError_t stream_context(sl_proc *rt, CUstream stream, CUcontext *context)
{
    cudaError_t error = context ? sl_proc_stream_hint(rt, stream) : cudaErrorInvalidValue;
    if (!error)
        *context = sl_proc_context_current(rt);
    return error;
}

SL_API CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    SL_CALL(stream_context(rt, stream, context));
}
SL_PTSZ(cuStreamGetCtx);

SL_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **green)
{
    if (green)
        *green = NULL;
    SL_CALL(stream_context(rt, stream, context));
}
SL_PTSZ(cuStreamGetCtx_v2);
