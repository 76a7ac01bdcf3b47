/* SPDX-License-Identifier: MIT */
/* Formats of textures. */
#ifndef SLUICE_HIP_CHANNEL_DESCRIPTOR_H
#define SLUICE_HIP_CHANNEL_DESCRIPTOR_H

#include "hip/hip_runtime_api.h"

#endif
