/* SPDX-License-Identifier: MIT */
/* --what-if of model and sim: an analysis before and after. */
#ifndef SL_CLI_WHAT_IF_H
#define SL_CLI_WHAT_IF_H

#include "analysis/analysis.h"
#include "cli/command.h"
#include "cli/input.h"

#define SL_WHAT_IF_OPTION(offset)                                                                                      \
    {                                                                                                                  \
        "what-if", 0, SL_OPTION_STRING, "RULE[@LINE]",                                                                 \
            "Take the cause of a finding away, everywhere or at one line, and report the cycles before and after",     \
            offset, 0, 0, NULL                                                                                         \
    }

/* Prints errors and returns the exit code. */
int sl_cli_what_if(const sl_invocation *inv, const char *text, const sl_analysis *analysis, const sl_cli_input *input);

#endif
