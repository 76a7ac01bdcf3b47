/* SPDX-License-Identifier: MIT */
/* Proof, at launch time, that blocks cannot see each other's work.
 *
 * With grid, block and parameter values known, every address that a kernel computes in straight lines from %ctaid, %tid
 * and its parameters is a linear form with known numbers. Blocks are independent when
 *   - nothing but plain loads and stores accesses global memory (integer reductions without a result may, if they are
 * the only accesses to their array and all of one kind: their order cannot be seen);
 *   - every access belongs to a known allocation;
 *   - in an allocation that is stored to, all loads and stores have linear forms with the same coefficients, and no two
 *     blocks can meet: with the coefficients sorted, each is larger than everything the smaller ones reach together.
 * Anything else is taken to be dependent: those launches run block after block. */
#include "emu/warp.h"

#include <stdlib.h>
#include <string.h>

#include "emu/decode.h"
#include "ptx/base_array.h"

enum { VARS = 6, MAX_TARGETS = 32 }; /* ctaid.xyz, tid.xyz */

typedef struct form {
    bool known;
    __int128 constant;
    int64_t coef[VARS];
} form;

typedef enum memo_state { NEW, BUSY, DONE } memo_state;

typedef struct prover {
    const sl_run *run;
    const sl_ptx_func *func;
    uint32_t extent[VARS];          /* values 0 … extent - 1 */
    const sl_ptx_inst **definition; /* per register: its only one; NULL: none or several */
    uint8_t *read;                  /* per register: some instruction reads it */
    uint8_t *state;                 /* memo_state per register */
    form *value;                    /* per register */
    uint32_t *stack;                /* [registers]: those being evaluated, each before what it needs */
} prover;

static const form unknown = {.known = false};

static form constant(__int128 value)
{
    return (form){.known = true, .constant = value};
}

static void bounds(const prover *p, const form *f, __int128 *low, __int128 *high)
{
    *low = *high = f->constant;
    for (int k = 0; k < VARS; k++) {
        __int128 reach = (__int128)f->coef[k] * (p->extent[k] - 1);
        if (reach < 0)
            *low += reach;
        else
            *high += reach;
    }
}

/* A form stays one only while arithmetic cannot wrap around in its type. */
static form fitting(const prover *p, form f, uint32_t bits, bool is_signed)
{
    __int128 low, high;
    if (!f.known)
        return unknown;
    bounds(p, &f, &low, &high);
    __int128 min = is_signed ? -((__int128)1 << (bits - 1)) : 0;
    __int128 max = is_signed ? ((__int128)1 << (bits - 1)) - 1 : ((__int128)1 << bits) - 1;
    return low >= min && high <= max ? f : unknown;
}

/* Untyped arithmetic: fine when it fits either reading. */
static form fitting_either(const prover *p, form f, uint32_t bits)
{
    form as_signed = fitting(p, f, bits, true);
    return as_signed.known ? as_signed : fitting(p, f, bits, false);
}

static form sum(form a, form b, int sign)
{
    if (!a.known || !b.known)
        return unknown;
    a.constant += sign * b.constant;
    for (int k = 0; k < VARS; k++)
        if (__builtin_add_overflow(a.coef[k], sign * b.coef[k], &a.coef[k]))
            return unknown;
    return a;
}

static bool is_constant(const form *f)
{
    for (int k = 0; k < VARS; k++)
        if (f->coef[k])
            return false;
    return f->known;
}

static form product(form a, form b)
{
    if (!a.known || !b.known)
        return unknown;
    if (!is_constant(&b)) {
        form swap = a;
        a = b;
        b = swap;
    }
    if (!is_constant(&b) || b.constant > INT64_MAX || b.constant < INT64_MIN)
        return unknown;
    a.constant *= b.constant;
    for (int k = 0; k < VARS; k++)
        if (__builtin_mul_overflow(a.coef[k], (int64_t)b.constant, &a.coef[k]))
            return unknown;
    return a;
}

