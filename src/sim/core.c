/* SPDX-License-Identifier: MIT */
#include "sim/core.h"

#include <stdlib.h>
#include <string.h>

#include "access/coalesce.h"
#include "sim/bank.h"
#include "sim/data_observer.h"
#include "sim/evict.h"

/* Cycles until the operands of an access have been read (chosen; reports say 11 to 20). */
enum { OPERAND_READ_CYCLES = 12 };

/* ---- when a warp can issue ---- */

static void set_state(sl_sim_core *core, uint32_t w, sl_warp_state state)
{
    uint64_t bit = UINT64_C(1) << w;
    core->quiescent = false;
    core->in_state[core->warp[w].state] &= ~bit;
    core->in_state[state] |= bit;
    core->warp[w].state = (uint8_t)state;
}

static void sleep_until(sl_sim *sim, sl_sim_core *core, uint32_t w, uint64_t time)
{
    uint64_t bit = UINT64_C(1) << w;
    set_state(core, w, SL_WARP_RUNS);
    core->warp[w].ready_at = time;
    if (time <= sim->now) {
        bool memory = sim->program->uop[core->warp[w].inst].queued;
        core->ready |= bit;
        core->wants_lsu = memory ? core->wants_lsu | bit : core->wants_lsu & ~bit;
        if (memory)
            __builtin_prefetch(core->warp[w].reader.cursor.memory);
        return;
    }
    uint64_t slot = (time - sim->now < SL_WHEEL ? time : sim->now + SL_WHEEL - 1) % SL_WHEEL;
    core->wheel[slot] |= bit;
    core->wheel_slots |= UINT64_C(1) << slot;
}

/* Whether the warp's next uop waits for memory; else *until is the cycle in which its operands are ready. */
static bool waits_for_memory(const sl_sim *sim, const sl_sim_core *core, uint32_t w, uint64_t *until)
{
    const sl_sim_warp *warp = &core->warp[w];
    const sl_uop *uop = &sim->program->uop[warp->inst];
    const uint32_t *ready = &core->ready_at[(size_t)w * sim->program->registers];
    for (uint32_t r = 0; r < uop->regs; r++) {
        uint32_t at = ready[uop->reg[r]];
        if (at == SL_NONE)
            return true;
        *until = at > *until ? at : *until;
    }
    if ((warp->waits && warp->loads) || uop->wait_mask & warp->pending_scoreboards)
        return true;
    for (uint32_t left = uop->wait_mask; left; left &= left - 1) {
        uint64_t at = warp->scoreboard_at[__builtin_ctz(left)];
        *until = at > *until ? at : *until;
    }
    if (uop->kind == SL_UOP_FENCE)
        return warp->loads || warp->stores;
    if (uop->kind == SL_UOP_BARRIER && core->queues > 1)
        return warp->queued; /* later requests of other warps must not overtake its requests in another queue */
    return uop->kind == SL_UOP_WAIT_ASYNC && warp->asyncs;
}

static void reschedule_warp(sl_sim *sim, sl_sim_core *core, uint32_t w, uint64_t min)
{
    uint64_t until = min;
    if (!waits_for_memory(sim, core, w, &until)) {
        sleep_until(sim, core, w, until);
        return;
    }
    if (core->warp[w].state != SL_WARP_DATA)
        core->warp[w].waits_from = sim->now;
    set_state(core, w, SL_WARP_DATA);
}

static void wake_due_warps(sl_sim *sim, sl_sim_core *core)
{
    uint64_t from = core->ticked == SL_NEVER ? sim->now : core->ticked + 1, cycles = sim->now - from + 1;
    uint64_t slots = cycles < SL_WHEEL ? (UINT64_C(1) << cycles) - 1 : UINT64_MAX;
    if (from % SL_WHEEL)
        slots = slots << from % SL_WHEEL | slots >> (SL_WHEEL - from % SL_WHEEL);
    for (slots &= core->wheel_slots; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        uint64_t wheel = core->wheel[slot];
        core->wheel[slot] = 0;
        core->wheel_slots &= ~(UINT64_C(1) << slot);
        for (; wheel; wheel &= wheel - 1) {
            uint32_t w = (uint32_t)__builtin_ctzll(wheel);
            sleep_until(sim, core, w, core->warp[w].ready_at);
        }
    }
}

