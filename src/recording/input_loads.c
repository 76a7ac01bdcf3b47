/* SPDX-License-Identifier: MIT */
/* The loads of an input's code: those of its PTX, or those of the LLVM IR that the PTX was made of. */
#include <string.h>

#include "bypass/ptx_loads.h"
#include "recording/input.h"

const char *sl_input_form(const sl_input *input)
{
    return input->ir.code ? "llvm-ir" : input->ptx || input->texts.count ? "ptx" : "trace";
}

sl_status sl_input_hash(const sl_input *input, const sl_ptx_module *module, uint64_t *hash, sl_error *error)
{
    if (!input->ir.code)
        return sl_ptx_code_hash(module, hash, error);
    *hash = sl_llvm_facts_of(input->ir.code).hash;
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

sl_status sl_input_loads(const sl_input *input, const sl_ptx_module *module, const sl_ptx_func *kernel, uint32_t sm,
                         sl_arena *arena, sl_load_graph *graph, sl_error *error)
{
    if (!input->ir.code)
        return sl_ptx_loads(module, kernel, sm, arena, graph, error);
    uint32_t first = first_load(&input->ir_loads, kernel->name), last = first;
    while (last < input->ir_loads.loads && !strcmp(input->ir_loads.load[last].function, kernel->name))
        last++;
    *graph = (sl_load_graph){.loads = last - first};
    graph->load = sl_arena_array(arena, sl_load, graph->loads + 1);
    if (!graph->load)
        return sl_fail_memory(error);
    memcpy(graph->load, input->ir_loads.load + first, graph->loads * sizeof *graph->load);
    return sl_load_groups(graph, arena, error);
}

uint32_t sl_input_load_of(const sl_input *input, const sl_load_graph *graph, const sl_inst *inst)
{
    if (!input->ir.code)
        return sl_ptx_load_of(graph, inst);
    if (inst->access != SL_ACCESS_LOAD || !graph->loads)
        return UINT32_MAX;
    uint32_t load = sl_llvm_load_of(input->ir.code, inst->source_line);
    uint32_t first = first_load(&input->ir_loads, graph->load[0].function);
    return load != SL_LLVM_NO_LOAD && load >= first && load - first < graph->loads ? load - first : UINT32_MAX;
}
