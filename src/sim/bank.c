/* SPDX-License-Identifier: MIT */
#include "sim/bank.h"

#include "sim/coalescer.h"
#include "sim/data_observer.h"
#include "sim/evict.h"
#include "sim/frc.h"
#include "sim/lines.h"
#include "sim/network.h"
#include "sim/stored.h"

/* ---- answers ---- */

void sl_bank_answer(sl_sim *sim, sl_bank *b, uint32_t number, bool hit)
{
    const sl_request *r = sl_request_at(sim, number);
    if (!sl_request_is_answered(r)) {
        sl_core_stored(sim, number);
        return;
    }
    /* Of the requests of an instruction only the last matters to its core. */
    if (!b->number && !sim->watched && !sl_core_is_last(sim, number))
        return;
    /* Returned data takes the time of a hit once more: a miss is known no sooner. In the last level that is a part of
     * the time of memory. */
    bool waits = hit || !b->number || b->number + 1u < sim->machine.levels;
    uint64_t time = sim->now + (waits ? b->hit_cycles : 0);
    if (!sl_queue_push(waits ? &b->hits : &b->fills, time, number, r->core))
        sim->failed = true;
    sl_bank_wake(sim, b, time);
}

/* ---- an access ---- */

/* State of an access during its lookup. */
typedef struct lookup {
    sl_request *r;
    uint32_t number;
    uint32_t place; /* sl_hop_of */
    uint32_t granules;
    uint32_t way;
    size_t line_slot; /* of its line, if that is here: in a way, or in an entry of FRC */
    bool here;
    uint32_t eviction; /* record of the victim; SL_NONE: it does not block the way */
    uint32_t asked;    /* of a miss: granules that were requested */
    sl_cache_access access;
} lookup;

/* The level holds, or may hold, newer data than the levels below. */
static bool has_newer_data(const sl_bank *b, const lookup *l)
{
    return l->here && (b->line[l->line_slot].dirty | b->line[l->line_slot].in_flight) & l->granules;
}

/* A load that does not ask for its line in the first level to stay: the line is there, and is evicted first from now
 * on. */
static bool lets_go(sl_sim *sim, sl_bank *b, const lookup *l)
{
    if (b->number || !(sim->priorities & 1) || !l->here || l->way == SL_NO_WAY || l->r->kind != SL_REQUEST_LOAD ||
        !(l->r->bypass & 1 || sl_evicts_first(b, l->r)))
        return false;
    sim->failed |= !sl_set_first(b, l->access.set, l->way, true);
    return true;
}

/* Decides whether a request that misses bypasses its level. Only here; the request carries the decision. */
static bool bypasses_level(sl_sim *sim, sl_bank *b, lookup *l)
{
    uint8_t bit = (uint8_t)(1u << b->number), here = (uint8_t)(1u << l->place);
    sl_way_mask mask;
    if (lets_go(sim, b, l)) /* it allocates no line, but fills sectors of this one */
        return l->r->bypass &= (uint8_t)~here, false;
    if (b->plain && !(l->r->bypass & bit))
        return false;
    if ((b->level->hint == SL_HINT_MISS_EVICT && l->r->hinted & bit) || l->r->bypass & bit)
        l->r->bypass |= here;
    if (has_newer_data(b, l))
        l->r->bypass &= (uint8_t)~here;
    if (l->r->bypass & here)
        return true;
    if (l->r->admitted & bit || l->here || l->r->kind != SL_REQUEST_LOAD || !b->bypass_policy)
        return false;
    l->r->admitted |= bit;
    if (!b->bypass_policy->ops->admit)
        return false;
    sl_offer_ways(b, l->access.set, true, &mask);
    if (sl_policy_admit(b->bypass_policy, &l->access, &mask) == SL_ADMIT)
        return false;
    l->r->bypass |= here;
    return true;
}

static sl_bank_outcome stall(sl_bank *b, sl_stall reason)
{
    b->stall = reason;
    return SL_OUTCOME_STALL;
}