static void set_results(sl_sim *sim, sl_sim_core *core, uint32_t w, const sl_uop *uop, uint64_t time)
{
    uint32_t *ready = &core->ready_at[(size_t)w * sim->program->registers];
    for (uint32_t d = 0; d < uop->dsts; d++)
        ready[uop->reg[d]] = (uint32_t)time;
}

/* ---- scoreboards of SASS ---- */

static void set_scoreboard(sl_sim_warp *warp, uint8_t barrier, uint64_t time)
{
    if (barrier < SL_SCOREBOARDS && warp->scoreboard_at[barrier] < time)
        warp->scoreboard_at[barrier] = time;
}

static void release_scoreboard(sl_sim_warp *warp, const sl_uop *uop, uint64_t time)
{
    if (!uop->sass || uop->write_scoreboard >= SL_SCOREBOARDS)
        return;
    set_scoreboard(warp, uop->write_scoreboard, time);
    if (!--warp->pending_loads[uop->write_scoreboard])
        warp->pending_scoreboards &= (uint8_t) ~(1u << uop->write_scoreboard);
}

/* ---- barriers and ends ---- */

static sl_status advance(sl_sim *sim, sl_sim_core *core, uint32_t w, uint64_t min, sl_error *error);

/* All live warps of a CTA have arrived at the barrier. */
static sl_status release_barrier(sl_sim *sim, sl_sim_core *core, sl_sim_block *block, sl_error *error)
{
    const sl_core_limits *limits = &sim->machine.core;
    uint64_t waiting = block->members & core->in_state[SL_WARP_BARRIER];
    uint64_t at = sim->now + (limits->barrier_cycles ? limits->barrier_cycles : 1);
    at += (uint64_t)limits->barrier_warp_cycles * block->warps;
    block->waiting = 0;
    sl_status status = SL_OK;
    for (; waiting && !status; waiting &= waiting - 1)
        status = advance(sim, core, (uint32_t)__builtin_ctzll(waiting), at, error);
    return status;
}

static void deactivate(sl_sim *sim, sl_sim_core *core, uint32_t w)
{
    sl_sim_block *block = &core->block[core->warp[w].block];
    uint64_t bit = UINT64_C(1) << w;
    set_state(core, w, SL_WARP_NONE);
    core->live &= ~bit;
    block->members &= ~bit;
    if (!block->members) {
        core->blocks--;
        sim->blocks_done++;
        sim->room = true;
    }
}

static sl_status end_warp(sl_sim *sim, sl_sim_core *core, uint32_t w, sl_error *error)
{
    sl_sim_block *block = &core->block[core->warp[w].block];
    set_state(core, w, SL_WARP_DRAIN);
    block->warps--;
    if (!core->warp[w].loads && !core->warp[w].stores)
        deactivate(sim, core, w);
    return block->warps && block->waiting == block->warps ? release_barrier(sim, core, block, error) : SL_OK;
}

/* Skips a uop that is folded into another one: its result is ready with its operands. */
static bool skip_folded(sl_sim *sim, sl_sim_core *core, uint32_t w)
{
    const sl_uop *uop = &sim->program->uop[core->warp[w].inst];
    uint64_t at = 0;
    if (uop->issues || waits_for_memory(sim, core, w, &at))
        return false;
    set_results(sim, core, w, uop, at);
    core->warp[w].inst++;
    return true;
}

/* When the warp can issue the first instruction of its next block: after a jump, and after code that is new to the core
 * was fetched. */
