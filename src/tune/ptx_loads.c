/* SPDX-License-Identifier: MIT */
/* The loads and stores of PTX code, and the settings of its kernels. A node is an `ld` or `st` of global memory or of a
 * generic address; those that may be of shared memory take no operator, and neither do those whose semantics forbid
 * one. Atomics, textures, ldu, cp.async and wmma.load are no nodes: they have no such operators, or never stay in L1.
 */
#include "tune/ptx_loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ptx/base_array.h"
#include "ptx/cfg.h"

/* What kind of node an instruction is; SL_NODE_ANY: none. */
static sl_node node_of(const sl_ptx_inst *inst)
{
    sl_ptx_space space = sl_ptx_inst_space(inst);
    if (space != SL_SPACE_GLOBAL && space != SL_SPACE_NONE)
        return SL_NODE_ANY;
    if (inst->op == SL_OP_ST && !sl_ptx_has(inst, SL_MOD_ASYNC) && !sl_ptx_has(inst, SL_MOD_BULK))
        return SL_NODE_STORE;
    return inst->op == SL_OP_LD ? SL_NODE_LOAD : SL_NODE_ANY;
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

bool sl_ptx_is_prefetch_size(uint16_t mod)
{
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++)
        if (sl_controls[m].prefetch_size && !strcmp(sl_ptx_mod_text(mod), sl_controls[m].operators + 1))
            return true;
    return false;
}

static uint32_t flags_of(const sl_ptx_inst *inst)
{
    uint32_t flags = 0;
    if (HAS_ANY(inst, SL_MOD_VOLATILE, SL_MOD_RELAXED, SL_MOD_ACQUIRE, SL_MOD_RELEASE, SL_MOD_MMIO))
        flags |= SL_LOAD_VOLATILE;
    if (sl_ptx_has(inst, SL_MOD_NC))
        flags |= SL_LOAD_READONLY;
    if (sl_ptx_inst_space(inst) == SL_SPACE_NONE)
        flags |= SL_LOAD_GENERIC;
    if (HAS_ANY(inst, SL_MOD_CA, SL_MOD_CG, SL_MOD_CS, SL_MOD_LU, SL_MOD_CV, SL_MOD_WB, SL_MOD_WT,
                SL_MOD_L1_NO_ALLOCATE, SL_MOD_L1_EVICT_FIRST, SL_MOD_L1_EVICT_LAST, SL_MOD_L1_EVICT_UNCHANGED,
                SL_MOD_L1_EVICT_NORMAL, SL_MOD_L2_EVICT_NORMAL, SL_MOD_L2_EVICT_FIRST, SL_MOD_L2_EVICT_LAST,
                SL_MOD_L2_CACHE_HINT))
        flags |= SL_LOAD_OPERATOR;
    for (uint32_t i = 0; i < inst->mods; i++)
        flags |= sl_ptx_is_prefetch_size(inst->mod[i].id) ? SL_LOAD_FETCH : 0;
    return flags;
}

/* ---- what can be written ---- */

/* Modes of the node's kind that a target knows. */
static uint32_t modes_known(sl_node node, uint32_t sm)
{
    uint32_t modes = 1 << SL_BYPASS_NONE | sl_bypass_modes_of(node);
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        if (sm < sl_controls[m].sm)
            modes &= ~(1u << m);
    return modes;
}

/* Which modes can be written on a load or store, and why not all. `step`: of its address (ptx/cfg.h). */
static void set_modes(sl_load *load, uint32_t sm, int64_t step)
{
    load->modes = 1 << SL_BYPASS_NONE;
    if (load->flags & SL_LOAD_VOLATILE)
        load->fixed = load->node == SL_NODE_STORE ? "a volatile, relaxed or release store takes no cache operator"
                                                  : "a volatile, relaxed or acquire load takes no cache operator";
    else if (load->flags & SL_LOAD_GENERIC)
        load->fixed = "its address may be in shared or local memory";
    else if (load->flags & SL_LOAD_OPERATOR)
        load->fixed = "it already has a cache operator";
    if (load->fixed)
        return;
    load->modes = modes_known((sl_node)load->node, sm);
    if (sm < SL_PTX_L1_SM)
        load->fixed = "cache operators by level need .target sm_70 or higher";
    else if (sm < SL_PTX_L2_SM)
        load->fixed = "L2::cache_hint needs .target sm_80 or higher";
    if (load->flags & SL_LOAD_FETCH)
        load->modes &= ~sl_bypass_modes_needing(SL_NEEDS_NO_PREFETCH_SIZE);
    if (!step)
        load->modes &= ~sl_bypass_modes_needing(SL_NEEDS_LOOP);
    if (load->flags & SL_LOAD_READONLY)
        load->not_nc = "it is read-only already";
    if (load->not_nc)
        load->modes &= ~sl_bypass_modes_needing(SL_NEEDS_READ_ONLY);
}

