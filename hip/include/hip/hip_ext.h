/* SPDX-License-Identifier: MIT */
/* AMD's extensions: none of them. */
#ifndef SLUICE_HIP_HIP_EXT_H
#define SLUICE_HIP_HIP_EXT_H

#include "hip/hip_runtime_api.h"

#endif
