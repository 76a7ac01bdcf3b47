/* SPDX-License-Identifier: MIT */
/* The given options, for the headers of JSON reports. */
#ifndef SL_CLI_GIVEN_OPTIONS_H
#define SL_CLI_GIVEN_OPTIONS_H

#include "base/arena.h"
#include "cli/command.h"
#include "report/launches.h"

/* The facts (which are borrowed), then the options that were given; those of sl_common concern only the
 * output and are omitted. *count of them; NULL: no memory. */
sl_report_option *sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts,
                                   sl_arena *arena, size_t *count);

#endif
