/* SPDX-License-Identifier: MIT */
/* mul and add or sub without a rounding mode become one fma, by the rules that ptxas 13.0 was seen to follow (sm_90,
 * from the SASS it makes; f32, f64, f16, bf16 and their pairs alike):
 *
 * - Both stand in one straight run of code: barriers, warp instructions and jumps to blocks that nothing else leads to
 * do not interrupt it; conditional branches and exits, calls and blocks where ways merge do, and so do instructions
 * that ptxas expands into code with branches early on: divisions and remainders of s32 and of 16 and 64 bits, div, rcp
 * and sqrt with a rounding mode, rsqrt of f64, bfind of 64 bits; what accesses memory or waits under a guard, which
 * becomes a branch (arithmetic under a guard does not); and fences of memory.
 * - The product has no guard and no .sat; both have the same .ftz. The sum may have a guard and .sat. In between there
 *   may be mov and neg.
 * - Every use of the product is such a sum (a product that is stored, compared, multiplied, passed on to another block
 * or doubled by adding it to itself is kept, and none of its sums becomes an fma).
 * - Sums are taken in program order. Of two products, one that is used once goes before one that is used several times,
 *   then the first operand before the second. The other one is kept from then on, and so is one that is used several
 *   times when any of its sums has a product that is used once.
 *
 * By the same rules, mul.wide and a sum of addresses become mad.wide, whatever ptxas does: that is the same number.
 *
 * Left out: factors that are overwritten before the sum, by the product or later, and uses whose result nobody needs
 * (compilers do not write that); and what unrolling by ptxas brings together. */
#include "emu/decode.h"

#include <string.h>

#include "base/array.h"

#define NONE UINT32_MAX

typedef struct product {
    uint32_t inst;        /* the mul */
    uint32_t uses, fused; /* sums that read it; those that have become an fma */
    bool kept;            /* somebody else needs it */
    bool contested;       /* in one of its sums the other operand is a product that is used once */
    uint32_t version[2];  /* of its factors' registers */
} product;

/* What a register holds: a product, or its negative. */
typedef struct value {
    uint32_t product;
    bool negated;
} value;

typedef struct sum {
    uint32_t inst;
    value side[2];  /* what operands 1 and 2 hold */
    bool intact[2]; /* their factors are still in their registers */
} sum;

typedef struct contractor {
    const sl_ptx_func *func;
    const sl_cfg *cfg;
    const sl_liveness *live;
    sl_arena *arena;
    sl_contraction *result;
    bool floats;       /* these, too */
    uint32_t *preds;   /* of each block: edges that lead to it */
    value *holds;      /* [regs] */
    uint32_t *version; /* [regs]: how often it was written */
    SL_ARRAY(product) products;
    uint32_t past; /* products that were made before the run was last interrupted */
    SL_ARRAY(sum) sums;
    SL_ARRAY(uint32_t) holders; /* registers that held a product in this run */
} contractor;

static bool is_float(sl_ptx_type type)
{
    return type == SL_T_F32 || type == SL_T_F64 || type == SL_T_F16 || type == SL_T_BF16 || type == SL_T_F16X2 ||
           type == SL_T_BF16X2;
}

static bool may_contract(const sl_ptx_inst *inst)
{
    return inst->operands == 3 && is_float(sl_ptx_inst_type(inst, 0)) && sl_ptx_inst_type(inst, 1) == SL_T_NONE &&
           !sl_ptx_has(inst, SL_MOD_RN) && !sl_ptx_has(inst, SL_MOD_RZ) && !sl_ptx_has(inst, SL_MOD_RM) &&
           !sl_ptx_has(inst, SL_MOD_RP);
}

static bool is_wide(const sl_ptx_inst *inst)
{
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    return inst->operands == 3 && sl_ptx_has(inst, SL_MOD_WIDE) && (type == SL_T_S32 || type == SL_T_U32);
}

