/* SPDX-License-Identifier: MIT */
#include "bypass/plan_sim.h"

uint32_t sl_plan_masks(const sl_plan *plan, const sl_trace_kernel *kernel, const sl_machine *machine, uint8_t *mask)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < kernel->mem_slots; slot++) {
        const sl_inst *inst = &kernel->inst[kernel->mem_inst[slot]];
        unsigned mode = inst->access == SL_ACCESS_LOAD ? sl_plan_mode(plan, kernel->symbol, inst->pc) : SL_BYPASS_NONE;
        mask[slot] = sl_bypass_levels(mode, machine);
        count += mask[slot] != 0;
    }
    return count;
}
