/* SPDX-License-Identifier: MIT */
/* The static table of a kernel's trace: one row per PTX instruction, one per basic block. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mangle.h"
#include "base/map.h"
#include "emu/bulk.h"
#include "emu/matrix.h"
#include "emu/warp.h"
#include "ptx/base_array.h"
#include "ptx/cfg.h"
#include "ptx/uniform.h"

typedef struct builder {
    sl_emu_kernel *kernel;
    sl_arena *arena;
    SL_ARRAY(char) strings;
    sl_map known; /* text -> offset + 1 */
    SL_ARRAY(sl_trace_call) calls;
    bool failed;
} builder;

static uint32_t intern(builder *b, const char *text)
{
    size_t length = strlen(text);
    if (!length)
        return 0;
    uintptr_t known = (uintptr_t)sl_map_get(&b->known, text, length);
    if (known)
        return (uint32_t)(known - 1);
    uint32_t offset = (uint32_t)b->strings.count;
    char *copy = sl_arena_strndup(b->arena, text, length);
    if (!copy || !sl_array_reserve(&b->strings, length + 1) ||
        !sl_map_put(&b->known, copy, length, (void *)(uintptr_t)(offset + 1))) {
        b->failed = true;
        return 0;
    }
    memcpy(b->strings.items + offset, text, length + 1);
    b->strings.count += length + 1;
    return offset;
}

/* Policies for L2, as createpolicy.fractional makes them: 4 bits from bit 52 say for how many sixteenths of the lines,
 * less one; 2 bits from bit 57 with which priority. */
enum { POLICY_SHARE = 52, POLICY_PRIORITY = 57, WHOLE_SHARE = 15 };
#define POLICY(priority, share)                                                                                        \
    (UINT64_C(0x1000000000000000) | (uint64_t)(priority) << POLICY_PRIORITY | (uint64_t)(share) << POLICY_SHARE)

/* The policy that an instruction makes; 0: not known. */
static uint64_t policy_made(const sl_ptx_inst *inst)
{
    if (inst->op == SL_OP_MOV && inst->operands > 1 && inst->operand[1].kind == SL_OPD_INT)
        return inst->operand[1].bits;
    if (inst->op != SL_OP_CREATEPOLICY || inst->mods < 2 || strcmp(inst->mod[0].text, "fractional"))
        return 0;
    uint64_t priority = !strcmp(inst->mod[1].text, "L2::evict_first")  ? 1
                        : !strcmp(inst->mod[1].text, "L2::evict_last") ? 2
                                                                       : 0;
    double share = 1;
    if (inst->operands > 1 && inst->operand[1].kind == SL_OPD_F64) {
        memcpy(&share, &inst->operand[1].bits, sizeof share);
    } else if (inst->operands > 1 && inst->operand[1].kind == SL_OPD_F32) {
        uint32_t bits = (uint32_t)inst->operand[1].bits;
        float single;
        memcpy(&single, &bits, sizeof single);
        share = single;
    }
    return POLICY(priority, share >= 1 ? WHOLE_SHARE : share > 1.0 / 16 ? (uint64_t)(share * 16 - 1) : 0);
}

/* The policy of a load or store: a number, or in a register that is set to nothing else. 0: none, or not known. */
static uint64_t policy_of(const sl_ptx_func *func, const sl_ptx_inst *access)
{
    if (!sl_ptx_has(access, SL_MOD_L2_CACHE_HINT) || (access->op != SL_OP_LD && access->op != SL_OP_ST) ||
        access->operands < 3)
        return 0;
    const sl_ptx_operand *policy = &access->operand[access->operands - 1];
    if (policy->kind == SL_OPD_INT)
        return policy->bits;
    uint64_t found = 0;
    for (uint32_t i = 0; policy->kind == SL_OPD_REG && i < func->insts; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        if (!sl_ptx_inst_dsts(inst) || inst->operand[0].kind != SL_OPD_REG || inst->operand[0].reg != policy->reg)
            continue;
        uint64_t made = policy_made(inst);
        if (!made || (found && found != made))
            return 0;
        found = made;
    }
    return found;
}

