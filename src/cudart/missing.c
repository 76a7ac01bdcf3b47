/* SPDX-License-Identifier: MIT */
/* Entry points that are not there: each says so once and returns cudaErrorNotSupported, whatever it was given. */
#include "cudart/runtime.h"

#define SL_MISSING(name)                                                                                               \
    SL_API cudaError_t name(void)                                                                                      \
    {                                                                                                                  \
        static bool said;                                                                                              \
        sl_cuda *rt = sl_cuda_enter();                                                                                 \
        return sl_cudart_leave(rt, sl_cuda_missing(#name, &said));                                                     \
    }
#include "cudart/missing.def"
