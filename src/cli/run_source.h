/* SPDX-License-Identifier: MIT */
/* What `run` and `trace` can run: a CUDA program, a PTX file or LLVM IR with a launch, a built-in workload.
 *
 * A source is one file that defines an sl_run_source and has a line in run_sources.def. The commands find the source
 * that accepts the command line and hand it the request; the source runs, records, and shows the report
 * (sl_report_write). */
#ifndef SL_CLI_RUN_SOURCE_H
#define SL_CLI_RUN_SOURCE_H

#include "cli/command.h"
#include "sluice/trace.h"

/* --check. Every access is checked against the allocations in any case. */
typedef enum sl_run_check {
    SL_CHECK_GPU,     /* a CUDA program's reads just outside of an allocation are a warning; elsewhere as the next */
    SL_CHECK_ADDRESS, /* they are errors like other illegal accesses */
    SL_CHECK_UNINIT,  /* and so are reads of memory never written */
} sl_run_check;

/* The options of run and trace: one struct, so that a source need not know which of the two was typed. */
typedef struct sl_run_options {
    sl_common common;
    const char *trace;         /* where to record to; NULL: nothing is recorded (run) */
    uint64_t zstd_level;       /* of the trace */
    const char *kernel_regex;  /* NULL: all kernels */
    sl_option_range launch;    /* which launches */
    uint64_t blocks;           /* recorded of each launch; 0: all */
    uint64_t lanes;            /* 32 or 64 */
    uint64_t max_instructions; /* warp instructions per launch; 0: no limit */
    int check;                 /* sl_run_check */
    int isa;                   /* index into sl_isa_choices; 0: the best this CPU has */
    /* PTX files */
    const char *entry;          /* kernel to launch; NULL: the only one */
    uint32_t grid[3], block[3]; /* 0: not given */
    uint64_t shared_bytes;      /* dynamic */
    sl_option_list arg;         /* one per parameter, in order */
    sl_option_list dump;        /* arguments to show after the launch */
    /* LLVM IR */
    const char *workload; /* whose host launches it; NULL: it is launched as a PTX file is */
    const char *llvm;     /* version or library; NULL: the newest */
    bool optimise;
    /* workloads */
    int size; /* index into sl_size_names */
    bool no_check;
    const char *plan; /* programs: a bypass plan to run with; NULL: none */
    /* PTX files and workloads */
    int on; /* index into sl_device_kinds */
    uint64_t seed;
} sl_run_options;

extern const char *const sl_isa_choices[]; /* "best", "portable", "v2", "v3" */

typedef struct sl_run_source {
    const char *name; /* for messages: "a built-in workload" */
    /* Whether it takes this command line: args->program for what follows `--`, args->operand[0] otherwise. */
    bool (*accepts)(const sl_args *args);
    /* Runs it and shows the report; returns the exit code (a program's own is passed on). */
    int (*run)(const sl_invocation *inv, const sl_run_options *options, const sl_trace_filter *filter);
    /* Names that a wrong operand may have meant, NULL-terminated; may be NULL. */
    const char *const *(*names)(void);
} sl_run_source;

#endif
