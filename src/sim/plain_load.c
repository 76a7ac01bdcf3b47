/* SPDX-License-Identifier: MIT */
/* Loads at plain banks (bank.h): what bank.c does with any request at any bank, in one piece for those that nearly all
 * are. It takes half of the host instructions. Masks of the ways of a set are one word each. */
#include "sim/evict.h"
#include "sim/lines.h"

/* A set: masks of its ways with a line and with granules in flight, and its lines. */
typedef struct set_view {
    uint64_t *used, *in_flight;
    sl_line *line;
} set_view;

static sl_bank_outcome stall(sl_bank *b, sl_stall reason)
{
    b->stall = reason;
    return SL_OUTCOME_STALL;
}

/* Hits keep a line. One that was fetched for a request that bypassed the level above is reported to that. */
static inline void note_hit(sl_bank *b, sl_line *line, sl_request *r, const sl_cache_access *access, uint32_t way)
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

/* Evicts a line, whose way gets another one. Its data has room in the miss queue, which may be too long by one. */
static inline void evict(sl_sim *sim, sl_bank *b, sl_sim_level_result *stats, sl_line *line, uint32_t set, uint32_t way)
{
    if (line->dirty) {
        sl_line_evict(sim, b, set, way);
        return;
    }
    stats->evictions++;
    stats->unused_evictions += !(line->mark & SL_LINE_REUSED);
    stats->untouched_evictions += !(line->mark & (SL_LINE_REUSED | SL_LINE_STORED));
    sl_policy_evict(&b->replacement, set, way, line->mark & SL_LINE_REUSED);
    line->valid = line->stale = line->mark = 0;
}

/* A way for a line that is not here. SL_NO_WAY: all are in flight. */
static inline uint32_t take_way(sl_sim *sim, sl_bank *b, sl_sim_level_result *stats, const set_view *set,
                                const sl_cache_access *access, uint8_t hint)
{
    uint64_t free = ~*set->used & b->all_ways;
    uint32_t way;
    if (free) {
        way = (uint32_t)__builtin_ctzll(free);
    } else {
        *b->offered = *set->used & ~*set->in_flight;
        if (!*b->offered)
            return SL_NO_WAY;
        way = sl_policy_victim(&b->replacement, access, &(sl_way_mask){b->offered, b->ways});
        evict(sim, b, stats, &set->line[way], access->set, way);
    }
    set->line[way].tag = access->line + 1;
    ((uint8_t *)(set->in_flight + 1))[way] = hint;
    *set->used |= UINT64_C(1) << way;
    b->tag_writes++;
    sl_policy_fill(&b->replacement, access, way);
    return way;
}

/* The granules that a miss fetches. */
static inline uint32_t granules_to_fetch(const sl_sim *sim, const sl_bank *b, const sl_request *r, uint32_t granules,
                                         uint32_t absent)
{
    uint32_t fill = b->fill_granules;
    if (r->log2_fetch > sim->log2_granule && b->number + 1u == sim->machine.levels &&
        1u << (r->log2_fetch - sim->log2_granule) > fill)
        fill = 1u << (r->log2_fetch - sim->log2_granule);
    return (fill == 1 ? granules : sl_widen(granules & absent, fill, 1u << (b->log2_line - sim->log2_granule))) &
           absent;
}

