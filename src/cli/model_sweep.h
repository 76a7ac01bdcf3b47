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

/* Rows of an option table for a struct `type` with the settings in its field `sweep`. */
// clang-format off
#define SL_SWEEP_OPTIONS(type) \
    {"l1-size", 0, SL_OPTION_STRING, "LIST", "L1 sizes to model, e.g. 4K,8K,16K", offsetof(type, sweep.l1_size), 0, 0, NULL}, \
    {"l1-ways", 0, SL_OPTION_STRING, "LIST", "Numbers of L1 ways to model, each with each size", offsetof(type, sweep.l1_ways), 0, 0, NULL}, \
    {"line", 0, SL_OPTION_STRING, "LIST", "L1 line sizes to model", offsetof(type, sweep.line), 0, 0, NULL}, \
    {"mshrs", 0, SL_OPTION_STRING, "LIST", "Numbers of L1 MSHRs to model; 0: unlimited", offsetof(type, sweep.mshrs), 0, 0, NULL}, \
    {"figure12", 0, SL_OPTION_FLAG, NULL, "Vary ways, size, line size and MSHRs of L1 one at a time, by factors of 0.25 to 4, as in figure 12 of the HPCA 2014 paper", offsetof(type, sweep.figure12), 0, 0, NULL}, \
    {"seeds", 0, SL_OPTION_NUMBER, "N", "Model with N seeds and report means and spread", offsetof(type, sweep.seeds), 1, 10000, NULL}
// clang-format on

/* Whether any of them is set. */
bool sl_sweep_wanted(const sl_sweep_settings *settings);
/* SL_INVALID for invalid lists and for settings that exclude each other. */
sl_status sl_sweep_check(const sl_sweep_settings *settings, sl_error *error);
/* The settings must be checked. `like` is the point that is varied, with its machine. Prints errors and returns the
 * exit code. */
int sl_run_sweep(const sl_invocation *inv, const sl_sweep_settings *settings, const sl_point *like,
                 const sl_cli_input *input);

#endif
