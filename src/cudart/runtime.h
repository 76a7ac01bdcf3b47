/* SPDX-License-Identifier: MIT */
/* The CUDA runtime's interface over the core (process/core.h): each entry point is a line or two. What the runtime has
 * of its own is here: the last error of each thread, launch configurations, and struct layouts by version.
 *
 * Built once for each major version: SL_CUDART. Files are named as those of the core that they stand for. */
#ifndef SL_CUDART_RUNTIME_H
#define SL_CUDART_RUNTIME_H

#include "cudart/abi.h"
#include "process/core.h"

/* Ready to work, with a context that is current. */
cudaError_t sl_cudart_ready(sl_proc *rt);
/* Remembers the error for cudaGetLastError of the same caller, releases the lock, returns the error. */
cudaError_t sl_cudart_leave_to(const void *caller, sl_proc *rt, cudaError_t error);
#define sl_cudart_leave(rt, error) sl_cudart_leave_to(__builtin_return_address(0), rt, error)
/* The number that this version has for an error of the core. */
cudaError_t sl_cudart_error(cudaError_t error);

/* The body of an entry point: `expression` uses `rt`. */
#define SL_CALL(expression)                                                                                            \
    do {                                                                                                               \
        sl_proc *rt = sl_proc_enter();                                                                                 \
        cudaError_t sl_call_error = sl_cudart_ready(rt);                                                               \
        if (!sl_call_error)                                                                                            \
            sl_call_error = sl_cudart_error(expression);                                                               \
        return sl_cudart_leave(rt, sl_call_error);                                                                     \
    } while (0)

#define SL_CALL_FREE SL_CALL /* the driver tells these apart */
/* For calls that wait: they pass printf output on even when a kernel has failed. */
#define SL_CALL_WAITING(expression)                                                                                    \
    do {                                                                                                               \
        sl_proc *rt = sl_proc_enter();                                                                                 \
        cudaError_t sl_call_error = sl_cudart_ready(rt);                                                               \
        if (!sl_call_error || sl_call_error == rt->fault)                                                              \
            sl_call_error = (expression);                                                                              \
        return sl_cudart_leave(rt, sl_call_error);                                                                     \
    } while (0)

/* A second name for an entry point: the variants for per-thread default streams do the same here. */
#define SL_ALIAS(other, name) extern __typeof(name) other __attribute__((alias(#name), visibility("default")))

#endif
