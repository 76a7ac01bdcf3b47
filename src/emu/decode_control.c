/* SPDX-License-Identifier: MIT */
/* The ends of basic blocks: branches, calls, returns, barriers; and which functions a kernel can reach. */
#include <string.h>

#include "emu/decode.h"
#include "emu/warp.h"

static uint64_t function_key(const void *items, uint32_t item)
{
    return sl_address_key(((const sl_code_function *)items)[item].func);
}

uint32_t sl_decode_function_index(sl_decoder *d, const sl_ptx_func *func, const sl_ptx_module *module)
{
    sl_index_for(&d->function_index, sl_address_key(func), at)
    {
        uint32_t item = sl_index_item(&d->function_index, at);
        if (d->functions.items[item].func == func)
            return item;
    }
    sl_code_function added = {.func = func, .module = module};
    if (!sl_array_push(&d->functions, added) ||
        !sl_index_add(&d->function_index, sl_address_key(func), (uint32_t)d->functions.count - 1, function_key,
                      d->functions.items))
        sl_decode_memory_out(d);
    return (uint32_t)d->functions.count - 1;
}

static bool find_builtin(const sl_decoder *d, const char *name, uint8_t *builtin, uint32_t *number)
{
    static const struct {
        const char *name;
        uint8_t builtin;
    } table[] = {{"vprintf", SL_BUILTIN_VPRINTF},
                 {"printf", SL_BUILTIN_VPRINTF}, /* OpenCL's: clang gives it the same arguments */
                 {"__assertfail", SL_BUILTIN_ASSERTFAIL},
                 {"malloc", SL_BUILTIN_MALLOC},
                 {"free", SL_BUILTIN_FREE}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!strcmp(table[i].name, name)) {
            *builtin = table[i].builtin;
            return true;
        }
    }
    const sl_emu_config *config = &d->program->emu->config;
    int found = config->extern_find ? config->extern_find(config->extern_context, name) : -1;
    *builtin = SL_BUILTIN_EXTERN;
    *number = (uint32_t)found;
    return found >= 0;
}

/* Textures are objects that the host may replace; whatever is called may call the host. */
static bool sees_more(sl_ptx_op op)
{
    switch ((int)op) {
    case SL_OP_TEX:
    case SL_OP_TLD4:
    case SL_OP_TXQ:
    case SL_OP_SUQ:
    case SL_OP_SULD:
    case SL_OP_SUST:
    case SL_OP_SURED:
    case SL_OP_MULTIMEM:
        return true;
    default:
        return false;
    }
}

void sl_decode_reach(sl_decoder *d, const sl_ptx_func *func, const sl_ptx_module *module)
{
    d->func = func;
    d->module = module;
    for (uint32_t i = 0; i < func->insts; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        d->inst = inst;
        d->kernel->code.knows_clusters |=
            inst->op == SL_OP_MAPA || inst->op == SL_OP_GETCTARANK || sl_ptx_has(inst, SL_MOD_SHARED_CLUSTER) ||
            sl_ptx_has(inst, SL_MOD_CTA_GROUP_2) || sl_ptx_has(inst, SL_MOD_MULTICAST_CLUSTER_ALL);
        d->kernel->code.sees_more |= sees_more(inst->op);
        if (inst->op != SL_OP_CALL)
            continue;
        uint32_t at = inst->operands && inst->operand[0].kind == SL_OPD_LIST ? 1 : 0;
        const sl_ptx_operand *target = sl_decode_operand(d, at);
        uint8_t builtin;
        uint32_t number;
        const sl_ptx_module *where;
        if (target->kind == SL_OPD_REG) {
            for (uint32_t k = 0; k < d->program->functions && !d->kernel->code.has_indirect_calls; k++)
                sl_decode_function_index(d, d->program->function[k], d->program->function_module[k]);
            d->kernel->code.has_indirect_calls = d->kernel->code.sees_more = true;
            continue;
        }
        const sl_ptx_func *callee = sl_program_function(d->program, module, target->name, &where);
        if (callee)
            sl_decode_function_index(d, callee, where);
        else if (find_builtin(d, target->name, &builtin, &number))
            d->kernel->code.has_printf |= builtin <= SL_BUILTIN_ASSERTFAIL;
        else
            sl_decode_refuse(d, "%s is not defined in the program", target->name);
        d->kernel->code.sees_more |= !callee;
        d->kernel->code.has_calls = true;
    }
}

static uint32_t caller_param(sl_decoder *d, const sl_ptx_operand *operand, uint32_t *bytes)
{
    if (operand->kind != SL_OPD_SYMBOL || !operand->var)
        sl_decode_refuse(d, "call arguments must be .param variables");
    *bytes = (uint32_t)operand->var->bytes;
    return sl_decode_local_offset(d, operand->var);
}

