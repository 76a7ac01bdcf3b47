/* SPDX-License-Identifier: MIT */
/* Entry points that do the same as their counterparts in the runtime. */
#include "cudadriver/driver.h"

#include <strings.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define SL_BOTH(body, runtime, driver, parameters, ...)                                                                \
    SL_API CUresult driver parameters                                                                                  \
    {                                                                                                                  \
        SL_##body(__VA_ARGS__);                                                                                        \
    }
#define SL_BOTH_V2(body, runtime, driver, parameters, ...) SL_BOTH(body, runtime, driver##_v2, parameters, __VA_ARGS__)
#define SL_BOTH_UNTIL_11                                   SL_BOTH
#define SL_BOTH_FROM_12                                    SL_BOTH
#define SL_BOTH_UNTIL_12                                   SL_BOTH
#define SL_BOTH_PTSZ(runtime, driver)                      SL_PTSZ(driver);
#define SL_BOTH_PTSZ_V2(runtime, driver)                   SL_PTSZ(driver##_v2);
#include "process/calls.def"

/* Other names of them. */
SL_PTSZ(cuStreamGetCaptureInfo);
SL_PTSZ(cuStreamGetCaptureInfo_v2);
SL_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);
SL_ALIAS(cuEventDestroy, cuEventDestroy_v2);
SL_ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);
SL_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);
SL_ALIAS(cuKernelGetParamInfo, cuFuncGetParamInfo);

/* Entry points that are not there: each says so once and returns CUDA_ERROR_NOT_SUPPORTED, whatever it was given. */

#define SL_MISSING(name)                                                                                               \
    SL_API CUresult name(void)                                                                                         \
    {                                                                                                                  \
        static bool said;                                                                                              \
        sl_proc *rt = sl_proc_enter();                                                                                 \
        cudaError_t error = sl_proc_missing(#name, &said);                                                             \
        sl_proc_unlock(rt);                                                                                            \
        return (CUresult)error;                                                                                        \
    }
#include "cudadriver/missing.def"
