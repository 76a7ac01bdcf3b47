/* SPDX-License-Identifier: MIT */
/* Backward data flow over bit sets of registers. A guarded or partial write does not end a life. */
#include "emu/decode.h"

#include <string.h>

typedef struct flow {
    const sl_ptx_func *func;
    uint32_t words;      /* of a set */
    uint32_t live_words; /* 32-bit registers of the set that is stepped through */
} flow;

static uint32_t register_words(const flow *f, uint32_t number)
{
    const sl_ptx_reg *reg = &f->func->reg[number];
    uint32_t bytes = reg->type == SL_T_PRED ? 0 : sl_ptx_type_bytes(reg->type) * (reg->vector ? reg->vector : 1);
    return (bytes + 3) / 4;
}

static void set_add(flow *f, uint32_t reg, uint64_t *set)
{
    uint64_t bit = (uint64_t)1 << reg % 64;
    if (!(set[reg / 64] & bit))
        f->live_words += register_words(f, reg);
    set[reg / 64] |= bit;
}

static void set_remove(flow *f, uint32_t reg, uint64_t *set)
{
    uint64_t bit = (uint64_t)1 << reg % 64;
    if (set[reg / 64] & bit)
        f->live_words -= register_words(f, reg);
    set[reg / 64] &= ~bit;
}

static void add_reads(flow *f, const sl_ptx_operand *operand, uint64_t *set)
{
    if (operand->kind == SL_OPD_REG)
        set_add(f, operand->reg, set);
    for (uint32_t i = 0; i < operand->count; i++)
        add_reads(f, &operand->items[i], set);
}

static void remove_writes(flow *f, const sl_ptx_operand *operand, uint64_t *set)
{
    if (operand->kind == SL_OPD_REG && f->func->reg[operand->reg].vector <= 1)
        set_remove(f, operand->reg, set);
    for (uint32_t i = 0; i < operand->count; i++)
        remove_writes(f, &operand->items[i], set);
}

/* Live before the instruction from live after it. */
static void step(flow *f, const sl_ptx_inst *inst, uint64_t *set)
{
    uint32_t dsts = sl_ptx_inst_dsts(inst);
    if (!inst->guarded)
        for (uint32_t i = 0; i < dsts && i < inst->operands; i++)
            remove_writes(f, &inst->operand[i], set);
    for (uint32_t i = sl_ptx_inst_updates(inst) ? 0 : dsts; i < inst->operands; i++)
        add_reads(f, &inst->operand[i], set);
    if (inst->guarded)
        set_add(f, inst->guard, set);
}

static uint32_t words_of(const flow *f, const uint64_t *set)
{
    uint32_t total = 0;
    for (uint32_t w = 0; w < f->words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1)
            total += register_words(f, w * 64 + (uint32_t)__builtin_ctzll(left));
    return total;
}

static void merge_successors(const flow *f, const sl_bb *bb, const uint64_t *in, uint64_t *out)
{
    memset(out, 0, f->words * sizeof *out);
    for (uint32_t s = 0; s < bb->succs; s++)
        for (uint32_t w = 0; bb->succ[s] >= 0 && w < f->words; w++)
            out[w] |= in[(size_t)bb->succ[s] * f->words + w];
}

sl_status sl_liveness_find(const sl_ptx_func *func, const sl_cfg *cfg, sl_arena *arena, sl_liveness *result,
                           sl_error *error)
{
    flow f = {.func = func, .words = func->regs / 64 + 1};
    *result = (sl_liveness){.set_words = f.words};
    uint64_t *in = sl_arena_array(arena, uint64_t, (size_t)(cfg->blocks + 1) * f.words);
    uint64_t *set = sl_arena_array(arena, uint64_t, f.words);
    result->in = in;
    result->entry = sl_arena_array(arena, uint32_t, func->regs + 1);
    if (!in || !set || !result->entry)
        return sl_fail_memory(error);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = cfg->blocks; b-- > 0;) {
            merge_successors(&f, &cfg->block[b], in, set);
            for (uint32_t i = cfg->block[b].count; i-- > 0;)
                step(&f, &func->inst[cfg->block[b].first + i], set);
            uint64_t *old = in + (size_t)b * f.words;
            if (memcmp(old, set, f.words * sizeof *set)) {
                memcpy(old, set, f.words * sizeof *set);
                changed = true;
            }
        }
    }
    for (uint32_t b = 0; b < cfg->blocks; b++) {
        merge_successors(&f, &cfg->block[b], in, set);
        f.live_words = words_of(&f, set);
        for (uint32_t i = cfg->block[b].count; i-- > 0;) {
            step(&f, &func->inst[cfg->block[b].first + i], set);
            if (f.live_words > result->max_words)
                result->max_words = f.live_words;
        }
    }
    for (uint32_t reg = 0; cfg->blocks && reg < func->regs; reg++)
        if (in[reg / 64] >> reg % 64 & 1)
            result->entry[result->at_entry++] = reg;
    return SL_OK;
}
