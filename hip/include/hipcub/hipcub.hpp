/* SPDX-License-Identifier: MIT */
/* hipCUB: CUB. */
#ifndef SLUICE_HIPCUB_HIPCUB_HPP
#define SLUICE_HIPCUB_HIPCUB_HPP

#include "hip/hip_runtime.h"

#include <cub/cub.cuh>

namespace hipcub = cub;

#define HIPCUB_WARP_THREADS 32

#endif
