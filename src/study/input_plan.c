/* SPDX-License-Identifier: MIT */
#include "study/input_plan.h"

#include <stdlib.h>

#include "base/file.h"
#include "bypass/plan_sim.h"
#include "bypass/ptx_loads.h"

static sl_status check_plan(const sl_plan *plan, const char *text, size_t length, const char *name, sl_error *error)
{
    sl_ptx_module *module = NULL;
    sl_load_graph graph;
    uint64_t hash;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_ptx_parse(text, length, name, &module, error);
    if (!status)
        status = sl_ptx_code_hash(module, &hash, error);
    if (!status)
        status = sl_ptx_loads(module, NULL, SL_PTX_L2_SM, &arena, &graph, error);
    if (!status)
        status = sl_plan_check(plan, "ptx", hash, name, &graph, error);
    sl_ptx_free(module);
    sl_arena_fini(&arena);
    return status;
}

sl_status sl_input_plan(const sl_input *input, const char *path, const char *code, sl_plan *plan, sl_error *error)
{
    const char *text = input->ptx, *name = input->spec.name;
    char *owned = NULL;
    size_t length = input->ptx_length;
    sl_status status = sl_plan_read(path, plan, error);
    if (status)
        return status;
    if (input->kind == SL_INPUT_WORKLOAD)
        name = input->workload->ptx_name;
    if (code && *code) {
        status = sl_file_read(code, &owned, &length, error);
        text = owned;
        name = code;
    } else if (!text || input->ir.code) {
        status = sl_fail(
            error, SL_INVALID,
            "%s does not contain the code of the plan; give the PTX that it was recorded from with --code FILE", name);
    }
    if (!status)
        status = check_plan(plan, text, length, name, error);
    free(owned);
    if (status)
        sl_plan_fini(plan);
    return status;
}

sl_status sl_plan_launches(const sl_plan *plan, const sl_recording *recording, const sl_machine *machine,
                           sl_arena *arena, const uint8_t *const **masks, sl_error *error)
{
    const uint8_t **made = sl_arena_array(arena, const uint8_t *, recording->launches + 1u);
    if (!made)
        return sl_fail_memory(error);
    for (uint32_t n = 0; n < recording->launches; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, recording->launch[n]);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(recording->trace, launch->kernel);
        uint8_t *mask = sl_arena_array(arena, uint8_t, kernel->mem_slots + 1);
        if (!mask)
            return sl_fail_memory(error);
        sl_plan_masks(plan, kernel, machine, mask);
        made[n] = mask;
    }
    *masks = made;
    return SL_OK;
}