/* A load is counted where its core is served, and what changes data at home. */
static bool is_counted(const sl_sim *sim, const sl_bank *b, const lookup *l)
{
    if (b->plain)
        return true;
    return l->access.kind == SL_ACCESS_LOAD ? !sl_is_sent_home(sim, b, l->r->core) : l->place == b->number;
}

static sl_bank_outcome bypass_level(sl_sim *sim, sl_bank *b, lookup *l)
{
    sl_way_mask mask;
    if (b->out.count >= b->level->miss_queue)
        return stall(b, SL_STALL_QUEUE);
    l->r->bypass |= (uint8_t)(1u << l->place);
    if (l->here && l->r->kind == SL_REQUEST_LOAD) { /* only what is not here is fetched */
        SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules & b->line[l->line_slot].valid,
                        l->r->kind);
        SL_OBSERVE_DATA(sim, on_answer, b, l->number);
        l->r->granules &= ~(b->line[l->line_slot].valid >> sl_shift_of(sim, b, l->r->addr));
    }
    if (b->bypass_policy && b->bypass_policy->ops->evict_on_bypass && sl_offer_ways(b, l->access.set, false, &mask)) {
        uint32_t way = sl_policy_give_up(b->bypass_policy, &l->access, &mask);
        if (way != SL_NO_WAY)
            sl_line_evict(sim, b, l->access.set, way);
    }
    sim->result->level[b->number].bypasses += is_counted(sim, b, l);
    sl_bank_send(sim, b, l->number);
    return SL_OUTCOME_BYPASS;
}

/* What another partition sent here never waits for a way: those of its set may wait for that partition. */
static bool passes_by(const sl_sim *sim, const sl_bank *b, const lookup *l, sl_stall reason)
{
    return reason == SL_STALL_WAY && sl_is_sent_home(sim, b, l->r->core);
}

/* A request stalls: the policy may make it bypass the level instead, and is asked once for each reason. */
static sl_bank_outcome hold(sl_sim *sim, sl_bank *b, lookup *l, sl_stall reason)
{
    if (b->plain)
        return stall(b, reason);
    if (passes_by(sim, b, l, reason))
        return bypass_level(sim, b, l);
    bool asked = l->r->stalled >> reason & 1;
    if (!b->bypass_policy || !b->bypass_policy->ops->on_stall || asked || l->r->kind != SL_REQUEST_LOAD ||
        has_newer_data(b, l))
        return stall(b, reason);
    l->r->stalled |= (uint8_t)(1u << reason);
    if (b->bypass_policy->ops->on_stall(b->bypass_policy->self, &l->access, reason) == SL_ADMIT)
        return stall(b, reason);
    l->r->bypass |= (uint8_t)(1u << l->place); /* decided, even if it has to wait */
    return bypass_level(sim, b, l);
}

/* Gives the line of an access a way; its victim has been evicted. SL_STALLS: done. */
static sl_stall reserve(sl_sim *sim, sl_bank *b, lookup *l, uint32_t queue_entries)
{
    uint32_t set = l->access.set, way = sl_free_way(b, set);
    if (!b->plain && way == SL_NO_WAY && b->level->frc_keeps_victims && sl_frc_has_room(b, l->access.line)) {
        way = sl_open_way(b, set);
        sim->result->level[b->number].frc_misses += way != SL_NO_WAY;
    }
    bool full = way == SL_NO_WAY;
    if (full) {
        sl_way_mask mask;
        if (!sl_offer_victims(b, set, &mask))
            return SL_STALL_WAY;
        way = sl_policy_victim(&b->replacement, &l->access, &mask);
        queue_entries += b->line[(size_t)set * b->ways + way].dirty != 0;
    }
    if (queue_entries && b->out.count + queue_entries > b->level->miss_queue + 1)
        return SL_STALL_QUEUE;
    if (full)
        l->eviction = sl_line_evict(sim, b, set, way);
    if (!b->plain && l->eviction != SL_NONE && b->frc && sl_frc_park_victim(b, l->access.line, l->eviction)) {
        sim->result->level[b->number].frc_misses++;
        l->eviction = SL_NONE;
    }
    l->way = way;
    l->line_slot = (size_t)set * b->ways + way;
    l->here = true;
    sl_set_tag(b, set, way, l->access.line + 1);
    sl_mark_priority(sim, b, set, way, l->r);
    sl_policy_fill(&b->replacement, &l->access, way);
    if (!b->plain && b->bypass.ops)
        sl_policy_fill(&b->bypass, &l->access, way);
    return SL_STALLS;
}

