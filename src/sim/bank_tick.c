/* SPDX-License-Identifier: MIT */
/* A cycle of a bank. */
#include "sim/bank.h"
#include "sim/coalescer.h"
#include "sim/evict.h"
#include "sim/network.h"

/* Counts the cycles for which the head of the queue has waited. */
static void end_stall(sl_sim *sim, sl_bank *b)
{
    if (b->stalled_since != SL_NEVER)
        sim->result->level[b->number].stall_cycles[b->stall] += sim->now - b->stalled_since;
    b->stalled_since = SL_NEVER;
}

/* An access from above. At L2 a read may be coalesced with one of another SM. */
static sl_bank_outcome accept(sl_sim *sim, sl_bank *b, uint32_t number)
{
    if (!sim->coalescer || b->number != 1)
        return sl_bank_access(sim, b, number);
    const sl_request before = *sl_request_at(sim, number);
    sl_coalesced coalesced = sl_coalescer_merge(sim, &before, number);
    if (coalesced == SL_COALESCED_MERGED)
        return SL_BANK_PENDING;
    sl_bank_outcome outcome = sl_bank_access(sim, b, number);
    uint64_t until = outcome == SL_BANK_HIT ? sim->now + b->hit_cycles : SL_NEVER;
    if (outcome != SL_BANK_STALL && coalesced == SL_COALESCED_FIRST && !sl_coalescer_open(sim, &before, number, until))
        sim->failed = true;
    return outcome;
}

/* Accepts requests from the network until one stalls, which is retried when something has changed. */
static void accept_requests(sl_sim *sim, sl_bank *b)
{
    if ((b->stalled_since != SL_NEVER && !b->changed) || b->accept_at / 1000 > sim->now)
        return;
    b->changed = false;
    for (uint32_t n = 0;
         n < b->level->ports && sl_queue_ready_at(&b->in) <= sim->now && b->accept_at / 1000 <= sim->now; n++) {
        if ((b->atomic_from = sl_bank_atomic_from(sim, b, sl_queue_head(&b->in)->request)))
            return;
        end_stall(sim, b);
        if (accept(sim, b, sl_queue_head(&b->in)->request) == SL_BANK_STALL) {
            b->stalled_since = sim->now;
            return;
        }
        sl_queue_pop(&b->in);
        if (b->own_cycle)
            b->accept_at = sl_later(b->accept_at, sim->now * 1000) + b->own_cycle;
        sl_network_entry_freed(sim, b->number - 1u, &b->room);
    }
}

/* The same for requests from other partitions. */
static void accept_from_partitions(sl_sim *sim, sl_bank *b)
{
    sl_stall stall = b->stall;
    for (uint32_t n = 0; n < b->level->ports && sl_queue_ready_at(&b->across) <= sim->now; n++) {
        if ((b->across_from = sl_bank_atomic_from(sim, b, sl_queue_head(&b->across)->request)) ||
            sl_bank_access(sim, b, sl_queue_head(&b->across)->request) == SL_BANK_STALL)
            break;
        sl_queue_pop(&b->across);
    }
    b->stall = stall;
}

static void accept_fills(sl_sim *sim, sl_bank *b)
{
    while (sl_queue_ready_at(&b->back) <= sim->now)
        sl_bank_fill(sim, b, sl_queue_pop(&b->back));
}

static void notify_observer(const sl_sim *sim, const sl_bank *b)
{
    const sl_sim_observer *l = sim->options.observer;
    if (l && l->bank)
        l->bank(l->to, b->number, b->index, sim->now, b->mshrs, b->in.count);
}

void sl_bank_tick_first(sl_sim *sim, sl_bank *b)
{
    accept_fills(sim, b);
    while (sl_queue_ready_at(&b->hits) <= sim->now) {
        uint32_t number = sl_queue_pop(&b->hits);
        if (!sim->watched || sl_core_is_last(sim, number))
            sl_core_answer(sim, number);
    }
    notify_observer(sim, b);
    b->shard->fill_at[b->index % SL_SHARD_CACHES] = sl_sooner(sl_queue_ready_at(&b->hits), sl_queue_ready_at(&b->back));
}

/* When the next answer can be sent. An observer sees the cycles in which one waits for the port. */
static uint64_t up_at(const sl_sim *sim, const sl_bank *b)
{
    uint64_t ready = sl_sooner(sl_queue_ready_at(&b->hits), sl_queue_ready_at(&b->fills));
    return sim->options.observer ? ready : sl_later(ready, b->up_free);
}

uint64_t sl_bank_tick(sl_sim *sim, sl_bank *b)
{
    uint64_t now = sim->now;
    accept_fills(sim, b);
    if (b->evictions_in_flight)
        sl_evictions_tick(sim, b);
    if (b->across.count)
        accept_from_partitions(sim, b);
    if (sl_queue_ready_at(&b->in) <= now)
        accept_requests(sim, b);
    if (up_at(sim, b) <= now)
        sl_network_up(sim, b);
    if (sl_queue_ready_at(&b->out) <= now)
        sl_network_down(sim, b);
    notify_observer(sim, b);
    if (b->stalled_since == SL_NEVER && b->in.count && sl_bank_is_full(b) &&
        sl_bank_foresees_stall(sim, b, sl_queue_head(&b->in)->request)) {
        b->stalled_since = sl_later(sl_queue_ready_at(&b->in), now + 1);
        b->changed = false;
    }
    uint64_t next = b->stalled_since != SL_NEVER && !b->changed
                        ? SL_NEVER
                        : sl_later(sl_queue_ready_at(&b->in), sl_later(b->atomic_from, b->accept_at / 1000));
    next = b->out_waits ? next : sl_sooner(next, sl_later(sl_queue_ready_at(&b->out), b->down_free));
    next = sl_sooner(sl_sooner(next, up_at(sim, b)), sl_queue_ready_at(&b->back));
    if (!b->plain) {
        next = sl_sooner(next, sl_sooner(sl_queue_ready_at(&b->invalidated), sl_queue_ready_at(&b->notified)));
        next = sl_sooner(next, sl_later(sl_queue_ready_at(&b->across), b->across_from));
    }
    return next > now ? next : now + 1;
}
