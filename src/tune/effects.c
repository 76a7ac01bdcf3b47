/* SPDX-License-Identifier: MIT */
#include "tune/effects.h"

#include <string.h>

/* ---- in the simulator ---- */

static uint32_t shared_level(const sl_machine *machine)
{
    uint32_t shared = 0;
    while (shared + 1 < machine->levels && machine->level[shared].cores_per_instance != machine->cores)
        shared++;
    return shared;
}

/* The levels of a machine that a control concerns. */
static uint8_t levels_of(uint8_t levels, uint32_t shared)
{
    unsigned before = (1u << shared) - 1;
    return (uint8_t)((levels & SL_LEVEL_FIRST ? 1u : 0) | (levels & SL_LEVELS_PRIVATE ? before : 0) |
                     (levels & SL_LEVEL_SHARED ? 1u << shared : 0));
}

/* Whether the machine has what a control concerns. */
static bool has_effect(const sl_control *control, const sl_machine *machine)
{
    bool store_allocates = machine->level[0].write == SL_WRITE_ALLOCATE;
    return !(control->node == SL_NODE_STORE && control->effect.bypass && !store_allocates) &&
           !(control->setting == SL_SETTING_CARVE_OUT && !machine->core.carve_outs);
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
        modes |= (uint32_t)(sl_controls[m].simulated && has_effect(&sl_controls[m], machine)) << m;
    return modes;
}

sl_sim_hint sl_sim_hint_of(unsigned mode, const sl_machine *machine)
{
    enum { LOG2_LINE = 7 }; /* levels fetch no more than a line */
    const sl_control *control = &sl_controls[mode];
    uint32_t shared = shared_level(machine);
    sl_sim_hint hint = {.bypass = levels_of(control->effect.bypass, shared),
                        .first = levels_of(control->effect.first, shared),
                        .last = levels_of(control->effect.last, shared),
                        .half = control->effect.half};
    while (hint.log2_fetch < LOG2_LINE && control->prefetch_size >> (hint.log2_fetch + 1))
        hint.log2_fetch++;
    return hint;
}

void sl_sim_set(unsigned mode, sl_sim_plan *plan)
{
    const sl_control *control = &sl_controls[mode];
    if (control->setting == SL_SETTING_CARVE_OUT) {
        plan->has_preferred_shared = true;
        plan->preferred_shared = control->shared_percent;
    }
    if (control->setting == SL_SETTING_BLOCKS)
        plan->log2_fewer = control->log2_fewer_blocks;
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

/* ---- on a GPU ---- */

/* So much shared memory that an SM holds only so many blocks: the smallest part of L1 that holds that many with as much
 * more as leaves no room for another. */
static void hold_fewer(sl_device_launch *launch, uint32_t blocks, const sl_gpu_limits *limits, uint32_t static_shared)
{
    static const uint32_t sizes[] = {8, 16, 32, 64, 100, 132, 164, 196, 228}; /* KB; drivers take the next larger */
    enum { GRAIN = 128 };
    uint32_t max = limits->shared_per_sm, reserved = limits->reserved_shared_per_block;
    uint32_t need = static_shared + launch->dynamic_shared_bytes + reserved;
    for (size_t i = 0; blocks && i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t size = sizes[i] << 10, each = size / blocks / GRAIN * GRAIN;
        if (size > max || each < need + GRAIN || each - reserved - static_shared > limits->shared_per_block_optin)
            continue;
        launch->dynamic_shared_bytes = each - reserved - static_shared;
        launch->settings.shared_percent_plus = 1 + (uint32_t)((uint64_t)size * 100 / max);
        return;
    }
}

void sl_launch_set(sl_device_launch *launch, unsigned mode, const sl_gpu_limits *limits, const sl_residency *residency,
                   const sl_device_range *window)
{
    const sl_control *control = &sl_controls[mode];
    switch (control->setting) {
    case SL_SETTING_BLOCKS:
        hold_fewer(launch, residency->blocks >> control->log2_fewer_blocks, limits, residency->static_shared_bytes);
        break;
    case SL_SETTING_CARVE_OUT:
        launch->settings.shared_percent_plus = 1u + control->shared_percent;
        break;
    case SL_SETTING_WINDOW:
        launch->settings.window = window ? window->addr : 0;
        launch->settings.window_bytes = window ? window->bytes : 0;
        break;
    default:
        break;
    }
}
