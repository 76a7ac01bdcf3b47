/* Dense matrices of the workloads: row-major, no padding. */
#ifndef SL_WORKLOADS_DENSE_H
#define SL_WORKLOADS_DENSE_H

#include "workloads/workload.h"

/* c = a * b for a[m][k], b[k][n]; sums in single precision in ascending k. c is allocated for the host. */
float *sl_reference_matmul(sl_host *h, const float *a, const float *b, uint32_t m, uint32_t n, uint32_t k);

#endif