static uint64_t enter_block(const sl_sim *sim, sl_sim_core *core, sl_sim_warp *warp, uint64_t min)
{
    const sl_core_limits *limits = &sim->machine.core;
    const sl_trace_bb *block = sl_warp_choose_block(sim->program, warp);
    bool jumps = warp->end && (block->first != warp->end || warp->next_lanes != warp->lanes);
    if (jumps && sim->now + limits->branch_cycles > min)
        min = sim->now + limits->branch_cycles;
    bool machine = block->count && sim->program->uop[block->first].sass;
    size_t bb = (size_t)(block - sim->program->block);
    if (machine || bb >= sim->program->kernel->bbs || sim->program->region[bb].accesses) {
        warp->waits |=
            machine != warp->sass &&
            warp->loads; /* SASS waits by scoreboards, estimates by registers: neither sees loads of the other */
        warp->sass = machine;
    }
    warp->inst = block->first;
    warp->end = block->first + block->count;
    warp->lanes = warp->next_lanes;
    for (uint32_t i = block->first / SL_FETCHED; limits->fetch_cycles && i * SL_FETCHED < warp->end; i++) {
        if (!core->fetched[i])
            core->fetched[i] = (uint32_t)min + (i ? limits->fetch_cycles : 0);
        min = core->fetched[i] > min ? core->fetched[i] : min;
    }
    return min;
}

/* Advances the warp to its next uop, if need be in the next block. */
static sl_status advance(sl_sim *sim, sl_sim_core *core, uint32_t w, uint64_t min, sl_error *error)
{
    sl_sim_warp *warp = &core->warp[w];
    do {
        if (warp->inst != warp->end)
            continue;
        bool more;
        sl_status status = sl_warp_next_block(sim, core, w, &more, error);
        if (status)
            return status;
        if (!more)
            return end_warp(sim, core, w, error);
        min = enter_block(sim, core, warp, min);
    } while (warp->inst == warp->end || skip_folded(sim, core, w));
    reschedule_warp(sim, core, w, min);
    return SL_OK;
}

/* ---- answers from memory ---- */

static void check_waiting(sl_sim *sim, sl_sim_core *core, uint32_t w)
{
    sl_sim_warp *warp = &core->warp[w];
    if (warp->state == SL_WARP_DATA)
        reschedule_warp(sim, core, w, sim->now);
    else if (warp->state == SL_WARP_DRAIN && !warp->loads && !warp->stores)
        deactivate(sim, core, w);
    sl_core_wake(core, sim->now);
}

/* Prefetches what the warp needs to continue: its state, its registers, and the predictors of its accesses. */
static void host_prefetch_warp(const sl_sim *sim, const sl_sim_core *core, uint32_t w)
{
    const sl_sim_warp *warp = &core->warp[w];
    uint32_t slots = sim->program->kernel->mem_slots;
    if (!sim->prefetch)
        return;
    __builtin_prefetch(warp, 1);
    __builtin_prefetch(&warp->scoreboard_at, 1);
    __builtin_prefetch(&warp->reader.cursor.kernel);
    __builtin_prefetch(&warp->reader.cursor.predicted);
    __builtin_prefetch(&core->ready_at[(size_t)w * sim->program->registers], 1);
    for (uint32_t slot = 0; slot < slots && slot < 4; slot++)
        __builtin_prefetch(&core->predictor[(size_t)w * slots + slot]);
}

bool sl_core_is_last(sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    sl_sim_core *core = &sim->core[r->core];
    SL_OBSERVE_DATA(sim, on_return, number);
    if (!--core->memop[r->memop].requests) {
        host_prefetch_warp(sim, core, core->memop[r->memop].warp);
        return true;
    }
    sl_request_free(sim->pool, core->stock, number);
    sim->last_progress = sim->now;
    return false;
}

