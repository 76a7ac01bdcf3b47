/* SPDX-License-Identifier: MIT */
#include "sim/network.h"
#include "access/atomics.h"
#include "sim/coalescer.h"

#include "sim/data_observer.h"
#include "sim/dram.h"
#include "sim/evict.h"

/* Cycles that a packet with so many bytes of data occupies a port. */
static uint32_t port_cycles(const sl_level *level, uint32_t bytes)
{
    return (SL_PACKET_HEADER_BYTES + bytes + level->network_bytes - 1) / level->network_bytes;
}

/* Cycles that a bank sends the data of an answer: of its own, where it has some. */
static uint32_t send_cycles(const sl_level *level, uint32_t bytes)
{
    return port_cycles(level,
                       level->bank_rate && bytes > SL_PACKET_HEADER_BYTES ? bytes - SL_PACKET_HEADER_BYTES : bytes);
}

/* Cycles that an answer occupies the port of the cache that it goes to. */
static uint32_t receive_cycles(const sl_level *level, uint32_t bytes)
{
    uint32_t rate = level->receive_bytes;
    return rate ? (bytes + rate - 1) / rate + !bytes : port_cycles(level, bytes);
}

/* An SM sends a pass of a reduction per cycle, one of an atomic that returns a value in two, and those on several
 * sectors of a line at least as fast as a store (papers/h200-micro/atomics.csv, one SM). */
static uint32_t atomic_cycles(const sl_request *r, uint32_t cycles)
{
    uint32_t passes = sl_atomic_pass_count(r->words);
    bool single = !(r->granules & (r->granules - 1));
    if (r->kind == SL_REQUEST_REDUCTION && passes)
        return single || passes > cycles ? passes : cycles;
    return r->kind == SL_REQUEST_ATOMIC && 2 * passes > cycles && single ? 2 * passes : cycles;
}

/* Cycles of a request to the level below. A load carries no data; partially written sectors count network_partial times
 * (byte masks). */
static uint32_t request_flits(const sl_sim *sim, const sl_level *level, const sl_request *r)
{
    if (r->kind == SL_REQUEST_LOAD)
        return port_cycles(level, 0);
    uint32_t whole = r->kind == SL_REQUEST_WRITEBACK ? r->granules : r->granules & r->whole;
    uint32_t granules = sl_bits(whole);
    granules += sl_bits(r->granules & ~whole) * level->network_partial;
    uint32_t cycles = port_cycles(level, granules << sim->log2_granule);
    return level->atomic_rate ? atomic_cycles(r, cycles) : cycles;
}

uint32_t sl_network_unloaded(const sl_sim *sim, uint32_t number)
{
    const sl_level *level = &sim->machine.level[number];
    uint32_t bytes = level[-1].fill_bytes, there = port_cycles(level, 0);
    uint32_t sent = send_cycles(level, bytes), back = receive_cycles(level, bytes);
    back = back > sent ? back : sent;
    return 2 * level->network_cycles + there - 1 + back - 1;
}

