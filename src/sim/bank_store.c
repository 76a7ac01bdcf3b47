/* SPDX-License-Identifier: MIT */
/* Stores and forwarded atomics at a bank. */
#include "access/atomics.h"
#include "sim/bank.h"
#include "sim/data_observer.h"
#include "sim/evict.h"
#include "sim/lines.h"
#include "sim/lookup.h"

static bool is_atomic(const sl_request *r)
{
    return r->kind == SL_REQUEST_ATOMIC || r->kind == SL_REQUEST_REDUCTION;
}

/* ---- the units that execute atomics ---- */

/* From when floating-point sums on a sector can be next: sectors of a slice that share a place wait for each other. */
static uint64_t *float_free(sl_atomic_slice *slice, uint64_t addr, uint32_t sector)
{
    uint64_t number = addr / SL_ATOMIC_SECTOR_BYTES + sector;
    return &slice->float_free[number % (sizeof slice->float_free / sizeof *slice->float_free)];
}

/* Takes the unit for the passes of a request; returns the cycle from which that is possible, 0 for now. */
static uint64_t reserve_slice(sl_atomic_slice *slice, const sl_level *level, const sl_request *r, uint64_t now)
{
    uint64_t from = slice->free, start = now * 1000;
    bool floats = r->words & SL_ATOMIC_FLOATS && level->atomic_float_rate;
    for (uint32_t s = 0; floats && s < SL_ATOMIC_LINE_SECTORS; s++)
        if (r->words >> s * SL_ATOMIC_PASS_BITS & SL_ATOMIC_PASSES)
            from = sl_later(from, *float_free(slice, r->addr, s));
    if (from >= start + 1000)
        return from / 1000;
    start = sl_later(start, from);
    slice->free = start + (uint64_t)sl_atomic_pass_count(r->words) * 1000000 / level->atomic_rate;
    for (uint32_t s = 0; floats && s < SL_ATOMIC_LINE_SECTORS; s++) {
        uint64_t passes = r->words >> s * SL_ATOMIC_PASS_BITS & SL_ATOMIC_PASSES;
        if (passes)
            *float_free(slice, r->addr, s) = start + passes * 1000000 / level->atomic_float_rate;
    }
    return 0;
}

uint64_t sl_bank_atomic_from(sl_sim *sim, const sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    if (!is_atomic(r) || !b->level->atomic_rate || b->level->cores_per_instance != sim->machine.cores ||
        b->level->write != SL_WRITE_BACK || sl_hop_of(b, r->addr) != b->number)
        return 0;
    sl_bank *unit = &sim->bank[b->number][sl_atomic_unit(b->level, r->addr)];
    uint64_t from = reserve_slice(&unit->atomics, b->level, r, sim->now);
    if (!from)
        r->words = 0; /* taken, if it stalls for something else */
    return from;
}

/* ---- stores ---- */

/* What a forwarded store or atomic does to the line in the level. */
static void update_line(sl_sim *sim, sl_bank *b, sl_lookup *l, bool keeps, bool words)
{
    sl_line *line = &b->line[l->line_slot];
    bool atomic = is_atomic(l->r);
    sim->result->level[b->number].data_accesses++;
    if (!atomic && line->valid & l->granules) {
        sim->result->level[b->number].store_hits += l->hop == b->number;
        line->mark |= SL_LINE_STORED;
    }
    if (!atomic)
        SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
    if (b->level->write == SL_WRITE_EVICT || atomic) {
        sl_lookup_invalidate(b, l);
        return;
    }
    if (words) /* a fill in flight does not overwrite them */
        sl_stored_write(sim, b, l->line_slot, l->r, l->granules);
    else
        line->stale |= line->in_flight & l->granules;
    if (keeps)
        line->valid |= (l->r->whole << sl_shift_of(sim, b, l->r->addr)) & ~line->in_flight;
}

/* Stores and atomics at a level that forwards them, or at a copy of their line in another partition. */
static sl_bank_outcome write_through(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    if (sl_miss_queue_is_full(b))
        return sl_stall_for(b, SL_STALL_QUEUE);
    if (l->present && b->line[l->line_slot].mark & SL_LINE_TRANSIENT)
        return sl_stall_for(b, SL_STALL_WAY); /* an earlier fetch of the line has not been sent below */
    bool atomic = is_atomic(l->r);
    bool words = !atomic && l->r->words && !b->number; /* the words are those of a line of L1 */
    bool keeps = b->level->write == SL_WRITE_ALLOCATE || l->hop != b->number;
    bool allocates = keeps && !(l->r->no_allocate >> b->number & 1);
    if (!l->present && allocates && !atomic && (l->r->whole || words))
        sl_lookup_reserve(sim, b, l, 0); /* without a free way it is forwarded only */
    uint32_t merged = l->present && words ? sl_stored_merge(sim, b, l->line_slot, l->r) : SL_NONE;
    if (l->present)
        update_line(sim, b, l, keeps, words);
    if (merged != SL_NONE) {
        b->stored[l->line_slot].position = b->sent + merged;
        sim->result->level[b->number].coalesced++;
        if (!merged)
            sl_network_resize(sim, b);
        sl_core_stored(sim, l->number);
        return SL_BANK_BYPASS;
    }
    sl_decide_bypass(sim, b, l, SL_BYPASS_FORWARDING, SL_STALLS);
    if (b->level->join_cycles && words && l->r->merges)
        sl_bank_send_mergeable(sim, b, l->number);
    else
        sl_bank_send(sim, b, l->number);
    return SL_BANK_BYPASS;
}

