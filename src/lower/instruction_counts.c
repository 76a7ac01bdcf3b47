/* SPDX-License-Identifier: MIT */
#include "lower/passes.h"

#include <stdlib.h>
#include <string.h>

static const struct lowered {
    const char *op, *modifier, *type;
    uint8_t issues;
    uint16_t cycles;
    bool branches;
} table[] = {
#define SL_LOWERED(op, modifier, type, issues, cycles)   {op, modifier, type, issues, cycles, false},
#define SL_BRANCHING(op, modifier, type, issues, cycles) {op, modifier, type, issues, cycles, true},
#include "lower/instruction_counts.def"
#undef SL_BRANCHING
#undef SL_LOWERED
};

/* Float atomics on shared memory are loops (papers/h200-micro/rates.csv). */
enum { FLOAT_ATOMIC_PASSES = 6 };
enum { FURTHER_CONSTANT = 11 }; /* cycles (papers/h200-micro/latencies.csv) */
enum { PROLOGUE = 2 }; /* instructions at the start of every kernel: its stack and the descriptor of global memory */

/* ---- words of an opcode ---- */

static bool first_word(const char *opcode, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(opcode, word, length) && (opcode[length] == '.' || !opcode[length]);
}

static bool last_word(const char *opcode, const char *word)
{
    const char *dot = strrchr(opcode, '.');
    return !*word || (dot && !strcmp(dot + 1, word));
}

static bool has_word(const char *opcode, const char *word)
{
    size_t length = strlen(word);
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (!strncmp(dot + 1, word, length) && (dot[1 + length] == '.' || !dot[1 + length]))
            return true;
    return !length;
}

static void lower(sl_uop *uop, const char *opcode)
{
    const struct lowered *row = table, *end = table + sizeof table / sizeof *table;
    while (row < end &&
           !(first_word(opcode, row->op) && last_word(opcode, row->type) && has_word(opcode, row->modifier)))
        row++;
    if (row == end || (first_word(opcode, "ld") && uop->regs == uop->dsts)) /* of a constant whose address is known */
        return;
    uop->issues = row->issues;
    uop->slow_path = row->branches;
    uop->extra_address_cycles = first_word(opcode, "ld") ? FURTHER_CONSTANT : 0;
    if (!row->cycles)
        return;
    uop->issue_gap = (uint8_t)(row->cycles / row->issues);
    uop->cycles = row->cycles - uop->issue_gap * (row->issues - 1u);
}

/* ---- instructions that become one ---- */

/* Who uses a register: the instruction if there is just one, and what all of them have in common. */
typedef struct use {
    uint32_t writes, reads, reader; /* reader: the last */
    bool only_added, only_addressed;
} use;

typedef struct lowering {
    sl_program *program;
    use *use;      /* [registers] */
    uint8_t *full; /* [insts]: does the work of another already */
} lowering;

static const char *opcode_of(const lowering *l, uint32_t i)
{
    return l->program->kernel->strings + l->program->kernel->inst[i].opcode;
}

static bool adds(const char *opcode)
{
    return first_word(opcode, "add") || first_word(opcode, "sub");
}
static bool combines_bits(const char *opcode)
{
    return first_word(opcode, "and") || first_word(opcode, "or") || first_word(opcode, "xor") ||
           first_word(opcode, "not");
}
static bool is_word(const char *opcode)
{
    return last_word(opcode, "s32") || last_word(opcode, "u32") || last_word(opcode, "b32");
}
static bool is_float(const char *opcode)
{
    return last_word(opcode, "f32") || last_word(opcode, "f64");
}
static bool is_long(const char *opcode)
{
    return last_word(opcode, "s64") || last_word(opcode, "u64");
}

static void find_uses(lowering *l)
{
    const sl_trace_kernel *kernel = l->program->kernel;
    for (uint32_t r = 0; r < l->program->registers; r++)
        l->use[r] = (use){.only_added = true, .only_addressed = true};
    for (uint32_t i = 0; i < kernel->insts; i++) {
        const sl_uop *s = &l->program->uop[i];
        const char *opcode = opcode_of(l, i);
        for (uint32_t k = 0; k < s->regs; k++) {
            use *u = &l->use[s->reg[k]];
            if (k < s->dsts) {
                u->writes++;
                continue;
            }
            u->reads++;
            u->reader = i;
            u->only_added &= adds(opcode) && is_long(opcode);
            u->only_addressed &= kernel->inst[i].mem_slot != UINT32_MAX && !(kernel->inst[i].dsts && k + 1 < s->regs);
        }
    }
}