static void decode_call(sl_decoder *d, sl_code_bb *bb)
{
    const sl_ptx_inst *inst = d->inst;
    uint32_t at = 0;
    const sl_ptx_operand *rets = NULL, *args = NULL;
    if (inst->operands && inst->operand[0].kind == SL_OPD_LIST)
        rets = &inst->operand[at++];
    const sl_ptx_operand *target = sl_decode_operand(d, at++);
    if (at < inst->operands && inst->operand[at].kind == SL_OPD_LIST)
        args = &inst->operand[at];
    sl_call *call = sl_decode_need(d, sl_arena_new(d->arena, sl_call));
    call->args = args ? args->count : 0;
    call->rets = rets ? rets->count : 0;
    call->arg = sl_decode_need(d, sl_arena_array(d->arena, sl_call_arg, call->args + call->rets + 1));
    for (uint32_t i = 0; i < call->args; i++)
        call->arg[i].caller_offset = caller_param(d, &args->items[i], &call->arg[i].bytes);
    for (uint32_t i = 0; i < call->rets; i++)
        call->arg[call->args + i].caller_offset = caller_param(d, &rets->items[i], &call->arg[call->args + i].bytes);
    bb->call = call;
    if (target->kind == SL_OPD_REG) {
        bb->term = SL_TERM_CALL_INDIRECT;
        call->target = sl_decode_src(d, target, SL_T_U64);
        return;
    }
    const sl_ptx_module *where;
    const sl_ptx_func *callee = sl_program_function(d->program, d->module, target->name, &where);
    if (callee) {
        bb->term = SL_TERM_CALL;
        call->function = sl_decode_function_index(d, callee, where);
        if (call->args > callee->params || call->rets > callee->returns)
            sl_decode_refuse(d, "%s takes other arguments", callee->name);
    } else if (find_builtin(d, target->name, &call->builtin, &call->number)) {
        bb->term = SL_TERM_CALL_BUILTIN;
    }
}

static void decode_barrier(sl_decoder *d, sl_code_bb *bb)
{
    const sl_ptx_inst *inst = d->inst;
    bool reduction = sl_ptx_has(inst, SL_MOD_RED);
    uint32_t at = 0;
    bb->term = SL_TERM_BARRIER;
    d->kernel->code.has_barriers = true;
    bb->barrier_mode = sl_ptx_has(inst, SL_MOD_ARRIVE) ? SL_BARRIER_ARRIVE : SL_BARRIER_SYNC;
    bb->barrier_dst = bb->barrier_count = SL_REF_NONE;
    if (sl_ptx_has(inst, SL_MOD_CLUSTER)) {
        bb->barrier_mode = sl_ptx_has(inst, SL_MOD_ARRIVE) ? SL_BARRIER_CLUSTER_ARRIVE : SL_BARRIER_CLUSTER_WAIT;
        bb->barrier = sl_decode_const(d, 0, 4);
        return;
    }
    if (reduction) {
        bool popc = sl_ptx_has(inst, SL_MOD_POPC);
        bb->barrier_mode = popc ? SL_BARRIER_POPC : sl_ptx_has(inst, SL_MOD_AND) ? SL_BARRIER_AND : SL_BARRIER_OR;
        bb->barrier_dst = sl_decode_dst(d, sl_decode_operand(d, at++), 4);
        const sl_ptx_operand *last = sl_decode_operand(d, inst->operands - 1);
        bb->barrier_src = sl_decode_reg(d, last);
        bb->barrier_src_negated = last->negated;
    }
    bb->barrier = inst->operands > at ? sl_decode_src(d, sl_decode_operand(d, at), SL_T_U32) : sl_decode_const(d, 0, 4);
    at++;
    if (inst->operands - (reduction ? 1 : 0) > at)
        bb->barrier_count = sl_decode_src(d, sl_decode_operand(d, at), SL_T_U32);
}

void sl_decode_terminator(sl_decoder *d, sl_code_bb *bb, const sl_bb *from, int32_t base)
{
    const sl_ptx_inst *inst = d->inst;
    bb->guard = inst->guarded ? d->reg_ref[inst->guard] : SL_REF_NONE;
    bb->guard_negated = inst->guard_negated;
    switch (inst->op) {
    case SL_OP_BRA:
        bb->term = inst->guarded ? SL_TERM_BRANCH : SL_TERM_JUMP;
        bb->taken = from->succ[0] < 0 ? SL_BB_EXIT : base + from->succ[0];
        break;
    case SL_OP_BRX:
        bb->term = SL_TERM_TABLE;
        bb->pred = sl_decode_src(d, sl_decode_operand(d, 0), SL_T_U32);
        bb->list = (uint32_t)d->lists.count;
        bb->list_count = from->succs - (inst->guarded ? 1 : 0); /* passing it by is not in the table */
        for (uint32_t i = 0; i < bb->list_count; i++)
            if (!sl_array_push(&d->lists, (uint32_t)(from->succ[i] < 0 ? SL_BB_EXIT : base + from->succ[i])))
                sl_decode_memory_out(d);
        break;
    case SL_OP_CALL:
        decode_call(d, bb);
        break;
    case SL_OP_RET:
        bb->term = d->func->entry ? SL_TERM_EXIT : SL_TERM_RETURN;
        break;
    case SL_OP_EXIT:
        bb->term = SL_TERM_EXIT;
        break;
    case SL_OP_TRAP:
        bb->term = SL_TERM_TRAP;
        break;
    default:
        decode_barrier(d, bb);
        break;
    }
}

