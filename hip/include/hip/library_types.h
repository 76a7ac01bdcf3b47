/* SPDX-License-Identifier: MIT */
/* Types of elements, as libraries name them. */
#ifndef SLUICE_HIP_LIBRARY_TYPES_H
#define SLUICE_HIP_LIBRARY_TYPES_H

#include <library_types.h>

#define HIP_C_16BF CUDA_C_16BF
#define HIP_C_16F  CUDA_C_16F
#define HIP_C_32F  CUDA_C_32F
#define HIP_C_32I  CUDA_C_32I
#define HIP_C_32U  CUDA_C_32U
#define HIP_C_64F  CUDA_C_64F
#define HIP_C_8I   CUDA_C_8I
#define HIP_C_8U   CUDA_C_8U
#define HIP_R_16BF CUDA_R_16BF
#define HIP_R_16F  CUDA_R_16F
#define HIP_R_32F  CUDA_R_32F
#define HIP_R_32I  CUDA_R_32I
#define HIP_R_32U  CUDA_R_32U
#define HIP_R_64F  CUDA_R_64F
#define HIP_R_8I   CUDA_R_8I
#define HIP_R_8U   CUDA_R_8U

#endif
