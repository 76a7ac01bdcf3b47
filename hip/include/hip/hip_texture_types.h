/* SPDX-License-Identifier: MIT */
/* Textures. */
#ifndef SLUICE_HIP_HIP_TEXTURE_TYPES_H
#define SLUICE_HIP_HIP_TEXTURE_TYPES_H

#include "hip/hip_runtime_api.h"

#endif
