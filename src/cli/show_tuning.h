/* SPDX-License-Identifier: MIT */
/* Reports tuning and measuring in the requested formats, with a header that says how it was made. */
#ifndef SL_CLI_SHOW_TUNING_H
#define SL_CLI_SHOW_TUNING_H

#include "cli/input.h"
#include "report/tuning.h"

/* Prints errors and returns the exit code. `input` is what was tuned; `shown` has all but its header. */
int sl_show_tuning(const sl_invocation *inv, const sl_cli_input *input, sl_tuning *shown);

#endif
