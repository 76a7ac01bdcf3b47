/* SPDX-License-Identifier: MIT */
/* Memory instructions, summed by source location, of which an unrolled loop has many copies, or by array. */
#ifndef SL_ANALYSIS_LOAD_SUMS_H
#define SL_ANALYSIS_LOAD_SUMS_H

#include "analysis/inst_name.h"
#include "analysis/launch_log.h"
#include "analysis/metrics.h"
#include "base/array.h"
#include "base/index.h"

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

/* Which instructions of a kernel are one row. */
typedef enum sl_load_rows {
    SL_ROW_PER_INST,
    SL_ROW_PER_LOCATION, /* sl_inst_same_row */
    SL_ROW_PER_LINE,     /* sl_inst_line */
    SL_ROW_PER_ARRAY,
} sl_load_rows;

/* Zeroed but for `rows`: empty. */
typedef struct sl_load_sums {
    sl_load_rows rows;
    sl_load_sum *items;
    size_t count, capacity;
    sl_index index; /* of the rows, until they are sorted */
} sl_load_sums;

bool sl_inst_same_array(const sl_inst_name *a, const sl_inst_name *b);
/* `counts` and `reuse` may be NULL. False when memory runs out. */
bool sl_load_sums_add(sl_load_sums *sums, sl_load_sum load, const sl_counts *counts, const sl_profile_counts *reuse);
/* Sorts by a metric, descending and stable. Nothing can be added afterwards. */
void sl_load_sums_sort(sl_load_sums *sums, sl_metric weight);
void sl_load_sums_fini(sl_load_sums *sums);

/* The launches of a log, summed by kernel. */

typedef struct sl_kernel_sum {
    const sl_logged_kernel *kernel;
    uint64_t launches, failed;
    sl_counts counts;
    sl_counts *load; /* [kernel->insts] */
    uint64_t weight; /* by which they were sorted */
} sl_kernel_sum;

/* One per kernel (log->kernel_count), in order of first launch; NULL when memory runs out. */
sl_kernel_sum *sl_kernel_sums_of(const sl_launch_log *log);
/* The kernels by what their memory instructions have of a metric, descending; the caller frees the list. NULL when
 * memory runs out. */
const sl_kernel_sum **sl_kernel_sums_by_weight(sl_kernel_sum *sums, uint32_t count, sl_metric weight);
void sl_kernel_sums_free(sl_kernel_sum *sums, uint32_t count); /* NULL is fine */

#endif
