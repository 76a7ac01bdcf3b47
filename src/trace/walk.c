/* SPDX-License-Identifier: MIT */
#include "trace/walk.h"

#include <stdlib.h>

#include "access/request.h"

/* Something of a basic block that warps stop at: a memory instruction or a barrier. */
typedef struct stop {
    uint32_t inst;  /* of the kernel */
    uint32_t insts; /* from behind the previous stop, this one included */
    uint64_t waits;
    uint32_t rank;
    bool barrier;
} stop;

typedef struct block_plan {
    uint32_t first, stops;
    uint32_t tail_insts; /* behind the last stop */
    uint64_t tail_waits;
} block_plan;

struct sl_walk_plan {
    const sl_trace_kernel *kernel;
    block_plan *bb;
    stop *stop;
};

/* ---- the plan ---- */

/* Loads are ranked over the whole kernel, and those that write a register are what everyone who reads it, or writes it
 * again, has to wait for. Waiting for a load that has completed takes no time. */
typedef struct writers {
    uint64_t *ranks; /* by register */
    uint32_t loads;
} writers;

static uint32_t rank_of(uint32_t load)
{
    return load % SL_WALK_LOADS;
}

static bool find_writers(const sl_trace_kernel *k, writers *w)
{
    uint32_t regs = 1, loads = 0;
    for (uint32_t i = 0; i < k->insts; i++)
        for (uint32_t r = 0; r < SL_INST_REGS; r++)
            regs = k->inst[i].regs[r] >= regs ? k->inst[i].regs[r] + 1u : regs;
    w->ranks = calloc(regs, sizeof *w->ranks);
    for (uint32_t b = 0; w->ranks && b < k->bbs; b++)
        for (uint32_t i = k->bb[b].first; i < k->bb[b].first + k->bb[b].count; i++) {
            const sl_inst *inst = &k->inst[i];
            if (!sl_inst_uses_cache(inst) || !inst->dsts)
                continue;
            for (uint32_t r = 0; r < inst->dsts && r < SL_INST_REGS; r++)
                w->ranks[inst->regs[r]] |= UINT64_C(1) << rank_of(loads);
            loads++;
        }
    return w->ranks;
}

static uint64_t waits_of(const writers *w, const sl_inst *inst)
{
    uint64_t waits = 0;
    for (uint32_t r = 0; r < (uint32_t)inst->dsts + inst->srcs && r < SL_INST_REGS; r++)
        waits |= w->ranks[inst->regs[r]];
    return waits;
}

static void plan_block(sl_walk_plan *plan, uint32_t number, writers *w, uint32_t *stops)
{
    const sl_trace_kernel *k = plan->kernel;
    block_plan *b = &plan->bb[number];
    uint64_t waits = 0;
    uint32_t insts = 0;
    b->first = *stops;
    for (uint32_t i = k->bb[number].first; i < k->bb[number].first + k->bb[number].count; i++) {
        const sl_inst *inst = &k->inst[i];
        waits |= waits_of(w, inst);
        insts++;
        bool memory = sl_inst_uses_cache(inst), barrier = sl_inst_is_block_barrier(k, inst);
        if (!memory && !barrier)
            continue;
        uint32_t rank = memory && inst->dsts ? rank_of(w->loads++) : SL_WALK_LOADS;
        plan->stop[(*stops)++] = (stop){i, insts, waits, rank, barrier};
        insts = 0;
        waits = 0;
    }
    b->stops = *stops - b->first;
    b->tail_insts = insts;
    b->tail_waits = waits;
}

sl_status sl_walk_plan_create(const sl_trace_kernel *kernel, sl_walk_plan **plan, sl_error *error)
{
    sl_walk_plan *p = calloc(1, sizeof *p);
    if (!p)
        return sl_fail_memory(error);
    uint32_t stops = 0;
    for (uint32_t i = 0; i < kernel->insts; i++)
        stops += sl_inst_uses_cache(&kernel->inst[i]) || sl_inst_is_block_barrier(kernel, &kernel->inst[i]);
    p->kernel = kernel;
    p->bb = calloc(kernel->bbs ? kernel->bbs : 1, sizeof *p->bb);
    p->stop = calloc(stops ? stops : 1, sizeof *p->stop);
    writers w = {0};
    if (!p->bb || !p->stop || !find_writers(kernel, &w)) {
        sl_walk_plan_destroy(p);
        return sl_fail_memory(error);
    }
    stops = 0;
    for (uint32_t b = 0; b < kernel->bbs; b++)
        plan_block(p, b, &w, &stops);
    free(w.ranks);
    *plan = p;
    return SL_OK;
}

void sl_walk_plan_destroy(sl_walk_plan *plan)
{
    if (!plan)
        return;
    free(plan->bb);
    free(plan->stop);
    free(plan);
}

/* ---- the walk ---- */

void sl_warp_walk_init(sl_warp_walk *w, const sl_walk_plan *plan, const sl_loaded *loaded, uint64_t block,
                       uint32_t warp, sl_predictor *predictor)
{
    w->plan = plan;
    w->within = false;
    sl_warp_reader_init(&w->reader, loaded, block, warp, predictor);
}

/* The access of the memory instruction `inst`. The cursor has one for every memory instruction of the step; those to
 * shared memory are passed over. */
static sl_status read_access(sl_warp_walk *w, uint32_t inst, sl_error *error)
{
    bool more;
    sl_status status;
    do
        status = sl_warp_reader_access(&w->reader, &more, error);
    while (!status && more && w->reader.cursor.access.inst != inst);
    if (!status && !more)
        status = sl_fail(error, SL_CORRUPT, "the trace of a warp has no access for a memory instruction");
    return status;
}

sl_status sl_warp_walk_next(sl_warp_walk *w, sl_error *error)
{
    const sl_walk_plan *plan = w->plan;
    w->insts = 0;
    w->waits = 0;
    for (;;) {
        if (!w->within) {
            bool more;
            sl_status status = sl_warp_reader_step(&w->reader, &more, error);
            if (status)
                return status;
            if (!more) {
                w->kind = SL_EVENT_END;
                w->waits = UINT64_MAX;
                return SL_OK;
            }
            w->within = true;
            w->at = 0;
        }
        const block_plan *b = &plan->bb[w->reader.cursor.bb];
        while (w->at < b->stops) {
            const stop *s = &plan->stop[b->first + w->at++];
            w->insts += s->insts;
            w->waits |= s->waits;
            w->rank = s->rank;
            w->inst = &plan->kernel->inst[s->inst];
            if (s->barrier) {
                w->kind = SL_EVENT_BARRIER;
                return SL_OK;
            }
            sl_status status = read_access(w, s->inst, error);
            if (status)
                return status;
            if (w->reader.cursor.access.mask) {
                w->kind = SL_EVENT_REQUEST;
                return SL_OK;
            }
        }
        w->insts += b->tail_insts;
        w->waits |= b->tail_waits;
        w->within = false;
    }
}
