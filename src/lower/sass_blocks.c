/* SPDX-License-Identifier: MIT */
#include "lower/sass_blocks.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0xffffffff };

/* A straight run of instructions. */
typedef struct run {
    uint32_t first, count;
    uint32_t next, taken; /* runs; NONE */
    uint32_t enters;      /* runs that lead here, but for rare ones */
    bool rare;            /* or not reached */
    bool reached, joined;
} run;

typedef struct builder {
    sl_sass_code *code;
    uint32_t *run_of; /* [insts + 1] */
    uint32_t runs;
    run *run;
} builder;

static bool ends_run(const sl_sass_inst *i)
{
    return i->op_class == SL_CLASS_CONTROL ? sl_sass_is(i, "BRA") || sl_sass_is(i, "EXIT") || sl_sass_is(i, "CALL") ||
                                                 sl_sass_is(i, "RET") || sl_sass_is(i, "BRX") || sl_sass_is(i, "BRXU")
                                           : sl_sass_is(i, "BAR");
}

/* Whether the warp can continue to the next instruction. */
static bool falls_through(const sl_sass_inst *i)
{
    return i->conditional || !(sl_sass_is(i, "BRA") || sl_sass_is(i, "EXIT") || sl_sass_is(i, "RET") ||
                               sl_sass_is(i, "BRX") || sl_sass_is(i, "BRXU"));
}

static void find_runs(builder *b)
{
    const sl_sass_code *c = b->code;
    uint32_t *starts = b->run_of;
    starts[0] = 1;
    for (uint32_t i = 0; i < c->insts; i++) {
        if (sl_sass_is(&c->inst[i], "BRA") && c->inst[i].target >= 0)
            starts[c->inst[i].target] = 1;
        if (ends_run(&c->inst[i]))
            starts[i + 1] = 1;
    }
    for (uint32_t i = 0; i < c->insts; i++) {
        if (starts[i])
            b->run[b->runs++] = (run){.first = i, .next = NONE, .taken = NONE};
        b->run_of[i] = b->runs - 1;
        b->run[b->runs - 1].count++;
    }
}

static void find_edges(builder *b)
{
    const sl_sass_code *c = b->code;
    for (uint32_t r = 0; r < b->runs; r++) {
        run *at = &b->run[r];
        const sl_sass_inst *last = &c->inst[at->first + at->count - 1];
        if (falls_through(last) && r + 1 < b->runs)
            at->next = r + 1;
        if (sl_sass_is(last, "BRA") && last->target >= 0)
            at->taken = b->run_of[last->target];
        if (last->if_diverged && at->taken != NONE)
            b->run[at->taken].rare = true;
        at->rare |= sl_sass_is(last, "CALL");
    }
}

/* Marks what can be reached without rare runs, and counts the ways. The rest is rare. `stack` has room for all runs. */
static void find_reached(builder *b, uint32_t *stack)
{
    uint32_t depth = 0;
    stack[depth++] = 0;
    b->run[0].reached = true;
    while (depth) {
        const run *at = &b->run[stack[--depth]];
        for (int e = 0; e < 2; e++) {
            uint32_t to = e ? at->taken : at->next;
            if (to == NONE || b->run[to].rare)
                continue;
            b->run[to].enters++;
            if (!b->run[to].reached) {
                b->run[to].reached = true;
                stack[depth++] = to;
            }
        }
    }
    for (uint32_t r = 0; r < b->runs; r++)
        b->run[r].rare |= !b->run[r].reached;
}

static bool is_rare(const builder *b, uint32_t r)
{
    return r == NONE || b->run[r].rare;
}

/* The run that follows as part of the same block: there is no other way, but for rare ones. */
static uint32_t continuation(const builder *b, uint32_t r)
{
    const run *at = &b->run[r];
    const sl_sass_inst *last = &b->code->inst[at->first + at->count - 1];
    uint32_t to = is_rare(b, at->next) ? at->taken : at->next;
    bool other = !is_rare(b, at->next) && !is_rare(b, at->taken);
    bool joins = !ends_run(last) || sl_sass_is(last, "BRA");
    return joins && !other && !is_rare(b, to) && to > r && b->run[to].enters == 1 ? to : NONE;
}

static void add_blocks(builder *b)
{
    sl_sass_code *c = b->code;
    uint32_t used = 0;
    for (uint32_t r = 0; r < b->runs; r++) {
        if (b->run[r].rare || b->run[r].joined)
            continue;
        sl_sass_block *block = &c->block[c->blocks++];
        *block = (sl_sass_block){.first = used};
        uint32_t last = r;
        for (uint32_t at = r; at != NONE; at = continuation(b, at)) {
            last = at;
            b->run[at].joined = true;
            for (uint32_t i = 0; i < b->run[at].count; i++)
                c->at[used++] = b->run[at].first + i;
        }
        block->count = used - block->first;
        block->loops = b->run[last].taken == r;
    }
}

sl_status sl_sass_blocks_read(const sl_trace_kernel *kernel, sl_sass_code *code, sl_error *error)
{
    uint32_t insts = kernel->machine_bytes / SL_SASS_BYTES;
    *code = (sl_sass_code){.insts = insts};
    builder b = {.code = code};
    code->inst = calloc(insts + 1u, sizeof *code->inst);
    code->at = calloc(insts + 1u, sizeof *code->at);
    code->block = calloc(insts + 1u, sizeof *code->block);
    b.run_of = calloc(insts + 1u, sizeof *b.run_of);
    b.run = calloc(insts + 1u, sizeof *b.run);
    uint32_t *stack = calloc(insts + 1u, sizeof *stack);
    sl_status status =
        code->inst && code->at && code->block && b.run_of && b.run && stack ? SL_OK : sl_fail_memory(error);
    if (!status)
        status = sl_sass_decode(kernel->machine_sm, kernel->machine_code, kernel->machine_bytes, code->inst, error);
    if (!status && insts) {
        find_runs(&b);
        find_edges(&b);
        find_reached(&b, stack);
        add_blocks(&b);
    }
    free(b.run_of);
    free(b.run);
    free(stack);
    if (status)
        sl_sass_blocks_fini(code);
    return status;
}

void sl_sass_blocks_fini(sl_sass_code *code)
{
    free(code->inst);
    free(code->at);
    free(code->block);
    *code = (sl_sass_code){0};
}
