/* SPDX-License-Identifier: MIT */
#include "ptx/cfg.h"

enum { NO_WRITER = -1, SEVERAL = -2, MAX_DEPTH = 12 };

/* A loop: the instructions [first, end). writer[r] is the one of them that writes register r. */
typedef struct loop {
    const sl_ptx_func *func;
    uint32_t first, end;
    int64_t *writer; /* [regs] */
} loop;

static void note_writes(loop *l, const sl_ptx_operand *operand, uint32_t inst)
{
    if (operand->kind == SL_OPD_REG)
        l->writer[operand->reg] = l->writer[operand->reg] == NO_WRITER ? (int64_t)inst : SEVERAL;
    for (uint32_t i = 0; operand->kind != SL_OPD_ADDRESS && i < operand->count; i++)
        note_writes(l, &operand->items[i], inst);
}

static void find_writers(loop *l)
{
    for (uint32_t r = 0; r < l->func->regs; r++)
        l->writer[r] = NO_WRITER;
    for (uint32_t i = l->first; i < l->end; i++) {
        const sl_ptx_inst *inst = &l->func->inst[i];
        uint32_t dsts = sl_ptx_inst_dsts(inst);
        for (uint32_t d = 0; d < dsts && d < inst->operands; d++) {
            note_writes(l, &inst->operand[d], i);
            if (inst->guarded) /* or the value of the iteration before */
                note_writes(l, &inst->operand[d], i);
        }
    }
}

/* Whether the register only ever grows by a constant: it is added to, perhaps by way of other registers. */
static bool grows(const loop *l, uint32_t reg, int64_t *by)
{
    uint32_t at = reg;
    *by = 0;
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        if (l->writer[at] < 0)
            return false;
        const sl_ptx_inst *inst = &l->func->inst[l->writer[at]];
        bool add = inst->op == SL_OP_ADD, sub = inst->op == SL_OP_SUB;
        if (inst->operands < 2 || inst->operand[1].kind != SL_OPD_REG ||
            !(inst->op == SL_OP_MOV || ((add || sub) && inst->operands == 3 && inst->operand[2].kind == SL_OPD_INT)))
            return false;
        *by += add ? (int64_t)inst->operand[2].bits : sub ? -(int64_t)inst->operand[2].bits : 0;
        at = inst->operand[1].reg;
        if (at == reg)
            return true;
    }
    return false;
}

static bool step_of(const loop *l, const sl_ptx_operand *operand, int depth, int64_t *step);

/* The step of a product of an operand by a constant. */
static bool step_of_product(const loop *l, const sl_ptx_inst *inst, int depth, int64_t *step)
{
    const sl_ptx_operand *a = &inst->operand[1], *b = &inst->operand[2];
    const sl_ptx_operand *number = a->kind == SL_OPD_INT ? a : b, *other = number == a ? b : a;
    if (!step_of(l, other, depth, step))
        return false;
    if (*step && number->kind != SL_OPD_INT)
        return false;
    if (number->kind == SL_OPD_INT)
        return !__builtin_mul_overflow(*step, (int64_t)number->bits, step);
    int64_t factor;
    return step_of(l, number, depth, &factor) && !factor; /* a product of what does not change */
}

static bool step_of(const loop *l, const sl_ptx_operand *operand, int depth, int64_t *step)
{
    int64_t other = 0;
    *step = 0;
    if (operand->kind != SL_OPD_REG)
        return operand->kind == SL_OPD_INT || operand->kind == SL_OPD_SYMBOL || operand->kind == SL_OPD_SPECIAL;
    int64_t writer = l->writer[operand->reg];
    if (writer == NO_WRITER || grows(l, operand->reg, step))
        return true;
    if (writer == SEVERAL || depth == MAX_DEPTH)
        return false;
    const sl_ptx_inst *inst = &l->func->inst[writer];
    switch (inst->op) {
    case SL_OP_MOV:
    case SL_OP_CVTA:
    case SL_OP_CVT:
        return inst->operands == 2 && step_of(l, &inst->operand[1], depth + 1, step);
    case SL_OP_ADD:
    case SL_OP_SUB:
        if (inst->operands != 3 || !step_of(l, &inst->operand[1], depth + 1, step) ||
            !step_of(l, &inst->operand[2], depth + 1, &other))
            return false;
        return inst->op == SL_OP_ADD ? !__builtin_add_overflow(*step, other, step)
                                     : !__builtin_sub_overflow(*step, other, step);
    case SL_OP_MUL:
        return inst->operands == 3 && step_of_product(l, inst, depth + 1, step);
    case SL_OP_MAD:
        return inst->operands == 4 && step_of_product(l, inst, depth + 1, step) &&
               step_of(l, &inst->operand[3], depth + 1, &other) && !__builtin_add_overflow(*step, other, step);
    case SL_OP_SHL:
        return inst->operands == 3 && inst->operand[2].kind == SL_OPD_INT && inst->operand[2].bits < 32 &&
               step_of(l, &inst->operand[1], depth + 1, step) &&
               !__builtin_mul_overflow(*step, INT64_C(1) << inst->operand[2].bits, step);
    default:
        return false;
    }
}

/* The shortest loop around a block; false: there is none. */
static bool find_loop(const sl_cfg *cfg, uint32_t block, loop *l)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t b = block; b < cfg->blocks; b++)
        for (uint32_t k = 0; k < cfg->block[b].succs; k++) {
            int32_t to = cfg->block[b].succ[k];
            if (to < 0 || (uint32_t)to > block || b - (uint32_t)to >= best)
                continue;
            best = b - (uint32_t)to;
            l->first = cfg->block[to].first;
            l->end = cfg->block[b].first + cfg->block[b].count;
        }
    return best != UINT32_MAX;
}

static const sl_ptx_operand *address_of(const sl_ptx_inst *inst)
{
    for (uint32_t i = 0; i < inst->operands; i++)
        if (inst->operand[i].kind == SL_OPD_ADDRESS)
            return inst->operand[i].count == 1 && inst->operand[i].items[0].kind == SL_OPD_REG ? &inst->operand[i]
                                                                                               : NULL;
    return NULL;
}

sl_status sl_ptx_steps(const sl_ptx_func *func, const sl_cfg *cfg, sl_arena *arena, int64_t **steps, sl_error *error)
{
    loop l = {.func = func, .writer = sl_arena_array(arena, int64_t, func->regs + 1)};
    *steps = sl_arena_array(arena, int64_t, func->insts + 1);
    if (!*steps || !l.writer)
        return sl_fail_memory(error);
    for (uint32_t b = 0; b < cfg->blocks; b++) {
        uint32_t first = l.first, end = l.end;
        if (!find_loop(cfg, b, &l))
            continue;
        if (l.first != first || l.end != end)
            find_writers(&l);
        for (uint32_t i = cfg->block[b].first; i < cfg->block[b].first + cfg->block[b].count; i++) {
            const sl_ptx_operand *address = address_of(&func->inst[i]);
            if (address && !step_of(&l, &address->items[0], 0, &(*steps)[i]))
                (*steps)[i] = 0;
        }
    }
    return SL_OK;
}
