/* SPDX-License-Identifier: MIT */
#include "study/input_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "bypass/plan_sim.h"
#include "bypass/ptx_loads.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"

/* ---- the code ---- */

enum { SL_PROGRAM_SM = 90 }; /* of the device that programs see */

/* The PTX of a fat binary that an H200 would run and that has the kernel; *text is NULL where none has it. */
static sl_status find_module(const sl_fatbin *fatbin, const char *kernel, char **text, size_t *length, sl_error *error)
{
    const sl_fatbin_entry *all = fatbin->entries.items;
    sl_status status = SL_OK;
    for (size_t first = 0, end; first < fatbin->entries.count && !*text && !status; first = end) {
        for (end = first; end < fatbin->entries.count && all[end].container == all[first].container;)
            end++;
        const sl_fatbin_entry *best = sl_fatbin_best_ptx(all + first, end - first, SL_PROGRAM_SM);
        sl_ptx_module *module = NULL;
        if (!best)
            continue;
        status = sl_fatbin_unpack(best, text, length, error);
        bool found = !status && strstr(*text, kernel) && !sl_ptx_parse(*text, *length, "PTX", &module, NULL) &&
                     sl_ptx_find(module, kernel);
        sl_ptx_free(module);
        if (!found) {
            free(*text);
            *text = NULL;
        }
    }
    return status;
}

sl_status sl_input_find_code(sl_input *input, const char *path, const sl_recording *recording, sl_error *error)
{
    bool named = path && *path;
    if (!named && input->kind == SL_INPUT_PROGRAM)
        path = input->spec.name;
    if (!path || !*path || (!named && input->ptx))
        return SL_OK;
    char *data = NULL, *text = NULL;
    size_t bytes, length = 0;
    sl_fatbin fatbin = {0};
    sl_status status = sl_file_read(path, &data, &bytes, error);
    if (status) /* a program may be found elsewhere, and have no code itself */
        return named ? status : SL_OK;
    if (sl_elf_is(data, bytes) && recording->launches) {
        const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, recording->launch[0]);
        const char *kernel = sl_trace_kernel_at(recording->trace, launch->kernel)->symbol;
        status = sl_fatbin_add_elf(&fatbin, data, bytes, error);
        if (!status)
            status = find_module(&fatbin, kernel, &text, &length, error);
        if (!status && named && !text)
            status = sl_fail(error, SL_NOT_FOUND, "%s has no PTX with the kernel '%s'", path, kernel);
    } else if (named) {
        text = data;
        length = bytes;
        data = NULL;
    }
    free(data);
    sl_fatbin_fini(&fatbin);
    if (text) {
        free(input->owned);
        input->ptx = input->owned = text;
        input->ptx_length = length;
    }
    return status;
}

/* ---- plans ---- */

uint64_t sl_recording_hash(const sl_recording *recording)
{
    sl_hash hash = sl_hash_start();
    for (uint32_t i = 0; i < sl_trace_kernels(recording->trace); i++) {
        const sl_trace_kernel *k = sl_trace_kernel_at(recording->trace, i);
        sl_hash_text(&hash, k ? k->symbol : "");
        for (uint32_t slot = 0; k && slot < k->mem_slots; slot++)
            sl_hash_text(&hash, k->strings + k->inst[k->mem_inst[slot]].opcode);
    }
    return (uint64_t)(hash ^ hash >> 64);
}

static sl_status check_plan(const sl_plan *plan, const sl_input *input, const char *name, sl_error *error)
{
    sl_ptx_module *module = NULL;
    sl_load_graph graph;
    uint64_t hash;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_ptx_parse(input->ptx, input->ptx_length, name, &module, error);
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

sl_status sl_input_plan(const sl_input *input, const char *path, const sl_recording *recording, sl_plan *plan,
                        sl_error *error)
{
    const char *name = input->kind == SL_INPUT_WORKLOAD ? input->workload->ptx_name : input->spec.name;
    uint64_t hash = input->ptx && !input->ir.code ? sl_ptx_text_hash(input->ptx, input->ptx_length) : 0;
    sl_status status = sl_plan_read_for(path, hash, plan, error);
    if (status)
        return status;
    if (!strcmp(plan->form, "trace")) {
        if (!recording->trace || plan->code_hash != sl_recording_hash(recording))
            status = sl_fail(error, SL_INVALID, "%s was made for another trace than %s (%s)", path, name,
                             plan->code ? plan->code : "unknown");
    } else if (!input->ptx || input->ir.code) {
        status = sl_fail(
            error, SL_INVALID,
            "%s does not contain the code of the plan; give the PTX that it was recorded from with --code FILE", name);
    } else {
        status = check_plan(plan, input, name, error);
    }
    if (status)
        sl_plan_fini(plan);
    return status;
}

sl_status sl_plan_launches(const sl_plan *plan, const sl_recording *recording, const sl_machine *machine,
                           sl_arena *arena, const sl_sim_plan **plans, sl_error *error)
{
    sl_sim_plan *made = sl_arena_array(arena, sl_sim_plan, recording->launches + 1u);
    if (!made)
        return sl_fail_memory(error);
    for (uint32_t n = 0; n < recording->launches; n++) {
        const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, recording->launch[n]);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(recording->trace, launch->kernel);
        sl_sim_hint *hint = sl_arena_array(arena, sl_sim_hint, kernel->mem_slots + 1);
        if (!hint)
            return sl_fail_memory(error);
        made[n] = sl_plan_of_kernel(plan, kernel, machine, hint);
    }
    *plans = made;
    return SL_OK;
}
