/* SPDX-License-Identifier: MIT */
#include "tune/plan_sim.h"

#include <string.h>

static uint32_t shared_level(const sl_machine *machine)
{
    uint32_t shared = 0;
    while (shared + 1 < machine->levels && machine->level[shared].cores_per_instance != machine->cores)
        shared++;
    return shared;
}

uint32_t sl_sim_modes(const sl_machine *machine)
{
    uint32_t modes = 1u << SL_BYPASS_NONE | 1u << SL_BYPASS_L2;
    if (machine->levels > 1)
        modes |= 1u << SL_BYPASS_L1;
    /* On AMD GPUs, whose first levels have miss_evict, the bypass of L0/L1 hides the hint to L2. */
    if (machine->levels > 1 && machine->level[0].hint != SL_HINT_MISS_EVICT)
        modes |= 1u << SL_BYPASS_BOTH;
    if (machine->levels != 2 || machine->level[0].hint != SL_HINT_BYPASS ||
        machine->level[1].hint != SL_HINT_EVICT_FIRST)
        return modes;
    for (unsigned m = SL_BYPASS_BY_LEVEL; m < SL_BYPASS_MODES; m++)
        modes |= (uint32_t)sl_controls[m].sim << m;
    if (machine->level[0].write != SL_WRITE_ALLOCATE)
        modes &= ~(1u << SL_BYPASS_STORE_L1);
    if (!machine->core.carve_outs)
        modes &= ~(1u << SL_BYPASS_CARVE_L1 | 1u << SL_BYPASS_CARVE_SHARED);
    return modes;
}

sl_sim_hint sl_sim_hint_of(unsigned mode, const sl_machine *machine)
{
    uint32_t shared = shared_level(machine);
    uint8_t l1 = (uint8_t)((1u << shared) - 1), l2 = (uint8_t)(1u << shared);
    switch (mode) {
    case SL_BYPASS_L1: /* where levels know priorities, what is not kept in L1 is evicted first from L2 */
    case SL_BYPASS_STORE_L1:
        return (sl_sim_hint){.bypass = l1, .first = l2};
    case SL_BYPASS_L2:
        return (sl_sim_hint){.bypass = l2};
    case SL_BYPASS_BOTH:
        return (sl_sim_hint){.bypass = l1 | l2};
    case SL_BYPASS_L1_FIRST:
    case SL_BYPASS_STORE_CS:
        return (sl_sim_hint){.first = 1 | l2};
    case SL_BYPASS_L1_LAST:
        return (sl_sim_hint){.last = 1};
    case SL_BYPASS_L2_LAST:
        return (sl_sim_hint){.last = l2};
    case SL_BYPASS_L2_LAST_HALF:
        return (sl_sim_hint){.last = l2, .half = true};
    case SL_BYPASS_L2_FIRST_HALF:
        return (sl_sim_hint){.first = l2, .half = true};
    case SL_BYPASS_FETCH_64:
        return (sl_sim_hint){.log2_fetch = 6};
    case SL_BYPASS_FETCH_128:
    case SL_BYPASS_FETCH_256: /* of one line */
        return (sl_sim_hint){.log2_fetch = 7};
    case SL_BYPASS_STORE_L2:
        return (sl_sim_hint){.first = l2};
    default:
        return (sl_sim_hint){0};
    }
}

void sl_sim_set(unsigned mode, sl_sim_plan *plan)
{
    enum { LEAST = 1, MOST = 101 }; /* 1 + percent */
    if (mode == SL_BYPASS_CARVE_L1 || mode == SL_BYPASS_CARVE_SHARED)
        plan->preferred_shared_plus = mode == SL_BYPASS_CARVE_L1 ? LEAST : MOST;
    if (mode == SL_BYPASS_BLOCKS_HALF || mode == SL_BYPASS_BLOCKS_QUARTER)
        plan->log2_fewer = mode == SL_BYPASS_BLOCKS_HALF ? 1 : 2;
}

sl_sim_plan sl_plan_of_kernel(const sl_plan *plan, const sl_trace_kernel *kernel, const sl_machine *machine,
                              sl_sim_hint *hint)
{
    sl_sim_plan made = {.hint = hint};
    for (uint32_t slot = 0; slot < kernel->mem_slots; slot++) {
        const sl_inst *inst = &kernel->inst[kernel->mem_inst[slot]];
        bool node = inst->access == SL_ACCESS_LOAD || inst->access == SL_ACCESS_STORE;
        hint[slot] = sl_sim_hint_of(node ? sl_plan_mode(plan, kernel->symbol, inst->pc) : SL_BYPASS_NONE, machine);
    }
    for (uint32_t i = 0; i < plan->loads; i++)
        if (plan->load[i].node == SL_NODE_KERNEL && !strcmp(plan->load[i].function, kernel->symbol))
            sl_sim_set(plan->load[i].mode, &made);
    return made;
}