/* Atomics at a write-back level that not all cores share: its line is evicted, and the atomic executes below. */
static sl_bank_outcome forward_atomic(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    if (l->present && (l->way == SL_NO_WAY || b->line[l->line_slot].in_flight))
        return sl_stall_for(b, SL_STALL_WAY);
    if (sl_miss_queue_is_full(b))
        return sl_stall_for(b, SL_STALL_QUEUE);
    if (l->present && sl_line_evict(sim, b, l->access->set, l->way, false) != SL_NONE)
        return sl_stall_for(b, SL_STALL_WAY);
    l->present = false;
    l->way = SL_NO_WAY;
    sim->result->level[b->number].bypasses++;
    sl_decide_bypass(sim, b, l, SL_BYPASS_FORWARDING, SL_STALLS);
    sl_bank_send(sim, b, l->number);
    return SL_BANK_BYPASS;
}

/* Granules that a store makes valid: those that it writes whole, and those of which all words have been stored by now.
 */
static uint32_t written_whole(sl_sim *sim, sl_bank *b, const sl_lookup *l)
{
    uint32_t whole = l->r->whole << sl_shift_of(sim, b, l->r->addr);
    if (!l->r->words || l->way == SL_NO_WAY || b->log2_line != sim->log2_line)
        return whole;
    return whole | sl_stored_add(sim, b, l->line_slot, l->r->words, l->granules);
}

/* A store that misses and fetches nothing: it allocates a line, and waits for it where the victim is evicted first. */
static sl_bank_outcome write_alone(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    if (b->level->miss_handling != SL_MISS_OVERLAPPED && sl_lacks_mshr(sim, b, l->r))
        return sl_stall_for(b, SL_STALL_MSHR);
    sl_stall reason = sl_lookup_reserve(sim, b, l, 0);
    if (reason != SL_STALLS)
        return sl_lookup_fail(sim, b, l, reason);
    sim->result->level[b->number].store_misses++;
    if (l->eviction == SL_NONE) {
        b->line[l->line_slot].valid = written_whole(sim, b, l);
        b->line[l->line_slot].dirty = l->granules;
        if (b->level->dirty_ways)
            sl_set_clean(sim, b, l->access);
        SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
        sl_core_stored(sim, l->number);
        return SL_BANK_KEPT;
    }
    if (!sl_lookup_alloc_mshr(sim, b, l, l->granules, true))
        return SL_BANK_STALL;
    sl_line_fetch(sim, b, l->line_slot, l->eviction, l->number);
    return SL_BANK_KEPT;
}

/* Stores at a write-back level. Granules that are written in part are dirty, but not valid. */
static sl_bank_outcome write_here(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    uint32_t whole = l->r->whole << sl_shift_of(sim, b, l->r->addr);
    if (!l->present)
        return b->level->write_fetch && l->granules & ~whole ? sl_lookup_miss(sim, b, l) : write_alone(sim, b, l);
    sl_line *line = &b->line[l->line_slot];
    if (b->level->write_waits && line->in_flight & l->granules)
        return sl_stall_for(b, SL_STALL_MERGE);
    sl_lookup_hit(sim, b, l);
    sim->result->level[b->number].data_accesses++;
    line->valid |= written_whole(sim, b, l) & ~line->in_flight;
    if (b->level->dirty_ways && !line->dirty && l->way != SL_NO_WAY) {
        line->dirty = l->granules;
        sl_set_clean(sim, b, l->access);
    }
    line->dirty |= l->granules;
    SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
    sl_core_stored(sim, l->number);
    return SL_BANK_KEPT;
}

sl_bank_outcome sl_lookup_write(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    bool keeps = b->level->write == SL_WRITE_BACK && l->hop == b->number;
    if (!keeps)
        return write_through(sim, b, l);
    if (!is_atomic(l->r))
        return write_here(sim, b, l);
    /* Atomics execute at the first write-back level that all cores share. */
    return b->level->cores_per_instance != sim->machine.cores ? forward_atomic(sim, b, l) : sl_lookup_read(sim, b, l);
}
