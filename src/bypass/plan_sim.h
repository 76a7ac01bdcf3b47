/* SPDX-License-Identifier: MIT */
/* Plans as input of the simulator: for each memory instruction of a recorded kernel the levels that it bypasses. */
#ifndef SL_BYPASS_PLAN_SIM_H
#define SL_BYPASS_PLAN_SIM_H

#include "bypass/plan.h"
#include "machine/machine.h"
#include "sluice/trace.h"

/* The levels of a machine that a mode names; bit 0 is the first. "L2" is the first that the whole GPU shares, or else
 * the last: caches of memory behind it have no hints. With one level alone there is nothing before it. */
static inline uint8_t sl_bypass_levels(unsigned mode, const sl_machine *machine)
{
    uint32_t shared = 0;
    while (shared + 1 < machine->levels && machine->level[shared].cores_per_instance != machine->cores)
        shared++;
    return (uint8_t)((mode & SL_BYPASS_L1 ? (1u << shared) - 1 : 0) | (mode & SL_BYPASS_L2 ? 1u << shared : 0));
}

/* Fills mask[kernel->mem_slots]; returns the number of instructions that bypass a level. The caller has checked that
 * the plan belongs to the code that the kernel was recorded from (sl_plan_check). */
uint32_t sl_plan_masks(const sl_plan *plan, const sl_trace_kernel *kernel, const sl_machine *machine, uint8_t *mask);

#endif
