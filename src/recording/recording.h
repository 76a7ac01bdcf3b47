/* SPDX-License-Identifier: MIT */
/* The recorder: runs an input on the emulator, counts and records it as requested, and opens the result as a trace with
 * the launches that match a filter. Traces are opened, those of other tools imported.
 *
 * Inputs whose dependencies are all known (a workload, PTX or LLVM IR with its launch, data and warp width) have a key,
 * under which studies of many points keep their traces in the cache folder (runner.h). All others are recorded into the
 * scratch folder and removed on close: a CUDA program may depend on the time of day, and a single analysis needs no
 * copy on the user's disk. */
#ifndef SL_RECORDING_RECORDING_H
#define SL_RECORDING_RECORDING_H

#include "emu/settings.h"
#include "recording/input.h"
#include "trace/recorder.h"

typedef struct sl_record_options sl_record_options;

/* How a run of an input ended. */
typedef struct sl_run_end {
    sl_workload_result workload; /* of workloads */
    int exit_code, signal;       /* of a program; 0: none */
    uint32_t traces;             /* files that a program's processes recorded, without those of processes that
                                    launched nothing where another one did */
    uint32_t unfinished;         /* of them, by processes that ended early: they have what was recorded until then */
    uint64_t failed;             /* launches that ended with an error */
    uint64_t problems;           /* things a program needed and did not get; reported on stderr */
    uint64_t calls_ns;           /* CPU time in a program's calls of CUDA; of other inputs, of all that follows */
    uint64_t emulation_ns;       /* of that, on launches, and on writing traces */
    uint64_t writing_ns;
    char note[1024]; /* what the report should say of a program; empty: nothing */
} sl_run_end;

/* Starts a CUDA program with Sluice's runtime library and waits for its end. It needs the environment and signals
 * of the process, which the library does not own: the caller provides it. */
typedef sl_status sl_program_starter(void *context, const sl_input *input, const sl_record_options *options,
                                     sl_run_end *end, sl_error *error);

struct sl_record_options {
    sl_trace_filter filter; /* which launches */
    uint32_t process;       /* of programs: of the processes that launch kernels, which one (1, 2 …); 0: all */
    /* the emulator */
    sl_run_settings settings;
    bool output_to_stderr; /* of programs: what they write to standard output goes to standard error */
    void (*print)(void *context, const char *text, size_t length); /* output of kernels; NULL: discarded */
    bool check;                                                    /* workloads: compare with the CPU */
    /* the trace */
    const char *ptx_path;   /* of programs: file that gets the PTX they load (sl_input_find_code); NULL: none */
    const char *trace_path; /* NULL: none is written (sl_input_emulate), or a temporary one (sl_record) */
    const char *producer;
    int zstd_level; /* 0: the default; or SL_LEVEL_TEMPORARY */
    bool durable;   /* it must survive a power cut */
    bool count;     /* launches, with their footprints */
    bool no_shared; /* …but not their accesses to shared memory */
    /* Called for each launch when it ends; may be NULL. */
    sl_status (*launch_done)(void *context, const sl_launch_result *, sl_error *);
    void *launch_context;
    const char *scratch;               /* a folder for temporary traces */
    const char *spill;                 /* a folder for what is too large for memory (sl_trace_spill); NULL: none */
    sl_program_starter *start_program; /* NULL: programs cannot be run */
    void *program_context;
    const sl_progress *progress; /* NULL: none */
};

/* Runs it once, and counts and writes what is asked for. `end` may be NULL. */
sl_status sl_input_emulate(const sl_input *input, const sl_record_options *options, sl_run_end *end, sl_error *error);

typedef struct sl_recording {
    const sl_input *input; /* NULL: a file of the cache */
    sl_trace *trace;
    uint32_t launches; /* that match the filter */
    uint32_t *launch;  /* [launches]: numbers for sl_trace_launch_at */
    sl_error damage;   /* of a file of ours; its status is SL_OK where there is none */
    sl_run_end end;    /* of what ran */
} sl_recording;

/* The input as a trace. On failure there is nothing to close. */
sl_status sl_record(const sl_input *input, const sl_record_options *options, sl_recording *recording, sl_error *error);
/* A trace file of ours, with all launches that match the filter (NULL: all). `spill` as in sl_record_options. */
sl_status sl_recording_open(const char *path, const sl_trace_filter *filter, const char *spill, sl_recording *recording,
                            sl_error *error);
/* Keeps part `part` of `parts`: launches that follow each other, about as much work as in each other part. */
void sl_recording_select_part(sl_recording *recording, uint32_t part, uint32_t parts);
void sl_recording_close(sl_recording *recording); /* zeros are fine */

/* Counts of a launch that follow from the trace, without any model; its warp instructions define "the largest launch of
 * a kernel". `launch` is a number of the trace; `pool` may be NULL. */
sl_status sl_recording_count(const sl_recording *recording, uint32_t launch, sl_pool *pool, sl_counts *total,
                             sl_error *error);

#endif
