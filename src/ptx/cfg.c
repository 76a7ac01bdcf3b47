/* SPDX-License-Identifier: MIT */
/* Basic blocks and their edges. Where lanes meet again is found in joins.c. */
#include "ptx/cfg.h"

#include <string.h>

typedef struct builder {
    const sl_ptx_module *module;
    const sl_ptx_func *func;
    sl_arena *arena;
    sl_cfg *cfg;
    sl_error *error;
    bool *leader; /* [insts + 1] */
} builder;

/* ---- blocks ---- */

static void mark_targets(const builder *b, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_SYMBOL && operand->label >= 0) {
        const sl_ptx_label *label = &b->func->label[operand->label];
        if (label->kind == SL_LABEL_CODE)
            b->leader[label->inst] = true;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        mark_targets(b, &operand->items[i]);
}

/* Labels that nothing goes to (debug information is full of them) do not split blocks. */
static void mark_leaders(const builder *b)
{
    const sl_ptx_func *f = b->func;
    const uint16_t ends = SL_OPF_BRANCH | SL_OPF_EXIT | SL_OPF_CALL | SL_OPF_BARRIER;
    b->leader[0] = true;
    for (uint32_t i = 0; i < f->insts; i++) {
        uint16_t flags = sl_ptx_inst_flags(&f->inst[i]);
        if (flags & ends)
            b->leader[i + 1] = true;
        if (flags & SL_OPF_WARP_SYNC)
            b->leader[i] = true;
        for (uint32_t k = 0; k < f->inst[i].operands; k++)
            mark_targets(b, &f->inst[i].operand[k]);
    }
    for (uint32_t i = 0; i < f->labels; i++)
        for (uint32_t k = 0; f->label[i].target_label && k < f->label[i].targets; k++)
            b->leader[f->label[f->label[i].target_label[k]].inst] = true;
}

static sl_status make_blocks(const builder *b)
{
    uint32_t insts = b->func->insts, blocks = 0;
    for (uint32_t i = 0; i < insts; i++)
        blocks += b->leader[i];
    b->cfg->blocks = blocks;
    b->cfg->block = sl_arena_array(b->arena, sl_bb, blocks + 1);
    b->cfg->block_of = sl_arena_array(b->arena, uint32_t, insts + 1);
    if (!b->cfg->block || !b->cfg->block_of)
        return sl_fail_memory(b->error);
    blocks = 0;
    for (uint32_t i = 0; i < insts; i++) {
        if (b->leader[i])
            b->cfg->block[blocks++].first = i;
        b->cfg->block[blocks - 1].count++;
        b->cfg->block_of[i] = blocks - 1;
    }
    return SL_OK;
}

/* ---- edges ---- */

static int32_t block_at(const builder *b, uint32_t inst)
{
    return inst < b->func->insts ? (int32_t)b->cfg->block_of[inst] : SL_BB_EXIT;
}

static sl_status fail_target(const builder *b, const sl_ptx_inst *inst)
{
    const sl_ptx_operand *last = inst->operands ? &inst->operand[inst->operands - 1] : NULL;
    if (last && last->kind == SL_OPD_SYMBOL)
        return sl_fail_at(b->error, SL_SYNTAX, b->module->name, inst->line, inst->column,
                          "%s goes to %s, which is not a label of %s", inst->mnemonic, last->name, b->func->name);
    return sl_fail_at(b->error, SL_UNSUPPORTED, b->module->name, inst->line, inst->column,
                      "%s without a label to go to", inst->mnemonic);
}

/* The label or table that a branch names; NULL: none. */
static const sl_ptx_label *branch_label(const builder *b, const sl_ptx_inst *inst)
{
    if (!inst->operands)
        return NULL;
    const sl_ptx_operand *last = &inst->operand[inst->operands - 1];
    const sl_ptx_label *label = last->kind == SL_OPD_SYMBOL && last->label >= 0 ? &b->func->label[last->label] : NULL;
    uint8_t wanted = inst->op == SL_OP_BRX ? SL_LABEL_BRANCH_TARGETS : SL_LABEL_CODE;
    return label && label->kind == wanted ? label : NULL;
}

static sl_status make_edges(const builder *b, sl_bb *block)
{
    uint32_t next = block->first + block->count;
    const sl_ptx_inst *last = &b->func->inst[next - 1];
    uint16_t flags = sl_ptx_inst_flags(last);
    const sl_ptx_label *label = NULL;
    uint32_t taken = 0;
    if (flags & SL_OPF_BRANCH) {
        label = branch_label(b, last);
        if (!label)
            return fail_target(b, last);
        taken = last->op == SL_OP_BRX ? label->targets : 1;
    } else if (flags & SL_OPF_EXIT) {
        taken = 1;
    }
    bool falls_through = !taken || last->guarded;
    int32_t *succ = sl_arena_array(b->arena, int32_t, taken + falls_through);
    if (!succ)
        return sl_fail_memory(b->error);
    for (uint32_t i = 0; i < taken; i++) {
        if (!label)
            succ[i] = SL_BB_EXIT;
        else if (label->kind == SL_LABEL_CODE)
            succ[i] = block_at(b, label->inst);
        else
            succ[i] = block_at(b, b->func->label[label->target_label[i]].inst);
    }
    if (falls_through)
        succ[taken] = block_at(b, next);
    block->succ = succ;
    block->succs = taken + falls_through;
    return SL_OK;
}

static void mark_back_edges(sl_cfg *cfg)
{
    for (uint32_t i = 0; i < cfg->blocks; i++)
        for (uint32_t k = 0; k < cfg->block[i].succs; k++) {
            int32_t to = cfg->block[i].succ[k];
            if (to >= 0 && (uint32_t)to <= i)
                cfg->block[to].back_edge_target = true;
        }
}

sl_status sl_cfg_build(const sl_ptx_module *module, const sl_ptx_func *func, sl_arena *arena, sl_cfg *cfg,
                       sl_error *error)
{
    *cfg = (sl_cfg){0};
    builder b = {module, func, arena, cfg, error, sl_arena_array(arena, bool, func->insts + 1)};
    if (!b.leader)
        return sl_fail_memory(error);
    mark_leaders(&b);
    sl_status status = make_blocks(&b);
    for (uint32_t i = 0; i < cfg->blocks && status == SL_OK; i++)
        status = make_edges(&b, &cfg->block[i]);
    if (status != SL_OK)
        return status;
    mark_back_edges(cfg);
    return sl_cfg_find_joins(cfg, arena) ? SL_OK : sl_fail_memory(error);
}
