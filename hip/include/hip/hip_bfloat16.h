/* SPDX-License-Identifier: MIT */
/* The older type of 16 bits with 8 of exponent. */
#ifndef SLUICE_HIP_HIP_BFLOAT16_H
#define SLUICE_HIP_HIP_BFLOAT16_H

#include "hip/hip_bf16.h"

#define hip_bfloat16 __nv_bfloat16

#endif
