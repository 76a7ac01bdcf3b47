/* SPDX-License-Identifier: MIT */
/* Arguments and results in registers, as PTX has them that was not compiled for the ABI. They become .param variables
 * here, so that nobody else needs to know of them:
 *
 *     call (%r0), f, (%r1, 5);     .param .b32 $param0; …
 *                                  st.param.b32 [$param0], %r1; st.param.b64 [$param1], 5;
 *                                  call ($param2), f, ($param0, $param1); ld.param.b32 %r0, [$param2];
 *
 * and in a function, what it is given is loaded where it begins, and what it returns is stored where it returns. Left
 * as they are, and refused by the emulator: predicates, vectors and 128 bits. */
#include <string.h>

#include "ptx/parse.h"

/* How a value of so many bytes is moved. */
static bool type_of_bytes(uint32_t bytes, sl_ptx_type *type, sl_ptx_mod_id *mod)
{
    static const struct {
        sl_ptx_type type;
        sl_ptx_mod_id mod;
    } types[] = {[1] = {SL_T_B8, SL_MOD_B8},
                 [2] = {SL_T_B16, SL_MOD_B16},
                 [4] = {SL_T_B32, SL_MOD_B32},
                 [8] = {SL_T_B64, SL_MOD_B64}};
    bool known = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (known) {
        *type = types[bytes].type;
        *mod = types[bytes].mod;
    }
    return known;
}

static bool movable(const sl_ptx_var *var)
{
    sl_ptx_type type;
    sl_ptx_mod_id mod;
    return var->type != SL_T_PRED && var->vector == 1 && type_of_bytes((uint32_t)var->bytes, &type, &mod);
}

/* Bytes of a value that a call passes; 0: it is no value, or cannot be passed. */
static uint32_t value_bytes(const sl_ptx_parser *p, const sl_ptx_operand *operand)
{
    switch (operand->kind) {
    case SL_OPD_REG: {
        const sl_ptx_reg *reg = &p->regs.items[operand->reg];
        bool part = operand->element >= 0 && operand->element < reg->vector;
        return reg->type == SL_T_PRED || operand->negated || (reg->vector > 1 && !part) ? 0
                                                                                        : sl_ptx_type_bytes(reg->type);
    }
    case SL_OPD_SPECIAL:
        return sl_ptx_type_bytes(sl_ptx_special_type(operand->special));
    case SL_OPD_F32:
        return 4;
    case SL_OPD_INT:
    case SL_OPD_F64:
        return 8;
    default:
        return 0;
    }
}

static const char *new_name(sl_ptx_parser *p)
{
    const char *name = sl_arena_printf(p->arena, "$param%zu", p->locals.count);
    return sl_ptx_intern(p, name, strlen(name))->text;
}

static sl_ptx_operand symbol_of(const sl_ptx_var *var)
{
    return (sl_ptx_operand){.kind = SL_OPD_SYMBOL, .name = var->name, .var = var, .element = -1, .label = -1};
}

static void push_inst(sl_ptx_parser *p, const sl_ptx_inst *inst)
{
    SL_PUSH(p, &p->insts, *inst);
    SL_PUSH(p, &p->stmts, (sl_ptx_stmt){.kind = SL_STMT_INST, .index = (uint32_t)p->insts.count - 1});
}

/* Moves a value between a .param variable and what `value` says, at the place of `like`. */
static void push_move(sl_ptx_parser *p, const sl_ptx_inst *like, bool load, const sl_ptx_var *var, sl_ptx_operand value)
{
    sl_ptx_type type;
    sl_ptx_mod_id mod = SL_MOD_OTHER;
    type_of_bytes((uint32_t)var->bytes, &type, &mod);
    sl_ptx_inst inst = *like;
    inst.op = load ? SL_OP_LD : SL_OP_ST;
    inst.mnemonic = sl_ptx_op_info_of(inst.op)->text;
    sl_ptx_mod *mods = sl_arena_array(p->arena, sl_ptx_mod, 2);
    mods[0] = (sl_ptx_mod){.id = SL_MOD_PARAM, .text = sl_ptx_mod_text(SL_MOD_PARAM)};
    mods[1] = (sl_ptx_mod){.id = (uint16_t)mod, .text = sl_ptx_mod_text((uint16_t)mod)};
    inst.mods = 2;
    inst.mod = mods;
    sl_ptx_operand *operands = sl_arena_array(p->arena, sl_ptx_operand, 2);
    sl_ptx_operand *address = &operands[load];
    *address = (sl_ptx_operand){.kind = SL_OPD_ADDRESS, .element = -1, .label = -1, .count = 1};
    address->items = sl_arena_new(p->arena, sl_ptx_operand);
    *address->items = symbol_of(var);
    operands[!load] = value;
    inst.operands = 2;
    inst.operand = operands;
    push_inst(p, &inst);
}

/* ---- calls ---- */

