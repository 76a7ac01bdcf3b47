/* SPDX-License-Identifier: MIT */
/* References of workloads that compare the columns of a matrix with each other, in double precision. A matrix has
 * length + 1 rows of vectors + 1 elements; rows and columns count from 1. What these give is allocated for the host. */
#ifndef SL_WORKLOADS_STATISTICS_H
#define SL_WORKLOADS_STATISTICS_H

#include "workloads/workload.h"

/* The matrix with each column's mean subtracted. */
double *sl_centered(sl_host *h, const float *data, uint32_t vectors, uint32_t length);
/* The inner products of all pairs of columns, [vectors + 1][vectors + 1] with row and column 0 zero. */
float *sl_column_products(sl_host *h, const double *x, uint32_t vectors, uint32_t length);

#endif
