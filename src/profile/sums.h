/* SPDX-License-Identifier: MIT */
/* Profiles of launches, summed by kernel and over everything. */
#ifndef SL_PROFILE_SUMS_H
#define SL_PROFILE_SUMS_H

#include "sluice/profile.h"

typedef struct sl_profile_sum {
    const sl_trace_kernel *kernel;
    size_t launches;
    const sl_profile *longest; /* the launch with the most accesses; NULL: all of them failed */
    sl_profile_counts total;
    uint32_t loads; /* in program order */
    sl_profile_load *load;
} sl_profile_sum;

typedef struct sl_profile_sums {
    sl_profile_counts all;
    size_t kernels; /* in order of first launch */
    sl_profile_sum *kernel;
} sl_profile_sums;

/* What is summed must stay valid as long as the sums. */
sl_status sl_profile_sums_init(sl_profile_sums *sums, const sl_profile *profile, size_t profiles, sl_error *error);
/* The kernels with the most accesses to lines, those first, at most `max`; none where there is only one. Returns how
 * many. */
size_t sl_profile_sums_largest(const sl_profile_sums *sums, const sl_profile_sum **largest, size_t max);

/* The miss-ratio curve: for every power of two, the percentage of accesses that would miss in a fully associative LRU
 * cache of 2^size lines on each core. Distances are counted by powers of two, so that these are exact. */
double sl_profile_miss_ratio(const sl_profile_counts *counts, unsigned size);
/* One more than the last size at which anything changes. */
unsigned sl_profile_miss_ratios(const sl_profile_counts *counts);
void sl_profile_sums_fini(sl_profile_sums *sums); /* an all-zero one is fine */

#endif
