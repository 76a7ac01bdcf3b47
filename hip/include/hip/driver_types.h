/* SPDX-License-Identifier: MIT */
/* Types of the runtime. */
#ifndef SLUICE_HIP_DRIVER_TYPES_H
#define SLUICE_HIP_DRIVER_TYPES_H

#include "hip/hip_runtime_api.h"

#endif
