/* SPDX-License-Identifier: MIT */
/* Which array a memory instruction accesses.
 *
 * Every register holds the set of origins it may have, up to a limit. Definitions are joined over the whole
 * function, without regard to order; a work list takes a change of a register to the instructions that read it.
 * Addresses travel through mov, cvta, add (both operands), sub (left), mad (addend), selp, slct, and, or, mapa;
 * everything else makes a number, which has no origin. In an addition of something that comes from a symbol or has
 * passed a conversion between address spaces to something that has not, the latter is an offset; which registers those
 * are is found first. Not followed: pointers that go through memory or calls (each such load is
 * another origin), and 32-bit values loaded from anywhere. */
#include "ptx/base_array.h"

#include <stdio.h>
#include <string.h>

typedef struct flow flow;
struct flow {
    const sl_ptx_func *func;
    bool *pointer;            /* [regs] certainly an address */
    sl_base_set *origin;      /* [regs] */
    uint32_t *first, *reader; /* instructions that carry register r on: reader[first[r] .. first[r + 1]) */
    uint32_t *work, pending;
    bool *queued; /* [insts] */
    /* Instruction `inst` writes `reg` as element `element` of its result; true: this says something new about it. */
    bool (*define)(flow *f, uint32_t inst, uint32_t reg, uint32_t element);
};

/* Names are interned, but their addresses are no order that repeats. */
static int compare(const sl_base *a, const sl_base *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == SL_BASE_SYMBOL)
        return a->name == b->name ? 0 : strcmp(a->name, b->name);
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* True: the set has grown. */
static bool add_base(sl_base_set *set, const sl_base *base)
{
    uint32_t at = 0;
    while (at < set->count && compare(&set->item[at], base) < 0)
        at++;
    if (at < set->count && !compare(&set->item[at], base))
        return false;
    if (set->count == SL_BASE_SET) {
        bool news = !set->more;
        set->more = true;
        return news;
    }
    memmove(&set->item[at + 1], &set->item[at], (set->count - at) * sizeof *base);
    set->item[at] = *base;
    set->count++;
    return true;
}

static bool join(sl_base_set *into, const sl_base_set *from)
{
    bool news = from->more && !into->more;
    into->more |= from->more;
    for (uint32_t i = 0; i < from->count; i++)
        news |= add_base(into, &from->item[i]);
    return news;
}

static sl_base_set set_of(sl_base base)
{
    return base.kind == SL_BASE_NONE ? (sl_base_set){0} : (sl_base_set){.count = 1, .item = {base}};
}

static bool is_symbol(const sl_ptx_operand *operand)
{
    return operand->kind == SL_OPD_SYMBOL && operand->label < 0;
}

static sl_base_set origin_of(const flow *f, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_REG)
        return f->origin[operand->reg];
    return set_of(is_symbol(operand) ? (sl_base){.kind = SL_BASE_SYMBOL, .name = operand->name} : (sl_base){0});
}

static bool is_pointer(const flow *f, const sl_ptx_operand *operand)
{
    return operand->kind == SL_OPD_REG ? f->pointer[operand->reg] : is_symbol(operand);
}

static bool is_param_of(const sl_ptx_func *func, const sl_ptx_var *var)
{
    return var && var->index < func->params && func->param[var->index] == var;
}

/* What a load of `element` of a vector brings: a kernel's parameter, or a pointer found in memory. */
static sl_base origin_of_load(const flow *f, uint32_t index, uint32_t element)
{
    const sl_ptx_inst *inst = &f->func->inst[index];
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    if (sl_ptx_type_bytes(type) != 8 || type == SL_T_F64)
        return (sl_base){0};
    const sl_ptx_operand *address = inst->operands > 1 ? &inst->operand[1] : NULL;
    if (sl_ptx_inst_space(inst) == SL_SPACE_PARAM && address && address->kind == SL_OPD_ADDRESS && address->count &&
        is_param_of(f->func, address->items[0].var)) {
        const sl_ptx_var *var = address->items[0].var;
        return (sl_base){.kind = SL_BASE_PARAM,
                         .index = var->index,
                         .offset = (uint32_t)address->bits + element * 8,
                         .name = var->name};
    }
    return (sl_base){.kind = SL_BASE_LOADED, .index = index};
}

