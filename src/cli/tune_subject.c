/* SPDX-License-Identifier: MIT */
#include "cli/tune_subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bypass/ptx_loads.h"
#include "cli/ptx_launch.h"

const char *const sl_subject_sizes[] = {"small", "default", "large", NULL};

static bool is_ptx(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && !strcmp(dot, ".ptx");
}

static void add(char *text, size_t size, const char *part)
{
    size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, " %s", part);
}

static void describe(sl_subject *s)
{
    const sl_run_options *o = s->options;
    char part[160];
    snprintf(s->input, sizeof s->input, "%s seed %" PRIu64, s->name, o->seed);
    if (s->workload) {
        if (s->ir.code)
            add(s->input, sizeof s->input, s->workload->name);
        add(s->input, sizeof s->input, sl_size_names[o->size]);
        for (size_t i = 0; i < s->wishes.sets; i++)
            add(s->input, sizeof s->input, s->wishes.set[i]);
        return;
    }
    snprintf(part, sizeof part, "%u,%u,%u %u,%u,%u %" PRIu64, o->grid[0], o->grid[1], o->grid[2], o->block[0],
             o->block[1], o->block[2], o->shared_bytes);
    add(s->input, sizeof s->input, part);
    for (size_t i = 0; i < o->arg.count; i++)
        add(s->input, sizeof s->input, o->arg.item[i]);
}

static int need_launch(const sl_subject *s, const sl_invocation *inv)
{
    if (inv->args.operands > 1)
        return sl_cli_usage(inv, "'%s' is one argument too many; arguments of the kernel are given by --arg",
                            inv->args.operand[1]);
    if (!s->options->grid[0] || !s->options->block[0])
        return sl_cli_usage(inv, "--%s is missing: how many %s", s->options->grid[0] ? "block" : "grid",
                            s->options->grid[0] ? "threads a block has" : "blocks to launch");
    return SL_EXIT_OK;
}

static int open_file(sl_subject *s, const sl_invocation *inv)
{
    sl_error error = {0};
    int code = need_launch(s, inv);
    if (code)
        return code;
    if (sl_file_read(s->name, &s->owned, &s->ptx_length, &error))
        return sl_cli_fail(inv, &error);
    s->ptx = s->owned;
    return SL_EXIT_OK;
}

static int open_workload(sl_subject *s, const sl_invocation *inv, const char *name)
{
    sl_error error = {0};
    if (sl_workload_find(name, &s->workload, &error))
        return sl_cli_usage(inv, "%s", error.text);
    s->wishes = (sl_workload_options){.size = sl_size_names[s->options->size],
                                      .sets = inv->args.operands - 1,
                                      .set = inv->args.operand + 1,
                                      .seed = s->options->seed};
    return SL_EXIT_OK;
}

/* What the assembly shows of the loads: scalar ones have a cache of their own, and joined ones are not theirs to
 * choose. Volatile hides nontemporal, so that L1 and L2 are never both to be had, before gfx12. */
static sl_status narrow_modes(sl_subject *s, sl_error *error)
{
    const sl_load_graph *all = sl_llvm_graph(s->ir.code);
    sl_llvm_check *check = calloc((size_t)all->loads + 1, sizeof *check);
    s->ir_loads = *all;
    s->ir_loads.load = sl_arena_array(&s->arena, sl_load, all->loads + 1);
    sl_status status = check && s->ir_loads.load ? SL_OK : sl_fail_memory(error);
    bool amd = sl_llvm_facts_of(s->ir.code).arch == SL_LLVM_AMDGCN;
    if (!status && amd)
        status = sl_llvm_file_check(&s->ir, check, error);
    for (uint32_t i = 0; i < all->loads && !status; i++) {
        sl_load *load = &s->ir_loads.load[i];
        *load = all->load[i];
        if (amd && strncmp(sl_llvm_cpu(s->ir.code, i), "gfx12", 5))
            load->modes &= (uint8_t) ~(1 << SL_BYPASS_BOTH);
        if (!amd || !(check[i].scalar || !check[i].instructions))
            continue;
        load->modes = 1;
        load->flags |= check[i].scalar ? SL_LOAD_UNIFORM : 0;
        load->fixed = check[i].scalar ? "a scalar load" : "joined with other loads";
    }
    free(check);
    return status;
}

