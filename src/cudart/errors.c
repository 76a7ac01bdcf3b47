/* SPDX-License-Identifier: MIT */
/* Errors: the last one of each thread, and their names. */
#include "cudart/runtime.h"

/* CUDA's own libraries contain a runtime each, and with it a last error of their own. */
static _Thread_local cudaError_t last_error[1 + SL_PROC_CUDA_LIBRARIES];

cudaError_t sl_cudart_ready(sl_proc *rt)
{
    sl_proc_context_need(rt);
    return sl_proc_ready(rt);
}

static cudaError_t *last_error_of(const void *caller)
{
    return &last_error[sl_proc_cuda_library(sl_proc_file_at(caller))];
}

cudaError_t sl_cudart_leave_to(const void *caller, sl_proc *rt, cudaError_t error)
{
    /* "Not ready" is an answer, not a failure: CUDA does not keep it either. */
    if (error && error != cudaErrorNotReady)
        *last_error_of(caller) = error;
    sl_proc_unlock(rt);
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

/* Most threads have none, and who asks need not be found out. */
static cudaError_t last_of(const void *caller)
{
    unsigned any = 0;
    for (unsigned i = 0; i <= SL_PROC_CUDA_LIBRARIES; i++)
        any |= (unsigned)last_error[i];
    return any ? *last_error_of(caller) : cudaSuccess;
}

SL_API cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_of(__builtin_return_address(0));
    if (error)
        *last_error_of(__builtin_return_address(0)) = cudaSuccess;
    return error;
}

SL_API cudaError_t cudaPeekAtLastError(void)
{
    return last_of(__builtin_return_address(0));
}

static const char *known(const char *text)
{
    return text ? text : "unrecognized error code";
}

SL_API const char *cudaGetErrorName(cudaError_t error)
{
    return known(sl_proc_error_name(error));
}

SL_API const char *cudaGetErrorString(cudaError_t error)
{
    return known(sl_proc_error_text(error));
}
