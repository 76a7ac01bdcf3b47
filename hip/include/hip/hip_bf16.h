/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits with 8 of exponent, which have nearly the same names in CUDA. */
#ifndef SLUICE_HIP_HIP_BF16_H
#define SLUICE_HIP_HIP_BF16_H

#include "hip/hip_runtime_api.h"

#include <cuda_bf16.h>

#define __hip_bfloat16      __nv_bfloat16
#define __hip_bfloat162     __nv_bfloat162
#define __hip_bfloat16_raw  __nv_bfloat16_raw
#define __hip_bfloat162_raw __nv_bfloat162_raw

#endif