static bool bypassed_above(const sl_bank *b, const sl_request *r)
{
    return b->number && r->kind == SL_REQUEST_LOAD && r->bypass >> (b->number - 1) & 1;
}

/* An entry of FRC for the line of an access. */
static bool take_entry(sl_sim *sim, sl_bank *b, lookup *l)
{
    uint32_t entry = b->frc ? sl_frc_alloc(b, &l->access) : SL_NO_ENTRY;
    if (entry == SL_NO_ENTRY)
        return false;
    l->line_slot = sl_first_entry(b) + entry;
    l->here = true;
    b->frc[entry].first = sl_evicts_first(b, l->r);
    sim->result->level[b->number].frc_misses++;
    return true;
}

/* Takes an MSHR for granules of the line. */
static bool expect(sl_sim *sim, sl_bank *b, const lookup *l, uint32_t asked, bool alone)
{
    uint32_t m = sl_mshr_alloc(b);
    sl_line *line = &b->line[l->line_slot];
    sl_request *r = l->r;
    if (m == SL_NONE) {
        sim->failed = true;
        return false;
    }
    b->mshr_item[m] = (sl_mshr){.next = line->mshr,
                                .primary = l->number,
                                .asked = asked,
                                .wanted = r->granules,
                                .addr = r->addr,
                                .kind = r->kind,
                                .alone = alone,
                                .line_slot = (uint32_t)l->line_slot,
                                .set = l->access.set,
                                .since = r->since,
                                .waiters = 1,
                                .waiting = SL_EMPTY_LIST};
    line->mshr = r->mshr[l->place] = m;
    sl_set_in_flight_at(b, l->access.set, l->line_slot, line->in_flight | asked);
    if (b->plain)
        return true;
    if (b->warp_mshrs && r->slot != SL_NONE)
        ++*sl_mshrs_of_warp(b, r);
    SL_OBSERVE_DATA(sim, on_request, b, l->line_slot, asked);
    SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
    return true;
}

/* Sends the request for what its line lacks. Below, it is a load of that, whatever it is here. */
static sl_bank_outcome miss(sl_sim *sim, sl_bank *b, lookup *l)
{
    if (sl_lacks_mshr(sim, b, l->r))
        return hold(sim, b, l, SL_STALL_MSHR);
    if (b->out.count >= b->level->miss_queue)
        return hold(sim, b, l, SL_STALL_QUEUE);
    if (!l->here && (b->plain || !take_entry(sim, b, l))) {
        sl_stall reason = reserve(sim, b, l, 1);
        if (reason != SL_STALLS)
            return hold(sim, b, l, reason);
    }
    sl_line *line = &b->line[l->line_slot];
    uint32_t absent = ~line->valid & ~line->in_flight;
    uint32_t fill = b->fill_granules,
             fetch = l->r->log2_fetch > sim->log2_granule ? 1u << (l->r->log2_fetch - sim->log2_granule) : 1;
    if (b->number + 1u == sim->machine.levels && fetch > fill)
        fill = fetch;
    uint32_t asked = sl_widen(l->granules & absent, fill, 1u << (b->log2_line - sim->log2_granule)) & absent;
    if (!expect(sim, b, l, asked, false))
        return SL_OUTCOME_STALL;
    l->asked = asked;
    if (bypassed_above(b, l->r))
        line->mark |= SL_LINE_BYPASSED;
    if (b->plain)
        sl_bank_send(sim, b, l->number);
    else
        sl_line_fetch(sim, b, l->line_slot, l->eviction, l->number);
    return SL_OUTCOME_MISS;
}

