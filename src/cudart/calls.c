/* SPDX-License-Identifier: MIT */
/* Entry points that do the same as their counterparts in the driver. */
#include "cudart/runtime.h"

#include <strings.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define SL_BOTH(body, runtime, driver, parameters, ...)                                                                \
    SL_API cudaError_t runtime parameters                                                                              \
    {                                                                                                                  \
        SL_##body(__VA_ARGS__);                                                                                        \
    }
#define SL_BOTH_PTSZ(runtime, driver) SL_ALIAS(runtime##_ptsz, runtime);
#define SL_NOT_HERE(...)
#if SL_CUDART < 12
#define SL_BOTH_UNTIL_11 SL_BOTH
#define SL_BOTH_FROM_12  SL_NOT_HERE
#else
#define SL_BOTH_UNTIL_11 SL_NOT_HERE
#define SL_BOTH_FROM_12  SL_BOTH
#endif
#if SL_CUDART < 13
#define SL_BOTH_UNTIL_12                                   SL_BOTH
#define SL_BOTH_V2(body, runtime, driver, parameters, ...) SL_BOTH(body, runtime##_v2, driver, parameters, __VA_ARGS__)
#define SL_BOTH_PTSZ_V2(runtime, driver)                   SL_ALIAS(runtime##_v2_ptsz, runtime##_v2);
#else
#define SL_BOTH_UNTIL_12 SL_NOT_HERE
#define SL_BOTH_V2       SL_BOTH
#define SL_BOTH_PTSZ_V2  SL_NOT_HERE
#endif
#include "process/calls.def"

/* Shorter forms and other names of them. */
SL_API cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

SL_API cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

#if SL_CUDART < 13
SL_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);
SL_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);
#endif
#if SL_CUDART >= 12
SL_ALIAS(cudaGraphInstantiate, cudaGraphInstantiateWithFlags);
#endif
SL_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
SL_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);
SL_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);
SL_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);
SL_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);

/* Entry points that are not there: each says so once and returns cudaErrorNotSupported, whatever it was given. */

#define SL_MISSING(name)                                                                                               \
    SL_API cudaError_t name(void)                                                                                      \
    {                                                                                                                  \
        static bool said;                                                                                              \
        sl_proc *rt = sl_proc_enter();                                                                                 \
        return sl_cudart_leave(rt, sl_proc_missing(#name, &said));                                                     \
    }
#include "cudart/missing.def"
