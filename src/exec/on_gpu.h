/* SPDX-License-Identifier: MIT */
/* Runs a CUDA program on the real GPU with the library of src/interpose in front of NVIDIA's driver. */
#ifndef SL_LAUNCH_ON_GPU_H
#define SL_LAUNCH_ON_GPU_H

#include "exec/start.h"
#include "tune/program_results.h"

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
