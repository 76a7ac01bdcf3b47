/* SPDX-License-Identifier: MIT */
/* What was asked for, for the heads of JSON reports. */
#ifndef SL_CLI_GIVEN_OPTIONS_H
#define SL_CLI_GIVEN_OPTIONS_H

#include "base/arena.h"
#include "cli/command.h"
#include "report/launches.h"

/* The facts (which are borrowed), then the options that were given; those of sl_common say only how to show, not what,
 * and are left out. *count of them; NULL: no memory. */
sl_report_option *sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts,
                                   sl_arena *arena, size_t *count);

#endif