/* The operands whose addresses an instruction carries on: a bit per operand. */
static uint32_t carried(const sl_ptx_inst *inst)
{
    switch (inst->op) {
    case SL_OP_MOV:
    case SL_OP_CVTA:
    case SL_OP_SUB:
    case SL_OP_MAPA:
        return 1u << 1;
    case SL_OP_ADD:
    case SL_OP_AND:
    case SL_OP_OR:
    case SL_OP_SELP:
    case SL_OP_SLCT:
        return 1u << 1 | 1u << 2;
    case SL_OP_MAD:
        return 1u << 3;
    default:
        return 0;
    }
}

/* Whether operand k exists and is carried on. */
static bool carries(const sl_ptx_inst *inst, uint32_t k)
{
    return carried(inst) >> k & 1 && k < inst->operands;
}

static sl_base_set origin_of_result(const flow *f, uint32_t index, uint32_t element)
{
    const sl_ptx_inst *inst = &f->func->inst[index];
    switch (inst->op) {
    case SL_OP_LD:
    case SL_OP_LDU:
    case SL_OP_ATOM:
        return set_of(origin_of_load(f, index, element));
    case SL_OP_CALL:
        return set_of((sl_base){.kind = SL_BASE_LOADED, .index = index});
    default:
        break;
    }
    sl_base_set result = {0};
    bool mixed = inst->op == SL_OP_ADD && inst->operands > 2 &&
                 is_pointer(f, &inst->operand[1]) != is_pointer(f, &inst->operand[2]);
    for (uint32_t k = 1; k < 4; k++)
        if (carries(inst, k) && (!mixed || is_pointer(f, &inst->operand[k]))) {
            sl_base_set part = origin_of(f, &inst->operand[k]);
            join(&result, &part);
        }
    return result;
}

static bool define_pointer(flow *f, uint32_t index, uint32_t reg, uint32_t element)
{
    (void)element;
    const sl_ptx_inst *inst = &f->func->inst[index];
    bool pointer = inst->op == SL_OP_CVTA;
    for (uint32_t k = 1; k < 4; k++)
        pointer |= carries(inst, k) && is_pointer(f, &inst->operand[k]);
    bool news = pointer && !f->pointer[reg];
    f->pointer[reg] |= pointer;
    return news;
}

static bool define_origin(flow *f, uint32_t index, uint32_t reg, uint32_t element)
{
    sl_base_set result = origin_of_result(f, index, element);
    return join(&f->origin[reg], &result);
}

static void queue(flow *f, uint32_t inst)
{
    if (!f->queued[inst]) {
        f->queued[inst] = true;
        f->work[f->pending++] = inst;
    }
}

static void define_operand(flow *f, uint32_t index, const sl_ptx_operand *operand, uint32_t element)
{
    if (operand->kind == SL_OPD_REG) {
        if (f->define(f, index, operand->reg, element))
            for (uint32_t i = f->first[operand->reg]; i < f->first[operand->reg + 1]; i++)
                queue(f, f->reader[i]);
    } else if (operand->kind != SL_OPD_ADDRESS) {
        for (uint32_t i = 0; i < operand->count; i++)
            define_operand(f, index, &operand->items[i], i);
    }
}

/* Until nothing changes. */
static void settle(flow *f, bool (*define)(flow *, uint32_t, uint32_t, uint32_t))
{
    f->define = define;
    for (uint32_t i = f->func->insts; i-- > 0;)
        queue(f, i);
    while (f->pending) {
        uint32_t index = f->work[--f->pending];
        const sl_ptx_inst *inst = &f->func->inst[index];
        uint32_t dsts = sl_ptx_inst_dsts(inst);
        f->queued[index] = false;
        for (uint32_t i = 0; i < dsts; i++)
            define_operand(f, index, &inst->operand[i], 0);
    }
}

