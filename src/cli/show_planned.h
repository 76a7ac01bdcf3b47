/* SPDX-License-Identifier: MIT */
/* A CUDA program with and without a bypass plan: sluice run --plan p.json --on gpu -- ./app. */
#ifndef SL_CLI_SHOW_PLANNED_H
#define SL_CLI_SHOW_PLANNED_H

#include "cli/command.h"

/* Runs it twice (swap/planned.h) and shows the times of each kernel side by side. Returns the exit code: that of the
 * program, or a failure. */
int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu);

#endif
