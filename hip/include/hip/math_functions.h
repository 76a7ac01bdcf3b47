/* SPDX-License-Identifier: MIT */
/* Functions of kernels. */
#ifndef SLUICE_HIP_MATH_FUNCTIONS_H
#define SLUICE_HIP_MATH_FUNCTIONS_H

#include "hip/hip_runtime.h"

#endif
