/* SPDX-License-Identifier: MIT */
/* Launches with their memory instructions and the counts of each. A log collects launches as they end: it copies what
 * it needs, kernels may be gone later. */
#ifndef SL_ANALYSIS_LAUNCH_LOG_H
#define SL_ANALYSIS_LAUNCH_LOG_H

#include "analysis/inst_name.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "trace/recorder.h"

typedef struct sl_logged_kernel {
    const char *symbol;      /* unique but for other bodies; of grouped launches "GROUP: SYMBOL" */
    const char *code_symbol; /* that of the code */
    const char *name;        /* for people: the short name, with template arguments where another kernel has it, too; of
                                grouped        launches "GROUP: NAME" */
    const char *own_name;    /* the same without the group */
    const char *short_name;
    uint32_t insts; /* memory instructions */
    sl_inst_name *inst;
    struct sl_logged_kernel *same_symbol;          /* another kernel of that symbol, with a different body */
    struct sl_logged_kernel *same_name;            /* another kernel of that short name */
    uint32_t number;                               /* in order of first launch */
    uint32_t regs_per_thread, static_shared_bytes; /* as in sl_trace_kernel */
    bool regs_estimated;
} sl_logged_kernel;

/* Known values only, in the order of the counters. */
typedef struct sl_packed_counts {
    sl_counter_set known;
    const uint64_t *value;
} sl_packed_counts;

typedef struct sl_logged_load {
    uint32_t inst; /* of the logged kernel */
    sl_packed_counts counts;
} sl_logged_load;

typedef struct sl_logged_launch {
    uint64_t index;
    const sl_logged_kernel *kernel;
    uint32_t grid[3], block[3], lanes, dynamic_shared_bytes, preferred_shared;
    uint64_t blocks, blocks_recorded, trace_bytes;
    bool has_preferred_shared, has_parent; /* as in sl_trace_launch */
    uint64_t parent;                       /* the same */
    bool repeats;                          /* the same */
    uint64_t original;                     /* the same */
    bool failed;                           /* then it has no counters */
    const char *failure;                   /* why; "" where that is unknown */
    sl_packed_counts counts;
    uint32_t loads; /* memory instructions that ran */
    const sl_logged_load *load;
    size_t arrays;
    const sl_array_footprint *array;
    const char *label[SL_LABELS]; /* NULL: none */
    bool stood_for; /* its counts are those of launch number `stand_in`, which was analyzed in its place */
    uint64_t stand_in;
} sl_logged_launch;

typedef struct sl_launch_log {
    sl_arena arena;
    sl_map kernels;     /* symbol -> sl_logged_kernel */
    sl_map short_names; /* short name -> the last kernel of it */
    sl_map labels;      /* every text once */
    uint32_t kernel_count;
    SL_ARRAY(sl_logged_launch) launches;
    bool grouped; /* by the label `by`: kernels are those of a group */
    sl_label by;
    size_t repeated; /* launches that were not run, as earlier ones have done the same */
} sl_launch_log;

sl_status sl_launch_log_create(sl_launch_log **log, sl_error *error);
void sl_launch_log_destroy(sl_launch_log *log); /* NULL is fine */
sl_status sl_launch_log_add(sl_launch_log *log, const sl_launch_result *result, sl_error *error);
/* The same with the signature of sl_recorder_config.launch_done; context is the log. */
sl_status sl_launch_log_done(void *log, const sl_launch_result *result, sl_error *error);
/* Of the launches of a trace (`launch`: their numbers, ascending) the log has some, in any order: those that stand for
 * themselves in `stand_in`. Puts them in order, and gives each of the others the counts of the one that stands for it
 * (UINT32_MAX: none). */
sl_status sl_launch_log_expand(sl_launch_log *log, const sl_trace *trace, const uint32_t *launch, uint32_t launches,
                               const uint32_t *stand_in, sl_error *error);
/* Splits kernels by a label of their launches: all that sums by kernel then sums by group and kernel, in order of first
 * launch. Once; nothing can be added afterwards. NULL is fine. */
sl_status sl_launch_log_group(sl_launch_log *log, sl_label by, sl_error *error);
/* "range", ...; the first ends with NULL. What stands for launches that have none: "(no range)". */
extern const char *const sl_label_names[SL_LABELS + 1], *const sl_label_none[SL_LABELS];
/* A label on one line, "step/layer 1". Returns `buffer`. */
char *sl_label_text(sl_label kind, const char *label, char *buffer, size_t size);
enum { SL_LABEL_BYTES = 4096 };
size_t sl_launch_log_count(const sl_launch_log *log);
/* How many of them failed: commands that ran them then exit with 1. */
size_t sl_launch_log_failed(const sl_launch_log *log);
/* The counts of all launches. */
sl_counts sl_launch_log_sum(const sl_launch_log *log);

sl_counts sl_unpack_counts(const sl_packed_counts *packed);

#endif