/* Whether an instruction with one reader does nothing that the reader does not do along with its own work. */
static bool joins(const lowering *l, uint32_t i, uint32_t reader)
{
    const char *op = opcode_of(l, i), *next = opcode_of(l, reader);
    bool sum = adds(next) && is_word(next) && is_word(op);
    return (sum && (first_word(op, "mul") || first_word(op, "shl") || adds(op))) ||      /* IMAD, LEA, IADD3 */
           (combines_bits(op) && combines_bits(next) && is_word(op) && is_word(next)) || /* LOP3 */
           (first_word(op, "mul") && last_word(op, "f32") && adds(next) && last_word(next, "f32")) || /* FFMA */
           ((first_word(op, "neg") || first_word(op, "abs")) && last_word(op, "f32") && last_word(next, "f32"));
}

static void join(lowering *l, uint32_t i, uint32_t end)
{
    sl_uop *uop = &l->program->uop[i];
    const char *op = opcode_of(l, i);
    if (uop->kind != SL_UOP_PLAIN || uop->dsts != 1)
        return;
    const use *u = &l->use[uop->reg[0]];
    if (u->writes != 1 || !u->reads)
        return;
    if (first_word(op, "mov") && uop->regs == 2) {
        uop->issues = 0;
    } else if (has_word(op, "wide") && first_word(op, "mul") && u->only_added) { /* IMAD.WIDE */
        uop->issues = 0;
        l->full[u->reader] = 1;
    } else if (adds(op) && is_long(op) && uop->regs == 2 && u->only_addressed) { /* an offset of the address */
        uop->issues = 0;
    } else if (last_word(op, "pred") && combines_bits(op)) { /* an operand of the comparison */
        uop->issues = 0;
    } else if (u->reads == 1 && u->reader > i && u->reader < end && !l->full[i] && !l->full[u->reader] &&
               joins(l, i, u->reader)) {
        uop->issues = 0;
        l->full[u->reader] = 1;
    }
}

/* Sums of 64 bits that end a product of 32 are one instruction. */
static void shorten(lowering *l, uint32_t i)
{
    sl_uop *uop = &l->program->uop[i];
    const char *op = opcode_of(l, i);
    if (!adds(op) || !is_long(op) || uop->issues != 2)
        return;
    for (uint32_t k = uop->dsts; k < uop->regs; k++) {
        const use *u = &l->use[uop->reg[k]];
        if (u->only_added && u->writes == 1)
            for (uint32_t j = i; j-- > 0 && i - j < 64;)
                if (l->program->uop[j].dsts == 1 && l->program->uop[j].reg[0] == uop->reg[k]) {
                    if (has_word(opcode_of(l, j), "wide"))
                        uop->issues = 1;
                    break;
                }
    }
}

sl_status sl_pass_count_instructions(sl_program *program, sl_error *error)
{
    const sl_trace_kernel *kernel = program->kernel;
    if (kernel->insts && kernel->strings[kernel->inst[0].opcode] < 'a')
        return SL_OK; /* machine code */
    lowering l = {.program = program};
    l.use = calloc(program->registers, sizeof *l.use);
    l.full = calloc(kernel->insts ? kernel->insts : 1, sizeof *l.full);
    if (!l.use || !l.full) {
        free(l.use);
        free(l.full);
        return sl_fail_memory(error);
    }
    for (uint32_t i = 0; i < kernel->insts; i++)
        if (program->uop[i].kind == SL_UOP_PLAIN)
            lower(&program->uop[i], opcode_of(&l, i));
        else if (program->uop[i].kind == SL_UOP_SHARED && is_float(opcode_of(&l, i)))
            program->uop[i].atomic_wavefronts = FLOAT_ATOMIC_PASSES;
    if (kernel->insts)
        program->uop[0].issues = (uint8_t)(program->uop[0].issues + PROLOGUE);
    find_uses(&l);
    for (uint32_t b = 0; b < kernel->bbs; b++)
        for (uint32_t i = kernel->bb[b].first; i < kernel->bb[b].first + kernel->bb[b].count; i++)
            join(&l, i, kernel->bb[b].first + kernel->bb[b].count);
    for (uint32_t i = 0; i < kernel->insts; i++)
        shorten(&l, i);
    free(l.use);
    free(l.full);
    return SL_OK;
}
