/* SPDX-License-Identifier: MIT */
#include "ptx/cfg.h"

#include <string.h>

#include "sluice/trace.h"

enum { MAX_BODY = 64, NO_LABEL = -1 };

/* A basic block that may turn out to be a loop. */
typedef struct body {
    const sl_ptx_func *func;
    int64_t label; /* at its start; NO_LABEL: none */
    uint32_t first;
    bool nounroll;
} body;

static bool writes(const sl_ptx_func *func, uint32_t i, uint32_t reg)
{
    const sl_ptx_inst *inst = &func->inst[i];
    uint32_t dsts = sl_ptx_inst_dsts(inst);
    for (uint32_t d = 0; d < dsts && d < inst->operands; d++) {
        const sl_ptx_operand *o = &inst->operand[d];
        if (o->kind == SL_OPD_REG && o->reg == reg)
            return true;
        for (uint32_t k = 0; k < o->count; k++)
            if (o->items[k].kind == SL_OPD_REG && o->items[k].reg == reg)
                return true;
    }
    return false;
}

/* The one instruction of the body that writes a register; -1: none, -2: several. */
static int64_t writer(const body *b, uint32_t end, uint32_t reg)
{
    int64_t found = -1;
    for (uint32_t i = b->first; i < end; i++)
        if (writes(b->func, i, reg))
            found = found == -1 ? (int64_t)i : -2;
    return found;
}

/* Whether the body counts the operand up by a constant. */
static bool counts(const body *b, uint32_t end, const sl_ptx_operand *o)
{
    int64_t at = o->kind == SL_OPD_REG ? writer(b, end, o->reg) : -1;
    if (at < 0)
        return false;
    const sl_ptx_inst *inst = &b->func->inst[at];
    return inst->op == SL_OP_ADD && inst->operands == 3 && inst->operand[1].kind == SL_OPD_REG &&
           inst->operand[1].reg == o->reg && inst->operand[2].kind == SL_OPD_INT && (int64_t)inst->operand[2].bits > 0;
}

static bool stays(const body *b, uint32_t end, const sl_ptx_operand *o)
{
    return o->kind != SL_OPD_REG || writer(b, end, o->reg) == -1;
}

/* The number of iterations is known when the loop begins: a counter goes up by a constant to a limit that does not
 * change. */
static bool is_counted(const body *b, uint32_t branch)
{
    const sl_ptx_inst *inst = &b->func->inst[branch];
    int64_t at = inst->guarded ? writer(b, branch, inst->guard) : -1;
    if (at < 0 || b->func->inst[at].op != SL_OP_SETP || b->func->inst[at].operands != 3)
        return false;
    const sl_ptx_operand *o = b->func->inst[at].operand;
    return (counts(b, branch, &o[1]) && stays(b, branch, &o[2])) ||
           (counts(b, branch, &o[2]) && stays(b, branch, &o[1]));
}

void sl_ptx_find_unrolled(const sl_ptx_func *func, bool *closes)
{
    body b = {.func = func, .label = NO_LABEL};
    for (uint32_t s = 0; s < func->stmts; s++) {
        const sl_ptx_stmt *stmt = &func->stmt[s];
        if (stmt->kind == SL_STMT_DIRECTIVE && strstr(stmt->text, "nounroll"))
            b.nounroll = true;
        if (stmt->kind == SL_STMT_LABEL && func->label[stmt->index].kind == SL_LABEL_CODE)
            b = (body){.func = func, .label = stmt->index, .first = func->label[stmt->index].inst};
        if (stmt->kind != SL_STMT_INST)
            continue;
        const sl_ptx_inst *inst = &func->inst[stmt->index];
        uint8_t class = sl_ptx_inst_class(inst);
        if (inst->op == SL_OP_BRA && inst->operands && inst->operand[0].kind == SL_OPD_SYMBOL && b.label >= 0)
            closes[stmt->index] = inst->operand[0].label == b.label && !b.nounroll &&
                                  stmt->index - b.first < MAX_BODY && is_counted(&b, stmt->index);
        if (class == SL_CLASS_CONTROL || class == SL_CLASS_BARRIER)
            b.label = NO_LABEL;
    }
}
