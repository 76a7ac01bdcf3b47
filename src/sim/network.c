/* SPDX-License-Identifier: MIT */
#include "sim/network.h"

#include "sim/coalescer.h"
#include "sim/data_check.h"
#include "sim/dram.h"
#include "sim/evict.h"
#include "sim/program.h"

/* Cycles that a port is taken by so many bytes of data. */
static uint32_t port_cycles(const sl_level *level, uint32_t bytes)
{
    return (SL_HEADER_BYTES + bytes + level->network_bytes - 1) / level->network_bytes;
}

static uint32_t flits(const sl_sim *sim, const sl_level *level, uint32_t units)
{
    return port_cycles(level, (uint32_t)__builtin_popcount(units) << sim->log2_unit);
}

/* Of a request on its way down. A load carries an address alone; what a store does not write whole carries masks. */
static uint32_t request_flits(const sl_sim *sim, const sl_level *level, const sl_request *r)
{
    if (r->kind == SL_REQUEST_LOAD)
        return port_cycles(level, 0);
    uint32_t whole = r->kind == SL_REQUEST_WRITEBACK ? r->units : r->units & r->whole;
    uint32_t units = (uint32_t)__builtin_popcount(whole);
    units += (uint32_t)__builtin_popcount(r->units & ~whole) * level->network_partial;
    return port_cycles(level, units << sim->log2_unit);
}

uint32_t sl_network_unloaded(const sl_sim *sim, uint32_t number)
{
    const sl_level *level = &sim->machine.level[number];
    uint32_t there = port_cycles(level, 0), back = port_cycles(level, level[-1].fill_bytes);
    return 2 * level->network_cycles + there - 1 + back - 1;
}

static void carry(sl_sim *sim, sl_queue *queue, uint64_t time, uint32_t number, const sl_bank *to)
{
    if (!sl_queue_put(queue, time, number, to->index))
        sim->failed = true;
    sl_wake(&sim->bank_wheel[to->number], to->index, time);
}

void sl_network_wait(sl_sim *sim, sl_bank *b, sl_bank_list *waiting)
{
    b->out_waits = true;
    b->next_waiting = SL_NONE;
    if (waiting->first == SL_NONE)
        waiting->first = b->index;
    else
        sim->bank[b->number][waiting->last].next_waiting = b->index;
    waiting->last = b->index;
}

void sl_network_has_room(sl_sim *sim, uint32_t level, sl_bank_list *waiting)
{
    if (waiting->first == SL_NONE)
        return;
    sl_bank *b = &sim->bank[level][waiting->first];
    waiting->first = b->next_waiting;
    b->out_waits = false;
    sl_wake(&sim->bank_wheel[level], b->index, sim->now);
}

static void take(sl_sim *sim, sl_bank *b)
{
    sl_queue_take(&b->out);
    b->sent++;
    b->changed |= b->stall == SL_STALL_QUEUE;
    if (!b->number)
        sl_core_unblock(sim, b->instance, true);
}

/* Bulk copies of neighbouring cores are not merged: there are multicasts for that. */
static bool is_bulk(const sl_sim *sim, const sl_request *r)
{
    const sl_trace_kernel *kernel = sim->program->kernel;
    return r->slot != SL_NONE && sl_inst_is_bulk(&kernel->inst[kernel->mem_inst[r->slot]]);
}

/* Sends the head of `out` to a queue of a bank, which has room for it; false: the port before it is taken. */
static bool send(sl_sim *sim, sl_bank *b, sl_bank *to, sl_queue *queue, uint64_t *port)
{
    uint32_t number = sl_queue_head(&b->out)->request;
    sl_request *r = sl_request_at(sim, number);
    uint32_t cycles = request_flits(sim, to->level, r);
    uint64_t arrival = sim->now + to->level->network_cycles;
    if (*port > arrival) {
        b->down_free = sim->now + (*port - arrival);
        return false;
    }
    b->down_free = sim->now + cycles;
    *port = arrival + cycles;
    take(sim, b);
    r->stalled = 0;
    r->since = arrival + cycles - 1;
    carry(sim, queue, arrival + cycles - 1, number, to);
    return true;
}