enum { MAX_CALLS = 8 };

/* Why something that the function writes, or what it calls, may be what it loads; NULL: it writes no global memory. Two
 * pointers of a kernel may be the same, so that nothing less proves it. */
static const char *why_not_read_only(const sl_ptx_module *module, const sl_ptx_func *func, int depth)
{
    static const char writes[] = "the kernel writes global memory that may be the same";
    for (uint32_t i = 0; i < func->insts; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        sl_ptx_space space = sl_ptx_inst_space(inst);
        if (sl_ptx_inst_flags(inst) & SL_OPF_CALL) {
            const sl_ptx_func *callee = NULL;
            for (uint32_t k = 0; k < inst->operands && !callee; k++)
                if (inst->operand[k].kind == SL_OPD_SYMBOL)
                    callee = sl_ptx_find(module, inst->operand[k].name);
            const char *why = callee && callee->has_body && depth < MAX_CALLS
                                  ? why_not_read_only(module, callee, depth + 1)
                                  : "what the kernel calls may write it";
            if (why)
                return why;
            continue;
        }
        bool reads = inst->op == SL_OP_LD || inst->op == SL_OP_LDU || inst->op == SL_OP_PREFETCH ||
                     inst->op == SL_OP_PREFETCHU || inst->op == SL_OP_TEX || inst->op == SL_OP_TLD4 ||
                     inst->op == SL_OP_SULD || inst->op == SL_OP_LDMATRIX || inst->op == SL_OP_STMATRIX;
        if (sl_ptx_inst_flags(inst) & SL_OPF_MEMORY && !reads && space != SL_SPACE_SHARED && space != SL_SPACE_LOCAL)
            return writes;
    }
    return NULL;
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

/* What the nodes of a function need to know of it. */
typedef struct facts {
    const sl_ptx_module *module;
    const sl_ptx_func *func;
    sl_base_set *bases;
    sl_cfg cfg;
    int64_t *steps;
    const char *not_nc;
    uint32_t sm;
} facts;

static sl_status find_facts(facts *f, sl_arena *arena, sl_error *error)
{
    sl_status status = sl_base_sets(f->func, arena, &f->bases, error);
    if (!status)
        status = sl_cfg_build(f->module, f->func, arena, &f->cfg, error);
    if (!status)
        status = sl_ptx_steps(f->func, &f->cfg, arena, &f->steps, error);
    f->not_nc = f->func->entry ? why_not_read_only(f->module, f->func, 0) : "its callers may write it";
    return status;
}

/* The loads of a function, or its stores. */
static sl_status add_accesses(const facts *f, sl_node node, sl_arena *arena, sl_load_graph *graph, sl_error *error)
{
    char opcode[120];
    uint32_t segment = 0;
    for (uint32_t i = 0; i < f->func->insts; i++) {
        const sl_ptx_inst *inst = &f->func->inst[i];
        if (sl_ptx_inst_flags(inst) & (SL_OPF_BARRIER | SL_OPF_FENCE | SL_OPF_CALL | SL_OPF_WARP_SYNC))
            segment++;
        if (node_of(inst) != node)
            continue;
        sl_load *load = &graph->load[graph->nodes++];
        *load = (sl_load){.function = f->func->name,
                          .inst = i,
                          .node = (uint8_t)node,
                          .line = inst->line,
                          .source = inst->loc_line ? file_name(f->module, inst->loc_file) : NULL,
                          .source_line = inst->loc_line,
                          .opcode = sl_arena_strdup(arena, sl_ptx_inst_text(inst, opcode, sizeof opcode)),
                          .array = array_text(f->func, &f->bases[i], arena),
                          .block = f->cfg.block_of[i],
                          .segment = segment,
                          .flags = flags_of(inst),
                          .not_nc = sl_ptx_has(inst, SL_MOD_WEAK) ? "it is .weak" : f->not_nc,
                          .width = sl_ptx_type_bytes(sl_ptx_inst_type(inst, 0)) * sl_ptx_inst_vector(inst)};
        if (!load->opcode)
            return sl_fail_memory(error);
        set_modes(load, f->sm, f->steps[i]);
    }
    return SL_OK;
}

static void add_setting(const facts *f, uint32_t setting, const char *array, sl_load_graph *graph)
{
    graph->load[graph->nodes++] =
        (sl_load){.function = f->func->name,
                  .inst = setting,
                  .node = SL_NODE_KERNEL,
                  .opcode = sl_setting_description(setting),
                  .array = array,
                  .modes = modes_known(SL_NODE_KERNEL, f->sm) & (sl_bypass_modes_of_setting(setting) | 1)};
}

/* Whether the array that a parameter points to is read by an instruction. */
static bool is_read(const facts *f, uint32_t param)
{
    for (uint32_t i = 0; i < f->func->insts; i++)
        for (uint32_t k = 0; node_of(&f->func->inst[i]) == SL_NODE_LOAD && k < f->bases[i].count; k++)
            if (f->bases[i].item[k].kind == SL_BASE_PARAM && f->bases[i].item[k].index == param &&
                !f->bases[i].item[k].offset)
                return true;
    return false;
}

/* Whether the kernel looks at the size of its shared memory, so that it must not change. */
static bool asks_for_shared(const sl_ptx_func *func)
{
    for (uint32_t i = 0; i < func->insts; i++)
        for (uint32_t k = 0; k < func->inst[i].operands; k++) {
            const sl_ptx_operand *o = &func->inst[i].operand[k];
            if (o->kind == SL_OPD_SPECIAL && strstr(sl_ptx_special_text(o->special), "smem_size"))
                return true;
        }
    return false;
}

static sl_status add_settings(const facts *f, sl_arena *arena, sl_load_graph *graph, sl_error *error)
{
    add_setting(f, SL_SETTING_CARVE_OUT, NULL, graph);
    add_setting(f, SL_SETTING_BLOCKS, NULL, graph);
    if (asks_for_shared(f->func)) {
        graph->load[graph->nodes - 1].modes = 1;
        graph->load[graph->nodes - 1].fixed = "the kernel looks at the size of its shared memory";
    }
    for (uint32_t p = 0; p < f->func->params; p++) {
        const sl_base base = {.kind = SL_BASE_PARAM, .index = p, .name = f->func->param[p]->name};
        char text[256];
        if (!is_read(f, p))
            continue;
        const char *array = sl_arena_strdup(arena, sl_base_text(f->func, &base, text, sizeof text));
        if (!array)
            return sl_fail_memory(error);
        add_setting(f, SL_SETTING_WINDOW + p, array, graph);
    }
    return SL_OK;
}

/* At most this many nodes. */
static uint32_t count_nodes(const sl_ptx_module *module)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < module->funcs; f++) {
        for (uint32_t i = 0; i < module->func[f]->insts; i++)
            count += node_of(&module->func[f]->inst[i]) != SL_NODE_ANY;
        count += 2 + module->func[f]->params;
    }
    return count;
}