static form special(const prover *p, uint16_t id)
{
    form f = constant(0);
    const sl_emu_launch *launch = p->run->launch;
    switch (id) {
    case SL_SREG_CTAID_X:
        f.coef[0] = 1;
        return f;
    case SL_SREG_CTAID_Y:
        f.coef[1] = 1;
        return f;
    case SL_SREG_CTAID_Z:
        f.coef[2] = 1;
        return f;
    case SL_SREG_TID_X:
        f.coef[3] = 1;
        return f;
    case SL_SREG_TID_Y:
        f.coef[4] = 1;
        return f;
    case SL_SREG_TID_Z:
        f.coef[5] = 1;
        return f;
    case SL_SREG_NTID_X:
        return constant(launch->block[0]);
    case SL_SREG_NTID_Y:
        return constant(launch->block[1]);
    case SL_SREG_NTID_Z:
        return constant(launch->block[2]);
    case SL_SREG_NCTAID_X:
        return constant(launch->grid[0]);
    case SL_SREG_NCTAID_Y:
        return constant(launch->grid[1]);
    case SL_SREG_NCTAID_Z:
        return constant(launch->grid[2]);
    default:
        return unknown;
    }
}

static form evaluate(const prover *p, const sl_ptx_operand *operand)
{
    switch (operand->kind) {
    case SL_OPD_REG:
        if (operand->element >= 0 || operand->negated || p->state[operand->reg] != DONE)
            return unknown; /* not DONE: it depends on itself, or has several definitions */
        return p->value[operand->reg];
    case SL_OPD_SPECIAL:
        return special(p, operand->special);
    case SL_OPD_INT:
        return constant((int64_t)operand->bits);
    case SL_OPD_SYMBOL: {
        const sl_emu_program *program = p->run->kernel->program;
        sl_multimap_for(&program->variable_names, operand->var ? operand->var->name : "", i)
        {
            if (program->variable[i].var == operand->var)
                return constant((__int128)program->variable[i].addr + operand->bits);
        }
        return unknown;
    }
    default:
        return unknown;
    }
}