static void tell_hit(sl_bank *b, lookup *l)
{
    if (b->plain) {
        sl_policy_hit(&b->replacement, &l->access, l->way);
        return;
    }
    if (l->way == SL_NO_WAY) {
        b->frc[l->line_slot - sl_first_entry(b)].first = false;
        return;
    }
    if (b->first_ways)
        sl_set_first(b, l->access.set, l->way, false);
    sl_policy_hit(&b->replacement, &l->access, l->way);
    if (b->bypass.ops)
        sl_policy_hit(&b->bypass, &l->access, l->way);
}

/* The line was streamed in: hits do not keep it. */
static bool streams(const sl_bank *b, const lookup *l)
{
    return !b->plain && b->level->hint == SL_HINT_STREAM && l->way != SL_NO_WAY && b->first_ways &&
           sl_is_first(b, l->access.set, l->way);
}

static void note_hit(sl_sim *sim, sl_bank *b, lookup *l)
{
    sl_line *line = &b->line[l->line_slot];
    line->mark |= SL_LINE_REUSED;
    if (l->way != SL_NO_WAY && sl_evicts_last(b, l->r))
        sim->failed |= !sl_set_last(b, l->access.set, l->way);
    if (!lets_go(sim, b, l) && !sl_evicts_first(b, l->r) && !streams(b, l)) /* elsewhere it says nothing of the line */
        tell_hit(b, l);
    if (!b->number)
        return;
    bool passed = bypassed_above(b, l->r);
    if (line->mark & SL_LINE_BYPASSED)
        l->r->feedback |= SL_FEEDBACK_BYPASS;
    line->mark = (uint8_t)((line->mark & ~SL_LINE_BYPASSED) | (passed ? SL_LINE_BYPASSED : 0));
}

/* Whether granules belong to a store that waits for its way: it may not write all of them. */
static bool stored_alone(const sl_bank *b, size_t line_slot, uint32_t granules)
{
    for (uint32_t m = b->line[line_slot].mshr; m != SL_NONE; m = b->mshr_item[m].next)
        if (b->mshr_item[m].alone && b->mshr_item[m].asked & granules)
            return true;
    return false;
}

/* Invalidates a line. */
static void invalidate(sl_bank *b, const lookup *l)
{
    sl_line *line = &b->line[l->line_slot];
    if (l->way != SL_NO_WAY) {
        sl_line_invalidate(b, l->access.set, l->way);
    } else {
        line->valid = 0;
        line->stale |= line->in_flight;
    }
}

/* A load that no line of the level is to serve: the line is evicted, unless some of it is in flight. */
static bool evicts(const sl_bank *b, const lookup *l)
{
    return b->level->hint == SL_HINT_MISS_EVICT && l->r->hinted >> b->number & 1 && l->here &&
           l->r->kind == SL_REQUEST_LOAD && !b->line[l->line_slot].in_flight;
}

/* A load with a hint for lower levels alone: a hit is the last of the line. */
static bool hit_evicts(const sl_bank *b, const lookup *l)
{
    uint8_t hints = l->r->hinted | l->r->bypass;
    return b->level->hit_evict && l->r->kind == SL_REQUEST_LOAD && hints >> (b->number + 1) &&
           !(hints >> b->number & 1) && !b->line[l->line_slot].in_flight;
}

/* A load that the level is not searched for. What was stored here alone it must see all the same. */
static bool is_not_looked_up(const sl_bank *b, const lookup *l)
{
    return l->r->no_lookup >> b->number & 1 && l->r->kind == SL_REQUEST_LOAD &&
           !(b->level->write == SL_WRITE_BACK && has_newer_data(b, l));
}