void sl_core_answer(sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    sl_sim_core *core = &sim->core[r->core];
    uint32_t g = r->memop;
    sl_memop *memop = &core->memop[g];
    sl_slot_stats *stats = &sim->slot[r->slot];
    sl_request_free(sim->pool, core->stock, number);
    sim->last_progress = sim->now;
    sl_sim_warp *warp = &core->warp[memop->warp];
    bool waited = warp->state == SL_WARP_DATA;
    set_results(sim, core, memop->warp, &sim->program->uop[memop->inst], sim->now);
    release_scoreboard(warp, &sim->program->uop[memop->inst], sim->now);
    warp->loads--;
    core->loads--;
    warp->asyncs -= memop->async;
    warp->waits &= warp->loads != 0;
    memop->next = core->memop_free;
    core->memop_free = g;
    check_waiting(sim, core, memop->warp);
    if (waited && warp->state != SL_WARP_DATA) /* it was this data that the warp waited for last */
        stats->wait_cycles += sim->now - warp->waits_from;
}

void sl_core_shared(sl_sim *sim, sl_sim_core *core, const sl_memop *memop, uint32_t wavefronts)
{
    const sl_uop *uop = &sim->program->uop[memop->inst];
    /* It was issued in the cycle before. */
    uint64_t result = sim->now + wavefronts - 1 + (uop->cycles > 1 ? uop->cycles - 1 : 1);
    core->shared_free = sim->now + wavefronts;
    core->warp[memop->warp].loads--;
    core->warp[memop->warp].waits &= core->warp[memop->warp].loads != 0;
    set_results(sim, core, memop->warp, uop, result);
    release_scoreboard(&core->warp[memop->warp], uop, result);
    check_waiting(sim, core, memop->warp);
}

void sl_core_drained(sl_sim *sim, sl_sim_core *core, uint32_t w)
{
    check_waiting(sim, core, w);
}

void sl_core_stored(sl_sim *sim, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    bool of_warp = r->kind == SL_REQUEST_STORE || r->kind == SL_REQUEST_REDUCTION;
    bool of_core = r->kind != SL_REQUEST_WRITEBACK || !r->warp; /* else a lower level wrote it back */
    if (of_core && sim->defers) {
        sim->failed |= !sl_queue_push(&sim->acks, sim->now, number, 0);
        return;
    }
    if (r->kind == SL_REQUEST_WRITEBACK && r->memop != SL_NONE)
        sl_writeback_done(sim, r);
    sl_sim_core *core = &sim->core[r->core];
    uint32_t w = r->warp;
    sl_request_free(sim->pool, of_core ? core->stock : &sim->stock, number);
    sim->last_progress = sim->now;
    if (of_warp && !--core->warp[w].stores)
        check_waiting(sim, core, w);
}

uint32_t sl_requests_used(const sl_sim *sim)
{
    uint32_t used = sim->stock.used;
    for (uint32_t i = 0; i < sim->machine.cores; i++)
        used += sim->core[i].own.used;
    return used;
}

void sl_core_unblock(sl_sim *sim, uint32_t instance, bool queue)
{
    uint32_t cores = sim->machine.level[0].cores_per_instance;
    for (uint32_t c = instance * cores; c < (instance + 1) * cores; c++)
        if (sim->core[c].stalled && (sim->core[c].stall == SL_STALL_QUEUE) == queue) {
            sim->core[c].unblocked = true;
            sl_core_wake(&sim->core[c], sim->now);
        }
}

/* ---- issue ---- */

/* Puts warp->access to that of a uop. The trace has them in the order of the kernel: those of uops that come later
 * are held back. */
static sl_status find_access(const sl_sim *sim, sl_sim_core *core, uint32_t w, const sl_uop *uop, sl_error *error)
{
    sl_sim_warp *warp = &core->warp[w];
    uint32_t max = sim->program->read_ahead;
    sl_access *ahead = core->read_ahead + (size_t)w * max;
    if (uop->access < warp->accesses) {
        warp->access = &ahead[(warp->ahead_from + uop->access) % max];
        return SL_OK;
    }
    sl_status status = SL_OK;
    do {
        status = sl_warp_read_access(warp, error);
        if (!status && warp->accesses != uop->access)
            ahead[warp->accesses % max] = warp->reader.cursor.access;
    } while (!status && warp->accesses++ != uop->access);
    warp->access = &warp->reader.cursor.access;
    return status;
}

