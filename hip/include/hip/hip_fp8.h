/* SPDX-License-Identifier: MIT */
/* Numbers of 8 bits, in the formats that CUDA has (not the fnuz ones). */
#ifndef SLUICE_HIP_HIP_FP8_H
#define SLUICE_HIP_HIP_FP8_H

#include "hip/hip_runtime_api.h"

#include <cuda_fp8.h>

#define __hip_fp8_e4m3             __nv_fp8_e4m3
#define __hip_fp8_e5m2             __nv_fp8_e5m2
#define __hip_fp8x2_e4m3           __nv_fp8x2_e4m3
#define __hip_fp8x2_e5m2           __nv_fp8x2_e5m2
#define __hip_fp8x4_e4m3           __nv_fp8x4_e4m3
#define __hip_fp8x4_e5m2           __nv_fp8x4_e5m2
#define __hip_fp8_storage_t        __nv_fp8_storage_t
#define __hip_fp8_interpretation_t __nv_fp8_interpretation_t
#define __hip_saturation_t         __nv_saturation_t
#define __HIP_E4M3                 __NV_E4M3
#define __HIP_E5M2                 __NV_E5M2
#define __HIP_SATFINITE            __NV_SATFINITE
#define __HIP_NOSAT                __NV_NOSAT
#define __hip_cvt_float_to_fp8     __nv_cvt_float_to_fp8
#define __hip_cvt_fp8_to_halfraw   __nv_cvt_fp8_to_halfraw

#endif