/* Loads, and atomics where they are done. */
static sl_bank_outcome read(sl_sim *sim, sl_bank *b, lookup *l)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    if (l->here && is_not_looked_up(b, l)) {
        l->here = false;
        l->way = SL_NO_WAY;
    }
    if (!b->plain && evicts(b, l)) {
        if (b->out.count >= b->level->miss_queue)
            return stall(b, SL_STALL_QUEUE);
        invalidate(b, l);
        l->here = false;
        l->way = SL_NO_WAY;
    }
    if (l->here) {
        sl_line *line = &b->line[l->line_slot];
        uint32_t lacking = l->granules & ~line->valid;
        if (lacking && b->stored && !b->number)
            lacking &= ~sl_stored_granules(sim, b, l->line_slot, l->r->words, lacking);
        if (lacking & line->stale)
            return stall(b, SL_STALL_MERGE); /* what is in flight is older than a store */
        if (lacking && b->evictions_in_flight && stored_alone(b, l->line_slot, lacking))
            return stall(b, SL_STALL_WAY);
        if (!lacking) {
            note_hit(sim, b, l);
            stats->data_accesses++;
            SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
            if (l->r->kind != SL_REQUEST_LOAD)
                line->dirty |= l->granules;
            SL_OBSERVE_DATA(sim, on_answer, b, l->number);
            sl_bank_answer(sim, b, l->number, true);
            if (!b->plain && hit_evicts(b, l))
                invalidate(b, l);
            return SL_OUTCOME_HIT;
        }
        if (!(lacking & ~line->in_flight)) {
            uint32_t m = sl_mshr_find(b, l->line_slot, lacking);
            if (b->level->mshr_merges && b->mshr_item[m].waiters >= b->level->mshr_merges)
                return hold(sim, b, l, SL_STALL_MERGE);
            l->access.pending = true;
            note_hit(sim, b, l);
            SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
            sl_mshr_wait(sim, b, m, l->number);
            return SL_OUTCOME_PENDING;
        }
    }
    return bypasses_level(sim, b, l) ? bypass_level(sim, b, l) : miss(sim, b, l);
}

/* Stores at a level that sends them on, or at a copy of their line. */
static sl_bank_outcome write_through(sl_sim *sim, sl_bank *b, lookup *l)
{
    if (b->out.count >= b->level->miss_queue)
        return stall(b, SL_STALL_QUEUE);
    if (l->here && b->line[l->line_slot].mark & SL_LINE_TRANSIENT)
        return stall(b, SL_STALL_WAY); /* a fetch that came before it has not gone below */
    sl_write_policy write = b->level->write;
    bool atomic = l->r->kind != SL_REQUEST_STORE && l->r->kind != SL_REQUEST_WRITEBACK;
    bool words = l->r->words && !b->number; /* they are those of a line of the first level */
    bool keeps = write == SL_WRITE_ALLOCATE || l->place != b->number;
    bool allocates = keeps && !(l->r->bypass >> b->number & 1);
    if (!l->here && allocates && !atomic && (l->r->whole || words))
        reserve(sim, b, l, 0); /* where there is no way it does without */
    uint32_t joined = l->here && words && !atomic ? sl_stored_merge(sim, b, l->line_slot, l->r) : SL_NONE;
    if (l->here) {
        sim->result->level[b->number].data_accesses++;
        if (!atomic && b->line[l->line_slot].valid & l->granules) {
            sim->result->level[b->number].store_hits += l->place == b->number;
            b->line[l->line_slot].mark |= SL_LINE_STORED;
        }
        if (!atomic)
            SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
        if (write == SL_WRITE_EVICT || atomic) {
            invalidate(b, l);
        } else {
            if (words) /* which what is in flight does not overwrite */
                sl_stored_keep(sim, b, l->line_slot, l->r, l->granules);
            else
                b->line[l->line_slot].stale |= b->line[l->line_slot].in_flight & l->granules;
            if (keeps)
                b->line[l->line_slot].valid |=
                    (l->r->whole << sl_shift_of(sim, b, l->r->addr)) & ~b->line[l->line_slot].in_flight;
        }
    }
    if (joined != SL_NONE) {
        b->stored[l->line_slot].place = b->sent + joined;
        sim->result->level[b->number].coalesced++;
        if (!joined)
            sl_network_grown(sim, b);
        sl_core_stored(sim, l->number);
        return SL_OUTCOME_BYPASS;
    }
    l->r->bypass |= (uint8_t)(1u << l->place); /* answers to atomics are not filled here */
    if (b->level->join_cycles && words && l->r->merges)
        sl_bank_send_mergeable(sim, b, l->number);
    else
        sl_bank_send(sim, b, l->number);
    return SL_OUTCOME_BYPASS;
}