/* Rows of bulk copies have no bank conflicts. */
static uint32_t row_wavefronts(const sl_access *access)
{
    sl_access a = *access;
    uint64_t bytes = 0;
    do
        bytes += (uint64_t)__builtin_popcountll(a.mask) * a.width;
    while (sl_access_more(&a));
    return (uint32_t)((bytes + 127) / 128);
}

/* Shared memory: bank conflicts are serialized, and atomics on one word. */
static uint32_t shared_wavefronts(const sl_sim *sim, const sl_sim_warp *warp, const sl_inst *inst, const sl_uop *uop)
{
    const sl_access *access = warp->access;
    uint32_t lanes = sl_loaded_launch(sim->loaded)->lanes;
    if (!access->mask)
        return 1;
    if (access->bulk)
        return row_wavefronts(access);
    return inst->access == SL_ACCESS_ATOMIC || inst->access == SL_ACCESS_REDUCTION
               ? sl_atomic_passes(access, lanes) * uop->atomic_wavefronts
               : sl_bank_passes(access, lanes, inst->width);
}

static uint64_t access_shared(sl_sim *sim, sl_sim_core *core, const sl_sim_warp *warp, const sl_inst *inst,
                              const sl_uop *uop)
{
    uint32_t wavefronts = shared_wavefronts(sim, warp, inst, uop);
    uint64_t start = core->shared_free > sim->now ? core->shared_free : sim->now;
    core->shared_free = start + wavefronts;
    return start + wavefronts - 1 + uop->cycles;
}

/* Constant memory: one address per access; several addresses of a warp are serialized, over all warps of the SM. */
enum { CONSTANT_INTERVAL = 2 }; /* cycles (papers/h200-micro/latencies.csv) */
static uint64_t access_constant(const sl_sim *sim, sl_sim_core *core, const sl_sim_warp *warp, const sl_uop *uop)
{
    uint32_t wavefronts = sl_constant_passes(warp->access, sl_loaded_launch(sim->loaded)->lanes);
    if (wavefronts == 1)
        return sim->now + uop->cycles;
    uint64_t start = core->constant_free > sim->now ? core->constant_free : sim->now;
    core->constant_free = start + CONSTANT_INTERVAL * wavefronts;
    return start + uop->cycles + uop->extra_address_cycles * (wavefronts - 1);
}

/* Products in tensor memory: one after the other in a unit of the SM. Returns when the warp goes on: when its product
 * begins; behind a commit, when all are done, which is when others learn of it. */
static uint64_t use_tensor_memory(const sl_sim *sim, sl_sim_core *core, const sl_sim_warp *warp, const sl_uop *uop)
{
    uint64_t start = core->tensor_free > sim->now ? core->tensor_free : sim->now;
    const uint32_t rate = sim->machine.core.tensor_columns;
    if (uop->tensor == SL_TENSOR_PRODUCT)
        core->tensor_free = start + (warp->access->blocks + rate - 1) / rate;
    return start;
}

