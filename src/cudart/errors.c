/* SPDX-License-Identifier: MIT */
/* Errors: the last one of each thread, and their names. */
#include "cudart/runtime.h"

static _Thread_local cudaError_t last_error;

cudaError_t sl_cudart_ready(sl_rt *rt)
{
    sl_rt_context_need(rt);
    return sl_rt_ready(rt);
}

cudaError_t sl_cudart_leave(sl_rt *rt, cudaError_t error)
{
    /* "Not ready" is an answer, not a failure: CUDA does not keep it either. */
    if (error && error != cudaErrorNotReady)
        last_error = error;
    sl_rt_unlock(rt);
    return error;
}

/* CUDA 13 is less exact than its predecessors. */
cudaError_t sl_cudart_error(cudaError_t error)
{
    if (SL_CUDART >= 13 && error == cudaErrorInvalidDeviceFunction)
        return cudaErrorInvalidResourceHandle;
    if (SL_CUDART >= 13 && error == cudaErrorInvalidPitchValue)
        return cudaErrorInvalidValue;
    return error;
}

SL_API cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

SL_API cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

static const char *known(const char *text)
{
    return text ? text : "unrecognized error code";
}

SL_API const char *cudaGetErrorName(cudaError_t error)
{
    return known(sl_rt_error_name(error));
}

SL_API const char *cudaGetErrorString(cudaError_t error)
{
    return known(sl_rt_error_text(error));
}
