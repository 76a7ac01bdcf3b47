/* SPDX-License-Identifier: MIT */
/* What `sluice run` tells the CUDA library in the program it starts: a small text in one environment variable.
 *
 * One `key=value` per line; keys are in options.c's table, which includes emu/settings.def. Both sides use this module,
 * so they cannot disagree. */
#ifndef SL_PROC_OPTIONS_H
#define SL_PROC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/settings.h"
#include "sluice/error.h"
#include "sluice/trace.h"

#define SL_PROC_OPTIONS_VARIABLE "SLUICE_OPTIONS"

typedef struct sl_proc_options {
    sl_run_settings settings;
    char *text;                 /* of decoded options: what strings of the settings point into */
    bool quiet;                 /* no warnings */
    char results[1024];         /* folder for the files that tell what each process launched; empty: none */
    char trace[1024];           /* path of the trace; empty: none */
    char ptx[1024];             /* file for the PTX texts of the program, each behind its name; empty: none */
    char plan[1024];            /* file of plans to apply to the PTX of the program; empty: none */
    char planned[1024];         /* file that tells what the program did, for runs with and without plans; empty: none */
    char libraries[1024];       /* folder of our libraries */
    char device[1024];          /* GPU model that an OpenCL device is; empty: the emulator's */
    char static_runtimes[4096]; /* archives of static CUDA runtimes, separated by colons */
    char producer[512];         /* line for the trace's header */
    uint64_t zstd_level;        /* of the trace; 0: the default */
    bool counters;              /* count requests and sectors even without a trace */
    bool no_shared;             /* …but no accesses to shared memory */
    char kernel_regex[512];     /* filters, as sl_trace_filter */
    char launches[2048];
    uint64_t blocks;
} sl_proc_options;

/* *text is malloc'ed. A value with a newline in it is refused: SL_INVALID. */
sl_status sl_proc_options_encode(const sl_proc_options *options, char **text, sl_error *error);
/* Starts from zeroed options. NULL or empty text: all defaults. On failure there is nothing to free. */
sl_status sl_proc_options_decode(const char *text, sl_proc_options *options, sl_error *error);
void sl_proc_options_fini(sl_proc_options *options); /* of decoded ones; zeros are fine */
/* The part that is a trace filter; points into the options. */
sl_trace_filter sl_proc_options_filter(const sl_proc_options *options);

#endif