/* Replaces what a list holds by .param variables; `values` gets what it held. */
static void replace_values(sl_ptx_parser *p, const sl_ptx_inst *call, sl_ptx_operand *list, sl_ptx_operand *values)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t bytes = list->items[i].kind == SL_OPD_DISCARD ? 8 : value_bytes(p, &list->items[i]);
        sl_ptx_type type;
        sl_ptx_mod_id mod;
        values[i] = (sl_ptx_operand){.kind = SL_OPD_DISCARD};
        if (!type_of_bytes(bytes, &type, &mod))
            continue;
        sl_ptx_var *var = sl_arena_new(p->arena, sl_ptx_var);
        *var = (sl_ptx_var){.name = new_name(p),
                            .space = SL_SPACE_PARAM,
                            .type = type,
                            .vector = 1,
                            .align = bytes,
                            .bytes = bytes,
                            .line = call->line,
                            .owner = p->func};
        sl_ptx_push_var(p, var);
        values[i] = list->items[i];
        list->items[i] = symbol_of(var);
    }
}

/* The call's results, or the arguments. */
static sl_ptx_operand *list_of(sl_ptx_operand *operands, uint32_t count, bool results)
{
    uint32_t at = results ? 0 : count && operands[0].kind == SL_OPD_LIST ? 2 : 1;
    return at < count && operands[at].kind == SL_OPD_LIST ? &operands[at] : NULL;
}

static void push_call(sl_ptx_parser *p, const sl_ptx_inst *inst, sl_ptx_operand *operands)
{
    sl_ptx_operand *args = list_of(operands, inst->operands, false), *rets = list_of(operands, inst->operands, true);
    uint32_t arg_count = args ? args->count : 0, ret_count = rets ? rets->count : 0;
    sl_ptx_operand *values = sl_arena_array(&p->scratch, sl_ptx_operand, arg_count + ret_count + 1);
    sl_ptx_inst unguarded = *inst;
    unguarded.guarded = false;
    if (args)
        replace_values(p, inst, args, values);
    for (uint32_t i = 0; i < arg_count; i++)
        if (values[i].kind != SL_OPD_DISCARD)
            push_move(p, &unguarded, false, args->items[i].var, values[i]);
    if (rets)
        replace_values(p, inst, rets, values + arg_count);
    push_inst(p, inst);
    for (uint32_t i = 0; i < ret_count; i++)
        if (values[arg_count + i].kind == SL_OPD_REG)
            push_move(p, inst, true, rets->items[i].var, values[arg_count + i]);
}

/* ---- functions ---- */

static sl_ptx_operand register_of(const sl_ptx_var *var)
{
    return (sl_ptx_operand){.kind = SL_OPD_REG, .reg = var->reg, .element = -1, .label = -1};
}

/* Makes a parameter in a register one in memory; the register becomes one of the body. */
static void replace_formal(sl_ptx_parser *p, sl_ptx_var **formal, const char *kind)
{
    const sl_ptx_var *var = *formal;
    sl_ptx_var *param = sl_arena_new(p->arena, sl_ptx_var);
    *param = *var;
    param->space = SL_SPACE_PARAM;
    param->in_register = true;
    const char *name = sl_arena_printf(p->arena, "$%s%u", kind, var->index);
    param->name = sl_ptx_intern(p, name, strlen(name))->text;
    SL_PUSH(p, &p->stmts,
            (sl_ptx_stmt){.kind = SL_STMT_REG,
                          .text = sl_arena_printf(p->arena, ".reg .%s %s;", sl_ptx_type_text(var->type), var->name)});
    *formal = param;
}

static void replace_formals(sl_ptx_parser *p, sl_ptx_var **formals, uint32_t count, const char *kind)
{
    for (uint32_t i = 0; i < count && !p->func->entry; i++)
        if (formals[i]->space == SL_SPACE_REG && movable(formals[i]))
            replace_formal(p, &formals[i], kind);
}

void sl_ptx_begin_body(sl_ptx_parser *p)
{
    const sl_ptx_func *func = p->func;
    const sl_ptx_inst like = {.line = func->line, .column = 1};
    replace_formals(p, func->ret, func->returns, "out");
    replace_formals(p, func->param, func->params, "in");
    for (uint32_t i = 0; i < func->params; i++)
        if (func->param[i]->in_register)
            push_move(p, &like, true, func->param[i], register_of(func->param[i]));
}

/* Stores what the function returns in registers. */
static void push_results(sl_ptx_parser *p, sl_ptx_inst like)
{
    like.guarded = false;
    for (uint32_t i = 0; i < p->func->returns; i++) {
        const sl_ptx_var *ret = p->func->ret[i];
        if (ret->in_register)
            push_move(p, &like, false, ret, register_of(ret));
    }
}

void sl_ptx_end_body(sl_ptx_parser *p)
{
    const sl_ptx_inst *last = p->insts.count ? &p->insts.items[p->insts.count - 1] : NULL;
    if (!last || last->guarded || (last->op != SL_OP_RET && last->op != SL_OP_EXIT && last->op != SL_OP_BRA))
        push_results(p, last ? *last : (sl_ptx_inst){.line = p->func->line, .column = 1});
}

void sl_ptx_push_inst(sl_ptx_parser *p, const sl_ptx_inst *inst, sl_ptx_operand *operands)
{
    if (inst->op == SL_OP_CALL) {
        push_call(p, inst, operands);
        return;
    }
    if (inst->op == SL_OP_RET)
        push_results(p, *inst);
    push_inst(p, inst);
}
