/* SPDX-License-Identifier: MIT */
/* Cooperative groups, which have the same names in CUDA. */
#ifndef SLUICE_HIP_HIP_COOPERATIVE_GROUPS_H
#define SLUICE_HIP_HIP_COOPERATIVE_GROUPS_H

#include "hip/hip_runtime_api.h"

#include <cooperative_groups.h>

#endif
