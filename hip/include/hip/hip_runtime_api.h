/* SPDX-License-Identifier: MIT */
/* HIP's runtime over CUDA's: names of one that stand for names of the other. Written for programs that nvcc builds and
 * Sluice runs; it leaves out what has no counterpart. See docs/hip.md. */
#ifndef SLUICE_HIP_RUNTIME_API_H
#define SLUICE_HIP_RUNTIME_API_H

#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "hip/hip_common.h"
#include "hip/hip_version.h"

#include "hip/detail/attributes.h"
#include "hip/detail/changed.h"
#include "hip/detail/driver.h"
#include "hip/detail/errors.h"
#include "hip/detail/functions.h"
#include "hip/detail/properties.h"
#include "hip/detail/types.h"

#endif