static int open_ir(sl_subject *s, const sl_invocation *inv)
{
    sl_error error = {0};
    const sl_llvm_options wishes = {.optimise = s->options->optimise};
    int code = s->options->workload ? open_workload(s, inv, s->options->workload) : need_launch(s, inv);
    if (code)
        return code;
    sl_status status = sl_llvm_file_open(&s->ir, s->name, s->options->llvm, &wishes, &error);
    if (!status)
        status = narrow_modes(s, &error);
    if (!status)
        status = sl_llvm_file_ptx(&s->ir, true, &s->owned, &s->ptx_length, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    s->ptx = s->owned;
    if (s->workload) {
        s->rehosted = *s->workload;
        s->rehosted.ptx = s->ptx;
        s->rehosted.ptx_end = s->ptx + s->ptx_length;
        s->workload = &s->rehosted;
    }
    return SL_EXIT_OK;
}

int sl_subject_open(sl_subject *s, const sl_invocation *inv, const sl_run_options *options)
{
    *s = (sl_subject){.options = options, .name = inv->args.operand[0]};
    int code = SL_EXIT_OK;
    sl_arena_init(&s->arena);
    if (sl_llvm_file_is(s->name)) {
        code = open_ir(s, inv);
    } else if (is_ptx(s->name)) {
        code = open_file(s, inv);
    } else {
        code = open_workload(s, inv, s->name);
        if (!code) {
            s->ptx = s->workload->ptx;
            s->ptx_length = (size_t)(s->workload->ptx_end - s->workload->ptx);
        }
    }
    if (code)
        sl_subject_close(s);
    else
        describe(s);
    return code;
}

void sl_subject_close(sl_subject *subject)
{
    free(subject->owned);
    sl_llvm_file_close(&subject->ir);
    sl_arena_fini(&subject->arena);
}

sl_status sl_subject_run(const sl_subject *s, sl_device *device, bool check, sl_error *error)
{
    if (s->workload) {
        sl_workload_options wishes = s->wishes;
        wishes.skip_check = !check;
        return sl_workload_run(s->workload, device, &wishes, NULL, error);
    }
    sl_device_module *module = NULL;
    sl_status status = sl_device_load(device, s->ptx, s->ptx_length, s->name, &module, error);
    return status ? status : sl_ptx_launch(module, s->options, device, error);
}

/* ---- its loads ---- */

const char *sl_subject_form(const sl_subject *s)
{
    return s->ir.code ? "llvm-ir" : "ptx";
}

sl_status sl_subject_hash(const sl_subject *s, const sl_ptx_module *module, uint64_t *hash, sl_error *error)
{
    if (!s->ir.code)
        return sl_ptx_code_hash(module, hash, error);
    *hash = sl_llvm_facts_of(s->ir.code).hash;
    return SL_OK;
}

/* Of IR, the loads of a function follow each other: this is the number of the first. */
static uint32_t first_load(const sl_load_graph *all, const char *function)
{
    uint32_t first = 0;
    while (first < all->loads && strcmp(all->load[first].function, function))
        first++;
    return first;
}

sl_status sl_subject_loads(const sl_subject *s, const sl_ptx_module *module, const sl_ptx_func *kernel, uint32_t sm,
                           sl_arena *arena, sl_load_graph *graph, sl_error *error)
{
    if (!s->ir.code)
        return sl_ptx_loads(module, kernel, sm, arena, graph, error);
    uint32_t first = first_load(&s->ir_loads, kernel->name), last = first;
    while (last < s->ir_loads.loads && !strcmp(s->ir_loads.load[last].function, kernel->name))
        last++;
    *graph = (sl_load_graph){.loads = last - first};
    graph->load = sl_arena_array(arena, sl_load, graph->loads + 1);
    if (!graph->load)
        return sl_fail_memory(error);
    memcpy(graph->load, s->ir_loads.load + first, graph->loads * sizeof *graph->load);
    return sl_load_groups(graph, arena, error);
}

uint32_t sl_subject_load_of(const sl_subject *s, const sl_load_graph *graph, const sl_inst *inst)
{
    if (inst->access != SL_ACCESS_LOAD || !graph->loads)
        return UINT32_MAX;
    if (s->ir.code) {
        uint32_t load = sl_llvm_load_of(s->ir.code, inst->source_line);
        uint32_t first = first_load(&s->ir_loads, graph->load[0].function);
        return load != SL_LLVM_NO_LOAD && load >= first && load - first < graph->loads ? load - first : UINT32_MAX;
    }
    return sl_ptx_load_of(graph, inst);
}
