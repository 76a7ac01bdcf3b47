/* SPDX-License-Identifier: MIT */
/* The launches of a log, summed by kernel. */
#ifndef SL_REPORT_KERNEL_SUMS_H
#define SL_REPORT_KERNEL_SUMS_H

#include "analysis/launch_log.h"

typedef struct sl_kernel_sum {
    const sl_logged_kernel *kernel;
    uint64_t launches, failed;
    sl_counts counts;
    sl_counts *load; /* [kernel->insts] */
} sl_kernel_sum;

/* One per kernel (log->kernel_count), in order of first launch; NULL when memory runs out. */
sl_kernel_sum *sl_kernel_sums_of(const sl_launch_log *log);
void sl_kernel_sums_free(sl_kernel_sum *sums, uint32_t count); /* NULL is fine */

#endif
