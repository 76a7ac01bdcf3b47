/* SPDX-License-Identifier: MIT */
/* Speckle reducing anisotropic diffusion on the CPU: what the two workloads of that name share. */
#ifndef SL_WORKLOADS_SRAD_H
#define SL_WORKLOADS_SRAD_H

#include "workloads/workload.h"

/* How much the image speckles: variance by squared mean, of `count` values with the given sum and sum of squares. */
double sl_speckle(double sum, double sum_of_squares, uint64_t count);
/* Of the first `rows` rows and `columns` columns of an image whose rows are `pitch` long. */
double sl_speckle_of(const float *image, uint32_t pitch, uint32_t rows, uint32_t columns);

/* One step, in place. `speckle` is the image's; a quarter of `rate` is the share of the gradients that is taken. */
void sl_reference_srad(sl_host *h, float *image, uint32_t rows, uint32_t columns, float speckle, float rate);

#endif
