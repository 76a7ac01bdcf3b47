/* SPDX-License-Identifier: MIT */
/* Which loops wait for other threads. */
#include <string.h>

#include "emu/decode.h"

/* A loop spins when leaving it depends on memory that other threads write: its back edges are where a warp gives way.
 */
static bool reads_shared_state(const sl_ptx_inst *inst, bool fenced, bool calls)
{
    if (inst->op == SL_OP_ATOM)
        return true;
    if (inst->op != SL_OP_LD)
        return false;
    if (sl_ptx_inst_space(inst) == SL_SPACE_PARAM)
        return calls; /* what a function returns may come from anywhere */
    return fenced || sl_ptx_has(inst, SL_MOD_VOLATILE) || sl_ptx_has(inst, SL_MOD_RELAXED) ||
           sl_ptx_has(inst, SL_MOD_ACQUIRE) || sl_ptx_has(inst, SL_MOD_CV) || sl_ptx_has(inst, SL_MOD_CG) ||
           sl_ptx_has(inst, SL_MOD_MMIO);
}

static void taint_operand(const sl_ptx_operand *operand, const uint8_t *tainted, bool *any)
{
    if (operand->kind == SL_OPD_REG && tainted[operand->reg])
        *any = true;
    for (uint32_t i = 0; i < operand->count; i++)
        taint_operand(&operand->items[i], tainted, any);
}

static bool mark_written(const sl_ptx_operand *operand, uint8_t *tainted)
{
    bool changed = false;
    if (operand->kind == SL_OPD_REG && !tainted[operand->reg]) {
        tainted[operand->reg] = 1;
        changed = true;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        changed |= mark_written(&operand->items[i], tainted);
    return changed;
}

/* One pass of taint over instructions [first, end): values that come from memory others write. */
static bool spread_taint(const sl_ptx_func *func, uint32_t first, uint32_t end, bool fenced, bool calls,
                         uint8_t *tainted)
{
    bool changed = false;
    for (uint32_t i = first; i < end; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        uint32_t dsts = sl_ptx_inst_dsts(inst);
        bool source = reads_shared_state(inst, fenced, calls);
        for (uint32_t k = dsts; k < inst->operands && !source; k++)
            taint_operand(&inst->operand[k], tainted, &source);
        if (inst->guarded && tainted[inst->guard])
            source = true;
        for (uint32_t k = 0; k < dsts && source && k < inst->operands; k++)
            changed |= mark_written(&inst->operand[k], tainted);
    }
    return changed;
}

/* Where the instruction goes depends on a tainted value. */
static bool decides(const sl_ptx_inst *inst, const uint8_t *tainted)
{
    if (!(sl_ptx_inst_flags(inst) & (SL_OPF_BRANCH | SL_OPF_EXIT)))
        return false;
    bool any = inst->guarded && tainted[inst->guard];
    for (uint32_t k = 0; inst->op == SL_OP_BRX && k < inst->operands; k++)
        taint_operand(&inst->operand[k], tainted, &any);
    return any;
}

void sl_decode_spins(sl_decoder *d, const sl_cfg *cfg, int32_t base)
{
    const sl_ptx_func *func = d->func;
    uint8_t *tainted = NULL;
    for (uint32_t u = 0; u < cfg->blocks; u++) {
        for (uint32_t s = 0; s < cfg->block[u].succs; s++) {
            int32_t v = cfg->block[u].succ[s];
            if (v < 0 || v > (int32_t)u)
                continue;
            uint32_t first = cfg->block[v].first, end = cfg->block[u].first + cfg->block[u].count;
            bool fenced = false, calls = false, spins = false;
            for (uint32_t i = first; i < end; i++) {
                fenced |= (sl_ptx_inst_flags(&func->inst[i]) & (SL_OPF_FENCE | SL_OPF_BARRIER)) != 0;
                calls |= func->inst[i].op == SL_OP_CALL;
            }
            if (!tainted)
                tainted = sl_decode_need(d, sl_arena_alloc(d->arena, func->regs + 1));
            memset(tainted, 0, func->regs);
            while (spread_taint(func, first, end, fenced, calls, tainted))
                ;
            for (uint32_t i = first; i < end; i++)
                spins |= decides(&func->inst[i], tainted);
            d->bbs.items[base + (int32_t)u].spins |= spins;
            d->kernel->code.can_spin |= spins;
        }
    }
}
