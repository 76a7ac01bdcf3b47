/* SPDX-License-Identifier: MIT */
/* Loads at plain banks (bank.h): what bank.c does with any request at any bank, in one piece for those that nearly all
 * are. It takes a third of the host instructions. */
#include "sim/evict.h"
#include "sim/lines.h"

static sl_outcome stall(sl_bank *b, sl_stall reason)
{
    b->stall = reason;
    return SL_OUTCOME_STALL;
}

/* The line was found: hits keep it. Lines that a request for them bypassed the level above with are reported. */
static void note_hit(sl_bank *b, sl_line *line, sl_request *r, const sl_cache_access *access, uint32_t way)
{
    sl_policy_hit(&b->replacement, access, way);
    line->mark |= SL_LINE_REUSED;
    if (!b->number)
        return;
    if (line->mark & SL_LINE_BYPASSED)
        r->feedback |= SL_FEEDBACK_BYPASS;
    bool bypassed = r->bypass >> (b->number - 1) & 1;
    line->mark = (uint8_t)((line->mark & ~SL_LINE_BYPASSED) | (bypassed ? SL_LINE_BYPASSED : 0));
}

/* Evicts a clean line, whose way gets another one. */
static void drop(sl_sim *sim, sl_bank *b, uint32_t set, uint32_t way)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    sl_line *line = &b->line[(size_t)set * b->ways + way];
    stats->evictions++;
    stats->unused_evictions += !(line->mark & SL_LINE_REUSED);
    stats->untouched_evictions += !(line->mark & (SL_LINE_REUSED | SL_LINE_STORED));
    sl_policy_evict(&b->replacement, set, way, line->mark & SL_LINE_REUSED);
    line->valid = line->stale = line->mark = 0;
}

/* A way for a line that is not here; its victim is evicted. SL_NO_WAY: the request stalls. */
static uint32_t take_way(sl_sim *sim, sl_bank *b, const sl_cache_access *access)
{
    uint32_t set = access->set, way = sl_free_way(b, set);
    if (way == SL_NO_WAY) {
        sl_way_mask mask;
        if (!sl_offer_ways(b, set, false, &mask)) {
            b->stall = SL_STALL_WAY;
            return SL_NO_WAY;
        }
        way = sl_policy_victim(&b->replacement, access, &mask);
        if (b->line[(size_t)set * b->ways + way].dirty && b->out.count + 1 >= b->level->miss_queue) {
            b->stall = SL_STALL_QUEUE;
            return SL_NO_WAY;
        }
        if (b->line[(size_t)set * b->ways + way].dirty)
            sl_line_evict(sim, b, set, way);
        else
            drop(sim, b, set, way);
    }
    sl_put_tag(b, set, way, access->line + 1);
    sl_policy_fill(&b->replacement, access, way);
    return way;
}

/* The units that a miss fetches. */
static uint32_t units_to_fetch(const sl_sim *sim, const sl_bank *b, const sl_request *r, uint32_t units,
                               uint32_t absent)
{
    uint32_t fill = b->fill_units;
    if (r->log2_fetch > sim->log2_unit && b->number + 1u == sim->machine.levels &&
        1u << (r->log2_fetch - sim->log2_unit) > fill)
        fill = 1u << (r->log2_fetch - sim->log2_unit);
    return (fill == 1 ? units : sl_widen(units & absent, fill, 1u << (b->log2_line - sim->log2_unit))) & absent;
}

