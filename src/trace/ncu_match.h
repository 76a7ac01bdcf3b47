/* SPDX-License-Identifier: MIT */
/* Which row of counters is which launch's. */
#ifndef SL_TRACE_NCU_MATCH_H
#define SL_TRACE_NCU_MATCH_H

#include "trace/ncu.h"

typedef struct sl_ncu_wanted {
    const char *owner;        /* whose launches they are, for messages: a trace, a workload */
    const char *workload;     /* rows of that one; NULL: of the only one in the file that the launches fit */
    const char *kernel_regex; /* NULL: all kernels */
    bool ranged;
    uint64_t first, last; /* launches, by index; only when ranged */
} sl_ncu_wanted;

typedef struct sl_ncu_pair {
    uint32_t launch; /* for sl_trace_launch_at */
    const sl_ncu_launch *measured;
} sl_ncu_pair;

typedef struct sl_ncu_pairs {
    size_t count;
    sl_ncu_pair *pair;   /* in the order of launches */
    uint64_t unmeasured; /* launches that are wanted but have no row */
} sl_ncu_pairs;

/* `launch` are the launches of the trace whose kernels are wanted, whatever their index. Rows that say which launch
 * they are of go by that; others, those of wanted kernels, by their order. Every row must belong to its launch
 * (sl_ncu_belongs); a row too many is SL_MISMATCH as well. So is a file with several workloads of which none fits, or
 * more than one, unless `wanted` names one. */
sl_status sl_ncu_match(const sl_ncu *ncu, const sl_ncu_wanted *wanted, const sl_trace *trace, const uint32_t *launch,
                       size_t launches, sl_ncu_pairs *pairs, sl_error *error);
void sl_ncu_pairs_fini(sl_ncu_pairs *pairs);

#endif
