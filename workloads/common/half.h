/* SPDX-License-Identifier: MIT */
/* Arrays of half-precision numbers, as bits, on the host. */
#ifndef SL_WORKLOADS_HALF_H
#define SL_WORKLOADS_HALF_H

#include "workloads/workload.h"

/* Each rounded to the nearest. */
uint16_t *sl_halves_of_floats(sl_host *h, const float *from, uint64_t count);
float *sl_floats_of_halves(sl_host *h, const uint16_t *from, uint64_t count);

#endif
