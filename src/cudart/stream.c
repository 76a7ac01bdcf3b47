/* SPDX-License-Identifier: MIT */
/* Streams, events and host functions. */
#include "cudart/runtime.h"

/* ---- waiting ---- */

/* These must pass printf output on even when a kernel has failed, so they look at the failure themselves. */
#define SL_CALL_WAITING(expression)                                                                                    \
    do {                                                                                                               \
        sl_rt *rt = sl_rt_enter();                                                                                     \
        cudaError_t sl_call_error = sl_cudart_ready(rt);                                                               \
        if (!sl_call_error || sl_call_error == rt->fault)                                                              \
            sl_call_error = (expression);                                                                              \
        return sl_cudart_leave(rt, sl_call_error);                                                                     \
    } while (0)

SL_API cudaError_t cudaDeviceSynchronize(void)
{
    SL_CALL_WAITING(sl_rt_device_synchronize(rt));
}
SL_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);

SL_API cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    SL_CALL_WAITING(sl_rt_synchronize(rt, stream));
}
SL_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
SL_ALIAS(cudaStreamQuery, cudaStreamSynchronize);
SL_ALIAS(cudaStreamQuery_ptsz, cudaStreamSynchronize);

/* ---- streams ---- */

SL_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    SL_CALL(sl_rt_stream_create(rt, stream, 0, 0));
}

SL_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    SL_CALL(sl_rt_stream_create(rt, stream, flags, 0));
}

SL_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    SL_CALL(sl_rt_stream_create(rt, stream, flags, priority));
}

SL_API cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    SL_CALL(sl_rt_stream_destroy(rt, stream));
}

SL_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    SL_CALL(sl_rt_stream_facts(rt, stream, flags, NULL, NULL));
}
SL_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

SL_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    SL_CALL(sl_rt_stream_facts(rt, stream, NULL, priority, NULL));
}
SL_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

SL_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    uint64_t number = 0;
    if (id)
        *id = 0;
    sl_rt *rt = sl_rt_enter();
    cudaError_t error = sl_cudart_ready(rt);
    if (!error)
        error = sl_rt_stream_facts(rt, stream, NULL, NULL, id ? &number : NULL);
    if (!error)
        *id = number;
    return sl_cudart_leave(rt, error);
}
SL_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

SL_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    unsigned ignored;
    if (device)
        *device = 0;
    SL_CALL(device ? sl_rt_stream_facts(rt, stream, &ignored, NULL, NULL) : cudaErrorInvalidValue);
}
SL_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

SL_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int attribute, const void *value)
{
    (void)attribute, (void)value;
    SL_CALL(sl_rt_stream_hint(rt, stream));
}
SL_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

SL_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    (void)from;
    SL_CALL(sl_rt_stream_hint(rt, to));
}
SL_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

SL_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned flags)
{
    (void)pointer, (void)bytes, (void)flags;
    SL_CALL(sl_rt_stream_hint(rt, stream));
}
SL_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);

/* ---- host functions ---- */

SL_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    SL_CALL(sl_rt_submit_host(rt, stream, function, NULL, data));
}
SL_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

SL_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    SL_CALL(flags ? cudaErrorInvalidValue : sl_rt_submit_host(rt, stream, NULL, callback, data));
}
SL_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

/* ---- events ---- */

SL_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    SL_CALL(sl_rt_event_create(rt, event, 0));
}

SL_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    SL_CALL(sl_rt_event_create(rt, event, flags));
}

SL_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    SL_CALL(sl_rt_event_destroy(rt, event));
}

SL_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    SL_CALL(sl_rt_event_record(rt, event, stream));
}
SL_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);

SL_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    (void)flags;
    SL_CALL(sl_rt_event_record(rt, event, stream));
}
SL_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

SL_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    SL_CALL(sl_rt_event_wait(rt, stream, event));
}
SL_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

SL_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    SL_CALL_WAITING(sl_rt_event_synchronize(rt, event));
}
SL_ALIAS(cudaEventQuery, cudaEventSynchronize);

SL_API cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    SL_CALL(sl_rt_event_elapsed(rt, milliseconds, start, end));
}
SL_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