static sl_outcome miss(sl_sim *sim, sl_bank *b, sl_request *r, uint32_t number, const sl_cache_access *access,
                       uint32_t way, uint32_t units)
{
    if (b->level->mshrs && b->mshrs >= b->level->mshrs)
        return stall(b, SL_STALL_MSHR);
    if (b->out.count >= b->level->miss_queue)
        return stall(b, SL_STALL_QUEUE);
    if (way == SL_NO_WAY && (way = take_way(sim, b, access)) == SL_NO_WAY)
        return SL_OUTCOME_STALL;
    size_t line_slot = (size_t)access->set * b->ways + way;
    sl_line *line = &b->line[line_slot];
    uint32_t m = sl_take_mshr(b), asked = units_to_fetch(sim, b, r, units, ~line->valid & ~line->in_flight);
    if (m == SL_NONE) {
        sim->failed = true;
        return SL_OUTCOME_STALL;
    }
    b->mshr_item[m] = (sl_mshr){.next = line->mshr,
                                .asked = asked,
                                .primary = number,
                                .wanted = r->units,
                                .addr = r->addr,
                                .kind = r->kind,
                                .line_slot = (uint32_t)line_slot,
                                .set = access->set,
                                .since = r->since,
                                .waiters = 1,
                                .waiting = SL_EMPTY_LIST};
    line->mshr = r->mshr[b->number] = m;
    sl_set_in_flight(b, access->set, way, line->in_flight | asked);
    if (b->number && r->bypass >> (b->number - 1) & 1)
        line->mark |= SL_LINE_BYPASSED;
    r->units = asked;
    r->addr = access->line << b->log2_line;
    sl_bank_send(sim, b, number);
    return SL_OUTCOME_MISS;
}

/* `fetched`: units that a miss has asked for. */
static void count(sl_sim *sim, const sl_bank *b, uint32_t slot, uint32_t units, uint32_t fetched)
{
    sl_sim_level_result *s = &sim->result->level[b->number];
    uint32_t sectors = sl_sectors(units, b->sector_units);
    uint32_t hits = fetched ? sl_sectors(units & ~fetched, b->sector_units) : sectors;
    s->tag_accesses++;
    s->accesses++;
    s->read_sectors += sectors;
    s->read_hit_sectors += hits;
    if (b->number == 1) {
        sim->slot[slot].next_sectors += sectors;
        sim->slot[slot].next_hits += hits;
    }
}

sl_outcome sl_bank_load(sl_sim *sim, sl_bank *b, sl_request *r, uint32_t number)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    uint64_t line_number = r->addr >> b->log2_line;
    uint32_t set = sl_set_of(b, r->addr), way = sl_way_again(b, set, line_number), slot = r->slot;
    uint32_t units = r->units << sl_shift_of(sim, b, r->addr), lacking = units, fetched = 0;
    size_t line_slot = (size_t)set * b->ways + (way == SL_NO_WAY ? 0 : way);
    sl_line *line = &b->line[line_slot];
    sl_outcome outcome = SL_OUTCOME_MISS;
    sl_cache_access access = {.line = line_number,
                              .set = set,
                              .pc = sim->first_pc + slot,
                              .kind = SL_ACCESS_LOAD,
                              .now = sim->now + (b->level->keep ? sim->earlier : 0),
                              .warp = b->number ? 0 : r->warp};
    if (way != SL_NO_WAY) {
        lacking &= ~line->valid;
        if (lacking & line->stale)
            return stall(b, SL_STALL_MERGE); /* what is in flight is older than a store */
        outcome = !lacking ? SL_OUTCOME_HIT : !(lacking & ~line->in_flight) ? SL_OUTCOME_PENDING : SL_OUTCOME_MISS;
    }
    if (outcome == SL_OUTCOME_MISS) {
        if (miss(sim, b, r, number, &access, way, units) == SL_OUTCOME_STALL)
            return SL_OUTCOME_STALL;
        stats->misses++;
        fetched = r->units;
    } else if (outcome == SL_OUTCOME_PENDING) {
        uint32_t m = sl_mshr_with(b, line_slot, lacking);
        if (b->level->mshr_merges && b->mshr_item[m].waiters >= b->level->mshr_merges)
            return stall(b, SL_STALL_MERGE);
        access.pending = true;
        note_hit(b, line, r, &access, way);
        sl_wait_in(sim, b, m, number);
        stats->pending++;
    } else {
        note_hit(b, line, r, &access, way);
        stats->hits++;
        stats->data_accesses++;
        sl_bank_answer(sim, b, number, true);
    }
    count(sim, b, slot, units, fetched);
    return outcome;
}
