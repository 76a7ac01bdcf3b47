/* SPDX-License-Identifier: MIT */
/* Vectors, which have the same names in CUDA. */
#ifndef SLUICE_HIP_HIP_VECTOR_TYPES_H
#define SLUICE_HIP_HIP_VECTOR_TYPES_H

#include <vector_functions.h>
#include <vector_types.h>

#endif
