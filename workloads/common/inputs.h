/* SPDX-License-Identifier: MIT */
/* Inputs that workloads share: numbers, index lists, sparse matrices. All drawn from the host's random numbers, so that
 * one seed gives one input. Like everything hosts call, these do not return when they fail. */
#ifndef SL_WORKLOADS_INPUTS_H
#define SL_WORKLOADS_INPUTS_H

#include "workloads/workload.h"

/* Multiples of 1/16 in [-1, 1): sums of up to 2^16 products of two of them are exact in single precision, in any order
 * and with or without fused multiply-add, so that such results can be compared bit for bit. */
float *sl_random_floats(sl_host *h, uint64_t count);
/* Uniform in [min, max); the results of arithmetic on them are rounded. */
float *sl_uniform_floats(sl_host *h, uint64_t count, float min, float max);
/* Uniform in [0, bound). */
uint32_t *sl_random_indices(sl_host *h, uint64_t count, uint32_t bound);
/* In [0, bound), small ones more often: bound * u^skew for u uniform in [0, 1). skew 1 is uniform. */
uint32_t *sl_skewed_indices(sl_host *h, uint64_t count, uint32_t bound, uint32_t skew);

/* A matrix in compressed sparse rows; a graph is one without values. */
typedef struct sl_csr {
    uint32_t rows, columns;
    uint32_t entries;
    uint32_t *row_start; /* [rows + 1] */
    uint32_t *column;    /* [entries], ascending within a row, none twice */
    float *value;        /* [entries], as sl_random_floats */
} sl_csr;

/* Rows whose lengths follow a power law (exponent 2, about `mean` on average, at least 1, at most the smaller of
 * 64 * mean and columns / 2), in random order; half of a row's columns lie near its diagonal, the others anywhere. */
sl_csr sl_power_law_matrix(sl_host *h, uint32_t rows, uint32_t columns, uint32_t mean);
/* A square one whose rows have between half and one and a half of `mean` entries, within `band` of the diagonal. */
sl_csr sl_band_matrix(sl_host *h, uint32_t rows, uint32_t mean, uint32_t band);

#endif
