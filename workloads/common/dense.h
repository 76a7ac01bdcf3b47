/* SPDX-License-Identifier: MIT */
/* Dense matrices of the workloads: row-major, no padding. References are sums in single precision, in ascending order;
 * what they give is allocated for the host. */
#ifndef SL_WORKLOADS_DENSE_H
#define SL_WORKLOADS_DENSE_H

#include "workloads/workload.h"

/* n x n, in [-1/2, 1/2) outside of the diagonal and n on it: can be eliminated without pivoting, with quotients of
 * about 1 / n. */
float *sl_dominant_matrix(sl_host *h, uint32_t n);

/* c = a * b for a[m][k], b[k][n]. */
float *sl_reference_matmul(sl_host *h, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k);
/* y = a * x for a[rows][columns], x[columns]. */
float *sl_reference_matvec(sl_host *h, const float *a, const float *x, uint32_t rows, uint32_t columns);
/* y = a^T * x for a[rows][columns], x[rows]. */
float *sl_reference_matvec_transposed(sl_host *h, const float *a, const float *x, uint32_t rows, uint32_t columns);
/* t[columns][rows] = a[rows][columns]^T. */
float *sl_transposed(sl_host *h, const float *a, uint32_t rows, uint32_t columns);

/* Sums of `terms` terms each, in single precision: every addition may round by half a unit in the last place of the
 * largest sum there is. */
void sl_check_sums(sl_host *h, const char *what, const float *got, const float *expected, uint64_t count,
                   uint64_t terms);

#endif