sl_status sl_ptx_loads(const sl_ptx_module *module, const sl_ptx_func *func, uint32_t sm, sl_arena *arena,
                       sl_load_graph *graph, sl_error *error)
{
    *graph = (sl_load_graph){.load = sl_arena_array(arena, sl_load, count_nodes(module) + 1)};
    facts *all = sl_arena_array(arena, facts, module->funcs + 1);
    if (!graph->load || !all)
        return sl_fail_memory(error);
    sl_status status = SL_OK;
    uint32_t funcs = 0;
    for (uint32_t f = 0; f < module->funcs && !status; f++)
        if (module->func[f]->has_body && (!func || func == module->func[f])) {
            all[funcs] = (facts){.module = module, .func = module->func[f], .sm = sm > module->sm ? sm : module->sm};
            status = find_facts(&all[funcs++], arena, error);
        }
    for (uint32_t f = 0; f < funcs && !status; f++)
        status = add_accesses(&all[f], SL_NODE_LOAD, arena, graph, error);
    graph->loads = graph->nodes;
    for (uint32_t f = 0; f < funcs && !status; f++)
        status = add_accesses(&all[f], SL_NODE_STORE, arena, graph, error);
    for (uint32_t f = 0; f < funcs && !status; f++)
        if (all[f].func->entry)
            status = add_settings(&all[f], arena, graph, error);
    return status ? status : sl_load_groups(graph, arena, error);
}

