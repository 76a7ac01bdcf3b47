/* SPDX-License-Identifier: MIT */
/* The one recorder: an input runs on the emulator, is counted and recorded as asked for, and is then a trace with the
 * launches that a filter lets through. Traces are opened, those of other programs imported.
 *
 * Where traces go is one rule. What can be named by all it depends on (a workload, PTX or LLVM IR with its launch, data
 * and warp width) has a key, and studies of many points keep its trace in the cache folder under it (runner.h). All
 * else is recorded into the scratch folder and gone when it is closed: a CUDA program may read the clock, and an
 * analysis that looks at a trace once has no use for a copy on the user's disk. */
#ifndef SL_STUDY_RECORDING_H
#define SL_STUDY_RECORDING_H

#include "study/input.h"
#include "trace/recorder.h"

typedef struct sl_record_options sl_record_options;

/* How a run of an input ended. */
typedef struct sl_run_end {
    sl_workload_result workload; /* of workloads */
    int exit_code, signal;       /* of a program; 0: none */
    uint32_t traces;             /* files that a program's processes recorded */
    uint32_t unfinished;         /* of them, by processes that broke off: they hold what was recorded until then */
    uint64_t failed;             /* launches that ended with an error */
} sl_run_end;

/* Starts a CUDA program with Sluice's runtime library and waits for its end. That takes the environment and signals of
 * the process, which are not the library's: whoever has them hands this in. */
typedef sl_status sl_start_program(void *context, const sl_input *input, const sl_record_options *options,
                                   sl_run_end *end, sl_error *error);

struct sl_record_options {
    sl_trace_filter filter; /* which launches */
    /* the emulator */
    uint32_t lanes;            /* 0: 32 */
    uint32_t threads;          /* 0: all cores */
    uint64_t max_instructions; /* warp instructions per launch; 0: no limit */
    bool check_address;        /* of programs: reads just outside of an allocation are errors */
    bool check_uninit;         /* so are reads of memory never written */
    const char *isa;           /* NULL: the best */
    void (*print)(void *context, const char *text, size_t length); /* what kernels print; NULL: dropped */
    bool check;                                                    /* workloads: compare with the CPU */
    /* the trace */
    const char *trace_path; /* NULL: none is written (sl_input_emulate), or a temporary one (sl_record) */
    const char *producer;
    int zstd_level; /* 0: the default */
    bool count;     /* launches, with their footprints */
    /* Hears of each launch as it ends; may be NULL. */
    sl_status (*launch_done)(void *context, const sl_launch_result *, sl_error *);
    void *launch_context;
    const char *scratch;             /* a folder for temporary traces */
    sl_start_program *start_program; /* NULL: programs cannot be run */
    void *program_context;
    const sl_progress *progress; /* NULL: nobody listens */
};

/* Runs it once, and counts and writes what is asked for. `end` may be NULL. */
sl_status sl_input_emulate(const sl_input *input, const sl_record_options *options, sl_run_end *end, sl_error *error);

typedef struct sl_recording {
    const sl_input *input; /* NULL: a file of the cache */
    sl_trace *trace;
    uint32_t launches; /* that the filter lets through */
    uint32_t *launch;  /* [launches]: numbers for sl_trace_launch_at */
    sl_error damage;   /* of a file of ours; its status is SL_OK where there is none */
    sl_run_end end;    /* of what ran */
} sl_recording;

/* The input as a trace. On failure there is nothing to close. */
sl_status sl_record(const sl_input *input, const sl_record_options *options, sl_recording *recording, sl_error *error);
/* A trace file of ours, with all launches that the filter (NULL: none) lets through. */
sl_status sl_recording_open(const char *path, const sl_trace_filter *filter, sl_recording *recording, sl_error *error);
void sl_recording_close(sl_recording *recording); /* zeros are fine */

/* What the trace itself says of a launch, without any model: its warp instructions are what "the largest launch of a
 * kernel" goes by. `launch` is a number of the trace; `pool` may be NULL. */
sl_status sl_recording_count(const sl_recording *recording, uint32_t launch, sl_pool *pool, sl_counts *total,
                             sl_error *error);

#endif