void sl_network_down(sl_sim *sim, sl_bank *b)
{
    uint64_t now = sim->now;
    if (b->out_waits || sl_queue_ready_at(&b->out) > now || b->down_free > now)
        return;
    uint32_t number = sl_queue_head(&b->out)->request, below = b->number + 1u;
    sl_request *r = sl_request_at(sim, number);
    if (below == sim->machine.levels && sl_place_of(b, r->addr) != b->number) {
        sl_bank *home = &sim->bank[b->number][sl_bank_home(sim, b->number, r->core, r->addr)];
        send(sim, b, home, &home->across, &home->across_free);
        return;
    }
    if (below == sim->machine.levels) {
        if (sl_dram_put(sim, b, number)) {
            take(sim, b);
            sl_line_taken(sim, r);
        }
        return;
    }
    bool load = r->kind == SL_REQUEST_LOAD;
    bool joins = sim->coalescer && !b->number && load && !is_bulk(sim, r);
    sl_bank *to = &sim->bank[below][sl_bank_for(sim, below, r->core, r->addr)];
    if (joins && sl_coalescer_merge(sim, number)) {
        sim->result->level[0].coalesced++;
        b->down_free = now + 1;
        take(sim, b);
        if (to->in.count < to->level->queue) /* a free entry goes to another waiting bank */
            sl_network_has_room(sim, b->number, &to->room);
        return;
    }
    if (to->in.count >= to->level->queue) {
        sl_network_wait(sim, b, &to->room);
        return;
    }
    if (!send(sim, b, to, &to->in, &to->in_free))
        return;
    if (joins && !sl_coalescer_send(sim, number))
        sim->failed = true;
    if (sim->coalescer && !b->number && !load)
        sl_coalescer_stop(sim, number);
}

/* Merged reads get the data of the one that was sent, each through the port of its first level. */
static void answer_coalesced(sl_sim *sim, uint32_t primary, uint64_t arrival, uint32_t cycles)
{
    const sl_request *first = sl_request_at(sim, primary);
    sl_request_list waiting = sl_coalescer_answer(sim, primary);
    while (waiting.first != SL_NONE) {
        uint32_t number = sl_request_pop(&sim->pool, &waiting);
        sl_request *r = sl_request_at(sim, number);
        sl_bank *to = &sim->bank[0][sl_bank_for(sim, 0, r->core, r->addr)];
        uint64_t start = to->back_free > arrival ? to->back_free : arrival;
        r->feedback = first->feedback;
        if (sim->data_check)
            sl_data_check_coalesce(sim, primary, number);
        to->back_free = start + cycles;
        carry(sim, &to->back, start + cycles - 1, number, to);
    }
}

void sl_network_up(sl_sim *sim, sl_bank *b)
{
    uint64_t now = sim->now;
    sl_queue *from = sl_queue_ready_at(&b->fills) <= sl_queue_ready_at(&b->hits) ? &b->fills : &b->hits;
    if (sl_queue_ready_at(from) > now || b->up_free > now)
        return;
    uint32_t number = sl_queue_head(from)->request;
    const sl_request *r = sl_request_at(sim, number);
    uint32_t above = b->number - !sl_is_sent_home(sim, b, r->core);
    sl_bank *to = &sim->bank[above][sl_bank_for(sim, above, r->core, r->addr)];
    uint32_t cycles = flits(sim, b->level, r->units);
    uint64_t arrival = now + b->level->network_cycles;
    if (to->back_free > arrival) {
        b->up_free = now + (to->back_free - arrival);
        return;
    }
    b->up_free = now + cycles;
    to->back_free = arrival + cycles;
    sl_queue_take(from);
    if (sim->coalescer && !above && r->kind == SL_REQUEST_LOAD)
        answer_coalesced(sim, number, arrival, cycles);
    carry(sim, &to->back, arrival + cycles - 1, number, to);
}