/* What a hint or a prefetch size makes of an access without an operator. */
static uint8_t hint_op(const sl_ptx_func *func, const sl_ptx_inst *inst, uint8_t op)
{
    uint64_t policy = policy_of(func, inst), priority = policy >> POLICY_PRIORITY & 3;
    uint64_t share = policy >> POLICY_SHARE & WHOLE_SHARE;
    if (share < WHOLE_SHARE / 4)
        priority = 0;
    bool half = share < WHOLE_SHARE - WHOLE_SHARE / 4;
    if (priority == 1)
        return half ? SL_CACHE_L2_EVICT_FIRST_HALF : SL_CACHE_L2_EVICT_FIRST;
    if (priority == 2)
        return half ? SL_CACHE_L2_EVICT_LAST_HALF : SL_CACHE_L2_EVICT_LAST;
    return sl_ptx_has(inst, SL_MOD_L2_64B)    ? SL_CACHE_L2_64B
           : sl_ptx_has(inst, SL_MOD_L2_128B) ? SL_CACHE_L2_128B
           : sl_ptx_has(inst, SL_MOD_L2_256B) ? SL_CACHE_L2_256B
                                              : op;
}

static uint8_t cache_op(const sl_ptx_func *func, const sl_ptx_inst *inst)
{
    static const struct {
        sl_ptx_mod_id mod;
        sl_cache_op op;
    } table[] = {{SL_MOD_VOLATILE, SL_CACHE_VOLATILE},
                 {SL_MOD_RELAXED, SL_CACHE_VOLATILE},
                 {SL_MOD_ACQUIRE, SL_CACHE_VOLATILE},
                 {SL_MOD_MMIO, SL_CACHE_VOLATILE},
                 {SL_MOD_L1_NO_ALLOCATE, SL_CACHE_L1_NO_ALLOCATE},
                 {SL_MOD_L1_EVICT_FIRST, SL_CACHE_L1_EVICT_FIRST},
                 {SL_MOD_L1_EVICT_LAST, SL_CACHE_L1_EVICT_LAST},
                 {SL_MOD_L1_EVICT_UNCHANGED, SL_CACHE_L1_EVICT_UNCHANGED},
                 {SL_MOD_CA, SL_CACHE_CA},
                 {SL_MOD_CG, SL_CACHE_CG},
                 {SL_MOD_CS, SL_CACHE_CS},
                 {SL_MOD_LU, SL_CACHE_LU},
                 {SL_MOD_CV, SL_CACHE_CV},
                 {SL_MOD_WB, SL_CACHE_WB},
                 {SL_MOD_WT, SL_CACHE_WT},
                 {SL_MOD_NC, SL_CACHE_NC}};
    uint8_t op = SL_CACHE_DEFAULT;
    if (inst->op == SL_OP_CP && sl_ptx_has(inst, SL_MOD_BULK))
        return SL_CACHE_CG; /* they do not go through L1 */
    if (inst->op == SL_OP_PREFETCH && !sl_ptx_has(inst, SL_MOD_L1))
        return SL_CACHE_CG;
    for (size_t i = 0; i < sizeof table / sizeof *table && !op; i++)
        if (sl_ptx_has(inst, table[i].mod))
            op = (uint8_t)table[i].op;
    if (op == SL_CACHE_VOLATILE && sl_ptx_has(inst, SL_MOD_CTA)) /* L1 is what the threads of a block share */
        op = SL_CACHE_DEFAULT;
    if (op == SL_CACHE_DEFAULT || op == SL_CACHE_NC)
        return hint_op(func, inst, op);
    if (op == SL_CACHE_L1_NO_ALLOCATE && hint_op(func, inst, op) == SL_CACHE_L2_EVICT_FIRST)
        return SL_CACHE_L1_NO_ALLOCATE_L2_EVICT_FIRST;
    return op;
}

static bool reads(const sl_ptx_operand *operand, uint32_t reg)
{
    if (operand->kind == SL_OPD_REG && operand->reg == reg)
        return true;
    for (uint32_t i = 0; i < operand->count; i++)
        if (reads(&operand->items[i], reg))
            return true;
    return false;
}

/* An atomic whose result nobody reads: assemblers make a reduction of it, and profilers count it as one. */
static bool result_unused(const sl_ptx_func *func, const sl_ptx_inst *atomic)
{
    const sl_ptx_operand *result = &atomic->operand[0];
    if (sl_ptx_has(atomic, SL_MOD_CAS) || sl_ptx_has(atomic, SL_MOD_EXCH))
        return false;
    if (result->kind != SL_OPD_REG)
        return result->kind == SL_OPD_DISCARD;
    for (uint32_t i = 0; i < func->insts; i++) {
        const sl_ptx_inst *inst = &func->inst[i];
        if (inst->guarded && inst->guard == result->reg)
            return false;
        for (uint32_t k = sl_ptx_inst_dsts(inst); k < inst->operands; k++)
            if (reads(&inst->operand[k], result->reg))
                return false;
    }
    return true;
}

