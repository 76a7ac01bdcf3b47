/* SPDX-License-Identifier: MIT */
/* The loads of PTX code. A node is an `ld` of global memory or of a generic address; loads that may be
 * of shared memory take no operator, and neither do loads whose semantics forbid one. Atomics, textures, ldu, cp.async
 * and wmma.load are no nodes: they have no such operators, or never stay in L1. */
#include "bypass/ptx_loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ptx/base_array.h"
#include "ptx/cfg.h"

static bool is_node(const sl_ptx_inst *inst)
{
    sl_ptx_space space = sl_ptx_inst_space(inst);
    return inst->op == SL_OP_LD && (space == SL_SPACE_GLOBAL || space == SL_SPACE_NONE);
}

static bool has_any(const sl_ptx_inst *inst, const sl_ptx_mod_id *mods, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sl_ptx_has(inst, mods[i]))
            return true;
    return false;
}
#define HAS_ANY(inst, ...)                                                                                             \
    has_any((inst), (const sl_ptx_mod_id[]){__VA_ARGS__},                                                              \
            sizeof((sl_ptx_mod_id[]){__VA_ARGS__}) / sizeof(sl_ptx_mod_id))

static uint32_t flags_of(const sl_ptx_inst *inst)
{
    uint32_t flags = 0;
    if (HAS_ANY(inst, SL_MOD_VOLATILE, SL_MOD_RELAXED, SL_MOD_ACQUIRE, SL_MOD_MMIO))
        flags |= SL_LOAD_VOLATILE;
    if (sl_ptx_has(inst, SL_MOD_NC))
        flags |= SL_LOAD_READONLY;
    if (sl_ptx_inst_space(inst) == SL_SPACE_NONE)
        flags |= SL_LOAD_GENERIC;
    if (HAS_ANY(inst, SL_MOD_CA, SL_MOD_CG, SL_MOD_CS, SL_MOD_LU, SL_MOD_CV, SL_MOD_L1_NO_ALLOCATE,
                SL_MOD_L1_EVICT_FIRST, SL_MOD_L1_EVICT_LAST, SL_MOD_L1_EVICT_UNCHANGED, SL_MOD_L1_EVICT_NORMAL,
                SL_MOD_L2_EVICT_NORMAL, SL_MOD_L2_EVICT_FIRST, SL_MOD_L2_EVICT_LAST, SL_MOD_L2_CACHE_HINT))
        flags |= SL_LOAD_OPERATOR;
    return flags;
}

/* Which modes can be written on the load, and why not all. */
static void set_modes(sl_load *load, uint32_t sm)
{
    load->modes = 1 << SL_BYPASS_NONE;
    if (load->flags & SL_LOAD_VOLATILE)
        load->fixed = "a volatile, relaxed or acquire load takes no cache operator";
    else if (load->flags & SL_LOAD_GENERIC)
        load->fixed = "its address may be in shared or local memory";
    else if (load->flags & SL_LOAD_OPERATOR)
        load->fixed = "it already has a cache operator";
    else if (sm < SL_PTX_L1_SM)
        load->fixed = "cache operators by level need .target sm_70 or higher";
    else
        load->modes |= 1 << SL_BYPASS_L1;
    if (load->fixed)
        return;
    if (sm < SL_PTX_L2_SM)
        load->fixed = "L2::cache_hint needs .target sm_80 or higher";
    else
        load->modes |= 1 << SL_BYPASS_L2 | 1 << SL_BYPASS_BOTH;
}

/* The names of a set, joined; NULL where nothing is known for certain. */
static const char *array_text(const sl_ptx_func *func, const sl_base_set *set, sl_arena *arena)
{
    char text[SL_BASE_SET * 64] = "", part[256];
    size_t used = 0;
    if (!set->count || set->more)
        return NULL;
    for (uint32_t i = 0; i < set->count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "|" : "",
                                 sl_base_text(func, &set->item[i], part, sizeof part));
    return used && used < sizeof text ? sl_arena_strdup(arena, text) : NULL;
}

static const char *file_name(const sl_ptx_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->files; i++)
        if (module->file[i].number == number)
            return module->file[i].name;
    return NULL;
}

