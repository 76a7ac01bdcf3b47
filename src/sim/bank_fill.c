/* SPDX-License-Identifier: MIT */
/* Data that arrives at a bank from below, and answers to requests. */
#include "sim/data_observer.h"
#include "sim/evict.h"
#include "sim/lines.h"

void sl_bank_answer(sl_sim *sim, sl_bank *b, uint32_t number, bool hit)
{
    const sl_request *r = sl_request_at(sim, number);
    if (!sl_request_is_answered(r)) {
        sl_core_stored(sim, number);
        return;
    }
    /* The core waits for the last request of an instruction only. */
    if (!b->number && !sim->watched && !sl_core_is_last(sim, number))
        return;
    /* Data from below takes hit_cycles once more, as the miss was detected that much earlier. In the last level they
     * are part of latency_cycles of memory. */
    bool waits = hit || !b->number || b->number + 1u < sim->machine.levels;
    uint64_t time = sim->now + (waits ? b->hit_cycles : 0);
    if (!sl_queue_push(waits ? &b->hits : &b->fills, time, number, r->core))
        sim->failed = true;
    sl_bank_wake(sim, b, time);
}

static void notify_feedback(sl_sim *sim, sl_bank *b, sl_request *r)
{
    if (b->bypass_policy && b->bypass_policy->ops->on_feedback) {
        sl_cache_access access = {.line = r->addr >> b->log2_line,
                                  .set = sl_set_of(b, r->addr),
                                  .pc = sim->first_pc + r->slot,
                                  .kind = sl_request_access(r),
                                  .now = sim->now};
        b->bypass_policy->ops->on_feedback(b->bypass_policy->self, &access, r->feedback);
    }
    r->feedback = 0;
}

/* Data of a waiting request has arrived: it is answered, unless another MSHR still fetches some of it. */
static void release(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    sl_line *line = &b->line[line_slot];
    uint32_t granules = r->granules << sl_shift_of(sim, b, r->addr);
    uint32_t m = granules & ~line->valid & line->in_flight ? sl_mshr_find(b, line_slot, granules) : SL_NO_MSHR;
    if (m != SL_NO_MSHR) {
        sl_mshr_wait(sim, b, m, number);
        return;
    }
    if (r->kind != SL_REQUEST_LOAD)
        line->dirty |= granules;
    sim->result->level[b->number].data_accesses++;
    SL_OBSERVE_DATA(sim, on_answer, b, number);
    sl_bank_answer(sim, b, number, false);
}

static void unlink_mshr(sl_bank *b, size_t line_slot, uint32_t m)
{
    uint32_t *link = &b->line[line_slot].mshr;
    while (*link != m)
        link = &b->mshr_item[*link].next;
    *link = b->mshr_item[m].next;
}

/* The slot of the line that an MSHR fetches: with FRC it may have moved since. */
static size_t slot_of(const sl_bank *b, const sl_mshr *m, uint64_t addr)
{
    if (!b->frc)
        return m->line_slot;
    uint32_t set = sl_set_of(b, addr), way = sl_way_of(b, set, addr >> b->log2_line);
    return way != SL_NO_WAY ? (size_t)set * b->ways + way : sl_first_entry(b) + sl_frc_find(b, addr >> b->log2_line);
}

static void count_fill(sl_sim *sim, const sl_bank *b, const sl_mshr *done)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    uint64_t taken = sim->now - done->since, min = done->alone ? 0 : b->below_cycles;
    stats->delay_cycles += taken > min ? taken - min : 0;
    if (!done->alone)
        stats->fill_sectors += sl_sectors(done->asked, b->sector_granules);
}

/* After a fill: a line that stores have invalidated meanwhile is freed; a line in FRC moves to its set. */
static void finish_fill(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t set)
{
    const sl_line *line = &b->line[line_slot];
    if (b->frc && sl_is_entry(b, line_slot)) {
        if (!line->in_flight)
            sl_frc_swap_in(sim, b, (uint32_t)(line_slot - sl_first_entry(b)));
        return;
    }
    if (!line->valid && !line->in_flight && !line->dirty) { /* a store has invalidated all of it */
        uint32_t way = (uint32_t)(line_slot - (size_t)set * b->ways);
        sl_line_report_eviction(b, set, way, false);
        sl_line_clear(b, set, way);
    }
    if (b->frc_filled)
        sl_frc_swap_in_filled(sim, b);
}

void sl_bank_fill(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    uint32_t hop = sl_hop_of(b, r->addr);
    if (r->feedback && hop == b->number)
        notify_feedback(sim, b, r);
    sim->last_progress = sim->now;
    b->changed |= b->stall != SL_STALL_QUEUE;
    if (r->bypass >> hop & 1) {
        sl_bank_answer(sim, b, number, false);
        return;
    }
    uint32_t m = r->mshr[hop];
    const sl_mshr *done = &b->mshr_item[m];
    size_t line_slot = slot_of(b, done, r->addr);
    unlink_mshr(b, line_slot, m);
    sl_line *line = &b->line[line_slot];
    r->granules = done->wanted;
    r->addr = done->addr;
    r->kind = done->kind;
    if (!b->plain && b->warp_mshrs && r->slot != SL_NONE)
        --*sl_mshrs_of_warp(b, r);
    sl_set_in_flight_at(b, done->set, line_slot, line->in_flight & ~done->asked);
    line->valid |= (done->alone ? r->whole << sl_shift_of(sim, b, r->addr) : done->asked) & ~line->stale;
    line->stale &= line->in_flight;
    if (hop == b->number)
        count_fill(sim, b, done);
    SL_OBSERVE_DATA(sim, on_fill, b, line_slot, number, done);
    if (!b->number)
        sl_core_unblock(sim, b->instance, false);
    release(sim, b, line_slot, number);
    for (sl_request_list waiting = done->waiting; waiting.first != SL_NONE;)
        release(sim, b, line_slot, sl_request_pop(sim->pool, &waiting));
    if (!b->plain || !line->valid)
        finish_fill(sim, b, line_slot, done->set);
    sl_mshr_release(b, m);
}