void sl_decode_joins(sl_decoder *d, sl_code_bb *bb, const sl_bb *from, int32_t base)
{
    bb->joins = from->joins;
    bb->leaves = from->leaves;
    bb->join = (uint32_t)d->lists.count;
    bb->leave = bb->join + bb->joins;
    if (!sl_array_reserve(&d->lists, from->joins + 2 * (size_t)from->leaves))
        sl_decode_memory_out(d);
    for (uint32_t i = 0; i < from->joins; i++)
        d->lists.items[d->lists.count++] = (uint32_t)(base + from->join[i]);
    for (uint32_t i = 0; i < from->leaves; i++) {
        d->lists.items[d->lists.count++] = (uint32_t)(base + from->leave[i].to);
        d->lists.items[d->lists.count++] = (uint32_t)(base + from->leave[i].join);
    }
}

/* ---- arms ---- */

static const struct sl_named_handler *handler_of(const sl_decoder *d, size_t op)
{
    return &d->handlers->handler[d->handler_of.items[op]];
}

static bool computes(const sl_decoder *d, const sl_code_bb *bb)
{
    bool only = !bb->warp_sync && !bb->leaves;
    for (uint32_t k = 0; k < bb->ops && only; k++)
        only = handler_of(d, bb->first + k)->computes;
    return only;
}

/* Whether lanes that part within lanes that parted expect no other joins behind the one of those. */
static bool joins_within(const sl_decoder *d, const sl_code_bb *inner, const sl_code_bb *outer)
{
    const uint32_t *in = &d->lists.items[inner->join], *out = &d->lists.items[outer->join];
    bool all = true;
    for (uint32_t i = 0; i < inner->joins && all; i++) {
        all = in[i] < out[0];
        for (uint32_t k = 0; k < outer->joins && !all; k++)
            all = in[i] == out[k];
    }
    return all;
}

/* The most that lanes which part at the end of a block execute from one of its ends until they meet, doing nothing but
 * compute: more than SL_MAX_APART if they do more. */
static uint32_t apart(const sl_decoder *d, const sl_code_bb *outer, int32_t at)
{
    int32_t before = (int32_t)(outer - d->bbs.items), meet = (int32_t)d->lists.items[outer->join];
    uint32_t insts = 0;
    while (at != meet && insts <= SL_MAX_APART) {
        const sl_code_bb *bb = &d->bbs.items[at];
        if (at <= before || !bb->computes || !joins_within(d, bb, outer))
            return SL_MAX_APART + 1;
        insts += bb->insts + bb->apart + 1;
        before = at;
        at = bb->term == SL_TERM_BRANCH ? bb->meet : bb->term == SL_TERM_JUMP ? bb->taken : bb->next;
    }
    return insts;
}

static sl_arm arm_to(const sl_decoder *d, int32_t at)
{
    sl_arm arm = {.to = at};
    while (arm.to >= 0 && arm.insts < SL_MAX_APART) {
        const sl_code_bb *bb = &d->bbs.items[arm.to];
        int32_t next = bb->term == SL_TERM_JUMP ? bb->taken : bb->next;
        if (!bb->computes || bb->ops || bb->meets || bb->term == SL_TERM_BRANCH || next <= arm.to)
            break;
        arm = (sl_arm){next, (uint16_t)(arm.insts + bb->insts), (uint16_t)(arm.blocks + 1)};
    }
    return arm;
}

void sl_decode_arms(sl_decoder *d)
{
    for (size_t i = d->bbs.count; i-- > 0;) { /* those within others first */
        sl_code_bb *bb = &d->bbs.items[i];
        bool branches = bb->term == SL_TERM_BRANCH && bb->joins && !bb->leaves;
        bb->apart = branches ? apart(d, bb, bb->taken) + apart(d, bb, bb->next) : 0;
        bb->meet = branches && bb->apart <= SL_MAX_APART ? (int32_t)d->lists.items[bb->join] : -1;
        bb->computes = (bb->meet >= 0 || bb->term == SL_TERM_FALL || bb->term == SL_TERM_JUMP) && computes(d, bb);
        if (bb->meet >= 0)
            d->bbs.items[bb->meet].meets = true;
    }
    for (size_t i = 0; i < d->bbs.count; i++) {
        d->bbs.items[i].arm[0] = arm_to(d, d->bbs.items[i].next);
        d->bbs.items[i].arm[1] = arm_to(d, d->bbs.items[i].taken);
    }
}
