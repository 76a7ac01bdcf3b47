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
    uint32_t access; /* number of its access in the basic block */
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
    uint32_t read_ahead;
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

static bool find_writers(const sl_trace_kernel *k, const uint32_t *order, writers *w)
{
    uint32_t regs = 1, loads = 0;
    for (uint32_t i = 0; i < k->insts; i++)
        for (uint32_t r = 0; r < SL_INST_REGS; r++)
            regs = k->inst[i].regs[r] >= regs ? k->inst[i].regs[r] + 1u : regs;
    w->ranks = calloc(regs, sizeof *w->ranks);
    for (uint32_t b = 0; w->ranks && b < k->bbs; b++)
        for (uint32_t n = k->bb[b].first; n < k->bb[b].first + k->bb[b].count; n++) {
            const sl_inst *inst = &k->inst[order ? order[n] : n];
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

static void plan_block(sl_walk_plan *plan, const uint32_t *order, uint32_t number, writers *w, uint32_t *stops)
{
    const sl_trace_kernel *k = plan->kernel;
    block_plan *b = &plan->bb[number];
    uint64_t waits = 0;
    uint32_t insts = 0;
    b->first = *stops;
    for (uint32_t n = k->bb[number].first; n < k->bb[number].first + k->bb[number].count; n++) {
        uint32_t i = order ? order[n] : n;
        const sl_inst *inst = &k->inst[i];
        waits |= waits_of(w, inst);
        insts++;
        bool memory = sl_inst_uses_cache(inst), barrier = sl_inst_is_block_barrier(k, inst);
        if (!memory && !barrier)
            continue;
        uint32_t rank = memory && inst->dsts ? rank_of(w->loads++) : SL_WALK_LOADS;
        plan->stop[(*stops)++] = (stop){i, insts, waits, rank, 0, barrier};
        insts = 0;
        waits = 0;
    }
    b->stops = *stops - b->first;
    b->tail_insts = insts;
    b->tail_waits = waits;
}

/* Numbers the accesses of a basic block, in the order of the trace, and finds how many are read before they issue.
 * `access`, `issued`: scratch of as many entries as it has instructions. */
static void number_accesses(sl_walk_plan *plan, const sl_trace_bb *bb, const block_plan *b, uint32_t *access,
                            bool *issued)
{
    uint32_t count = 0, read = 0, missing = 0;
    for (uint32_t i = 0; i < bb->count; i++) {
        const sl_inst *inst = &plan->kernel->inst[bb->first + i];
        access[i] = count;
        issued[count] = !sl_inst_uses_cache(inst); /* nobody asks for it */
        count += inst->mem_slot != UINT32_MAX;
    }
    for (stop *s = &plan->stop[b->first]; s < &plan->stop[b->first + b->stops]; s++) {
        if (s->barrier)
            continue;
        s->access = access[s->inst - bb->first];
        issued[s->access] = true;
        read = s->access >= read ? s->access + 1 : read;
        while (missing < read && issued[missing])
            missing++;
        plan->read_ahead = read - missing > plan->read_ahead ? read - missing : plan->read_ahead;
    }
}

sl_status sl_walk_plan_create(const sl_trace_kernel *kernel, const uint32_t *order, sl_walk_plan **plan,
                              sl_error *error)
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
    uint32_t *access = malloc((kernel->insts + 1u) * sizeof *access);
    bool *issued = malloc((kernel->insts + 1u) * sizeof *issued);
    bool fits = p->bb && p->stop && access && issued && find_writers(kernel, order, &w);
    stops = 0;
    for (uint32_t b = 0; fits && b < kernel->bbs; b++) {
        plan_block(p, order, b, &w, &stops);
        number_accesses(p, &kernel->bb[b], &p->bb[b], access, issued);
    }
    free(w.ranks);
    free(access);
    free(issued);
    if (!fits) {
        sl_walk_plan_destroy(p);
        return sl_fail_memory(error);
    }
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
                       uint32_t warp, sl_predictor *predictor, sl_access *ahead)
{
    w->plan = plan;
    w->ahead = ahead;
    w->within = false;
    sl_warp_reader_init(&w->reader, loaded, block, warp, predictor);
}

uint32_t sl_walk_read_ahead(const sl_walk_plan *plan)
{
    return plan->read_ahead;
}

/* The access of a stop. The cursor has one for every memory instruction of the step, in the order of the trace: those
 * that issue later are kept, and so are those to shared memory, which nobody asks for. */
static sl_status read_access(sl_warp_walk *w, const stop *s, sl_error *error)
{
    bool more = true;
    uint32_t room = w->plan->read_ahead;
    w->access = s->access < w->read ? &w->ahead[s->access % room] : &w->reader.cursor.access;
    while (w->read <= s->access) {
        sl_status status = sl_warp_reader_access(&w->reader, &more, error);
        if (status)
            return status;
        if (!more)
            return sl_fail(error, SL_CORRUPT, "the trace of a warp has no access for a memory instruction");
        if (w->read++ != s->access && room)
            w->ahead[(w->read - 1) % room] = w->reader.cursor.access;
    }
    return SL_OK;
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
            w->at = w->read = 0;
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
            sl_status status = read_access(w, s, error);
            if (status)
                return status;
            if (w->access->mask) {
                w->kind = SL_EVENT_REQUEST;
                return SL_OK;
            }
        }
        w->insts += b->tail_insts;
        w->waits |= b->tail_waits;
        w->within = false;
    }
}