/* Atomics at a level that keeps stores, but only those of some cores: its line is evicted first. */
static sl_bank_outcome forward_atomic(sl_sim *sim, sl_bank *b, lookup *l)
{
    if (l->here) {
        if (l->way == SL_NO_WAY || b->line[l->line_slot].in_flight)
            return stall(b, SL_STALL_WAY);
        if (b->out.count >= b->level->miss_queue)
            return stall(b, SL_STALL_QUEUE);
        if (sl_line_evict(sim, b, l->access.set, l->way) != SL_NONE)
            return stall(b, SL_STALL_WAY);
        l->here = false;
        l->way = SL_NO_WAY;
    } else if (b->out.count >= b->level->miss_queue) {
        return stall(b, SL_STALL_QUEUE);
    }
    sim->result->level[b->number].bypasses++;
    l->r->bypass |= (uint8_t)(1u << b->number);
    sl_bank_send(sim, b, l->number);
    return SL_OUTCOME_BYPASS;
}

/* Granules that a store makes valid: those that it writes whole, and those of which all words have been stored by now.
 */
static uint32_t written_whole(sl_sim *sim, sl_bank *b, const lookup *l)
{
    uint32_t whole = l->r->whole << sl_shift_of(sim, b, l->r->addr);
    if (!l->r->words || l->way == SL_NO_WAY || b->log2_line != sim->log2_line)
        return whole;
    return whole | sl_stored_add(sim, b, l->line_slot, l->r->words, l->granules);
}

/* A store that misses allocates a line, and writes all that it will hold. Where its victim is in the way it waits. */
static sl_bank_outcome write_alone(sl_sim *sim, sl_bank *b, lookup *l)
{
    if (b->level->miss_handling != SL_MISS_OVERLAPPED && sl_lacks_mshr(sim, b, l->r))
        return stall(b, SL_STALL_MSHR);
    sl_stall reason = reserve(sim, b, l, 0);
    if (reason != SL_STALLS)
        return passes_by(sim, b, l, reason) ? bypass_level(sim, b, l) : stall(b, reason);
    sim->result->level[b->number].store_misses++;
    if (l->eviction == SL_NONE) {
        b->line[l->line_slot].valid = written_whole(sim, b, l);
        b->line[l->line_slot].dirty = l->granules;
        if (b->level->dirty_ways)
            sl_set_clean(sim, b, &l->access);
        SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
        sl_core_stored(sim, l->number);
        return SL_OUTCOME_KEPT;
    }
    if (!expect(sim, b, l, l->granules, true))
        return SL_OUTCOME_STALL;
    sl_line_fetch(sim, b, l->line_slot, l->eviction, l->number);
    return SL_OUTCOME_KEPT;
}

/* Stores at a level that keeps them. Granules that are written in part are not valid, but known to be dirty. */
static sl_bank_outcome write_here(sl_sim *sim, sl_bank *b, lookup *l)
{
    uint32_t whole = l->r->whole << sl_shift_of(sim, b, l->r->addr);
    if (!l->here)
        return b->level->write_fetch && l->granules & ~whole ? miss(sim, b, l) : write_alone(sim, b, l);
    if (b->level->write_waits && b->line[l->line_slot].in_flight & l->granules)
        return stall(b, SL_STALL_MERGE);
    note_hit(sim, b, l);
    sim->result->level[b->number].data_accesses++;
    b->line[l->line_slot].valid |= written_whole(sim, b, l) & ~b->line[l->line_slot].in_flight;
    if (b->level->dirty_ways && !b->line[l->line_slot].dirty && l->way != SL_NO_WAY) {
        b->line[l->line_slot].dirty = l->granules;
        sl_set_clean(sim, b, &l->access);
    }
    b->line[l->line_slot].dirty |= l->granules;
    SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
    sl_core_stored(sim, l->number);
    return SL_OUTCOME_KEPT;
}

