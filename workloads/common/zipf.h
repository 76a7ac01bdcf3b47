/* SPDX-License-Identifier: MIT */
/* Indices as words of a text or customers of a shop come: by Zipf's law. */
#ifndef SL_WORKLOADS_ZIPF_H
#define SL_WORKLOADS_ZIPF_H

#include "workloads/workload.h"

/* In [0, bound), index i with a probability proportional to 1 / (i + 1). */
uint32_t *sl_zipf_indices(sl_host *h, uint64_t count, uint32_t bound);

#endif
