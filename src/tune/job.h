/* SPDX-License-Identifier: MIT */
/* What `sluice tune --on gpu -- ./app` asks of the library inside of the program: which launches to tune, and how. A
 * file of lines (line_file.h): options by name, and
 *
 *   select STRATEGY                 the selection strategy
 *   scratch FOLDER                  for temporary files
 *   launch NUMBER LAUNCHES NAME     a launch of a kernel, counted from 0 over the launches of that kernel; and how
 *                                   many it has */
#ifndef SL_TUNE_JOB_H
#define SL_TUNE_JOB_H

#include "base/array.h"
#include "tune/select.h"
#include "tune/tune.h"

#define SL_GPU_PLAN_VARIABLE    "SLUICE_GPU_PLAN"    /* file of the plans to apply */
#define SL_GPU_RESULTS_VARIABLE "SLUICE_GPU_RESULTS" /* file of what the program did */
#define SL_GPU_JOB_VARIABLE     "SLUICE_GPU_JOB"     /* the file */
#define SL_GPU_PLANS_VARIABLE   "SLUICE_GPU_PLANS"   /* where the plans are written to */

typedef struct sl_tune_job_launch {
    char *kernel; /* symbol */
    uint64_t number, launches;
    uint64_t of_program; /* the same launch among all of the program; not passed on */
    bool done;
} sl_tune_job_launch;

typedef struct sl_tune_job {
    SL_ARRAY(sl_tune_job_launch) launches;
    const sl_selector *selector;
    char *select;             /* its name, as it was read; NULL: not read */
    sl_tuner_options options; /* store and progress are not passed on */
    uint32_t rounds;
    bool cold, quiet;
    char *scratch; /* NULL: none, and nothing is ranked */
} sl_tune_job;

bool sl_tune_job_write(const sl_tune_job *job, const char *path);
sl_status sl_tune_job_read(const char *path, sl_tune_job *job, sl_error *error);
/* What the plan of a job says of its kernels, in the order of their time; in the arena. */
sl_status sl_tune_job_kernels(const sl_tune_job *job, const sl_plan *plan, sl_arena *arena, sl_tuned_kernel **kernels,
                              size_t *count, sl_error *error);
void sl_tune_job_fini(sl_tune_job *job);

#endif