/* Lists, per register, the instructions that carry it on. */
static bool find_readers(flow *f, sl_arena *arena)
{
    const sl_ptx_func *func = f->func;
    f->first = sl_arena_array(arena, uint32_t, func->regs + 2);
    if (!f->first)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < func->insts; i++) {
            for (uint32_t k = 1; k < 4; k++) {
                if (!carries(&func->inst[i], k) || func->inst[i].operand[k].kind != SL_OPD_REG)
                    continue;
                uint32_t reg = func->inst[i].operand[k].reg;
                if (pass == 0)
                    f->first[reg + 2]++;
                else
                    f->reader[f->first[reg + 1]++] = i;
            }
        }
        if (pass == 0) {
            for (uint32_t r = 0; r < func->regs; r++)
                f->first[r + 2] += f->first[r + 1];
            f->reader = sl_arena_array(arena, uint32_t, f->first[func->regs + 1] + 1);
            if (!f->reader)
                return false;
        }
    }
    return true;
}

/* The address an access is about. An asynchronous copy has two: the global one is its source; a bulk copy may have it
 * first, and has its barrier's last. */
static const sl_ptx_operand *address_of(const sl_ptx_inst *inst)
{
    const sl_ptx_operand *found = NULL;
    if (inst->op == SL_OP_CP && sl_ptx_has(inst, SL_MOD_BULK)) {
        uint32_t at = sl_ptx_inst_space(inst) != SL_SPACE_GLOBAL && !sl_ptx_has(inst, SL_MOD_PREFETCH);
        return at < inst->operands && inst->operand[at].kind == SL_OPD_ADDRESS ? &inst->operand[at] : NULL;
    }
    for (uint32_t i = 0; i < inst->operands; i++)
        if (inst->operand[i].kind == SL_OPD_ADDRESS) {
            if (found && inst->op != SL_OP_CP)
                break;
            found = &inst->operand[i];
        }
    return found;
}

sl_status sl_base_sets(const sl_ptx_func *func, sl_arena *arena, sl_base_set **sets, sl_error *error)
{
    flow f = {.func = func};
    sl_base_set *result = sl_arena_array(arena, sl_base_set, func->insts + 1);
    f.pointer = sl_arena_array(arena, bool, func->regs + 1);
    f.origin = sl_arena_array(arena, sl_base_set, func->regs + 1);
    f.work = sl_arena_array(arena, uint32_t, func->insts + 1);
    f.queued = sl_arena_array(arena, bool, func->insts + 1);
    if (!result || !f.pointer || !f.origin || !f.work || !f.queued || !find_readers(&f, arena))
        return sl_fail_memory(error);
    settle(&f, define_pointer);
    settle(&f, define_origin);
    for (uint32_t i = 0; i < func->insts; i++) {
        const sl_ptx_operand *address = address_of(&func->inst[i]);
        if (address && address->count && sl_ptx_inst_flags(&func->inst[i]) & SL_OPF_MEMORY)
            result[i] = origin_of(&f, &address->items[0]);
    }
    *sets = result;
    return SL_OK;
}

sl_status sl_base_arrays(const sl_ptx_func *func, sl_arena *arena, sl_base **bases, sl_error *error)
{
    sl_base_set *sets;
    sl_base *result = sl_arena_array(arena, sl_base, func->insts + 1);
    if (!result)
        return sl_fail_memory(error);
    sl_status status = sl_base_sets(func, arena, &sets, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < func->insts; i++)
        if (sets[i].count)
            result[i] = sets[i].count == 1 && !sets[i].more ? sets[i].item[0] : (sl_base){.kind = SL_BASE_MANY};
    *bases = result;
    return SL_OK;
}

char *sl_base_text(const sl_ptx_func *func, const sl_base *base, char *buffer, size_t size)
{
    size_t prefix = strlen(func->name);
    const char *name = base->name;
    buffer[0] = '\0';
    if (base->kind == SL_BASE_PARAM && base->index < func->params)
        name = func->param[base->index]->name;
    /* _Z1kPf_param_0 -> param_0; of the parameter itself, too, whose address a tensor map is given by */
    if (name && !strncmp(name, func->name, prefix) && name[prefix] == '_')
        name += prefix + 1;
    if (base->kind == SL_BASE_LOADED)
        snprintf(buffer, size, "*%u", base->index);
    else if (base->kind == SL_BASE_PARAM && base->offset)
        snprintf(buffer, size, "%s+%u", name, base->offset);
    else if (base->kind == SL_BASE_PARAM || base->kind == SL_BASE_SYMBOL)
        snprintf(buffer, size, "%s", name);
    return buffer;
}
