/* SPDX-License-Identifier: MIT */
/* What the modes of loads, stores and kernels do to launches, in the simulator and on a GPU. */
#ifndef SL_TUNE_EFFECTS_H
#define SL_TUNE_EFFECTS_H

#include "device/device.h"
#include "sim/sim.h"
#include "tune/plan.h"

/* ---- in the simulator ---- */

/* The modes that the simulator distinguishes on a machine. */
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

/* ---- on a GPU ---- */

/* How many blocks an SM holds at once, and the shared memory of the kernel's variables: sl_device_residency. */
typedef struct sl_residency {
    uint32_t blocks, static_shared_bytes;
} sl_residency;

/* The launch with one more setting; where that is not possible, as it was. `window`: what it covers, of that mode. */
void sl_launch_set(sl_device_launch *launch, unsigned mode, const sl_gpu_limits *limits, const sl_residency *residency,
                   const sl_device_range *window);

#endif
