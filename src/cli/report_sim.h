/* SPDX-License-Identifier: MIT */
/* The policies of L1 side by side in the simulator, for `sluice report --sim`. */
#ifndef SL_CLI_REPORT_SIM_H
#define SL_CLI_REPORT_SIM_H

#include "base/arena.h"
#include "cli/command.h"
#include "cli/trace_input.h"
#include "machine/machine.h"
#include "report/sweep.h"

/* Simulates all launches of the input on the machine as it is, the first point, and with every other policy in its
 * first level: those that replace, and those that bypass beside the machine's own replacement. What a policy cannot do
 * is left out, and noted. The sweep lives in the arena. */
sl_status sl_report_simulate(const sl_invocation *inv, const sl_machine *machine, uint64_t seed,
                             const sl_trace_input *input, sl_arena *arena, sl_sweep *sweep, sl_error *error);

#endif
