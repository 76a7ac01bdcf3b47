/* SPDX-License-Identifier: MIT */
/* Memory instructions, summed by source location, of which an unrolled loop has many copies, or by array. */
#ifndef SL_REPORT_LOAD_SUMS_H
#define SL_REPORT_LOAD_SUMS_H

#include "base/array.h"
#include "report/inst_name.h"
#include "report/metrics.h"

typedef struct sl_load_sum {
    size_t kernel;            /* instructions of different kernels are never the same */
    const sl_inst_name *inst; /* the first of them */
    const void *of;           /* the caller's, of the first */
    uint32_t copies;
    size_t order; /* in which they came */
    uint64_t weight;
    sl_counts counts;
    sl_profile_counts reuse;
    bool profiled; /* there is reuse */
} sl_load_sum;

typedef SL_ARRAY(sl_load_sum) sl_load_sums;

bool sl_inst_same_array(const sl_inst_name *a, const sl_inst_name *b);
/* `reuse` may be NULL. `same` NULL: all are different. False when memory runs out. */
bool sl_load_sums_add(sl_load_sums *sums, sl_load_sum load, const sl_counts *counts, const sl_profile_counts *reuse,
                      bool same(const sl_inst_name *, const sl_inst_name *));
/* Sorts by a metric, descending and stable. */
void sl_load_sums_sort(sl_load_sums *sums, sl_metric weight);

#endif
