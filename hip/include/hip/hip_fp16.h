/* SPDX-License-Identifier: MIT */
/* Half precision, which has the same names in CUDA. */
#ifndef SLUICE_HIP_HIP_FP16_H
#define SLUICE_HIP_HIP_FP16_H

#include "hip/hip_runtime_api.h"

#include <cuda_fp16.h>

#endif