static uint8_t bulk_kind(const sl_ptx_inst *inst)
{
    switch (sl_bulk_way(inst)) {
    case SL_BULK_LOAD:
        return SL_ACCESS_BULK_LOAD;
    case SL_BULK_PREFETCH:
        return SL_ACCESS_BULK_PREFETCH;
    default:
        return sl_ptx_has(inst, SL_MOD_REDUCE) ? SL_ACCESS_BULK_REDUCTION : SL_ACCESS_BULK_STORE;
    }
}

static uint8_t access_kind(const sl_ptx_func *func, const sl_ptx_inst *inst)
{
    switch (inst->op) {
    case SL_OP_ST:
    case SL_OP_STMATRIX:
    case SL_OP_SUST:
        return SL_ACCESS_STORE;
    case SL_OP_ATOM:
        return result_unused(func, inst) ? SL_ACCESS_REDUCTION : SL_ACCESS_ATOMIC;
    case SL_OP_RED:
    case SL_OP_SURED:
        return SL_ACCESS_REDUCTION;
    case SL_OP_MULTIMEM:
        return sl_ptx_has(inst, SL_MOD_LD_REDUCE) ? SL_ACCESS_LOAD
               : sl_ptx_has(inst, SL_MOD_RED)     ? SL_ACCESS_REDUCTION
                                                  : SL_ACCESS_STORE;
    case SL_OP_PREFETCH:
    case SL_OP_PREFETCHU:
        return SL_ACCESS_PREFETCH;
    case SL_OP_CP:
        return sl_ptx_has(inst, SL_MOD_BULK) ? bulk_kind(inst) : SL_ACCESS_ASYNC_COPY;
    case SL_OP_WMMA:
        return sl_ptx_has(inst, SL_MOD_STORE) ? SL_ACCESS_STORE : SL_ACCESS_LOAD;
    case SL_OP_WGMMA:
    case SL_OP_TCGEN05:
        return SL_ACCESS_MATRIX;
    default:
        return SL_ACCESS_LOAD;
    }
}

static uint8_t memory_space(const sl_ptx_inst *inst)
{
    if (inst->op == SL_OP_TEX || inst->op == SL_OP_TLD4 || inst->op == SL_OP_SULD || inst->op == SL_OP_SUST ||
        inst->op == SL_OP_SURED)
        return SL_MEM_TEXTURE;
    if (inst->op == SL_OP_CP)
        return sl_ptx_has(inst, SL_MOD_BULK) && sl_bulk_way(inst) == SL_BULK_WITHIN ? SL_MEM_SHARED : SL_MEM_GLOBAL;
    if (inst->op == SL_OP_LDMATRIX || inst->op == SL_OP_STMATRIX || inst->op == SL_OP_WGMMA ||
        inst->op == SL_OP_TCGEN05)
        return SL_MEM_SHARED;
    switch (sl_ptx_inst_space(inst)) {
    case SL_SPACE_GLOBAL:
        return SL_MEM_GLOBAL;
    case SL_SPACE_SHARED:
        return SL_MEM_SHARED;
    case SL_SPACE_LOCAL:
        return SL_MEM_LOCAL;
    case SL_SPACE_CONST:
        return SL_MEM_CONST;
    default:
        return SL_MEM_GENERIC;
    }
}

static uint32_t access_bytes(const sl_ptx_inst *inst)
{
    if (inst->op == SL_OP_WGMMA || inst->op == SL_OP_TCGEN05 || (inst->op == SL_OP_CP && sl_ptx_has(inst, SL_MOD_BULK)))
        return 0; /* each access says it */
    if (inst->op == SL_OP_CP)
        return inst->operands > 2 ? (uint32_t)inst->operand[2].bits : 4;
    if (inst->op == SL_OP_PREFETCH || inst->op == SL_OP_PREFETCHU)
        return 1;
    if (inst->op == SL_OP_TEX || inst->op == SL_OP_TLD4)
        return 4; /* the format of the texture is known later; its texels lie in one sector each */
    if (inst->op == SL_OP_LDMATRIX || inst->op == SL_OP_STMATRIX)
        return 16;
    if (inst->op == SL_OP_WMMA)
        return sl_wmma_bytes_per_lane(inst);
    return sl_ptx_type_bytes(sl_ptx_inst_type(inst, 0)) * sl_ptx_inst_vector(inst);
}

