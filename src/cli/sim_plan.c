/* SPDX-License-Identifier: MIT */
#include "cli/sim_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bypass/plan_sim.h"
#include "bypass/ptx_loads.h"
#include "ptx/module.h"
#include "workloads/workload.h"

/* The text of the code: the workload's own, or that of a file, which is then *owned. */
static sl_status find_code(const char *code, const sl_trace_input *input, const char **text, size_t *length,
                           const char **name, char **owned, sl_error *error)
{
    const sl_workload *workload;
    *name = code;
    if (code) {
        sl_status status = sl_file_read(code, owned, length, error);
        *text = *owned;
        return status;
    }
    if (!*input->workload)
        return sl_fail(error, SL_INVALID,
                       "%s does not hold the code that the plan belongs to: --code FILE names the PTX that it was "
                       "recorded from",
                       input->name);
    sl_status status = sl_workload_find(input->name, &workload, error);
    if (status)
        return status;
    *text = workload->ptx;
    *length = (size_t)(workload->ptx_end - workload->ptx);
    *name = workload->ptx_name;
    return SL_OK;
}

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

static sl_status make_masks(const sl_plan *plan, const sl_trace_input *input, const sl_machine *machine,
                            sl_arena *arena, const uint8_t *const **masks, sl_error *error)
{
    const uint8_t **made = sl_arena_array(arena, const uint8_t *, input->launches + 1);
    if (!made)
        return sl_fail_memory(error);
    for (uint32_t n = 0; n < input->launches; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(input->trace, input->launch[n]);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(input->trace, launch->kernel);
        uint8_t *mask = sl_arena_array(arena, uint8_t, kernel->mem_slots + 1);
        if (!mask)
            return sl_fail_memory(error);
        sl_plan_masks(plan, kernel, machine->levels, mask);
        made[n] = mask;
    }
    *masks = made;
    return SL_OK;
}

sl_status sl_input_plan(const char *path, const char *code, const sl_trace_input *input, sl_plan *plan, sl_error *error)
{
    const char *text = NULL, *name;
    char *owned = NULL;
    size_t length = 0;
    sl_status status = sl_plan_read(path, plan, error);
    if (status)
        return status;
    status = find_code(code, input, &text, &length, &name, &owned, error);
    if (!status)
        status = check_plan(plan, text, length, name, error);
    free(owned);
    if (status)
        sl_plan_fini(plan);
    return status;
}

sl_status sl_sim_plan(const char *path, const char *code, const sl_trace_input *input, const sl_machine *machine,
                      sl_arena *arena, const uint8_t *const **masks, sl_error *error)
{
    sl_plan plan;
    sl_status status = sl_input_plan(path, code, input, &plan, error);
    if (status)
        return status;
    status = make_masks(&plan, input, machine, arena, masks, error);
    sl_plan_fini(&plan);
    return status;
}
