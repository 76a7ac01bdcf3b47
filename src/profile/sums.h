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
void sl_profile_sums_fini(sl_profile_sums *sums); /* an all-zero one is fine */

#endif
