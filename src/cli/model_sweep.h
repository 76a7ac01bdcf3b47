/* SPDX-License-Identifier: MIT */
/* sluice model over many first levels, or over many seeds. */
#ifndef SL_CLI_MODEL_SWEEP_H
#define SL_CLI_MODEL_SWEEP_H

#include "cli/input.h"
#include "study/point.h"

typedef struct sl_sweep_settings {
    const char *l1_size, *l1_ways, *line, *mshrs; /* lists; NULL: as the machine has it */
    bool figure12;
    uint64_t seeds; /* 0: not asked for */
} sl_sweep_settings;

/* Rows for a table of options of `type`, which has the settings in its field `sweep`. */
// clang-format off
#define SL_SWEEP_OPTIONS(type) \
    {"l1-size", 0, SL_OPTION_STRING, "LIST", "Model each of these sizes of L1, such as 4K,8K,16K", offsetof(type, sweep.l1_size), 0, 0, NULL}, \
    {"l1-ways", 0, SL_OPTION_STRING, "LIST", "Model each of these numbers of ways, with each of the sizes", offsetof(type, sweep.l1_ways), 0, 0, NULL}, \
    {"line", 0, SL_OPTION_STRING, "LIST", "Model each of these sizes of a line of L1", offsetof(type, sweep.line), 0, 0, NULL}, \
    {"mshrs", 0, SL_OPTION_STRING, "LIST", "Model each of these numbers of MSHRs; 0: any number", offsetof(type, sweep.mshrs), 0, 0, NULL}, \
    {"figure12", 0, SL_OPTION_FLAG, NULL, "Vary ways, size, line and MSHRs of L1 one by one, by 0.25 to 4, as figure 12 of the paper", offsetof(type, sweep.figure12), 0, 0, NULL}, \
    {"seeds", 0, SL_OPTION_NUMBER, "N", "Model with N seeds, and show means and how far they spread", offsetof(type, sweep.seeds), 1, 10000, NULL}
// clang-format on

/* Whether any of them was asked for. */
bool sl_sweep_wanted(const sl_sweep_settings *settings);
/* SL_INVALID for lists that make no sense, and for what does not go together. */
sl_status sl_sweep_check(const sl_sweep_settings *settings, sl_error *error);
/* The settings must be checked. `like` is the point that all vary, with its machine. Returns the exit code, having told
 * of a failure. */
int sl_run_sweep(const sl_invocation *inv, const sl_sweep_settings *settings, const sl_point *like,
                 const sl_cli_input *input);

#endif
