/* SPDX-License-Identifier: MIT */
/* Shows what tuning or measuring found, in the forms that were asked for, with a head that says what made it. */
#ifndef SL_CLI_SHOW_TUNING_H
#define SL_CLI_SHOW_TUNING_H

#include "cli/command.h"
#include "report/tuning.h"

/* Returns the exit code, having told of a failure. `subject` is what was tuned, as it was named; `shown` has all but
 * its head. */
int sl_show_tuning(const sl_invocation *inv, const char *subject, const uint64_t *seed, sl_tuning *shown);

#endif
