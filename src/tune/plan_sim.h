/* SPDX-License-Identifier: MIT */
/* Plans as input of the simulator: what a mode asks of each memory instruction of a recorded kernel, and of its launch.
 */
#ifndef SL_TUNE_PLAN_SIM_H
#define SL_TUNE_PLAN_SIM_H

#include "sim/sim.h"
#include "tune/plan.h"

/* The modes that the simulator can tell from others on a machine. */
uint32_t sl_sim_modes(const sl_machine *machine);

/* What a mode asks of a load or store. "L2" is the first level that the whole GPU shares, or else the last: caches of
 * memory behind it have no hints. With one level alone there is nothing before it. */
sl_sim_hint sl_sim_hint_of(unsigned mode, const sl_machine *machine);
/* What the mode of a setting asks of a launch. */
void sl_sim_set(unsigned mode, sl_sim_plan *plan);

/* The plan of a launch of a recorded kernel; `hint` has an entry for each of its memory instructions. The caller has
 * checked that the plan belongs to the code that the kernel was recorded from (sl_plan_check). */
sl_sim_plan sl_plan_of_kernel(const sl_plan *plan, const sl_trace_kernel *kernel, const sl_machine *machine,
                              sl_sim_hint *hint);

#endif