static sl_status issue(sl_sim *sim, sl_sim_core *core, sl_scheduler *s, uint32_t w, sl_error *error)
{
    sl_sim_warp *warp = &core->warp[w];
    const sl_uop *uop = &sim->program->uop[warp->inst];
    const sl_inst *inst = sl_program_inst(sim->program, warp->inst);
    uint64_t result = sim->now + uop->cycles;
    sl_status status = SL_OK;
    core->ready &= ~(UINT64_C(1) << w);
    s->last = w;
    sim->result->warp_insts++;
    sim->result->machine_insts += uop->sass;
    sim->result->index_insts += uop->index;
    core->insts[w]++;
    sim->result->thread_insts += warp->lanes;
    sim->last_progress = sim->now;
    if (++warp->issued < uop->issues) { /* each depends on the one before */
        sleep_until(sim, core, w, sim->now + uop->issue_gap);
        return SL_OK;
    }
    warp->issued = 0;
    if (uop->kind == SL_UOP_PLAIN)
        s->busy_until[uop->unit] = sim->now + sim->program->interval[uop->unit];
    bool entered = warp->bb_copies >> (warp->copies_from + uop->bb_copy) & 1; /* its basic block, in the trace */
    bool accesses = inst->mem_slot != UINT32_MAX && entered;
    if (accesses)
        status = find_access(sim, core, w, uop, error);
    if (status)
        return status;
    bool shared = accesses && uop->kind == SL_UOP_SHARED;
    bool memory = accesses && uop->kind == SL_UOP_MEMORY && warp->access->mask;
    if (shared && !uop->queued)
        result = access_shared(sim, core, warp, inst, uop);
    if (uop->extra_address_cycles && accesses && warp->access->mask)
        result = access_constant(sim, core, warp, uop);
    uint64_t resumes = sim->now;
    if (uop->tensor && (accesses || uop->tensor == SL_TENSOR_ALL_DONE))
        resumes = use_tensor_memory(sim, core, warp, uop);
    set_results(sim, core, w, uop, result);
    if (uop->sass) {
        set_scoreboard(warp, uop->write_scoreboard, memory ? sim->now : result);
        set_scoreboard(warp, uop->read_scoreboard, sim->now + OPERAND_READ_CYCLES);
    }
    if (shared && uop->queued)
        status = sl_lsu_issue_shared(sim, core, w, warp->inst, shared_wavefronts(sim, warp, inst, uop), error);
    if (memory)
        status = sl_lsu_issue(sim, core, w, warp->inst, error);
    warp->inst++;
    if (status || uop->kind != SL_UOP_BARRIER || !entered)
        return status ? status : advance(sim, core, w, resumes + (uop->sass ? uop->stall : 1), error);
    sl_sim_block *block = &core->block[warp->block];
    set_state(core, w, SL_WARP_BARRIER);
    block->waiting++;
    return block->waiting == block->warps ? release_barrier(sim, core, block, error) : SL_OK;
}

/* Why none of a scheduler's warps issues. */
static sl_cycle_kind reason(const sl_sim_core *core, const sl_scheduler *s, bool full)
{
    return full                                         ? SL_CYCLE_MEMORY
           : core->in_state[SL_WARP_RUNS] & s->warps    ? SL_CYCLE_PIPELINE
           : core->in_state[SL_WARP_DATA] & s->warps    ? SL_CYCLE_DATA
           : core->in_state[SL_WARP_BARRIER] & s->warps ? SL_CYCLE_BARRIER
                                                        : SL_CYCLE_IDLE;
}

/* One cycle of a scheduler; `next`: when a unit that a warp waits for is free. */
static sl_status schedule(sl_sim *sim, sl_sim_core *core, sl_scheduler *s, uint8_t *doing, uint64_t *next,
                          sl_error *error)
{
    uint64_t from = core->ready & s->warps;
    bool full = !sl_lsu_has_room(sim, core) && from & core->wants_lsu;
    if (from && sim->machine.core.scheduling == SL_SCHEDULE_TWO_LEVEL) {
        sl_schedule_refill(sim, core, s);
        from &= s->active;
    }
    if (full)
        from &= ~core->wants_lsu;
    while (from) {
        uint32_t w = sl_schedule_pick(sim, core, s, from);
        const sl_uop *uop = &sim->program->uop[core->warp[w].inst];
        if (core->throttled >> w & 1 && sl_program_inst(sim->program, core->warp[w].inst)->access == SL_ACCESS_LOAD) {
            *next = core->throttled_until < *next ? core->throttled_until : *next;
            from &= ~(UINT64_C(1) << w);
            continue;
        }
        if (uop->kind != SL_UOP_PLAIN || s->busy_until[uop->unit] <= sim->now) {
            *doing = SL_CYCLE_ISSUE;
            *next = sim->now + 1;
            return issue(sim, core, s, w, error);
        }
        *next = s->busy_until[uop->unit] < *next ? s->busy_until[uop->unit] : *next;
        from &= ~(UINT64_C(1) << w);
    }
    *doing = (uint8_t)reason(core, s, full);
    return SL_OK;
}

