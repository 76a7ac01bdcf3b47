/* SPDX-License-Identifier: MIT */
/* Streams, events and host functions. */
#include "cudadriver/driver.h"

/* ---- streams ---- */

SL_API CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    SL_CALL(sl_rt_stream_create(rt, stream, flags, 0));
}

SL_API CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    SL_CALL(sl_rt_stream_create(rt, stream, flags, priority));
}

SL_API CUresult cuStreamDestroy_v2(CUstream stream)
{
    SL_CALL(sl_rt_stream_destroy(rt, stream));
}
SL_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

SL_API CUresult cuStreamSynchronize(CUstream stream)
{
    SL_CALL_WAITING(sl_rt_synchronize(rt, stream));
}
SL_PTSZ(cuStreamSynchronize);
SL_ALIAS(cuStreamQuery, cuStreamSynchronize);
SL_ALIAS(cuStreamQuery_ptsz, cuStreamSynchronize);

SL_API CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
    SL_CALL(sl_rt_stream_facts(rt, stream, flags, NULL, NULL));
}
SL_PTSZ(cuStreamGetFlags);

SL_API CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    SL_CALL(sl_rt_stream_facts(rt, stream, NULL, priority, NULL));
}
SL_PTSZ(cuStreamGetPriority);

SL_API CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    _Static_assert(sizeof *id == sizeof(uint64_t), "the same number");
    SL_CALL(sl_rt_stream_facts(rt, stream, NULL, NULL, (uint64_t *)id));
}
SL_PTSZ(cuStreamGetId);

static cudaError_t stream_context(sl_rt *rt, CUstream stream, CUcontext *context)
{
    cudaError_t error = context ? sl_rt_stream_hint(rt, stream) : cudaErrorInvalidValue;
    if (!error)
        *context = sl_rt_context_current(rt);
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

SL_API CUresult cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    SL_CALL(device ? (*device = 0, sl_rt_stream_hint(rt, stream)) : cudaErrorInvalidValue);
}
SL_PTSZ(cuStreamGetDevice);

/* Hints to a scheduler that there is none of: taken and forgotten. */
SL_API CUresult cuStreamSetAttribute(CUstream stream, int attribute, const void *value)
{
    (void)attribute, (void)value;
    SL_CALL(sl_rt_stream_hint(rt, stream));
}
SL_PTSZ(cuStreamSetAttribute);

SL_API CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    (void)from;
    SL_CALL(sl_rt_stream_hint(rt, to));
}
SL_PTSZ(cuStreamCopyAttributes);

SL_API CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags)
{
    (void)address, (void)bytes, (void)flags;
    SL_CALL(sl_rt_stream_hint(rt, stream));
}
SL_PTSZ(cuStreamAttachMemAsync);

SL_API CUresult cuStreamAddCallback(CUstream stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    SL_CALL(flags ? cudaErrorInvalidValue : sl_rt_submit_host(rt, stream, NULL, callback, data));
}
SL_PTSZ(cuStreamAddCallback);

SL_API CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void *data)
{
    SL_CALL(sl_rt_submit_host(rt, stream, function, NULL, data));
}
SL_PTSZ(cuLaunchHostFunc);

/* ---- events ---- */

SL_API CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    SL_CALL(sl_rt_event_create(rt, event, flags));
}

SL_API CUresult cuEventDestroy_v2(CUevent event)
{
    SL_CALL(sl_rt_event_destroy(rt, event));
}
SL_ALIAS(cuEventDestroy, cuEventDestroy_v2);

SL_API CUresult cuEventRecord(CUevent event, CUstream stream)
{
    SL_CALL(sl_rt_event_record(rt, event, stream));
}
SL_PTSZ(cuEventRecord);

SL_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    (void)flags;
    SL_CALL(sl_rt_event_record(rt, event, stream));
}
SL_PTSZ(cuEventRecordWithFlags);

SL_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    (void)flags;
    SL_CALL(sl_rt_event_wait(rt, stream, event));
}
SL_PTSZ(cuStreamWaitEvent);

SL_API CUresult cuEventSynchronize(CUevent event)
{
    SL_CALL_WAITING(sl_rt_event_synchronize(rt, event));
}
SL_ALIAS(cuEventQuery, cuEventSynchronize);

SL_API CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    SL_CALL(sl_rt_event_elapsed(rt, milliseconds, start, end));
}
SL_ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);
