/* SPDX-License-Identifier: MIT */
/* Reports tuning and measuring in the requested formats, with a header that says how it was made. */
#ifndef SL_CLI_SHOW_TUNING_H
#define SL_CLI_SHOW_TUNING_H

#include "cli/command.h"
#include "report/tuning.h"

/* Prints errors and returns the exit code. `subject` is what was tuned; `shown` has all but its header. */
int sl_show_tuning(const sl_invocation *inv, const char *subject, const uint64_t *seed, sl_tuning *shown);

#endif
