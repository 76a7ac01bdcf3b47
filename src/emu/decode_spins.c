/* SPDX-License-Identifier: MIT */
/* Which loops wait for other threads, and which for a time to come. */
#include <string.h>

#include "emu/decode.h"

bool sl_is_clock(uint16_t special)
{
    return special == SL_SREG_CLOCK || special == SL_SREG_CLOCK_HI || special == SL_SREG_CLOCK64 ||
           special == SL_SREG_GLOBALTIMER || special == SL_SREG_GLOBALTIMER_LO || special == SL_SREG_GLOBALTIMER_HI;
}

static bool names_clock(const sl_ptx_operand *operand)
{
    bool found = operand->kind == SL_OPD_SPECIAL && sl_is_clock(operand->special);
    for (uint32_t i = 0; i < operand->count && !found; i++)
        found = names_clock(&operand->items[i]);
    return found;
}

bool sl_reads_clock(const sl_ptx_inst *inst)
{
    bool found = false;
    for (uint32_t k = 0; k < inst->operands && !found; k++)
        found = names_clock(&inst->operand[k]);
    return found;
}

/* What a loop may depend on. */
typedef struct source {
    bool clock;         /* the time; else memory that others write: */
    bool fenced, calls; /* the loop has fences, calls */
} source;

/* A loop spins when leaving it depends on memory that other threads write: its back edges are where a warp gives way.
 */
static bool reads_source(const sl_ptx_inst *inst, const source *from)
{
    if (from->clock)
        return sl_reads_clock(inst);
    if (inst->op == SL_OP_ATOM || inst->op == SL_OP_MBARRIER)
        return true;
    if (inst->op != SL_OP_LD)
        return false;
    if (sl_ptx_inst_space(inst) == SL_SPACE_PARAM)
        return from->calls; /* what a function returns may come from anywhere */
    return from->fenced || sl_ptx_has(inst, SL_MOD_VOLATILE) || sl_ptx_has(inst, SL_MOD_RELAXED) ||
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

/* One pass of taint over instructions [first, end). */
static bool spread_taint(const sl_ptx_func *func, uint32_t first, uint32_t end, const source *from, uint8_t *tainted)
{
    bool changed = false;
    for (uint32_t i = first; i < end; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        uint32_t dsts = sl_ptx_inst_dsts(inst);
        bool taken = reads_source(inst, from);
        for (uint32_t k = sl_ptx_inst_updates(inst) ? 0 : dsts; k < inst->operands && !taken; k++)
            taint_operand(&inst->operand[k], tainted, &taken);
        if (inst->guarded && tainted[inst->guard])
            taken = true;
        for (uint32_t k = 0; k < dsts && taken && k < inst->operands; k++)
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

/* Whether leaving the loop [first, end) depends on `from`. */
static bool depends(const sl_ptx_func *func, uint32_t first, uint32_t end, const source *from, uint8_t *tainted)
{
    memset(tainted, 0, func->regs);
    while (spread_taint(func, first, end, from, tainted))
        ;
    for (uint32_t i = first; i < end; i++)
        if (decides(&func->inst[i], tainted))
            return true;
    return false;
}

void sl_decode_spins(sl_decoder *d, const sl_cfg *cfg, int32_t base)
{
    const uint16_t effects = SL_OPF_MEMORY | SL_OPF_CALL | SL_OPF_BARRIER | SL_OPF_FENCE | SL_OPF_WARP_SYNC;
    const sl_ptx_func *func = d->func;
    uint8_t *tainted = NULL;
    for (uint32_t u = 0; u < cfg->blocks; u++) {
        for (uint32_t s = 0; s < cfg->block[u].succs; s++) {
            int32_t v = cfg->block[u].succ[s];
            if (v < 0 || v > (int32_t)u)
                continue;
            uint32_t first = cfg->block[v].first, end = cfg->block[u].first + cfg->block[u].count;
            source from = {0};
            bool reads_clock = false, only_waits = true;
            for (uint32_t i = first; i < end; i++) {
                uint16_t flags = sl_ptx_inst_flags(&func->inst[i]);
                from.fenced |= (flags & (SL_OPF_FENCE | SL_OPF_BARRIER)) != 0;
                from.calls |= func->inst[i].op == SL_OP_CALL;
                reads_clock |= sl_reads_clock(&func->inst[i]);
                only_waits &= !(flags & effects);
            }
            if (!tainted)
                tainted = sl_decode_need(d, sl_arena_alloc(d->arena, func->regs + 1));
            bool spins = depends(func, first, end, &from, tainted);
            d->bbs.items[base + (int32_t)u].spins |= spins;
            d->kernel->code.can_spin |= spins;
            from.clock = true;
            d->bbs.items[base + (int32_t)u].times |=
                reads_clock && only_waits && depends(func, first, end, &from, tainted);
        }
    }
}
