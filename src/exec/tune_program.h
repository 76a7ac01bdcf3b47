/* SPDX-License-Identifier: MIT */
/* `sluice tune --on gpu -- ./app`: a program is run to see which kernels take its time, again to tune each of them on
 * its longest launch, and twice to compare it with and without what was chosen. */
#ifndef SL_LAUNCH_TUNE_PROGRAM_H
#define SL_LAUNCH_TUNE_PROGRAM_H

#include "exec/planned.h"
#include "tune/job.h"
#include "tune/plan.h"

typedef struct sl_program_tuning {
    char **argv;              /* ends with NULL */
    const char *folder;       /* a temporary one */
    const char *kernel_regex; /* NULL or "": all kernels */
    uint32_t max_kernels;     /* of those that take most time */
    double share;             /* of the time of all kernels that those tuned should have, 0 to 1 */
    sl_tune_job job;          /* how; its launches are filled in */
} sl_program_tuning;

typedef struct sl_program_tuned {
    sl_program_results survey; /* where the time goes */
    sl_plan_list plans;
    sl_program_results tuning; /* what could not be tuned */
    bool compared;             /* something was chosen, and the program run with it */
    sl_planned_runs runs;
} sl_program_tuned;

/* The caller frees both, also after a failure. */
sl_status sl_tune_program(sl_program_tuning *tuning, const sl_progress *progress, sl_program_tuned *tuned,
                          sl_error *error);
void sl_program_tuned_fini(sl_program_tuned *tuned);

#endif