static bool adds_addresses(const sl_ptx_inst *inst)
{
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    return inst->op == SL_OP_ADD && inst->operands == 3 && (type == SL_T_S64 || type == SL_T_U64) &&
           !sl_ptx_has(inst, SL_MOD_CC);
}

static bool is_register(const sl_ptx_operand *operand)
{
    return operand->kind == SL_OPD_REG && operand->element <= 0 && !operand->negated;
}

static bool is_number(const sl_ptx_operand *operand)
{
    return operand->kind == SL_OPD_F32 || operand->kind == SL_OPD_F64;
}

static bool is_factor(const sl_ptx_inst *inst, uint32_t i)
{
    const sl_ptx_operand *operand = &inst->operand[i];
    return is_register(operand) ? operand->reg != inst->operand[0].reg
                                : is_number(operand) || operand->kind == SL_OPD_INT;
}

static bool is_product(const contractor *c, const sl_ptx_inst *inst)
{
    return inst->op == SL_OP_MUL && ((c->floats && may_contract(inst)) || is_wide(inst)) && !inst->guarded &&
           !sl_ptx_has(inst, SL_MOD_SAT) && is_register(&inst->operand[0]) && is_factor(inst, 1) && is_factor(inst, 2);
}

static bool is_sum(const contractor *c, const sl_ptx_inst *inst)
{
    bool adds = inst->op == SL_OP_ADD || inst->op == SL_OP_SUB;
    return adds && ((c->floats && may_contract(inst)) || adds_addresses(inst)) && is_register(&inst->operand[0]);
}

/* mov and neg pass a product on. */
static bool passes_on(const contractor *c, const sl_ptx_inst *inst, value *from)
{
    if ((inst->op != SL_OP_MOV && inst->op != SL_OP_NEG) || inst->guarded || inst->operands != 2 ||
        !is_register(&inst->operand[0]) || !is_register(&inst->operand[1]))
        return false;
    *from = c->holds[inst->operand[1].reg];
    if (from->product == NONE)
        return false;
    const sl_ptx_inst *mul = &c->func->inst[c->products.items[from->product].inst];
    sl_ptx_type type = sl_ptx_inst_type(mul, 0);
    if (inst->op == SL_OP_MOV)
        return sl_ptx_type_bytes(sl_ptx_inst_type(inst, 0)) == sl_ptx_type_bytes(type);
    from->negated = !from->negated;
    return sl_ptx_inst_type(inst, 0) == type && sl_ptx_has(inst, SL_MOD_FTZ) == sl_ptx_has(mul, SL_MOD_FTZ);
}

/* ptxas writes a branch for its guard, before it looks for fmas. */
static bool branches_for_guard(const sl_ptx_inst *inst)
{
    return inst->guarded && (sl_ptx_inst_class(inst) == SL_CLASS_MEMORY || sl_ptx_inst_flags(inst) & SL_OPF_MEMORY ||
                             inst->op == SL_OP_ACTIVEMASK || inst->op == SL_OP_NANOSLEEP);
}

/* Whether no fma spans this instruction. */
static bool interrupts(const sl_ptx_inst *inst)
{
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    uint32_t bytes = sl_ptx_type_bytes(type);
    if (branches_for_guard(inst))
        return true;
    switch (inst->op) {
    case SL_OP_DIV:
    case SL_OP_REM:
        if (is_float(type))
            break;
        return type == SL_T_S32
                   ? inst->operands < 3 || inst->operand[1].kind != SL_OPD_INT || inst->operand[2].kind != SL_OPD_INT
                   : bytes != 4;
    case SL_OP_RCP:
    case SL_OP_SQRT:
        break;
    case SL_OP_RSQRT:
        return type == SL_T_F64 && !sl_ptx_has(inst, SL_MOD_FTZ);
    case SL_OP_BFIND:
        return bytes == 8 && !sl_ptx_has(inst, SL_MOD_SHIFTAMT);
    case SL_OP_MEMBAR:
    case SL_OP_BRKPT:
    case SL_OP_PMEVENT:
        return true;
    case SL_OP_FENCE:
        return sl_ptx_has(inst, SL_MOD_SC) || sl_ptx_has(inst, SL_MOD_ACQ_REL);
    default:
        return false;
    }
    return sl_ptx_has(inst, SL_MOD_RN) || sl_ptx_has(inst, SL_MOD_RZ) || sl_ptx_has(inst, SL_MOD_RM) ||
           sl_ptx_has(inst, SL_MOD_RP);
}

