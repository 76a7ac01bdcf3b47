/* SPDX-License-Identifier: MIT */
/* Random numbers in kernels: cuRAND's generators, so that their sequences are cuRAND's. */
#ifndef SLUICE_HIPRAND_HIPRAND_KERNEL_H
#define SLUICE_HIPRAND_HIPRAND_KERNEL_H

#include "hip/hip_runtime.h"

#include <curand_kernel.h>

#include "hiprand/detail.h"

#endif