/* ld.param: the value the launch passes. */
static form parameter(const prover *p, const sl_ptx_inst *inst)
{
    const sl_ptx_operand *address = &inst->operand[1];
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    uint32_t bytes = sl_ptx_type_bytes(type);
    if (address->kind != SL_OPD_ADDRESS || address->items[0].kind != SL_OPD_SYMBOL || !address->items[0].var ||
        bytes > 8)
        return unknown;
    uint64_t offset = address->items[0].var->offset + address->bits, value = 0;
    if (offset > p->func->param_bytes || bytes > p->func->param_bytes - offset || sl_ptx_inst_vector(inst) > 1)
        return unknown;
    memcpy(&value, (const uint8_t *)p->run->launch->params + offset, bytes);
    bool is_signed = type == SL_T_S8 || type == SL_T_S16 || type == SL_T_S32 || type == SL_T_S64;
    if (bytes < 8 && is_signed)
        return constant((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    /* a 32-bit number of unknown sign is small in practice: fitting() decides where it is used */
    return bytes == 4 ? constant((int32_t)(uint32_t)value) : constant((__int128)(int64_t)value);
}

/* Is every value of `high` a multiple of a power of two that every value of `low` stays below? Then or is add. */
static bool bits_disjoint(const prover *p, const form *high, const form *low)
{
    __int128 min, max;
    if (!high->known || !low->known)
        return false;
    uint64_t all = (uint64_t)high->constant;
    for (int k = 0; k < VARS; k++)
        all |= (uint64_t)high->coef[k];
    bounds(p, low, &min, &max);
    return min >= 0 && (all == 0 || max < (__int128)(all & -all));
}

static form arithmetic(const prover *p, const sl_ptx_inst *inst)
{
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    uint32_t bits = sl_ptx_type_bytes(type) * 8;
    bool is_signed = type == SL_T_S16 || type == SL_T_S32 || type == SL_T_S64;
    bool wide = sl_ptx_has(inst, SL_MOD_WIDE);
    if (inst->operands < 2 || type == SL_T_F32 || type == SL_T_F64 || sl_ptx_has(inst, SL_MOD_HI) ||
        sl_ptx_has(inst, SL_MOD_CC) || sl_ptx_has(inst, SL_MOD_SAT))
        return unknown;
    form a = evaluate(p, &inst->operand[1]);
    form b = inst->operands > 2 ? evaluate(p, &inst->operand[2]) : unknown;
    switch (inst->op) {
    case SL_OP_ADD:
        return fitting_either(p, sum(a, b, 1), bits);
    case SL_OP_SUB:
        return fitting_either(p, sum(a, b, -1), bits);
    case SL_OP_OR:
        return bits_disjoint(p, &a, &b) || bits_disjoint(p, &b, &a) ? fitting_either(p, sum(a, b, 1), bits) : unknown;
    case SL_OP_SHL:
        if (!is_constant(&b) || b.constant < 0 || b.constant >= bits)
            return unknown;
        return fitting_either(p, product(a, constant((__int128)1 << (int)b.constant)), bits);
    case SL_OP_MUL:
    case SL_OP_MAD: {
        form f = product(a, b);
        if (wide) { /* the factors are read in their type */
            if (!fitting(p, a, bits, is_signed).known || !fitting(p, b, bits, is_signed).known)
                return unknown;
            bits *= 2;
        } else {
            f = fitting_either(p, f, bits);
        }
        if (inst->op == SL_OP_MAD && inst->operands > 3)
            f = sum(f, evaluate(p, &inst->operand[3]), 1);
        return fitting_either(p, f, bits);
    }
    default:
        return unknown;
    }
}

static form evaluate_definition(const prover *p, const sl_ptx_inst *inst)
{
    switch (inst->op) {
    case SL_OP_MOV: {
        sl_ptx_type type = sl_ptx_inst_type(inst, 0);
        return type == SL_T_PRED || type == SL_T_F32 || type == SL_T_F64 ? unknown : evaluate(p, &inst->operand[1]);
    }
    case SL_OP_CVTA:
        return sl_ptx_inst_space(inst) == SL_SPACE_GLOBAL ? evaluate(p, &inst->operand[1]) : unknown;
    case SL_OP_CVT: {
        sl_ptx_type to = sl_ptx_inst_type(inst, 0), from = sl_ptx_inst_type(inst, 1);
        bool ints = to >= SL_T_B8 && to <= SL_T_S64 && from >= SL_T_B8 && from <= SL_T_S64;
        if (!ints)
            return unknown;
        bool from_signed = from == SL_T_S16 || from == SL_T_S32 || from == SL_T_S64;
        form f = fitting(p, evaluate(p, &inst->operand[1]), sl_ptx_type_bytes(from) * 8, from_signed);
        return fitting_either(p, f, sl_ptx_type_bytes(to) * 8);
    }
    case SL_OP_LD:
        return sl_ptx_inst_space(inst) == SL_SPACE_PARAM ? parameter(p, inst) : unknown;
    default:
        return arithmetic(p, inst);
    }
}

/* A register that the definition reads and that has not been looked at; UINT32_MAX: none. */
static uint32_t new_source(const prover *p, const sl_ptx_inst *inst)
{
    for (uint32_t i = 1; i < inst->operands; i++) {
        const sl_ptx_operand *operand = &inst->operand[i];
        if (operand->kind == SL_OPD_REG && p->state[operand->reg] == NEW && p->definition[operand->reg])
            return operand->reg;
    }
    return UINT32_MAX;
}

/* Evaluates the register, and first those it depends on: chains may be as long as the kernel. */
static void settle(prover *p, uint32_t reg)
{
    uint32_t depth = 0;
    if (p->state[reg] != NEW || !p->definition[reg])
        return;
    p->state[reg] = BUSY;
    p->stack[depth++] = reg;
    while (depth) {
        uint32_t top = p->stack[depth - 1], source = new_source(p, p->definition[top]);
        if (source != UINT32_MAX) {
            p->state[source] = BUSY;
            p->stack[depth++] = source;
            continue;
        }
        p->value[top] = evaluate_definition(p, p->definition[top]);
        p->state[top] = DONE;
        depth--;
    }
}

/* The value of an operand in its instruction. */
static form value_of(prover *p, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_REG)
        settle(p, operand->reg);
    return evaluate(p, operand);
}

/* ---- the accesses ---- */

/* Everything that accesses one allocation. */
typedef struct target {
    const sl_alloc *alloc;
    bool loaded, stored, reduced, mixed; /* mixed: reductions of several kinds */
    uint16_t reduction;                  /* sl_ptx_mod_id of the operation */
    bool linear;                         /* all of it, with `shape` as coefficients */
    form shape;
    __int128 first, end; /* constants of the forms, sizes included */
    bool any;
} target;

static const sl_alloc *allocation_of(const prover *p, const sl_base *base)
{
    uint64_t addr = 0;
    const sl_emu_program *program = p->run->kernel->program;
    if (base->kind == SL_BASE_PARAM && base->index < p->func->params) {
        uint64_t offset = p->func->param[base->index]->offset + base->offset;
        if (offset + 8 <= p->func->param_bytes)
            memcpy(&addr, (const uint8_t *)p->run->launch->params + offset, 8);
    } else if (base->kind == SL_BASE_SYMBOL) {
        sl_multimap_for(&program->variable_names, base->name, i) addr = program->variable[i].addr;
    }
    return addr ? sl_heap_find(p->run->emu->heap, addr) : NULL;
}

static target *target_for(target *targets, size_t *count, const sl_alloc *alloc)
{
    for (size_t i = 0; i < *count; i++)
        if (targets[i].alloc == alloc)
            return &targets[i];
    if (*count == MAX_TARGETS)
        return NULL;
    targets[*count] = (target){.alloc = alloc, .linear = true};
    return &targets[(*count)++];
}

static void add_form(target *t, const form *f, uint32_t bytes)
{
    if (!f->known || (t->any && memcmp(f->coef, t->shape.coef, sizeof f->coef))) {
        t->linear = false;
        return;
    }
    if (!t->any) {
        t->any = true;
        t->shape = *f;
        t->first = f->constant;
        t->end = f->constant + bytes;
    }
    t->first = f->constant < t->first ? f->constant : t->first;
    t->end = f->constant + bytes > t->end ? f->constant + bytes : t->end;
}

/* Can two blocks access a common byte of the target? */
static bool blocks_disjoint(const prover *p, const target *t)
{
    if (!t->linear)
        return false;
    struct {
        __int128 step, reach;
    } dim[VARS];
    int dims = 0;
    for (int k = 0; k < VARS; k++) {
        __int128 step = t->shape.coef[k] < 0 ? -(__int128)t->shape.coef[k] : t->shape.coef[k];
        if (p->extent[k] <= 1 || (step == 0 && k >= 3))
            continue; /* threads of one block may share an address */
        if (step == 0)
            return false;
        int at = dims++;
        for (; at > 0 && dim[at - 1].step > step; at--)
            dim[at] = dim[at - 1];
        dim[at].step = step;
        dim[at].reach = step * (p->extent[k] - 1);
    }
    __int128 covered = t->end - t->first;
    for (int i = 0; i < dims; i++) {
        if (dim[i].step < covered)
            return false;
        covered += dim[i].reach;
    }
    return true;
}

static bool commutes(const prover *p, const sl_ptx_inst *inst, uint16_t *operation)
{
    static const sl_ptx_mod_id fine[] = {SL_MOD_ADD, SL_MOD_MIN, SL_MOD_MAX, SL_MOD_AND, SL_MOD_OR, SL_MOD_XOR};
    sl_ptx_type type = sl_ptx_inst_type(inst, 0);
    const sl_ptx_operand *result = &inst->operand[0];
    bool unused = inst->op == SL_OP_RED || result->kind == SL_OPD_DISCARD ||
                  (result->kind == SL_OPD_REG && !p->read[result->reg]);
    if (!unused || type < SL_T_B8 || type > SL_T_S64)
        return false;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        if (sl_ptx_has(inst, fine[i])) {
            *operation = (uint16_t)(fine[i] << 4 | (type == SL_T_S32 || type == SL_T_S64));
            return true;
        }
    }
    return false;
}