static value held_by(const contractor *c, const sl_ptx_inst *inst, const sl_ptx_operand *operand)
{
    value v = is_register(operand) ? c->holds[operand->reg] : (value){NONE, false};
    if (v.product == NONE)
        return v;
    const sl_ptx_inst *mul = &c->func->inst[c->products.items[v.product].inst];
    bool same = is_wide(mul) ? adds_addresses(inst)
                             : v.product >= c->past && sl_ptx_inst_type(mul, 0) == sl_ptx_inst_type(inst, 0) &&
                                   sl_ptx_has(mul, SL_MOD_FTZ) == sl_ptx_has(inst, SL_MOD_FTZ);
    return same ? v : (value){NONE, false};
}

static void keep_what(contractor *c, uint32_t reg)
{
    if (c->holds[reg].product != NONE)
        c->products.items[c->holds[reg].product].kept = true;
}

static void keep_operand(contractor *c, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_REG)
        keep_what(c, operand->reg);
    for (uint32_t i = 0; i < operand->count; i++)
        keep_operand(c, &operand->items[i]);
}

/* The register is written: what it held is gone, or, of a guarded write, still there in some lanes. */
static void forget(contractor *c, const sl_ptx_inst *inst, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_REG) {
        if (inst->guarded || operand->element > 0)
            keep_what(c, operand->reg);
        c->holds[operand->reg].product = NONE;
        c->version[operand->reg]++;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        forget(c, inst, &operand->items[i]);
}

static uint32_t version_of(const contractor *c, const sl_ptx_operand *operand)
{
    return operand->kind == SL_OPD_REG ? c->version[operand->reg] : 0;
}

static bool is_intact(const contractor *c, value v)
{
    if (v.product == NONE)
        return false;
    const product *p = &c->products.items[v.product];
    const sl_ptx_operand *factor = &c->func->inst[p->inst].operand[1];
    return p->version[0] == version_of(c, &factor[0]) && p->version[1] == version_of(c, &factor[1]);
}

static bool hold(contractor *c, uint32_t reg, value v)
{
    c->holds[reg] = v;
    return sl_array_push(&c->holders, reg);
}

/* Takes note of one instruction; false: out of memory. */
static bool add_inst(contractor *c, uint32_t index)
{
    const sl_ptx_inst *inst = &c->func->inst[index];
    uint32_t dsts = sl_ptx_inst_dsts(inst);
    value passed = {NONE, false};
    bool passes = passes_on(c, inst, &passed), ok = true;
    sum s = {.inst = index};
    if (interrupts(inst))
        c->past = (uint32_t)c->products.count;
    if (is_sum(c, inst)) {
        for (int k = 0; k < 2; k++)
            s.side[k] = held_by(c, inst, &inst->operand[k + 1]);
        if (s.side[0].product == s.side[1].product)
            s.side[0].product = s.side[1].product = NONE; /* the sum of a product and itself, or of none */
        for (int k = 0; k < 2; k++) {
            s.intact[k] = is_intact(c, s.side[k]);
            if (s.side[k].product != NONE)
                c->products.items[s.side[k].product].uses++;
            else
                keep_operand(c, &inst->operand[k + 1]);
        }
        if (s.side[0].product != NONE || s.side[1].product != NONE)
            ok = sl_array_push(&c->sums, s);
    } else if (!passes) {
        for (uint32_t i = sl_ptx_inst_updates(inst) ? 0 : dsts; i < inst->operands; i++)
            keep_operand(c, &inst->operand[i]);
    }
    for (uint32_t i = 0; i < dsts && i < inst->operands; i++)
        forget(c, inst, &inst->operand[i]);
    if (passes)
        return ok && hold(c, inst->operand[0].reg, passed);
    if (is_product(c, inst)) {
        product p = {.inst = index, .version = {version_of(c, &inst->operand[1]), version_of(c, &inst->operand[2])}};
        ok = ok && hold(c, inst->operand[0].reg, (value){(uint32_t)c->products.count, false}) &&
             sl_array_push(&c->products, p);
    }
    return ok;
}

