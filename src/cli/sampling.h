/* SPDX-License-Identifier: MIT */
/* --sample of commands that analyze launches, and Ctrl-C while they do. */
#ifndef SL_CLI_SAMPLING_H
#define SL_CLI_SAMPLING_H

#include "analysis/analysis.h"
#include "cli/command.h"

#define SL_SAMPLE_OPTION(offset)                                                                                       \
    {                                                                                                                  \
        "sample", 0, SL_OPTION_STRING, "WHEN",                                                                         \
            "Analyze some launches and estimate sums over all, with 95% intervals: auto (from 10 s of predicted work " \
            "on), off, or how wide the interval of cycles may be to either side, such as 1% (default: auto)",          \
            offset, 0, 0, NULL                                                                                         \
    }
#define SL_SAMPLE_HELP                                                                                                 \
    "\n\nPrograms of many launches are sampled (--sample): launches that count alike (kernel, grid, instructions, "    \
    "requests, sectors) are a group of which some are analyzed; the others only bring their lines into the caches "    \
    "that all SMs share. The first line says so. Ctrl-C ends the analysis with the launches that were analyzed until " \
    "then, and wider intervals."

/* `text` NULL: auto. */
sl_status sl_sampling_of(const char *text, sl_sampling *sampling, sl_error *error);

/* From now on the first Ctrl-C sets the flag that is returned, and a second one ends the program. */
const volatile bool *sl_stop_catch(void);
/* Ctrl-C ends the program again. Returns whether the flag was set. */
bool sl_stop_release(void);
/* The exit code of a command that was stopped and has shown what there is: as of a shell, 128 and the signal. */
enum { SL_EXIT_STOPPED = 130 };

#endif