/* ---- recorded kernels ---- */

/* What kind of node a recorded instruction is; SL_NODE_ANY: none. */
static sl_node recorded_node(const sl_trace_kernel *kernel, const sl_inst *inst)
{
    const char *opcode = kernel->strings + inst->opcode;
    bool ptx = *opcode >= 'a' && *opcode <= 'z'; /* SASS is in capitals */
    if (inst->space != SL_MEM_GLOBAL && inst->space != SL_MEM_GENERIC)
        return SL_NODE_ANY;
    if (inst->access == SL_ACCESS_STORE)
        return !ptx || !strncmp(opcode, "st.", 3) ? SL_NODE_STORE : SL_NODE_ANY;
    return inst->access == SL_ACCESS_LOAD && (!ptx || !strncmp(opcode, "ld.", 3) || !strncmp(opcode, "load", 4))
               ? SL_NODE_LOAD
               : SL_NODE_ANY;
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

static void add_recorded(const sl_trace_kernel *kernel, sl_node node, sl_load_graph *graph)
{
    const char *strings = kernel->strings;
    uint32_t block = 0, segment = 0;
    for (uint32_t i = 0; i < kernel->insts; i++) {
        const sl_inst *inst = &kernel->inst[i];
        while (block + 1 < kernel->bbs && kernel->bb[block + 1].first <= i)
            block++;
        segment += inst->op_class == SL_CLASS_BARRIER || inst->op_class == SL_CLASS_FENCE;
        if (recorded_node(kernel, inst) != node)
            continue;
        sl_load *load = &graph->load[graph->nodes++];
        *load = (sl_load){.function = kernel->symbol,
                          .inst = inst->pc,
                          .node = (uint8_t)node,
                          .line = inst->ptx_line,
                          .source = inst->source_line ? strings + inst->source_file : NULL,
                          .source_line = inst->source_line,
                          .opcode = strings + inst->opcode,
                          .array = strings[inst->array] ? strings + inst->array : NULL,
                          .block = block,
                          .segment = segment,
                          .flags = recorded_flags(inst),
                          .not_nc = "its code is not at hand",
                          .width = inst->width};
        set_modes(load, SL_PTX_L2_SM, 0);
    }
}

sl_status sl_trace_loads(const sl_trace_kernel *kernel, sl_arena *arena, sl_load_graph *graph, sl_error *error)
{
    const facts f = {.func = &(const sl_ptx_func){.name = kernel->symbol}, .sm = SL_PTX_L2_SM};
    *graph = (sl_load_graph){.load = sl_arena_array(arena, sl_load, kernel->mem_slots + 3)};
    if (!graph->load)
        return sl_fail_memory(error);
    add_recorded(kernel, SL_NODE_LOAD, graph);
    graph->loads = graph->nodes;
    add_recorded(kernel, SL_NODE_STORE, graph);
    sl_status status = add_settings(&f, arena, graph, error);
    return status ? status : sl_load_groups(graph, arena, error);
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
    sl_node node = inst->access == SL_ACCESS_LOAD    ? SL_NODE_LOAD
                   : inst->access == SL_ACCESS_STORE ? SL_NODE_STORE
                                                     : SL_NODE_ANY;
    for (uint32_t i = 0; node != SL_NODE_ANY && i < graph->nodes; i++)
        if (graph->load[i].inst == inst->pc && graph->load[i].node == node) /* callees come later in a listing */
            return i;
    return UINT32_MAX;
}

uint64_t sl_ptx_text_hash(const char *text, size_t length)
{
    sl_ptx_module *module;
    uint64_t hash = 0;
    if (sl_ptx_parse(text, length, "PTX", &module, NULL))
        return 0;
    if (sl_ptx_code_hash(module, &hash, NULL))
        hash = 0;
    sl_ptx_free(module);
    return hash;
}