/* Notes that the texture or surface is read, anywhere in it. */
static bool note_texture(prover *p, const sl_ptx_inst *inst, target *targets, size_t *count)
{
    const sl_ptx_operand *at = inst->operands > 1 ? &inst->operand[1] : NULL;
    form object = at && at->kind == SL_OPD_ADDRESS ? value_of(p, &at->items[0]) : unknown;
    const sl_texture *t = is_constant(&object) ? sl_emu_texture(p->run->emu, (uint64_t)object.constant) : NULL;
    for (uint32_t i = 0; t && i < t->levels; i++) {
        const sl_alloc *alloc = sl_heap_find(p->run->emu->heap, t->level[i].data);
        target *found = alloc ? target_for(targets, count, alloc) : NULL;
        if (!found)
            return false;
        found->loaded = true;
        found->linear = false;
    }
    return t;
}

/* Notes one global access; false: not one we can reason about. */
static bool note(prover *p, const sl_ptx_inst *inst, const sl_base *base, target *targets, size_t *count)
{
    bool store = inst->op == SL_OP_ST, reduction = inst->op == SL_OP_RED || inst->op == SL_OP_ATOM;
    if (!store && !reduction && inst->op != SL_OP_LD)
        return false;
    bool relaxed = sl_ptx_has(inst, SL_MOD_RELAXED) && !reduction;
    if (relaxed || sl_ptx_has(inst, SL_MOD_VOLATILE) || sl_ptx_has(inst, SL_MOD_ACQUIRE) ||
        sl_ptx_has(inst, SL_MOD_RELEASE) || sl_ptx_has(inst, SL_MOD_MMIO))
        return false;
    const sl_alloc *alloc = allocation_of(p, base);
    target *t = alloc ? target_for(targets, count, alloc) : NULL;
    if (!t)
        return false;
    if (reduction) {
        uint16_t operation;
        if (!commutes(p, inst, &operation))
            return false;
        t->mixed |= t->reduced && t->reduction != operation;
        t->reduced = true;
        t->reduction = operation;
        return true;
    }
    t->loaded |= !store;
    t->stored |= store;
    const sl_ptx_operand *address = &inst->operand[store ? 0 : 1];
    form f = address->kind == SL_OPD_ADDRESS && address->count == 1 ? value_of(p, &address->items[0]) : unknown;
    f.constant += (int64_t)address->bits;
    add_form(t, &f, sl_ptx_type_bytes(sl_ptx_inst_type(inst, 0)) * sl_ptx_inst_vector(inst));
    return true;
}