static void add_registers(const sl_ptx_operand *operand, uint32_t base, sl_inst *row, uint8_t *count)
{
    if (operand->kind == SL_OPD_REG && row->dsts + row->srcs < SL_INST_REGS) {
        uint32_t number = base + operand->reg;
        row->regs[row->dsts + row->srcs] = (uint16_t)(number < UINT16_MAX ? number : UINT16_MAX);
        (*count)++;
    }
    for (uint32_t i = 0; i < operand->count; i++)
        add_registers(&operand->items[i], base, row, count);
}

/* Registers written, then read: the base of an address that is "written" (st) counts as read. */
static void fill_registers(const sl_ptx_inst *inst, uint32_t base, sl_inst *row)
{
    uint32_t dsts = sl_ptx_inst_dsts(inst);
    for (uint32_t i = 0; i < dsts && i < inst->operands; i++)
        add_registers(&inst->operand[i], base, row, &row->dsts);
    for (uint32_t i = dsts; i < inst->operands; i++)
        add_registers(&inst->operand[i], base, row, &row->srcs);
    if (inst->guarded && row->dsts + row->srcs < SL_INST_REGS) {
        uint32_t number = base + inst->guard;
        row->regs[row->dsts + row->srcs++] = (uint16_t)(number < UINT16_MAX ? number : UINT16_MAX);
    }
}

static uint32_t array_name(builder *b, const sl_ptx_func *func, const sl_base *base)
{
    char text[300];
    if (base->kind == SL_BASE_LOADED)
        return 0;
    return intern(b, sl_base_text(func, base, text, sizeof text));
}

static uint32_t source_file(builder *b, const sl_ptx_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->files; i++)
        if (module->file[i].number == number)
            return intern(b, module->file[i].name);
    return 0;
}

/* The calls that were inlined into a function, behind those of the functions before it. */
static void add_calls(builder *b, const sl_code_function *function)
{
    uint32_t before = (uint32_t)b->calls.count;
    for (uint32_t i = 0; i < function->func->inlined_calls; i++) {
        const sl_ptx_inlined_call *from = &function->func->inlined_call[i];
        sl_trace_call call = {source_file(b, function->module, from->file), from->line,
                              from->caller ? before + from->caller : 0};
        b->failed |= !sl_array_push(&b->calls, call);
    }
}

/* `calls`: how many there are of the functions before this one. */
static void fill_row(builder *b, const sl_code_function *function, uint32_t local, uint32_t reg_base, size_t calls,
                     const sl_base *base, sl_inst *row)
{
    const sl_ptx_inst *inst = &function->func->inst[local];
    char opcode[120];
    row->op_class = sl_ptx_inst_class(inst);
    row->opcode = intern(b, sl_ptx_inst_text(inst, opcode, sizeof opcode));
    row->pc = function->first_inst + local;
    row->ptx_line = inst->line;
    row->mem_slot = UINT32_MAX;
    fill_registers(inst, reg_base, row);
    if (inst->loc_line) {
        row->source_line = inst->loc_line;
        row->source_file = source_file(b, function->module, inst->loc_file);
    }
    row->inlined = inst->inlined ? (uint32_t)calls + inst->inlined : 0;
    if (base)
        row->array = array_name(b, function->func, base);
}

/* Marks loads that a scalar unit would do. */
static sl_status fill_uniform(builder *b, const sl_code_function *function, sl_inst *rows, sl_error *error)
{
    sl_cfg cfg;
    sl_base_set *sets;
    bool *uniform;
    sl_status status = sl_base_sets(function->func, b->arena, &sets, error);
    if (!status)
        status = sl_cfg_build(function->module, function->func, b->arena, &cfg, error);
    if (!status)
        status = sl_ptx_uniform_loads(function->func, &cfg, sets, b->arena, &uniform, error);
    for (uint32_t i = 0; i < function->func->insts && !status; i++)
        rows[i].uniform = uniform[i];
    return status;
}

