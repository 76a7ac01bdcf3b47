/* SPDX-License-Identifier: MIT */
/* Hardware counters of launches, from the CSV that Nsight Compute or nvprof writes. Four forms are read, recognized by
 * their heading:
 *
 *   ncu --csv --page raw       a row per launch and a column per metric, with a row of units below the heading
 *   ncu --csv --page details   a row per launch and metric ("Metric Name", "Metric Unit", "Metric Value"), and of
 * rules, whose columns rows of metrics do not have of many workloads          as raw, with the columns `workload` and
 * `launch` in front: papers/measure-h200
 *   nvprof --csv --print-gpu-trace --events l1_global_load_hit,l1_global_load_miss,gld_request
 *                              a row per launch and a column per event, for GPUs that ncu does not know (Fermi, Kepler)
 *
 * Lines before the heading, and those between the rows that ncu or the program it watches printed, are skipped.
 * Numbers may have commas between their thousands. Metrics that no counter of metrics.def stands for are ignored; a
 * counter whose value ncu does not know ("n/a") is unknown. */
#ifndef SL_TRACE_NCU_H
#define SL_TRACE_NCU_H

#include "base/arena.h"
#include "sluice/trace.h"
#include "trace/counters.h"

typedef struct sl_ncu_launch {
    const char *workload; /* empty: the file does not say */
    uint64_t number;      /* among the launches of its workload, or of the rows of the file where it does not say */
    const char *kernel;   /* as ncu shows it: mangled, or with its types and parameters, or bare */
    const char *name;     /* of these, the bare name */
    uint32_t grid[3], block[3]; /* 0: the file does not say */
    sl_counts counts;
    uint32_t line; /* of the file */
} sl_ncu_launch;

typedef struct sl_ncu {
    sl_arena arena;
    const char *path;
    bool by_workload; /* the file has a column `workload` */
    size_t launches;
    sl_ncu_launch *launch; /* in the order of the file */
} sl_ncu;

/* SL_SYNTAX with file and line where the text does not say what it should; also for a file without any counter. */
sl_status sl_ncu_read(const char *path, sl_ncu *ncu, sl_error *error);
void sl_ncu_fini(sl_ncu *ncu);
/* The workloads of the file, each once, in the order in which they first come; the array is the caller's to free. */
sl_status sl_ncu_workloads(const sl_ncu *ncu, const char ***names, size_t *count, sl_error *error);

/* Whether the counters belong to that launch: its kernel, its grid, its blocks. SL_MISMATCH with file, line and reason;
 * `owner` is whose launch it is, for the message. */
sl_status sl_ncu_belongs(const sl_ncu *ncu, const sl_ncu_launch *measured, const sl_trace_kernel *kernel,
                         const sl_trace_launch *launch, const char *owner, sl_error *error);

/* Which row of counters is which launch's. */

typedef struct sl_ncu_wanted {
    const char *owner;        /* whose launches they are, for messages: a trace, a workload */
    const char *workload;     /* rows of that one; NULL: of the only one in the file that the launches fit */
    const char *kernel_regex; /* NULL: all kernels */
    const char *launches;     /* NULL: all; as sl_trace_filter has them */
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