/* ---- time ---- */

static void notify_scheduler(const sl_sim *sim, const sl_sim_core *core, uint32_t number, uint64_t until)
{
    const sl_sim_observer *l = sim->options.observer;
    sl_cycle_kind doing = (sl_cycle_kind)core->doing[number];
    uint64_t from = core->ticked, then = doing == SL_CYCLE_ISSUE ? from + 1 : until;
    l->scheduler(l->to, core->number, number, doing, from, then);
    if (then < until)
        l->scheduler(l->to, core->number, number, SL_CYCLE_PIPELINE, then, until);
}

/* Counts the cycles since the schedulers were last ticked. */
static void account(sl_sim *sim, sl_sim_core *core, uint64_t until)
{
    if (core->ticked == SL_NEVER) {
        sim->result->scheduler_cycles[SL_CYCLE_IDLE] += until * sim->machine.core.schedulers;
        return;
    }
    uint64_t skipped = until - core->ticked - 1;
    for (uint32_t i = 0; i < sim->machine.core.schedulers; i++) {
        uint8_t doing = core->doing[i];
        sim->result->scheduler_cycles[doing]++;
        sim->result->scheduler_cycles[doing == SL_CYCLE_ISSUE ? SL_CYCLE_PIPELINE : doing] += skipped;
        if (sim->options.observer && sim->options.observer->scheduler)
            notify_scheduler(sim, core, i, until);
    }
}

void sl_core_finish(sl_sim *sim, sl_sim_core *core)
{
    account(sim, core, sim->now);
    sl_lsu_end_stall(sim, core);
}

/* Asks the policy of L1 which warps to throttle. */
static void ask_throttling(sl_sim *sim, sl_sim_core *core)
{
    sl_policy *policy = sl_core_bypass_policy(sim, core->number);
    core->throttled = 0;
    if (!policy || !policy->ops->throttle_warps || !(core->ready & core->wants_lsu))
        return;
    sl_core_work work = {core->live, core->insts, sim->now + (sim->machine.level[0].keep ? sim->earlier : 0)};
    uint64_t wait = 1;
    core->throttled = policy->ops->throttle_warps(policy->self, &work, &wait);
    core->throttled_until = sim->now + (wait ? wait : 1);
}

/* The next cycle after `time` at which the wheel may have a warp. */
static uint64_t wheel_next(const sl_sim_core *core, uint64_t time)
{
    unsigned at = (unsigned)((time + 1) % SL_WHEEL);
    uint64_t turned = at ? core->wheel_slots >> at | core->wheel_slots << (SL_WHEEL - at) : core->wheel_slots;
    return turned ? time + 1 + (uint64_t)__builtin_ctzll(turned) : SL_NEVER;
}

/* Whether a tick of the schedulers would change nothing: no warp is ready, or all wait for a full load/store unit. */
static bool schedulers_rest(const sl_sim *sim, const sl_sim_core *core)
{
    return core->quiescent && wheel_next(core, core->ticked) > sim->now &&
           (!core->ready ||
            (!core->schedules_when_lsu_full && !(core->ready & ~core->wants_lsu) && !sl_lsu_has_room(sim, core)));
}

