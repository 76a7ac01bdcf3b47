/* SPDX-License-Identifier: MIT */
/* What kernels have. */
#ifndef SLUICE_HIP_DEVICE_FUNCTIONS_H
#define SLUICE_HIP_DEVICE_FUNCTIONS_H

#include "hip/hip_runtime.h"

#endif