static bool is_free(const contractor *c, value v)
{
    if (v.product == NONE)
        return false;
    const product *p = &c->products.items[v.product];
    return !p->kept && (p->uses == 1 || !p->contested);
}

static void negate(sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_F32)
        operand->bits ^= UINT64_C(1) << 31;
    else if (operand->kind == SL_OPD_F64)
        operand->bits ^= UINT64_C(1) << 63;
    else
        operand->negated = !operand->negated;
}

/* An operand that the sum adds to its product; to floats, integers are numbers as they stand there. False: something
 * else. */
static bool copy_addend(const sl_ptx_operand *from, bool wide, sl_ptx_operand *to)
{
    *to = *from;
    if (from->kind == SL_OPD_INT && wide)
        return true;
    if (from->kind == SL_OPD_INT) {
        double number = (double)(int64_t)from->bits;
        to->kind = SL_OPD_F64;
        memcpy(&to->bits, &number, sizeof to->bits);
        return true;
    }
    return is_register(from) || is_number(from);
}

/* The sum with its product in side k as an fma, or mad. */
static bool fuse(contractor *c, const sum *s, int k)
{
    const sl_ptx_inst *add = &c->func->inst[s->inst];
    product *p = &c->products.items[s->side[k].product];
    const sl_ptx_inst *mul = &c->func->inst[p->inst];
    sl_ptx_operand addend;
    if (!s->intact[k] || !copy_addend(&add->operand[2 - k], is_wide(mul), &addend)) {
        p->kept = true;
        return true;
    }
    sl_ptx_inst *fma = sl_arena_new(c->arena, sl_ptx_inst);
    sl_ptx_operand *operand = sl_arena_array(c->arena, sl_ptx_operand, 4);
    if (!fma || !operand)
        return false;
    *fma = *add;
    fma->op = SL_OP_FMA;
    fma->mnemonic = "fma";
    fma->operands = 4;
    fma->operand = operand;
    operand[0] = add->operand[0];
    operand[1] = mul->operand[1];
    operand[2] = mul->operand[2];
    operand[3] = addend;
    if (s->side[k].negated != (k == 1 && add->op == SL_OP_SUB))
        negate(&operand[is_number(&operand[2]) ? 2 : 1]);
    if (k == 0 && add->op == SL_OP_SUB)
        negate(&operand[3]);
    if (is_wide(mul)) {
        fma->op = SL_OP_MAD;
        fma->mnemonic = "mad";
        fma->mods = mul->mods;
        fma->mod = mul->mod;
    }
    c->result->as[s->inst] = fma;
    p->fused++;
    return true;
}

static bool contract_sums(contractor *c)
{
    for (size_t i = 0; i < c->sums.count; i++) {
        const sum *s = &c->sums.items[i];
        for (int k = 0; k < 2; k++) {
            const product *other = s->side[1 - k].product == NONE ? NULL : &c->products.items[s->side[1 - k].product];
            if (s->side[k].product != NONE && other && other->uses == 1 && !other->kept)
                c->products.items[s->side[k].product].contested = true;
        }
    }
    for (size_t i = 0; i < c->sums.count; i++) {
        const sum *s = &c->sums.items[i];
        int k = is_free(c, s->side[0]) ? 0 : is_free(c, s->side[1]) ? 1 : -1;
        for (int n = 0; n < 2; n++)
            if (n != k && s->side[n].product != NONE)
                c->products.items[s->side[n].product].kept = true;
        if (k >= 0 && !fuse(c, s, k))
            return false;
    }
    for (size_t i = 0; i < c->products.count; i++) {
        const product *p = &c->products.items[i];
        if (p->fused == p->uses && p->uses && !p->kept)
            c->result->dropped[p->inst] = true;
    }
    return true;
}

