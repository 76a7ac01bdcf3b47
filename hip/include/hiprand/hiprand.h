/* SPDX-License-Identifier: MIT */
/* Random numbers: cuRAND. */
#ifndef SLUICE_HIPRAND_HIPRAND_H
#define SLUICE_HIPRAND_HIPRAND_H

#include "hip/hip_runtime_api.h"

#include <curand.h>

#include "hiprand/detail.h"

#endif