static sl_status fill_rows(builder *b, sl_inst *rows, sl_error *error)
{
    const sl_code *code = &b->kernel->code;
    uint32_t reg_base = 0;
    for (uint32_t f = 0; f < code->functions; f++) {
        const sl_code_function *function = &code->function[f];
        sl_base *bases;
        sl_status status = sl_base_arrays(function->func, b->arena, &bases, error);
        if (status != SL_OK)
            return status;
        if (f == 0)
            b->kernel->bases = bases;
        bool *closes = sl_arena_array(b->arena, bool, function->func->insts + 1);
        if (!closes)
            return sl_fail_memory(error);
        sl_ptx_find_unrolled(function->func, closes);
        size_t calls = b->calls.count;
        add_calls(b, function);
        for (uint32_t i = 0; i < function->func->insts; i++) {
            sl_inst *row = &rows[function->first_inst + i];
            fill_row(b, function, i, reg_base, calls, &bases[i], row);
            row->unroll = closes[i] ? SL_UNROLLED : 0;
        }
        status = fill_uniform(b, function, &rows[function->first_inst], error);
        if (status)
            return status;
        reg_base += function->func->regs;
    }
    return SL_OK;
}

/* Memory slots were given out while decoding; here they get their facts. */
static void fill_slots(const sl_code *code, sl_inst *rows, uint32_t *mem_inst, uint32_t *slots)
{
    for (uint32_t i = 0; i < code->ops; i++) {
        const sl_op *op = &code->op[i];
        if (op->slot == UINT32_MAX)
            continue;
        sl_inst *row = &rows[op->inst];
        const sl_ptx_inst *inst = code->inst[op->inst];
        row->mem_slot = op->slot;
        const sl_ptx_func *func = code->function[code->inst_function[op->inst]].func;
        row->access = access_kind(func, inst);
        row->space = op->space == SL_SPACE_LOCAL ? SL_MEM_LOCAL : memory_space(inst);
        row->cache_op = cache_op(func, inst);
        row->width = (uint16_t)access_bytes(inst);
        mem_inst[op->slot] = op->inst;
        if (op->slot + 1 > *slots)
            *slots = op->slot + 1;
    }
}

sl_status sl_kernel_facts(sl_emu_kernel *kernel, sl_error *error)
{
    const sl_code *code = &kernel->code;
    builder b = {.kernel = kernel, .arena = &kernel->arena};
    sl_map_init(&b.known);
    sl_inst *rows = sl_arena_array(&kernel->arena, sl_inst, code->insts + 1);
    sl_trace_bb *bbs = sl_arena_array(&kernel->arena, sl_trace_bb, code->bbs + 1);
    uint32_t *mem_inst = sl_arena_array(&kernel->arena, uint32_t, code->insts + 1);
    uint32_t *jump = sl_arena_array(&kernel->arena, uint32_t, code->bbs + 1);
    sl_status status =
        rows && bbs && mem_inst && jump && sl_array_push(&b.strings, '\0') ? SL_OK : sl_fail_memory(error);
    if (status == SL_OK)
        status = fill_rows(&b, rows, error);
    if (status == SL_OK) {
        sl_trace_kernel *facts = &kernel->facts;
        fill_slots(code, rows, mem_inst, &facts->mem_slots);
        for (uint32_t i = 0; i < code->bbs; i++) {
            const sl_code_bb *bb = &code->bb[i];
            bbs[i] = (sl_trace_bb){bb->first_inst, bb->insts};
            jump[i] = (bb->term == SL_TERM_JUMP || bb->term == SL_TERM_BRANCH) && bb->taken >= 0
                          ? (uint32_t)bb->taken + 1
                          : 0;
        }
        char *strings = sl_arena_alloc(&kernel->arena, b.strings.count);
        sl_trace_call *calls = sl_arena_array(&kernel->arena, sl_trace_call, b.calls.count + 1);
        facts->name = sl_short_name(&kernel->arena, kernel->func->name);
        if (b.failed || !strings || !calls || !facts->name) {
            status = sl_fail_memory(error);
        } else {
            memcpy(strings, b.strings.items, b.strings.count);
            if (b.calls.count)
                memcpy(calls, b.calls.items, b.calls.count * sizeof *calls);
            facts->symbol = kernel->func->name;
            facts->insts = code->insts;
            facts->inst = rows;
            facts->bbs = code->bbs;
            facts->bb = bbs;
            facts->jump = jump;
            facts->mem_inst = mem_inst;
            facts->strings = strings;
            facts->strings_bytes = (uint32_t)b.strings.count;
            facts->calls = (uint32_t)b.calls.count;
            facts->call = calls;
            facts->regs_per_thread = kernel->registers;
            facts->regs_estimated = kernel->registers_estimated;
            facts->static_shared_bytes = code->static_shared_bytes;
            facts->local_bytes = code->function[0].local_bytes;
        }
    }
    sl_array_free(&b.strings);
    sl_array_free(&b.calls);
    sl_map_fini(&b.known);
    return status;
}