static sl_status add_function(const sl_ptx_module *module, const sl_ptx_func *func, uint32_t sm, sl_arena *arena,
                              sl_load_graph *graph, sl_error *error)
{
    sl_base_set *bases;
    sl_cfg cfg;
    char opcode[120];
    sl_status status = sl_base_sets(func, arena, &bases, error);
    if (!status)
        status = sl_cfg_build(module, func, arena, &cfg, error);
    uint32_t segment = 0;
    for (uint32_t i = 0; !status && i < func->insts; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        if (sl_ptx_inst_flags(inst) & (SL_OPF_BARRIER | SL_OPF_FENCE | SL_OPF_CALL | SL_OPF_WARP_SYNC))
            segment++;
        if (!is_node(inst))
            continue;
        sl_load *load = &graph->load[graph->loads++];
        *load = (sl_load){.function = func->name,
                          .inst = i,
                          .line = inst->line,
                          .source = inst->loc_line ? file_name(module, inst->loc_file) : NULL,
                          .source_line = inst->loc_line,
                          .opcode = sl_arena_strdup(arena, sl_ptx_inst_text(inst, opcode, sizeof opcode)),
                          .array = array_text(func, &bases[i], arena),
                          .block = cfg.block_of[i],
                          .segment = segment,
                          .flags = flags_of(inst),
                          .width = sl_ptx_type_bytes(sl_ptx_inst_type(inst, 0)) * sl_ptx_inst_vector(inst)};
        if (!load->opcode)
            return sl_fail_memory(error);
        set_modes(load, sm);
    }
    return status;
}

sl_status sl_ptx_loads(const sl_ptx_module *module, const sl_ptx_func *func, uint32_t sm, sl_arena *arena,
                       sl_load_graph *graph, sl_error *error)
{
    uint32_t count = 0;
    *graph = (sl_load_graph){0};
    for (uint32_t f = 0; f < module->funcs; f++)
        for (uint32_t i = 0; i < module->func[f]->insts; i++)
            count += is_node(&module->func[f]->inst[i]);
    graph->load = sl_arena_array(arena, sl_load, count + 1);
    if (!graph->load)
        return sl_fail_memory(error);
    sl_status status = SL_OK;
    for (uint32_t f = 0; f < module->funcs && !status; f++)
        if (module->func[f]->has_body && (!func || func == module->func[f]))
            status = add_function(module, module->func[f], sm > module->sm ? sm : module->sm, arena, graph, error);
    return status ? status : sl_load_groups(graph, arena, error);
}

/* ---- recorded kernels ---- */

static bool is_recorded_node(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    const char *opcode = kernel->strings + inst->opcode;
    bool ptx = *opcode >= 'a' && *opcode <= 'z'; /* SASS is in capitals */
    return inst->access == SL_ACCESS_LOAD && (inst->space == SL_MEM_GLOBAL || inst->space == SL_MEM_GENERIC) &&
           (!ptx || !strncmp(opcode, "ld.", 3) || !strncmp(opcode, "load", 4));
}

static uint32_t recorded_flags(const sl_inst *inst)
{
    uint32_t flags = inst->space == SL_MEM_GENERIC ? SL_LOAD_GENERIC : 0;
    switch (inst->cache_op) {
    case SL_CACHE_DEFAULT:
        return flags;
    case SL_CACHE_NC:
        return flags | SL_LOAD_READONLY;
    case SL_CACHE_VOLATILE:
        return flags | SL_LOAD_VOLATILE;
    default:
        return flags | SL_LOAD_OPERATOR;
    }
}

sl_status sl_trace_loads(const sl_trace_kernel *kernel, sl_arena *arena, sl_load_graph *graph, sl_error *error)
{
    const char *strings = kernel->strings;
    *graph = (sl_load_graph){.load = sl_arena_array(arena, sl_load, kernel->mem_slots + 1)};
    if (!graph->load)
        return sl_fail_memory(error);
    uint32_t block = 0, segment = 0;
    for (uint32_t i = 0; i < kernel->insts; i++) {
        const sl_inst *inst = &kernel->inst[i];
        while (block + 1 < kernel->bbs && kernel->bb[block + 1].first <= i)
            block++;
        segment += inst->op_class == SL_CLASS_BARRIER || inst->op_class == SL_CLASS_FENCE;
        if (!is_recorded_node(kernel, inst))
            continue;
        sl_load *load = &graph->load[graph->loads++];
        *load = (sl_load){.function = kernel->symbol,
                          .inst = inst->pc,
                          .line = inst->ptx_line,
                          .source = inst->source_line ? strings + inst->source_file : NULL,
                          .source_line = inst->source_line,
                          .opcode = strings + inst->opcode,
                          .array = strings[inst->array] ? strings + inst->array : NULL,
                          .block = block,
                          .segment = segment,
                          .flags = recorded_flags(inst),
                          .width = inst->width};
        set_modes(load, SL_PTX_L2_SM);
    }
    return sl_load_groups(graph, arena, error);
}

/* ---- identity ---- */

sl_status sl_ptx_code_hash(const sl_ptx_module *module, uint64_t *hash, sl_error *error)
{
    char *text;
    size_t length;
    sl_status status = sl_ptx_print(module, &text, &length, error);
    if (status)
        return status;
    *hash = sl_hash64(text, length);
    free(text);
    return SL_OK;
}

uint32_t sl_ptx_load_of(const sl_load_graph *graph, const sl_inst *inst)
{
    for (uint32_t i = 0; inst->access == SL_ACCESS_LOAD && i < graph->loads; i++)
        if (graph->load[i].inst == inst->pc) /* callees come later in the listing of a kernel */
            return i;
    return UINT32_MAX;
}
