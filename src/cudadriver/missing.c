/* SPDX-License-Identifier: MIT */
/* Entry points that are not there: each says so once and returns CUDA_ERROR_NOT_SUPPORTED, whatever it was given. */
#include "cudadriver/driver.h"

#define SL_MISSING(name)                                                                                               \
    SL_API CUresult name(void)                                                                                         \
    {                                                                                                                  \
        static bool said;                                                                                              \
        sl_cuda *rt = sl_cuda_enter();                                                                                 \
        cudaError_t error = sl_cuda_missing(#name, &said);                                                             \
        sl_cuda_unlock(rt);                                                                                            \
        return (CUresult)error;                                                                                        \
    }
#include "cudadriver/missing.def"