/* ---- straight runs of code ---- */

/* The only block that control continues to from here, if it comes from nowhere else; NONE: there is none. */
static uint32_t next_of_run(const contractor *c, uint32_t block)
{
    const sl_bb *bb = &c->cfg->block[block];
    const sl_ptx_inst *last = &c->func->inst[bb->first + bb->count - 1];
    if (bb->succs != 1 || bb->succ[0] <= 0 || c->preds[bb->succ[0]] != 1 || sl_ptx_inst_flags(last) & SL_OPF_CALL)
        return NONE;
    return (uint32_t)bb->succ[0];
}

/* Products that are needed behind the end of the run. */
static void keep_live(contractor *c, const sl_bb *last)
{
    for (size_t i = 0; i < c->holders.count; i++) {
        uint32_t reg = c->holders.items[i];
        for (uint32_t s = 0; s < last->succs; s++)
            if (last->succ[s] >= 0 && sl_live_at(c->live, (uint32_t)last->succ[s], reg))
                keep_what(c, reg);
        c->holds[reg].product = NONE;
    }
}

static bool contract_run(contractor *c, uint32_t first)
{
    const sl_bb *bb = NULL;
    c->holders.count = c->products.count = c->sums.count = c->past = 0;
    for (uint32_t b = first; b != NONE; b = next_of_run(c, b)) {
        bb = &c->cfg->block[b];
        for (uint32_t i = 0; i < bb->count; i++)
            if (!add_inst(c, bb->first + i))
                return false;
    }
    keep_live(c, bb);
    return contract_sums(c);
}

sl_status sl_contract_find(const sl_ptx_func *func, const sl_cfg *cfg, const sl_liveness *live, bool off,
                           sl_arena *arena, sl_contraction *result, sl_error *error)
{
    contractor c = {.func = func, .cfg = cfg, .live = live, .arena = arena, .result = result, .floats = !off};
    result->as = sl_arena_array(arena, const sl_ptx_inst *, func->insts + 1);
    result->dropped = sl_arena_array(arena, bool, func->insts + 1);
    c.preds = sl_arena_array(arena, uint32_t, cfg->blocks + 1);
    c.holds = sl_arena_array(arena, value, func->regs + 1);
    c.version = sl_arena_array(arena, uint32_t, func->regs + 1);
    bool *inside = sl_arena_array(arena, bool, cfg->blocks + 1); /* of a run that starts elsewhere */
    bool ok = result->as && result->dropped && c.preds && c.holds && c.version && inside;
    for (uint32_t i = 0; ok && i < func->regs; i++)
        c.holds[i].product = NONE;
    for (uint32_t b = 0; ok && b < cfg->blocks; b++)
        for (uint32_t s = 0; s < cfg->block[b].succs; s++)
            if (cfg->block[b].succ[s] >= 0)
                c.preds[cfg->block[b].succ[s]]++;
    for (uint32_t b = 0; ok && b < cfg->blocks; b++)
        if (next_of_run(&c, b) != NONE)
            inside[next_of_run(&c, b)] = true;
    for (uint32_t b = 0; ok && b < cfg->blocks; b++)
        ok = inside[b] || contract_run(&c, b);
    sl_array_free(&c.products);
    sl_array_free(&c.sums);
    sl_array_free(&c.holders);
    return ok ? SL_OK : sl_fail_memory(error);
}
