/* SPDX-License-Identifier: MIT */
#include "lower/passes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BETWEEN = 8 }; /* instructions of a block that is jumped over */

typedef struct hoisting {
    sl_program *program;
    uint8_t *accessed; /* [registers]: what cannot_move has read or written it */
    uint8_t *written;  /* [registers]: what cannot_move has written it */
    uint8_t *moves;    /* [kernel->insts] */
} hoisting;

static const sl_inst *last_of(const sl_trace_kernel *k, uint32_t b)
{
    return k->bb[b].count ? &k->inst[k->bb[b].first + k->bb[b].count - 1] : NULL;
}

/* Ends with a branch that some lanes may take. */
static bool may_jump(const sl_program *p, uint32_t b)
{
    const sl_inst *last = last_of(p->kernel, b);
    return last && last->op_class == SL_CLASS_CONTROL && last->srcs && !p->region[b].factor && !p->region[b].sass;
}

static bool cannot_move(const sl_program *p, uint32_t i)
{
    uint8_t class = p->kernel->inst[i].op_class, kind = p->uop[i].kind;
    return class == SL_CLASS_CONTROL || class == SL_CLASS_WARP || kind == SL_UOP_BARRIER || kind == SL_UOP_FENCE ||
           kind == SL_UOP_WAIT_ASYNC || p->uop[i].slow_path;
}

/* Is short, and falls through to the block behind it. */
static bool is_between(const sl_program *p, uint32_t b)
{
    const sl_trace_bb *bb = &p->kernel->bb[b];
    for (uint32_t i = bb->first; i < bb->first + bb->count; i++)
        if (cannot_move(p, i))
            return false;
    return bb->count && bb->count <= MAX_BETWEEN;
}

/* An instruction cannot_move: what depends on it does, too. */
static void pin(hoisting *h, uint32_t i)
{
    const sl_uop *s = &h->program->uop[i];
    for (uint32_t k = 0; k < s->regs; k++) {
        h->accessed[s->reg[k]] = 1;
        h->written[s->reg[k]] |= k < s->dsts;
    }
}

static bool can_move(const hoisting *h, uint32_t i)
{
    const sl_uop *s = &h->program->uop[i];
    if (cannot_move(h->program, i) ||
        (h->program->kernel->inst[i].mem_slot != UINT32_MAX && !sl_program_is_constant_load(h->program, i)))
        return false;
    for (uint32_t k = 0; k < s->regs; k++)
        if (k < s->dsts ? h->accessed[s->reg[k]] : h->written[s->reg[k]])
            return false;
    return true;
}

/* Blocks of the chain that begins with `b`: an odd number; fewer than three: there is none. The memory instructions of
 * every second block behind the first all move. */
static uint32_t find_chain(hoisting *h, uint32_t b)
{
    const sl_program *p = h->program;
    const sl_trace_kernel *k = p->kernel;
    uint32_t blocks = 1, accesses = p->region[b].accesses;
    memset(h->accessed, 0, 2 * (size_t)p->registers);
    if (k->bb[b].count)
        pin(h, k->bb[b].first + k->bb[b].count - 1); /* what moves comes before the branch */
    while (blocks + 2 <= SL_MAX_CHAIN && b + blocks + 1 < k->bbs && may_jump(p, b + blocks - 1) &&
           is_between(p, b + blocks) && !p->region[b + blocks].sass && !p->region[b + blocks + 1].factor &&
           !p->region[b + blocks + 1].sass) {
        const sl_trace_bb *between = &k->bb[b + blocks], *next = between + 1;
        bool any = false, all = true;
        for (uint32_t i = between->first; i < between->first + between->count; i++)
            pin(h, i);
        for (uint32_t i = next->first; i < next->first + next->count; i++) {
            h->moves[i] = can_move(h, i);
            if (!h->moves[i])
                pin(h, i);
            if (k->inst[i].mem_slot != UINT32_MAX) {
                any |= h->moves[i];
                all &= h->moves[i];
            }
        }
        accesses += p->region[b + blocks].accesses + p->region[b + blocks + 1].accesses;
        if (!any || !all || accesses > SL_MAX_UNROLLED_ACCESSES)
            break;
        blocks += 2;
    }
    return blocks;
}

static void add_uop(sl_program *p, uint32_t i, uint32_t from)
{
    p->uop[p->uops] = p->uop[i];
    p->uop[p->uops].access += from;
    p->inst_of[p->uops++] = i;
}

static void add_block(sl_program *p, uint32_t first)
{
    p->block[p->blocks++] = (sl_trace_bb){first, p->uops - first};
}

static void add_chain(hoisting *h, uint32_t b, uint32_t blocks)
{
    sl_program *p = h->program;
    const sl_trace_kernel *k = p->kernel;
    uint32_t from[SL_MAX_CHAIN], accesses = 0;
    for (uint32_t odd = 0; odd < 2; odd++) /* those of the moved ones behind each other */
        for (uint32_t n = odd; n < blocks; n += 2) {
            from[n] = accesses;
            accesses += p->region[b + n].accesses;
        }
    p->chain[b] = (sl_chain){.blocks = (uint8_t)blocks, .block = p->blocks};
    memcpy(p->chain[b].first_access, from, sizeof from);
    p->read_ahead = accesses > p->read_ahead ? accesses : p->read_ahead;
    for (uint32_t n = 0; n < blocks; n++) {
        uint32_t first = p->uops;
        for (uint32_t i = k->bb[b + n].first; i < k->bb[b + n].first + k->bb[b + n].count; i++)
            add_uop(p, i, from[n]);
        add_block(p, first);
    }
    for (uint32_t n = 0; n < blocks; n++) {
        uint32_t first = p->uops, end = k->bb[b + n].first + k->bb[b + n].count;
        for (uint32_t i = k->bb[b + n].first; i < end - !n; i++)
            if (!n || n % 2 || !h->moves[i])
                add_uop(p, i, from[n]);
        for (uint32_t m = 2; !n && m < blocks; m += 2)
            for (uint32_t i = k->bb[b + m].first; i < k->bb[b + m].first + k->bb[b + m].count; i++)
                if (h->moves[i])
                    add_uop(p, i, from[m]);
        if (!n)
            add_uop(p, end - 1, from[n]);
        add_block(p, first);
    }
}

sl_status sl_pass_hoist(sl_program *p, sl_error *error)
{
    const sl_trace_kernel *k = p->kernel;
    uint32_t added = 2 * k->insts, blocks = 2 * k->bbs;
    hoisting h = {.program = p};
    h.accessed = malloc(2 * (size_t)p->registers);
    h.written = h.accessed ? h.accessed + p->registers : NULL;
    h.moves = calloc(k->insts + 1u, 1);
    p->chain = calloc(k->bbs + 1u, sizeof *p->chain);
    bool ok = h.accessed && h.moves && p->chain && !sl_program_reserve(p, added, blocks, error);
    for (uint32_t b = 0; ok && b < k->bbs;) {
        uint32_t chained = find_chain(&h, b);
        if (chained > 1)
            add_chain(&h, b, chained);
        b += chained;
    }
    free(h.accessed);
    free(h.moves);
    return ok ? SL_OK : sl_fail_memory(error);
}
