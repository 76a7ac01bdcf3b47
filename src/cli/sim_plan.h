/* SPDX-License-Identifier: MIT */
/* The plan of a simulation: sluice sim spmv --plan spmv.json. */
#ifndef SL_CLI_SIM_PLAN_H
#define SL_CLI_SIM_PLAN_H

#include "base/arena.h"
#include "bypass/plan.h"
#include "cli/trace_input.h"
#include "machine/machine.h"

/* Reads a plan and checks that it belongs to the code: the workload's, or, for a trace, the PTX file `code` (NULL: none
 * was named) that it was recorded from. On failure there is nothing to free. */
sl_status sl_input_plan(const char *path, const char *code, const sl_trace_input *input, sl_plan *plan,
                        sl_error *error);

/* The same, and through *masks for each launch of the input what sl_sim_launch takes, all in the arena. */
sl_status sl_sim_plan(const char *path, const char *code, const sl_trace_input *input, const sl_machine *machine,
                      sl_arena *arena, const uint8_t *const **masks, sl_error *error);

#endif
