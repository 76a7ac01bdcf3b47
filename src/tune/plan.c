/* SPDX-License-Identifier: MIT */
/* Plans in memory, and against code; plan_file.c has their files. */
#include "tune/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sl_plan_init(sl_plan *plan)
{
    *plan = (sl_plan){.form = "ptx"};
    sl_arena_init(&plan->arena);
}

void sl_plan_fini(sl_plan *plan)
{
    sl_arena_fini(&plan->arena);
}

sl_plan *sl_plan_list_add(sl_plan_list *list)
{
    sl_plan *grown = realloc(list->plan, (list->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    list->plan = grown;
    sl_plan_init(&grown[list->count]);
    return &grown[list->count++];
}

void sl_plan_list_fini(sl_plan_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        sl_plan_fini(&list->plan[i]);
    free(list->plan);
    *list = (sl_plan_list){0};
}

sl_status sl_plan_list_join(const sl_plan_list *list, sl_arena *arena, sl_plan *joined, sl_error *error)
{
    uint32_t kernels = 0, loads = 0;
    for (uint32_t p = 0; p < list->count; p++) {
        kernels += list->plan[p].kernels;
        loads += list->plan[p].loads;
    }
    *joined = list->count ? list->plan[0] : (sl_plan){0};
    joined->arena = (sl_arena){0};
    joined->kernel = sl_arena_array(arena, sl_plan_kernel, kernels + 1);
    joined->load = sl_arena_array(arena, sl_plan_load, loads + 1);
    if (!joined->kernel || !joined->load)
        return sl_fail_memory(error);
    joined->kernels = joined->loads = 0;
    for (uint32_t p = 0; p < list->count; p++) {
        for (uint32_t i = 0; i < list->plan[p].kernels; i++)
            joined->kernel[joined->kernels++] = list->plan[p].kernel[i];
        for (uint32_t i = 0; i < list->plan[p].loads; i++)
            joined->load[joined->loads++] = list->plan[p].load[i];
    }
    return SL_OK;
}

uint64_t sl_plan_list_chosen(const sl_plan_list *list)
{
    uint64_t chosen = 0;
    for (uint32_t p = 0; p < list->count; p++)
        chosen += sl_plan_chosen(&list->plan[p]);
    return chosen;
}

/* ---- check against code ---- */

static const sl_load *find_load(const sl_load_graph *graph, const sl_plan_load *wanted)
{
    for (uint32_t i = 0; i < graph->nodes; i++)
        if (graph->load[i].inst == wanted->inst && graph->load[i].node == wanted->node &&
            !strcmp(graph->load[i].function, wanted->function))
            return &graph->load[i];
    return NULL;
}

static sl_status check_node(const sl_plan_load *wanted, const char *form, const char *name, const sl_load_graph *graph,
                            sl_error *error)
{
    static const char *const words[] = {"load", "store"};
    const sl_load *load = find_load(graph, wanted);
    char setting[32];
    bool missing = wanted->node == SL_NODE_KERNEL || (load && !load->fixed && !(load->modes >> wanted->mode & 1));
    if (!strcmp(form, "llvm-ir") && wanted->mode && missing)
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s: mode %s of %s cannot be written into LLVM IR: for AMD GPUs it has volatile and nontemporal "
                       "loads and nontemporal stores alone, and for NVIDIA GPUs no read-only path, no prefetch and no "
                       "settings of kernels; compile it to PTX and tune that",
                       name, sl_bypass_name(wanted->mode), wanted->function);
    if (!load && wanted->node == SL_NODE_KERNEL)
        return sl_fail(error, SL_NOT_FOUND, "the plan names the setting '%s' of %s, which %s does not have",
                       sl_setting_text(wanted->inst, setting, sizeof setting), wanted->function, name);
    if (!load)
        return sl_fail(error, SL_NOT_FOUND, "the plan names a %s at instruction %u of %s, but %s has no %s there",
                       words[wanted->node], wanted->inst, wanted->function, name, words[wanted->node]);
    if (load->modes >> wanted->mode & 1)
        return SL_OK;
    const char *why = sl_load_why_not(load, wanted->mode);
    if (wanted->node == SL_NODE_KERNEL)
        return sl_fail(error, SL_UNSUPPORTED, "the setting '%s' of %s cannot be %s: %s",
                       sl_setting_text(wanted->inst, setting, sizeof setting), wanted->function,
                       sl_bypass_name(wanted->mode), why);
    return sl_fail_at(error, SL_UNSUPPORTED, name, load->line, 0, "%s (instruction %u of %s) cannot take mode %s: %s",
                      load->opcode ? load->opcode : "the load", load->inst, load->function,
                      sl_bypass_name(wanted->mode), why);
}

sl_status sl_plan_check(const sl_plan *plan, const char *form, uint64_t code_hash, const char *name,
                        const sl_load_graph *graph, sl_error *error)
{
    if (strcmp(plan->form, form))
        return sl_fail(error, SL_INVALID, "the plan is for %s, but %s is %s", plan->form, name, form);
    if (plan->code_hash != code_hash)
        return sl_fail(error, SL_MISMATCH,
                       "the plan belongs to other code%s%s: it names hash %016" PRIx64 ", but %s has %016" PRIx64
                       "; tune this code again",
                       plan->code ? ", " : "", plan->code ? plan->code : "", plan->code_hash, name, code_hash);
    sl_status status = SL_OK;
    for (uint32_t i = 0; i < plan->loads && !status; i++)
        status = check_node(&plan->load[i], form, name, graph, error);
    return status;
}

uint64_t sl_plan_chosen(const sl_plan *plan)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < plan->loads; i++)
        count += plan->load[i].mode != SL_BYPASS_NONE;
    return count;
}

char *sl_setting_call(const sl_plan_load *setting, char *buffer, size_t size)
{
    const char *call = sl_controls[setting->mode].host_call;
    snprintf(buffer, size, call ? call : "nothing for %s", setting->function, setting->inst - SL_SETTING_WINDOW);
    return buffer;
}

unsigned sl_plan_mode(const sl_plan *plan, const char *function, uint32_t inst)
{
    for (uint32_t i = 0; i < plan->loads; i++)
        if (plan->load[i].inst == inst && !strcmp(plan->load[i].function, function))
            return plan->load[i].mode;
    return SL_BYPASS_NONE;
}
