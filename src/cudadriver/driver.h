/* SPDX-License-Identifier: MIT */
/* The CUDA driver's interface over the core (process/core.h): each entry point is a line or two. What the driver has of
 * its own is here: numbers of errors, and struct layouts. Files are named as those of the core that they stand for.
 *
 * Entry points of which CUDA has several variants are the newest ones that programs of CUDA 11 to 13 get; those for
 * 32-bit addresses are not there (missing.def). functions.def says which name and version leads to which symbol. */
#ifndef SL_CUDADRIVER_DRIVER_H
#define SL_CUDADRIVER_DRIVER_H

#include "cudadriver/abi.h"

/* Ready to work, after cuInit; `context`: one must be current. */
cudaError_t sl_driver_ready(sl_proc *rt, bool context);
/* The driver's number for an error of the core. */
CUresult sl_driver_error(cudaError_t error);

#define SL_DRIVER_BODY(context, expression)                                                                            \
    do {                                                                                                               \
        sl_proc *rt = sl_proc_enter();                                                                                 \
        cudaError_t sl_call_error = sl_driver_ready(rt, context);                                                      \
        if (!sl_call_error)                                                                                            \
            sl_call_error = (expression);                                                                              \
        sl_proc_unlock(rt);                                                                                            \
        return sl_driver_error(sl_call_error);                                                                         \
    } while (0)

/* The body of an entry point that needs a current context, and of one that does not: `expression` uses `rt`. */
#define SL_CALL(expression)      SL_DRIVER_BODY(true, expression)
#define SL_CALL_FREE(expression) SL_DRIVER_BODY(false, expression)
/* For calls that wait: they pass printf output on even when a kernel has failed. */
#define SL_CALL_WAITING(expression)                                                                                    \
    do {                                                                                                               \
        sl_proc *rt = sl_proc_enter();                                                                                 \
        cudaError_t sl_call_error = sl_driver_ready(rt, true);                                                         \
        if (!sl_call_error || sl_call_error == rt->fault)                                                              \
            sl_call_error = (expression);                                                                              \
        sl_proc_unlock(rt);                                                                                            \
        return sl_driver_error(sl_call_error);                                                                         \
    } while (0)

/* A second name for an entry point. */
#define SL_ALIAS(other, name) extern __typeof(name) other __attribute__((alias(#name), visibility("default")))
/* The variants for per-thread default streams do the same here. */
#define SL_PTSZ(name) SL_ALIAS(name##_ptsz, name)
#define SL_PTDS(name) SL_ALIAS(name##_ptds, name)

#define SL_POINTER(address) ((void *)(uintptr_t)(address))

/* entries.c: the newest variant of an entry point that `version` has, or NULL. *known: there is one of this name. */
void *sl_driver_find(const char *name, int version, bool per_thread, bool *known);
/* stream.c: values as the driver describes them; *values is malloc'ed. */
cudaError_t sl_driver_values(sl_proc *rt, unsigned count, const CUstreamBatchMemOpParams *params,
                             sl_proc_value **values, unsigned *made);
/* copy.c: a copy as the driver describes it. */
cudaError_t sl_driver_copy_3d(sl_proc *rt, const CUDA_MEMCPY3D *params, sl_proc_copy *copy);

#endif
