/* SPDX-License-Identifier: MIT */
/* A ready-made observer to launches: counts them, writes a trace, or both, for the launches and blocks that a filter
 * lets through. */
#ifndef SL_TRACE_RECORDER_H
#define SL_TRACE_RECORDER_H

#include "trace/count.h"
#include "trace/sink.h"

/* One launch that passed the filter, when it has ended. Valid during the call only. */
typedef struct sl_launch_result {
    uint64_t index; /* among all launches of the run, from 0 */
    const sl_trace_kernel *kernel;
    const sl_trace_launch *launch;  /* blocks_recorded, failed and failure are filled in */
    const sl_launch_counts *counts; /* of the recorded blocks; NULL: not counted */
    const sl_launch_stats *stats;   /* of all blocks */
    uint64_t trace_bytes;           /* it takes in a trace file; 0: unknown */
} sl_launch_result;

typedef struct sl_recorder_config {
    const sl_trace_filter *filter; /* NULL: everything; copied */
    bool count;
    sl_count_options count_options;
    const char *trace_path; /* NULL: no trace is written */
    const char *producer;   /* line for the trace's header: command and version */
    int zstd_level;         /* 0: the default */
    bool durable;           /* the trace must survive a power cut (sl_new_file_keep) */
    bool writes_aside;      /* a thread of its own compresses and writes the trace; not where the process may fork */
    /* May be NULL. A failure ends the launch with that error. */
    sl_status (*launch_done)(void *context, const sl_launch_result *, sl_error *);
    void *context;
} sl_recorder_config;

typedef struct sl_recorder sl_recorder;

/* Fails on a bad regular expression or a file that cannot be created. */
sl_status sl_recorder_create(const sl_recorder_config *config, sl_recorder **recorder, sl_error *error);
/* What to hand to the emulator; valid as long as the recorder. */
const sl_launch_sink *sl_recorder_sink(const sl_recorder *recorder);
uint64_t sl_recorder_launches(const sl_recorder *recorder); /* seen so far, with those filtered out */
/* Names of the kernels that were launched, where the filter let none of them through; NULL otherwise. */
const char *sl_recorder_unmatched(const sl_recorder *recorder);
/* CPU time spent on writing the trace. */
uint64_t sl_recorder_writing_ns(const sl_recorder *recorder);
/* Finishes the trace (which appears under its name now) and frees the recorder, also on failure. */
sl_status sl_recorder_finish(sl_recorder *recorder, sl_error *error);
/* Frees the recorder and discards the trace. NULL is fine. */
void sl_recorder_abandon(sl_recorder *recorder);

#endif
