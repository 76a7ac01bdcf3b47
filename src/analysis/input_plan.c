/* SPDX-License-Identifier: MIT */
#include "analysis/input_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "ptx/elf.h"
#include "ptx/fatbin.h"
#include "tune/effects.h"
#include "tune/ptx_loads.h"

/* ---- the code ---- */

/* What a program kept: names and texts, each ended by a zero. */
static sl_status split_texts(sl_ptx_sources *texts, const char *data, size_t bytes, sl_error *error)
{
    sl_status status = SL_OK;
    for (const char *name = data, *ptx, *end; !status && name < data + bytes; name = end + 1) {
        ptx = name + strlen(name) + 1;
        if (ptx >= data + bytes) /* the program ended while it wrote */
            break;
        end = ptx + strlen(ptx);
        status = sl_ptx_sources_add(texts, strdup(ptx), (size_t)(end - ptx), name, error);
    }
    return status;
}

sl_status sl_input_find_code(sl_input *input, const char *path, sl_error *error)
{
    char *data = NULL;
    size_t bytes = 0;
    sl_fatbin fatbin = {0};
    sl_status status = sl_file_read(path, &data, &bytes, error);
    if (status)
        return status;
    if (sl_elf_is(data, bytes)) {
        status = sl_fatbin_add_elf(&fatbin, data, bytes, error);
        if (!status)
            status = sl_ptx_sources_add_fatbin(&input->texts, &fatbin, SL_PROGRAM_SM, error);
        if (!status && !input->texts.count)
            status = sl_fail(error, SL_NOT_FOUND, "%s has no PTX", path);
    } else if (memchr(data, 0, bytes)) {
        status = split_texts(&input->texts, data, bytes, error);
    } else {
        status = sl_ptx_sources_add(&input->texts, strndup(data, bytes), bytes, path, error);
    }
    free(data);
    sl_fatbin_fini(&fatbin);
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

static sl_status check_plan(const sl_plan *plan, const char *ptx, size_t length, const char *name, sl_error *error)
{
    sl_ptx_module *module = NULL;
    sl_load_graph graph;
    uint64_t hash;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_ptx_parse(ptx, length, name, &module, error);
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

/* Leaves plans for code that the input does not have: a program may load other modules another time. Where it has the
 * code of none, the check of the last says what is wrong. */
static sl_status check_plans(sl_plan_list *list, const sl_input *input, const char *name, sl_error *error)
{
    const sl_ptx_source own = {(char *)(uintptr_t)input->ptx, input->ptx_length, ""};
    size_t texts = input->ptx ? 1 : input->texts.count;
    uint32_t kept = 0;
    sl_status status = SL_OK;
    for (uint32_t p = 0; p < list->count && !status; p++)
        for (size_t i = 0; i < texts && !status; i++) {
            const sl_ptx_source *text = input->ptx ? &own : &input->texts.items[i];
            bool last = !kept && p + 1 == list->count && i + 1 == texts;
            if (!last && sl_ptx_text_hash(text->ptx, text->length) != list->plan[p].code_hash)
                continue;
            status = check_plan(&list->plan[p], text->ptx, text->length, input->ptx ? name : text->name, error);
            const sl_plan found = list->plan[p];
            list->plan[p] = list->plan[kept];
            list->plan[kept++] = found;
            break;
        }
    while (!status && list->count > kept)
        sl_plan_fini(&list->plan[--list->count]);
    return status;
}

sl_status sl_input_plan(const sl_input *input, const char *path, const sl_recording *recording, sl_arena *arena,
                        sl_plan *plan, sl_error *error)
{
    const char *name = input->kind == SL_INPUT_WORKLOAD ? input->workload->ptx_name : input->spec.name;
    sl_plan_list list;
    sl_status status = sl_plan_list_read(path, &list, error);
    if (!status && !list.count)
        status = sl_fail(error, SL_NOT_FOUND, "%s has no plan: there was nothing to change", path);
    if (!status && !strcmp(list.plan->form, "trace")) {
        if (!recording->trace || list.plan->code_hash != sl_recording_hash(recording))
            status = sl_fail(error, SL_INVALID, "%s was made for another trace than %s (%s)", path, name,
                             list.plan->code ? list.plan->code : "unknown");
    } else if (!status && strcmp(sl_input_form(input), "ptx") != 0) {
        status = sl_fail(
            error, SL_INVALID,
            "%s does not contain the code of the plan; give the PTX that it was recorded from with --code FILE", name);
    } else if (!status) {
        status = check_plans(&list, input, name, error);
    }
    if (!status)
        status = sl_plan_list_join(&list, arena, plan, error);
    for (uint32_t i = 0; i < list.count && !status; i++)
        sl_arena_adopt(arena, &list.plan[i].arena);
    sl_plan_list_fini(&list);
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