/* Granules of a load that are fetched for it. */
static uint32_t missing_granules(const sl_sim *sim, const sl_bank *b, const lookup *l, sl_bank_outcome outcome)
{
    if (outcome == SL_OUTCOME_MISS)
        return l->asked;
    return outcome == SL_OUTCOME_BYPASS ? l->r->granules << sl_shift_of(sim, b, l->r->addr) : 0;
}

static void count(sl_sim *sim, sl_bank *b, const lookup *l, sl_bank_outcome outcome)
{
    sl_sim_level_result *s = &sim->result->level[b->number];
    uint32_t sectors = sl_sectors(l->granules, b->sector_granules);
    s->tag_accesses++;
    if (!is_counted(sim, b, l)) {
        s->copies += b->number == l->place && (outcome == SL_OUTCOME_HIT || outcome == SL_OUTCOME_PENDING);
        return;
    }
    s->accesses++;
    s->hits += outcome == SL_OUTCOME_HIT || (outcome == SL_OUTCOME_KEPT && b->line[l->line_slot].mark & SL_LINE_REUSED);
    s->pending += outcome == SL_OUTCOME_PENDING;
    s->misses += outcome == SL_OUTCOME_MISS;
    if (l->access.kind == SL_ACCESS_LOAD) {
        uint32_t hits = sl_sectors(l->granules & ~missing_granules(sim, b, l, outcome), b->sector_granules);
        s->read_sectors += sectors;
        s->read_hit_sectors += hits;
        if (b->number == 1) {
            sim->slot[l->r->slot].next_sectors += sectors;
            sim->slot[l->r->slot].next_hits += hits;
        }
    } else if (l->access.kind == SL_ACCESS_ATOMIC) {
        s->atomic_sectors += sectors;
    } else {
        s->written_sectors += sectors;
    }
}

static void find_entry(const sl_bank *b, lookup *l)
{
    uint32_t entry = sl_frc_find(b, l->access.line);
    if (entry != SL_NO_ENTRY) {
        l->line_slot = sl_first_entry(b) + entry;
        l->here = true;
    }
}

bool sl_bank_foresees_stall(sl_sim *sim, sl_bank *b, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    if (!b->plain || r->kind != SL_REQUEST_LOAD || r->bypass >> b->number & 1)
        return false;
    if (sl_way_again(b, sl_set_of(b, r->addr), r->addr >> b->log2_line) != SL_NO_WAY)
        return false;
    b->stall = b->level->mshrs && b->mshrs >= b->level->mshrs ? SL_STALL_MSHR : SL_STALL_QUEUE;
    return true;
}

sl_bank_outcome sl_bank_access_any(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    uint64_t line = r->addr >> b->log2_line;
    uint32_t set = sl_set_of(b, r->addr), way = sl_way_again(b, set, line);
    lookup l = {.r = r,
                .number = number,
                .way = way,
                .line_slot = (size_t)set * b->ways + (way == SL_NO_WAY ? 0 : way),
                .here = way != SL_NO_WAY,
                .eviction = SL_NONE,
                .granules = r->granules << sl_shift_of(sim, b, r->addr)};
    l.access = (sl_cache_access){.line = line,
                                 .set = set,
                                 .pc = sim->first_pc + r->slot,
                                 .kind = sl_request_access(r),
                                 .now = sim->now + (b->level->keep ? sim->earlier : 0),
                                 .warp = b->number ? 0 : r->warp};
    l.place = sl_hop_of(b, r->addr);
    if (!l.here && !b->plain) {
        if (b->evictions_in_flight && sl_line_in_eviction(b, l.access.line))
            return stall(b, SL_STALL_WAY);
        if (b->frc)
            find_entry(b, &l);
    }
    sl_bank_outcome outcome;
    uint32_t core = r->core; /* a store may have ended then */
    if (r->kind == SL_REQUEST_LOAD) {
        outcome = read(sim, b, &l);
    } else {
        if (sim->coalescer && b->number == 1)
            sl_coalescer_close(sim, r->addr);
        bool keeps = b->level->write == SL_WRITE_BACK;
        bool atomic = r->kind == SL_REQUEST_ATOMIC || r->kind == SL_REQUEST_REDUCTION;
        if (l.place != b->number)
            outcome = write_through(sim, b, &l);
        else if (keeps && atomic && b->level->cores_per_instance != sim->machine.cores)
            outcome = forward_atomic(sim, b, &l);
        else if (keeps && atomic)
            outcome = read(sim, b, &l);
        else
            outcome = keeps ? write_here(sim, b, &l) : write_through(sim, b, &l);
    }
    if (outcome == SL_OUTCOME_STALL)
        return outcome;
    count(sim, b, &l, outcome);
    if (outcome == SL_OUTCOME_MISS) {
        r->granules = l.asked;
        r->addr = l.access.line << b->log2_line;
        r->kind = SL_REQUEST_LOAD;
    }
    if (b->plain)
        return outcome;
    if (b->level->partitions > 1 && l.access.kind != SL_ACCESS_LOAD && l.place == b->number)
        sl_copies_invalidate(sim, b, core, l.access.line, l.granules);
    if (b->level->stale_sharers && l.here && l.access.kind == SL_ACCESS_LOAD && !bypassed_above(b, r))
        b->line[l.line_slot].mark |= SL_LINE_LENT;
    if (sim->options.observer && (outcome == SL_OUTCOME_MISS || outcome == SL_OUTCOME_BYPASS))
        sl_bank_wake(sim, b, sim->now); /* it is told of the cycle after an access */
    return outcome;
}

