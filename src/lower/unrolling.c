/* SPDX-License-Identifier: MIT */
#include "lower/passes.h"

#include <stdlib.h>
#include <string.h>

enum { REST = 2, MAX_FACTOR = 4, KEPT = 0xffff };

typedef struct unrolling {
    sl_program *program;
    uint16_t *local; /* [registers before]: number among those that an iteration writes before it reads them; KEPT */
    uint32_t locals, registers;
} unrolling;

/* Iterations that become one; 0: the block is no such loop. */
static uint32_t factor_of(const sl_program *p, uint32_t b)
{
    const sl_trace_bb *bb = &p->kernel->bb[b];
    const sl_inst *last = bb->count ? &p->kernel->inst[bb->first + bb->count - 1] : NULL;
    uint32_t factor = last ? last->unroll : 0;
    for (uint32_t i = bb->first; i < bb->first + bb->count; i++)
        if (p->uop[i].slow_path) /* in machine code it is several blocks */
            return 0;
    return factor && !p->region[b].sass && factor <= MAX_FACTOR &&
                   factor * p->region[b].accesses <= SL_MAX_UNROLLED_ACCESSES
               ? factor
               : 0;
}

static void find_locals(unrolling *u, const sl_trace_bb *bb)
{
    memset(u->local, 0xff, u->registers * sizeof *u->local);
    uint8_t *seen = (uint8_t *)(u->local + u->registers);
    memset(seen, 0, u->registers);
    u->locals = 0;
    for (uint32_t i = bb->first; i < bb->first + bb->count; i++) {
        const sl_uop *s = &u->program->uop[i];
        for (uint32_t k = s->dsts; k < s->regs; k++)
            seen[s->reg[k]] = 1;
        for (uint32_t d = 0; d < s->dsts; d++)
            if (!seen[s->reg[d]]) {
                seen[s->reg[d]] = 1;
                u->local[s->reg[d]] = (uint16_t)u->locals++;
            }
    }
}

/* Whether all iterations but the last do without it: a counter, or what ends the loop. */
static bool is_control(const sl_program *p, const sl_trace_bb *bb, uint32_t i)
{
    const sl_uop *s = &p->uop[i], *branch = &p->uop[bb->first + bb->count - 1];
    if (s == branch)
        return true;
    if (s->kind != SL_UOP_PLAIN || s->dsts != 1)
        return false;
    return (s->regs == 2 && s->reg[0] == s->reg[1]) || (branch->regs && s->reg[0] == branch->reg[branch->regs - 1]);
}

static void add_iterations(unrolling *u, uint32_t b, uint32_t factor)
{
    sl_program *p = u->program;
    const sl_trace_bb bb = p->kernel->bb[b];
    sl_trace_bb *block = &p->block[p->blocks++];
    block->first = p->uops;
    for (uint32_t n = 0; n < factor; n++)
        for (uint32_t i = bb.first; i < bb.first + bb.count; i++) {
            bool last = n + 1 == factor;
            if (!last && is_control(p, &bb, i))
                continue;
            sl_uop *s = &p->uop[p->uops];
            *s = p->uop[i];
            p->inst_of[p->uops++] = i;
            s->access += n * p->region[b].accesses;
            s->bb_copy = (uint8_t)n;
            for (uint32_t k = 0; k < s->regs && !last; k++)
                if (u->local[s->reg[k]] != KEPT)
                    s->reg[k] = (uint16_t)(u->registers + n * u->locals + u->local[s->reg[k]]);
        }
    block->count = p->uops - block->first;
    uint32_t registers = u->registers + (factor - 1) * u->locals;
    p->registers = registers > p->registers ? registers : p->registers;
}

static void unroll(unrolling *u)
{
    sl_program *p = u->program;
    for (uint32_t b = 0; b < p->kernel->bbs; b++) {
        uint32_t factor = factor_of(p, b);
        if (!factor)
            continue;
        find_locals(u, &p->kernel->bb[b]);
        if (u->registers + factor * u->locals >= KEPT)
            continue;
        sl_region *region = &p->region[b];
        region->blocks = 1;
        region->factor = factor;
        region->iteration_accesses = region->accesses;
        region->versions = 3;
        const uint32_t iterations[] = {factor, REST, 1}, block[] = {p->blocks, p->blocks + 1, b};
        for (uint32_t v = 0; v < region->versions; v++) {
            region->version[v].iterations = iterations[v];
            region->version[v].block = block[v];
        }
        p->read_ahead = factor * p->region[b].accesses > p->read_ahead ? factor * p->region[b].accesses : p->read_ahead;
        add_iterations(u, b, factor);
        add_iterations(u, b, REST);
    }
}

sl_status sl_pass_unroll(sl_program *p, sl_error *error)
{
    uint32_t uops = 0, blocks = 0;
    for (uint32_t b = 0; b < p->kernel->bbs; b++) {
        uint32_t factor = factor_of(p, b);
        uops += factor ? (factor + REST) * p->kernel->bb[b].count : 0;
        blocks += factor ? 2 : 0;
    }
    if (!blocks)
        return SL_OK;
    sl_status status = sl_program_reserve(p, uops, blocks, error);
    if (status)
        return status;
    unrolling u = {.program = p, .registers = p->registers};
    u.local = malloc(p->registers * (sizeof *u.local + 1));
    if (!u.local)
        return sl_fail_memory(error);
    unroll(&u);
    free(u.local);
    return SL_OK;
}
