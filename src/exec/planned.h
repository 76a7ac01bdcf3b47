/* SPDX-License-Identifier: MIT */
/* Runs a CUDA program unchanged and with a plan, on a real GPU or on the emulator. */
#ifndef SL_LAUNCH_PLANNED_H
#define SL_LAUNCH_PLANNED_H

#include <stdbool.h>

#include "exec/start.h"
#include "tune/program_results.h"

typedef struct sl_planned_program {
    char **argv;        /* ends with NULL */
    const char *plan;   /* its file */
    bool gpu;           /* on the real GPU, not on the emulator */
    uint32_t threads;   /* of the emulator; 0: all cores */
    const char *folder; /* a temporary one */
    bool quiet;         /* the output of the second run is discarded as well */
    uint32_t repeats;   /* on a GPU: how often both are run, of which the shortest times count; 0: once */
} sl_planned_program;

enum { SL_RUN_ORIGINAL, SL_RUN_PLANNED, SL_PLANNED_RUNS };

typedef struct sl_planned_runs {
    int exit_code[SL_PLANNED_RUNS];
    double seconds[SL_PLANNED_RUNS]; /* on a GPU: from start to end */
    bool varies; /* on a GPU: the original's results differ from run to run, and were not compared */
    sl_program_results results[SL_PLANNED_RUNS];
} sl_planned_runs;

/* Runs it twice; the output of the first run is discarded. Fails if the plan was made for other code, or if the data
 * copied to the host (unless the original's varies) or the exit codes differ. The caller frees the runs, also after a
 * failure. */
sl_status sl_planned_run(const sl_planned_program *program, sl_planned_runs *runs, sl_error *error);
/* How the results of both compare, for a report. */
const char *sl_planned_same(const sl_planned_runs *runs);
void sl_planned_runs_fini(sl_planned_runs *runs);

/* Runs a CUDA program on the real GPU with the library of src/interpose in front of NVIDIA's driver. */

typedef struct sl_gpu_program {
    char **argv;        /* ends with NULL */
    const char *folder; /* a temporary one, for what the library reports */
    sl_app app;
    char driver[4096]; /* NVIDIA's library */
} sl_gpu_program;

/* One run. */
typedef struct sl_gpu_run {
    const char *plan, *job, *plans; /* absolute paths of what is applied, of what is asked for, and of the answer */
    const char *output;             /* file for its standard output; NULL: ours */
    sl_app_end end;
    double seconds; /* from its start to its end */
    sl_program_results results;
} sl_gpu_run;

/* Finds the program and the driver. */
sl_status sl_gpu_program_find(char **argv, const char *folder, sl_gpu_program *program, sl_error *error);
/* The caller frees the results, also after a failure. */
sl_status sl_gpu_program_run(const sl_gpu_program *program, sl_gpu_run *run, sl_error *error);

#endif
