/* SPDX-License-Identifier: MIT */
/* A CUDA program run as it is and with a plan's loads bypassing: sluice run --plan p.json --on gpu -- ./app. */
#ifndef SL_CLI_RUN_PLANNED_H
#define SL_CLI_RUN_PLANNED_H

#include "cli/command.h"

/* Runs it twice with the interposer of src/swap in front of the CUDA runtime, shows the times of each kernel side by
 * side, and compares what was copied to the host. Returns the exit code: the program's own, or a failure where results
 * differ or the plan belongs to other code. */
int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu);

#endif