/* ---- data from below ---- */

static void hear_feedback(sl_sim *sim, sl_bank *b, sl_request *r)
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

/* What of a waiting request has come is enough, unless some of it is in flight with another MSHR. */
static void release(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    sl_line *line = &b->line[line_slot];
    uint32_t granules = r->granules << sl_shift_of(sim, b, r->addr);
    uint32_t m = granules & ~line->valid & line->in_flight ? sl_mshr_find(b, line_slot, granules) : SL_NONE;
    if (m != SL_NONE) {
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

/* Where the line is that an MSHR belongs to. */
static size_t index_of(const sl_bank *b, const sl_mshr *m, uint64_t addr)
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

/* A line in a way, or an entry, has something that it asked for. */
static void settle(sl_sim *sim, sl_bank *b, size_t line_slot, uint32_t set)
{
    const sl_line *line = &b->line[line_slot];
    if (b->frc && sl_is_entry(b, line_slot)) {
        if (!line->in_flight)
            sl_frc_swap_in(sim, b, (uint32_t)(line_slot - sl_first_entry(b)));
        return;
    }
    if (!line->valid && !line->in_flight && !line->dirty) { /* a store has taken all of it */
        uint32_t way = (uint32_t)(line_slot - (size_t)set * b->ways);
        sl_line_report_eviction(b, set, way);
        sl_line_clear(b, set, way);
    }
    if (b->frc_filled)
        sl_frc_swap_in_filled(sim, b);
}

void sl_bank_fill(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    uint32_t place = sl_hop_of(b, r->addr);
    if (r->feedback && place == b->number)
        hear_feedback(sim, b, r);
    sim->last_progress = sim->now;
    b->changed |= b->stall != SL_STALL_QUEUE;
    if (r->bypass >> place & 1) {
        sl_bank_answer(sim, b, number, false);
        return;
    }
    uint32_t m = r->mshr[place];
    const sl_mshr *done = &b->mshr_item[m];
    size_t line_slot = index_of(b, done, r->addr);
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
    if (place == b->number)
        count_fill(sim, b, done);
    SL_OBSERVE_DATA(sim, on_fill, b, line_slot, number, done);
    if (!b->number)
        sl_core_unblock(sim, b->instance, false);
    release(sim, b, line_slot, number);
    for (sl_request_list waiting = done->waiting; waiting.first != SL_NONE;)
        release(sim, b, line_slot, sl_request_pop(sim->pool, &waiting));
    if (!b->plain || !line->valid)
        settle(sim, b, line_slot, done->set);
    sl_mshr_release(b, m);
}