static bool prove(prover *p)
{
    target targets[MAX_TARGETS];
    size_t count = 0;
    for (uint32_t i = 0; i < p->func->insts; i++) {
        const sl_ptx_inst *inst = &p->func->inst[i];
        if (sl_reads_clock(inst))
            return false;
        sl_ptx_space space = sl_ptx_inst_space(inst);
        bool global = sl_ptx_inst_flags(inst) & SL_OPF_MEMORY && space != SL_SPACE_SHARED && space != SL_SPACE_LOCAL &&
                      space != SL_SPACE_CONST;
        if (inst->op == SL_OP_CP || inst->op == SL_OP_PREFETCH)
            return false;
        if (inst->op == SL_OP_TEX || inst->op == SL_OP_TLD4 || inst->op == SL_OP_SULD) {
            if (!note_texture(p, inst, targets, &count))
                return false;
            continue;
        }
        if (global && !note(p, inst, &p->run->kernel->bases[i], targets, &count))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        const target *t = &targets[i];
        if (t->reduced && (t->loaded || t->stored || t->mixed))
            return false;
        if (t->stored && !blocks_disjoint(p, t))
            return false;
    }
    return true;
}

static void find_definitions(prover *p, const sl_ptx_operand *operand, const sl_ptx_inst *inst, uint8_t *seen)
{
    if (operand->kind == SL_OPD_REG) {
        bool plain = operand == &inst->operand[0] && !inst->guarded && operand->element < 0 && !seen[operand->reg];
        p->definition[operand->reg] = plain ? inst : NULL;
        seen[operand->reg] = 1;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        find_definitions(p, &operand->items[i], inst, seen);
}

static void find_reads(prover *p, const sl_ptx_operand *operand)
{
    if (operand->kind == SL_OPD_REG)
        p->read[operand->reg] = 1;
    for (uint32_t i = 0; i < operand->count; i++)
        find_reads(p, &operand->items[i]);
}

bool sl_blocks_independent(const sl_run *run)
{
    const sl_code *code = run->code;
    const sl_ptx_func *func = run->kernel->func;
    if (code->functions > 1 || code->has_calls || code->has_indirect_calls || code->has_printf || code->can_spin ||
        run->launch->cooperative)
        return false;
    prover p = {.run = run, .func = func};
    for (int k = 0; k < 3; k++) {
        p.extent[k] = run->launch->grid[k];
        p.extent[3 + k] = run->launch->block[k];
    }
    uint8_t *seen = calloc(func->regs + 1, 1);
    p.definition = calloc(func->regs + 1, sizeof *p.definition);
    p.state = calloc(func->regs + 1, 1);
    p.read = calloc(func->regs + 1, 1);
    p.value = calloc(func->regs + 1, sizeof *p.value);
    p.stack = calloc(func->regs + 1, sizeof *p.stack);
    bool independent = false;
    if (seen && p.definition && p.read && p.state && p.value && p.stack) {
        for (uint32_t i = 0; i < func->insts; i++) {
            uint32_t dsts = sl_ptx_inst_dsts(&func->inst[i]);
            for (uint32_t k = 0; k < dsts && k < func->inst[i].operands; k++)
                find_definitions(&p, &func->inst[i].operand[k], &func->inst[i], seen);
            for (uint32_t k = dsts; k < func->inst[i].operands; k++)
                find_reads(&p, &func->inst[i].operand[k]);
            if (func->inst[i].guarded)
                p.read[func->inst[i].guard] = 1;
        }
        independent = prove(&p);
    }
    free(seen);
    free(p.definition);
    free(p.read);
    free(p.state);
    free(p.value);
    free(p.stack);
    return independent;
}