static inline void carry(sl_sim *sim, sl_queue *queue, uint64_t time, uint32_t number, sl_bank *to)
{
    if (!sl_queue_push(queue, time, number, to->index))
        sim->failed = true;
    if (queue != &sim->fills && !(queue == &to->in && sl_bank_will_stall(sim, to)))
        sl_bank_wake(sim, to, time);
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

static void set_sender(sl_sim *sim, const sl_bank *b, bool sends)
{
    uint64_t bit = UINT64_C(1) << b->index % 64, *senders = &sim->senders[b->index / 64];
    *senders = sends ? *senders | bit : *senders & ~bit;
}

void sl_network_entry_freed(sl_sim *sim, uint32_t level, sl_bank_list *waiting)
{
    if (waiting->first == SL_NONE)
        return;
    sl_bank *b = &sim->bank[level][waiting->first];
    waiting->first = b->next_waiting;
    b->out_waits = false;
    if (level) {
        sl_wake(&sim->bank_wheel[level], b->index, sim->now);
    } else {
        sim->port[b->index].send_at = sim->now;
        set_sender(sim, b, true);
    }
}

/* Sends a request to a queue of a bank, which has room for it. False: the port before it is taken, and packets wait
 * where they come from. `free`: when the port of the sender is. */
static bool send(sl_sim *sim, uint32_t number, uint32_t cycles, sl_bank *to, sl_queue *queue, uint64_t *port,
                 uint64_t *free)
{
    uint64_t arrival = sim->now + to->level->network_cycles;
    if (*port > arrival) {
        if (!to->level->output_queues) {
            *free = sim->now + (*port - arrival);
            return false;
        }
        arrival = *port;
    }
    *free = sim->now + cycles;
    *port = arrival + cycles;
    sl_request_at(sim, number)->since = (uint32_t)(arrival + cycles - 1);
    carry(sim, queue, arrival + cycles - 1, number, to);
    return true;
}

/* ---- from L1 ---- */

void sl_network_offer(sl_sim *sim, sl_bank *b)
{
    sl_port *p = &sim->port[b->index];
    sl_request *r = sl_request_at(sim, sl_queue_head(&b->out)->request);
    p->request = sl_queue_head(&b->out)->request;
    if (b->out.count > 1)
        __builtin_prefetch(sl_request_at(sim, sl_queue_second(&b->out)->request));
    p->send_at = sl_later(sl_queue_ready_at(&b->out), p->free);
    r->stalled = 0;
    if (sim->machine.levels > 1) {
        p->to = sl_bank_for(sim, 1, r->core, r->addr);
        p->cycles = request_flits(sim, &sim->machine.level[1], r);
    }
    if (sim->is_view)
        b->shard->senders |= (uint8_t)(1u << b->index % SL_SHARD_CACHES);
    else
        set_sender(sim, b, true);
}

void sl_network_resize(sl_sim *sim, sl_bank *b)
{
    sl_port *p = &sim->port[b->index];
    if (sim->machine.levels > 1)
        p->cycles = request_flits(sim, &sim->machine.level[1], sl_request_at(sim, p->request));
}

/* Sends the request in the port; false: it cannot be sent yet. */
static bool try_send(sl_sim *sim, sl_bank *b, sl_port *p)
{
    if (sim->machine.levels == 1) {
        if (!sl_dram_enqueue(sim, b, p->request))
            return false;
        sl_writeback_accepted(sim, sl_request_at(sim, p->request));
        return true;
    }
    sl_bank *to = &sim->bank[1][p->to];
    if (to->in.count >= to->level->queue) {
        sl_network_wait(sim, b, &to->room);
        return false;
    }
    return send(sim, p->request, p->cycles, to, &to->in, &to->in_free, &p->free);
}

void sl_network_send(sl_sim *sim, sl_bank *b)
{
    sl_port *p = &sim->port[b->index];
    bool gone = try_send(sim, b, p);
    p->send_at = p->free;
    if (gone || b->out_waits)
        set_sender(sim, b, false);
    if (!gone)
        return;
    sl_shard *shard = &sim->shard[b->index / SL_SHARD_CACHES];
    shard->sent |= (uint8_t)(1u << b->index % SL_SHARD_CACHES);
    shard->core_next = sl_sooner(shard->core_next, sim->now);
}

void sl_network_sent(sl_sim *sim, sl_bank *b)
{
    sl_queue_pop(&b->out);
    b->sent++;
    sl_core_unblock(sim, b->instance, true);
    if (b->out.count)
        sl_network_offer(sim, b);
}

/* ---- from other levels ---- */

void sl_network_down(sl_sim *sim, sl_bank *b)
{
    uint64_t now = sim->now;
    if (b->out_waits || sl_queue_ready_at(&b->out) > now || b->down_free > now)
        return;
    uint32_t number = sl_queue_head(&b->out)->request, below = b->number + 1u;
    sl_request *r = sl_request_at(sim, number);
    bool last = below == sim->machine.levels, gone;
    if (last && sl_hop_of(b, r->addr) == b->number) {
        gone = sl_dram_enqueue(sim, b, number);
        if (gone)
            sl_writeback_accepted(sim, r);
    } else {
        sl_bank *home = last ? &sim->bank[b->number][sl_bank_home(sim, b->number, r->core, r->addr)] : NULL;
        sl_bank *to = last ? home : &sim->bank[below][sl_bank_for(sim, below, r->core, r->addr)];
        if (!last && to->in.count >= to->level->queue) {
            sl_network_wait(sim, b, &to->room);
            return;
        }
        gone = send(sim, number, request_flits(sim, to->level, r), to, last ? &to->across : &to->in,
                    last ? &to->across_free : &to->in_free, &b->down_free);
        r->stalled = 0;
    }
    if (!gone)
        return;
    sl_queue_pop(&b->out);
    b->changed |= b->stall == SL_STALL_QUEUE;
}

/* The queue for data to a bank. */
static sl_queue *back_of(sl_sim *sim, sl_bank *to)
{
    return sim->defers && !to->number ? &sim->fills : &to->back;
}

/* Answers the reads that were coalesced with one, each through the port of its L1. */
static void answer_coalesced(sl_sim *sim, uint32_t primary, uint64_t arrival, uint32_t cycles, uint32_t latency)
{
    const sl_request *first = sl_request_at(sim, primary);
    sl_request_list waiting = sl_coalescer_answer(sim, primary);
    while (waiting.first != SL_NONE) {
        uint32_t number = sl_request_pop(sim->pool, &waiting);
        sl_request *r = sl_request_at(sim, number);
        sl_bank *to = &sim->bank[0][sl_bank_for(sim, 0, r->core, r->addr)];
        uint64_t start = to->back_free > arrival ? to->back_free : arrival;
        r->feedback = first->feedback;
        SL_OBSERVE_DATA(sim, on_coalesce, primary, number);
        to->back_free = start + cycles;
        carry(sim, back_of(sim, to), start + latency, number, to);
    }
}

void sl_network_up(sl_sim *sim, sl_bank *b)
{
    uint64_t now = sim->now;
    sl_queue *from = sl_queue_ready_at(&b->fills) <= sl_queue_ready_at(&b->hits) ? &b->fills : &b->hits;
    if (b->up_free > now)
        return;
    uint32_t number = sl_queue_head(from)->request;
    const sl_request *r = sl_request_at(sim, number);
    uint32_t above = b->number - !sl_is_sent_home(sim, b, r->core);
    sl_bank *to = &sim->bank[above][sl_bank_for(sim, above, r->core, r->addr)];
    uint32_t bytes = sl_bits(r->granules) << sim->log2_granule;
    uint32_t sent = send_cycles(b->level, bytes), cycles = receive_cycles(b->level, bytes);
    uint32_t latency = (sent > cycles ? sent : cycles) - 1;
    uint64_t arrival = now + b->level->network_cycles;
    if (to->back_free > arrival) {
        if (!b->level->output_queues) {
            b->up_free = now + (to->back_free - arrival);
            return;
        }
        arrival = to->back_free;
    }
    b->up_free = now + sent;
    if (b->own_cycle) {
        b->sent_at = sl_later(b->sent_at, now * 1000) + sent * b->own_cycle;
        b->up_free = b->sent_at / 1000;
    }
    to->back_free = arrival + cycles;
    sl_queue_pop(from);
    if (sim->coalescer && !above && r->kind == SL_REQUEST_LOAD)
        answer_coalesced(sim, number, arrival, cycles, latency);
    carry(sim, back_of(sim, to), arrival + latency, number, to);
}