/* Sends a request for what its line lacks. */
static inline sl_bank_outcome miss(sl_sim *sim, sl_bank *b, sl_sim_level_result *stats, const set_view *set,
                                   sl_request *r, uint32_t number, const sl_cache_access *access, uint32_t way,
                                   uint32_t granules)
{
    if (b->level->mshrs && b->mshrs >= b->level->mshrs)
        return stall(b, SL_STALL_MSHR);
    if (b->out.count >= b->level->miss_queue)
        return stall(b, SL_STALL_QUEUE);
    if (way == SL_NO_WAY) {
        way = take_way(sim, b, stats, set, access, sl_tag_fingerprint(access->line));
        if (way == SL_NO_WAY)
            return stall(b, SL_STALL_WAY);
    }
    sl_line *line = &set->line[way];
    uint32_t m = sl_mshr_alloc(b), asked = granules_to_fetch(sim, b, r, granules, ~line->valid & ~line->in_flight);
    if (m == SL_NONE) {
        sim->failed = true;
        return SL_OUTCOME_STALL;
    }
    sl_mshr *mshr = &b->mshr_item[m];
    mshr->next = line->mshr;
    mshr->asked = asked;
    mshr->primary = number;
    mshr->wanted = r->granules;
    mshr->addr = r->addr;
    mshr->kind = r->kind;
    mshr->alone = false;
    mshr->line_slot = (uint32_t)(line - b->line);
    mshr->set = access->set;
    mshr->since = r->since;
    mshr->waiters = 1;
    mshr->waiting = SL_EMPTY_LIST;
    line->mshr = r->mshr[b->number] = m;
    line->in_flight |= asked;
    *set->in_flight |= UINT64_C(1) << way;
    if (b->number && r->bypass >> (b->number - 1) & 1)
        line->mark |= SL_LINE_BYPASSED;
    r->granules = asked;
    r->addr = access->line << b->log2_line;
    sl_bank_send(sim, b, number);
    stats->misses++;
    return SL_OUTCOME_MISS;
}

/* Sectors of a load, and those of them that were here or in flight. */
static inline void count(sl_sim *sim, const sl_bank *b, sl_sim_level_result *stats, uint32_t slot, uint32_t sectors,
                         uint32_t hits)
{
    stats->tag_accesses++;
    stats->accesses++;
    stats->read_sectors += sectors;
    stats->read_hit_sectors += hits;
    if (b->number == 1) {
        sim->slot[slot].next_sectors += sectors;
        sim->slot[slot].next_hits += hits;
    }
}

sl_bank_outcome sl_bank_load(sl_sim *sim, sl_bank *b, sl_request *r, uint32_t number)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    uint64_t addr = r->addr, line_number = addr >> b->log2_line;
    uint32_t set = sl_set_of(b, addr), way = sl_way_again(b, set, line_number), slot = r->slot;
    uint32_t granules = r->granules << sl_shift_of(sim, b, addr), sectors = sl_sectors(granules, b->sector_granules);
    uint64_t *state = sl_used_ways(b, set);
    const set_view view = {state, state + 1, &b->line[(size_t)set * b->ways]};
    sl_cache_access access = {.line = line_number,
                              .set = set,
                              .pc = sim->first_pc + slot,
                              .kind = SL_ACCESS_LOAD,
                              .now = sim->now + (b->level->keep ? sim->earlier : 0),
                              .warp = b->number ? 0 : r->warp};
    sl_line *line = &view.line[way == SL_NO_WAY ? 0 : way];
    uint32_t lacking = way == SL_NO_WAY ? granules : granules & ~line->valid;
    if (way == SL_NO_WAY || (lacking & ~line->in_flight && !(lacking & line->stale))) {
        sl_bank_outcome outcome = miss(sim, b, stats, &view, r, number, &access, way, granules);
        if (outcome == SL_OUTCOME_MISS)
            count(sim, b, stats, slot, sectors, sl_sectors(granules & ~r->granules, b->sector_granules));
        return outcome;
    }
    if (lacking & line->stale)
        return stall(b, SL_STALL_MERGE); /* what is in flight is older than a store */
    if (lacking) {
        uint32_t m = sl_mshr_find(b, (size_t)(line - b->line), lacking);
        if (b->level->mshr_merges && b->mshr_item[m].waiters >= b->level->mshr_merges)
            return stall(b, SL_STALL_MERGE);
        access.pending = true;
        sl_mshr_wait(sim, b, m, number);
        stats->pending++;
    } else {
        stats->hits++;
        stats->data_accesses++;
    }
    note_hit(b, line, r, &access, way);
    count(sim, b, stats, slot, sectors, sectors);
    if (!lacking)
        sl_bank_answer(sim, b, number, true);
    return lacking ? SL_OUTCOME_PENDING : SL_OUTCOME_HIT;
}