static sl_status tick_schedulers(sl_sim *sim, sl_sim_core *core, uint64_t *next, sl_error *error)
{
    sl_status status = SL_OK;
    bool was_empty = !core->queued, issued = false;
    account(sim, core, sim->now);
    wake_due_warps(sim, core);
    core->ticked = sim->now;
    ask_throttling(sim, core);
    for (uint32_t i = 0; i < sim->machine.core.schedulers && !status; i++) {
        status = schedule(sim, core, &core->scheduler[i], &core->doing[i], next, error);
        issued |= core->doing[i] == SL_CYCLE_ISSUE;
    }
    core->quiescent = !issued && !sim->options.observer;
    if (was_empty && core->queued)
        *next = sim->now + 1;
    return status;
}

sl_status sl_core_tick(sl_sim *sim, sl_sim_core *core, uint64_t *next, sl_error *error)
{
    sl_status status = SL_OK;
    *next = SL_NEVER;
    if (core->queued && sl_lsu_tick(sim, core))
        *next = sim->now + 1;
    if (!schedulers_rest(sim, core))
        status = tick_schedulers(sim, core, next, error);
    *next = sl_sooner(*next, wheel_next(core, sim->now));
    return status;
}

/* ---- blocks ---- */

bool sl_core_has_room(const sl_sim *sim, const sl_sim_core *core)
{
    uint32_t warps = sl_launch_warps(sl_loaded_launch(sim->loaded));
    return core->blocks < sim->resident_blocks &&
           (uint32_t)__builtin_popcountll(core->live) + warps <= sim->machine.core.warps;
}

static void start_warp(sl_sim *sim, sl_sim_core *core, uint32_t w, uint64_t block, uint32_t number)
{
    sl_sim_warp *warp = &core->warp[w];
    const sl_trace_kernel *kernel = sim->program->kernel;
    const sl_trace_launch *launch = sl_loaded_launch(sim->loaded);
    uint32_t slots = kernel->mem_slots ? kernel->mem_slots : 1;
    uint64_t warp_of_launch = block * sl_launch_warps(launch) + number;
    warp->inst = warp->end = warp->issued = warp->iterations = warp->chained = warp->ahead_from = warp->ahead_count = 0;
    warp->copies_from = 0;
    warp->pending_scoreboards = 0;
    memset(warp->scoreboard_at, 0, sizeof warp->scoreboard_at);
    memset(warp->pending_loads, 0, sizeof warp->pending_loads);
    warp->at_next = warp->sass = false;
    warp->age = core->ages++;
    warp->loads = warp->asyncs = warp->stores = warp->queued = 0;
    warp->waits = false;
    warp->local_base = launch->local_window + warp_of_launch * launch->lanes * (kernel->local_bytes + 3u) / 4 * 4;
    set_state(core, w, SL_WARP_RUNS);
    memset(&core->ready_at[(size_t)w * sim->program->registers], 0, sim->program->registers * sizeof *core->ready_at);
    sl_warp_reader_init(&warp->reader, sim->loaded, block, number, &core->predictor[(size_t)w * slots]);
}

sl_status sl_core_start_block(sl_sim *sim, sl_sim_core *core, uint64_t block, uint64_t at, sl_error *error)
{
    uint32_t warps = sl_launch_warps(sl_loaded_launch(sim->loaded)), line_slot = 0;
    sl_status status = SL_OK;
    if (!core->ages) {
        sl_banks_use(sim, core->number);
        status = sl_core_make_room(sim, core, error);
    }
    if (status)
        return status;
    while (core->block[line_slot].members)
        line_slot++;
    sl_sim_block *b = &core->block[line_slot];
    *b = (sl_sim_block){.warps = warps};
    core->blocks++;
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t w = (uint32_t)__builtin_ctzll(~core->live);
        core->live |= UINT64_C(1) << w;
        b->members |= UINT64_C(1) << w;
        core->warp[w].block = (uint8_t)line_slot;
        core->insts[w] = 0;
        start_warp(sim, core, w, block, i);
    }
    for (uint64_t left = b->members; left && !status; left &= left - 1)
        status = advance(sim, core, (uint32_t)__builtin_ctzll(left), at, error);
    sl_core_wake(core, sim->now);
    return status;
}
