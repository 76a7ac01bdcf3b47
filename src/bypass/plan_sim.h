/* SPDX-License-Identifier: MIT */
/* Plans as input of the simulator: for each memory instruction of a recorded kernel the levels that it bypasses. */
#ifndef SL_BYPASS_PLAN_SIM_H
#define SL_BYPASS_PLAN_SIM_H

#include "bypass/plan.h"
#include "sluice/trace.h"

/* The levels of a machine with so many of them that a mode names; bit 0 is the first. The last level is the one that
 * the whole GPU shares; with one level alone there is nothing before it. */
static inline uint8_t sl_bypass_levels(unsigned mode, uint32_t levels)
{
    uint32_t last = levels - 1;
    return (uint8_t)((mode & SL_BYPASS_L1 ? (1u << last) - 1 : 0) | (mode & SL_BYPASS_L2 ? 1u << last : 0));
}

/* Fills mask[kernel->mem_slots]; returns the number of instructions that bypass a level. The caller has checked that
 * the plan belongs to the code that the kernel was recorded from (sl_plan_check). */
uint32_t sl_plan_masks(const sl_plan *plan, const sl_trace_kernel *kernel, uint32_t levels, uint8_t *mask);

#endif
