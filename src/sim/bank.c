/* SPDX-License-Identifier: MIT */
/* Accesses at a bank: lookup, hit, pending hit, miss, bypass and reservation failure. Stores: bank_store.c; data from
 * below: bank_fill.c.
 *
 * The functions marked BODY are compiled twice: for any access, and for loads at plain banks (bank.h) that have no hint
 * or priority, which are nearly all. Without the checks for everything else these take half of the host instructions.
 * `plain` is a constant in either. */
#include "sim/bank.h"
#include "sim/coalescer.h"

#include "sim/data_observer.h"
#include "sim/evict.h"
#include "sim/lines.h"
#include "sim/lookup.h"
#include "sim/network.h"

#define BODY static inline __attribute__((always_inline))

/* ---- bypassing ---- */

/* The level holds, or may hold, newer data than the levels below. */
static bool has_newer_data(const sl_bank *b, const sl_lookup *l)
{
    return l->present && (b->line[l->line_slot].dirty | b->line[l->line_slot].in_flight) & l->granules;
}

/* An L1 that knows priorities does not evict a line for a load that allocates nothing, or asks for evict-first: a line
 * that is present becomes the next victim of its set (measured: papers/h200-micro/no_allocate.csv). */
static bool demote_line(sl_sim *sim, sl_bank *b, const sl_lookup *l)
{
    const sl_request *r = l->r;
    if (b->number || !(sim->priorities & 1) || !l->present || l->way == SL_NO_WAY || r->kind != SL_REQUEST_LOAD ||
        !((r->no_allocate | r->bypass) & 1 || sl_evicts_first(b, r)))
        return false;
    sim->failed |= !sl_set_first(b, l->access->set, l->way, true);
    return true;
}

static bool bypasses_on_miss(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    sl_request *r = l->r;
    uint8_t level = (uint8_t)(1u << b->number), hop = (uint8_t)(1u << l->hop);
    sl_way_mask mask;
    if (demote_line(sim, b, l) || has_newer_data(b, l)) { /* its missing sectors are filled into the line */
        r->no_allocate &= (uint8_t)~hop;
        return false;
    }
    if ((r->no_allocate | r->bypass) & level || r->bypass & hop ||
        (b->level->hint == SL_HINT_MISS_EVICT && r->evict_hint & level))
        return true;
    if (r->admitted & level || l->present || r->kind != SL_REQUEST_LOAD || !b->bypass_policy)
        return false;
    r->admitted |= level & 0xf; /* the policy is asked once */
    if (!b->bypass_policy->ops->admit)
        return false;
    sl_offer_ways(b, l->access->set, true, &mask, false);
    return sl_policy_admit(b->bypass_policy, l->access, &mask) != SL_ADMIT;
}

static bool bypasses_on_stall(sl_sim *sim, sl_bank *b, sl_lookup *l, sl_stall reason)
{
    const sl_policy *policy = b->bypass_policy;
    /* The lines of its set may wait for the partition that sent it: to wait for one of them could be a deadlock. */
    if (reason == SL_STALL_WAY && sl_is_sent_home(sim, b, l->r->core))
        return true;
    if (!policy || !policy->ops->on_stall || l->r->stalled >> reason & 1 || l->r->kind != SL_REQUEST_LOAD ||
        has_newer_data(b, l))
        return false;
    l->r->stalled |= (uint8_t)(1u << reason); /* the policy is asked once for each reason */
    return policy->ops->on_stall(policy->self, l->access, reason) != SL_ADMIT;
}

bool sl_decide_bypass(sl_sim *sim, sl_bank *b, sl_lookup *l, sl_bypass_cause cause, sl_stall reason)
{
    uint8_t hop = (uint8_t)(1u << l->hop);
    bool bypasses = cause == SL_BYPASS_FORWARDING ||
                    (cause == SL_BYPASS_ON_STALL ? bypasses_on_stall(sim, b, l, reason) : bypasses_on_miss(sim, b, l));
    if (bypasses)
        l->r->bypass |= hop;
    else if (cause == SL_BYPASS_ON_MISS)
        l->r->bypass &= (uint8_t)~hop;
    return bypasses;
}

/* A load is counted at the bank that serves its core, and what changes data at the home of the line. */
static bool is_counted(const sl_sim *sim, const sl_bank *b, const sl_lookup *l)
{
    if (l->r->scalar && !b->number)
        return false;
    return l->access->kind == SL_ACCESS_LOAD ? !sl_is_sent_home(sim, b, l->r->core) : l->hop == b->number;
}

/* Sends a request that bypasses the level below. */
static sl_bank_outcome send_bypass(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    sl_way_mask mask;
    if (sl_miss_queue_is_full(b))
        return sl_stall_for(b, SL_STALL_QUEUE);
    if (l->present && l->r->kind == SL_REQUEST_LOAD) { /* sectors that are valid hit */
        uint32_t valid = b->line[l->line_slot].valid;
        SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules & valid, l->r->kind);
        SL_OBSERVE_DATA(sim, on_answer, b, l->number);
        l->r->granules &= ~(valid >> sl_shift_of(sim, b, l->r->addr));
    }
    if (b->bypass_policy && b->bypass_policy->ops->evict_on_bypass &&
        sl_offer_ways(b, l->access->set, false, &mask, false)) {
        uint32_t way = sl_policy_evict_on_bypass(b->bypass_policy, l->access, &mask);
        if (way != SL_NO_WAY)
            sl_line_evict(sim, b, l->access->set, way, false);
    }
    sim->result->level[b->number].bypasses += is_counted(sim, b, l);
    sl_bank_send(sim, b, l->number);
    return SL_BANK_BYPASS;
}

BODY sl_bank_outcome fail(sl_sim *sim, sl_bank *b, sl_lookup *l, sl_stall reason, const bool plain)
{
    if (plain)
        return sl_stall_for(b, reason);
    /* What another partition sent does not bypass before it can be sent: a way may be free by then. */
    if (reason == SL_STALL_WAY && sl_is_sent_home(sim, b, l->r->core) && sl_miss_queue_is_full(b))
        return sl_stall_for(b, SL_STALL_QUEUE);
    return sl_decide_bypass(sim, b, l, SL_BYPASS_ON_STALL, reason) ? send_bypass(sim, b, l) : sl_stall_for(b, reason);
}

/* ---- misses ---- */

BODY sl_stall reserve(sl_sim *sim, sl_bank *b, sl_lookup *l, uint32_t queue_entries, const bool plain)
{
    uint32_t set = l->access->set, way = sl_free_way(b, set, plain);
    if (!plain && way == SL_NO_WAY && b->level->frc_keeps_victims && sl_frc_has_room(b, l->access->line)) {
        way = sl_open_way(b, set);
        sim->result->level[b->number].frc_misses += way != SL_NO_WAY;
    }
    bool full = way == SL_NO_WAY;
    if (full) {
        sl_way_mask mask;
        if (!sl_offer_victims(b, set, &mask, plain))
            return SL_STALL_WAY;
        way = sl_policy_victim(&b->replacement, l->access, &mask);
        queue_entries += b->line[(size_t)set * b->ways + way].dirty != 0;
    }
    /* With a dirty victim the miss queue may be longer by one than its limit. */
    if (queue_entries && b->out.count + queue_entries > b->level->miss_queue + 1)
        return SL_STALL_QUEUE;
    if (full)
        l->eviction = sl_line_evict(sim, b, set, way, plain);
    if (!plain && l->eviction != SL_NONE && b->frc && sl_frc_park_victim(b, l->access->line, l->eviction)) {
        sim->result->level[b->number].frc_misses++;
        l->eviction = SL_NONE;
    }
    l->way = way;
    l->line_slot = (size_t)set * b->ways + way;
    l->present = true;
    sl_set_tag(b, set, way, l->access->line + 1, plain);
    if (!plain)
        sl_mark_priority(sim, b, set, way, l->r);
    sl_policy_fill(&b->replacement, l->access, way);
    if (!plain && b->bypass.ops)
        sl_policy_fill(&b->bypass, l->access, way);
    return SL_STALLS;
}

/* Allocates an entry of FRC for the line; false: there is none. */
static bool alloc_frc_entry(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    uint32_t entry = b->frc ? sl_frc_alloc(b, l->access) : SL_NO_ENTRY;
    if (entry == SL_NO_ENTRY)
        return false;
    l->line_slot = sl_first_entry(b) + entry;
    l->present = true;
    b->frc[entry].first = sl_evicts_first(b, l->r);
    sim->result->level[b->number].frc_misses++;
    return true;
}

BODY bool alloc_mshr(sl_sim *sim, sl_bank *b, const sl_lookup *l, uint32_t asked, bool alone, const bool plain)
{
    uint32_t m = sl_mshr_alloc(b);
    sl_line *line = &b->line[l->line_slot];
    sl_request *r = l->r;
    if (m == SL_NO_MSHR) {
        sim->failed = true;
        return false;
    }
    sl_mshr *mshr = &b->mshr_item[m]; /* field by field: gcc would zero the padding first */
    mshr->next = line->mshr;
    mshr->asked = asked;
    mshr->primary = l->number;
    mshr->wanted = r->granules;
    mshr->addr = r->addr;
    mshr->kind = r->kind;
    mshr->alone = alone;
    mshr->line_slot = (uint32_t)l->line_slot;
    mshr->set = l->access->set;
    mshr->since = r->since;
    mshr->waiters = 1;
    mshr->waiting = SL_EMPTY_LIST;
    line->mshr = r->mshr[l->hop] = m;
    if (plain) {
        sl_set_in_flight(b, l->access->set, l->way, line->in_flight | asked);
        return true;
    }
    sl_set_in_flight_at(b, l->access->set, l->line_slot, line->in_flight | asked);
    if (b->warp_mshrs && r->slot != SL_NONE)
        ++*sl_mshrs_of_warp(b, r);
    SL_OBSERVE_DATA(sim, on_request, b, l->line_slot, asked);
    SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, r->kind);
    return true;
}

/* The granules that a miss requests: whole pieces of fill_bytes, and in the last level at least the prefetch size of
 * the load. */
BODY uint32_t granules_to_fetch(const sl_sim *sim, const sl_bank *b, const sl_request *r, uint32_t granules,
                                uint32_t absent)
{
    uint32_t fill = b->fill_granules;
    if (r->log2_fetch > sim->log2_granule && b->number + 1u == sim->machine.levels &&
        1u << (r->log2_fetch - sim->log2_granule) > fill)
        fill = 1u << (r->log2_fetch - sim->log2_granule);
    return (fill == 1 ? granules : sl_widen(granules & absent, fill, 1u << (b->log2_line - sim->log2_granule))) &
           absent;
}

BODY sl_bank_outcome miss(sl_sim *sim, sl_bank *b, sl_lookup *l, const bool plain)
{
    if (plain ? b->level->mshrs && b->mshrs >= b->level->mshrs : sl_lacks_mshr(sim, b, l->r))
        return fail(sim, b, l, SL_STALL_MSHR, plain);
    if (sl_miss_queue_is_full(b))
        return fail(sim, b, l, SL_STALL_QUEUE, plain);
    if (!l->present && (plain || !alloc_frc_entry(sim, b, l))) {
        sl_stall reason = reserve(sim, b, l, 1, plain);
        if (reason != SL_STALLS)
            return fail(sim, b, l, reason, plain);
    }
    sl_line *line = &b->line[l->line_slot];
    uint32_t asked = granules_to_fetch(sim, b, l->r, l->granules, ~line->valid & ~line->in_flight);
    if (!alloc_mshr(sim, b, l, asked, false, plain))
        return SL_BANK_STALL;
    l->asked = asked;
    if (sl_bypassed_above(b, l->r))
        line->mark |= SL_LINE_BYPASSED;
    if (plain)
        sl_bank_send(sim, b, l->number);
    else
        sl_line_fetch(sim, b, l->line_slot, l->eviction, l->number);
    return SL_BANK_MISS;
}

/* ---- hits ---- */

static void notify_hit(sl_bank *b, sl_lookup *l)
{
    if (l->way == SL_NO_WAY) {
        b->frc[l->line_slot - sl_first_entry(b)].first = false;
        return;
    }
    if (b->first_ways)
        sl_set_first(b, l->access->set, l->way, false);
    sl_policy_hit(&b->replacement, l->access, l->way);
    if (b->bypass.ops)
        sl_policy_hit(&b->bypass, l->access, l->way);
}

/* The line was filled with the hint `stream`: hits do not protect it. */
static bool streams(const sl_bank *b, const sl_lookup *l)
{
    return b->level->hint == SL_HINT_STREAM && l->way != SL_NO_WAY && b->first_ways &&
           sl_is_first(b, l->access->set, l->way);
}

BODY void hit(sl_sim *sim, sl_bank *b, sl_lookup *l, const bool plain)
{
    sl_line *line = &b->line[l->line_slot];
    line->mark |= SL_LINE_REUSED;
    if (plain) {
        sl_policy_hit(&b->replacement, l->access, l->way);
    } else {
        if (l->way != SL_NO_WAY && sl_evicts_last(b, l->r))
            sim->failed |= !sl_set_last(b, l->access->set, l->way);
        if (!demote_line(sim, b, l) && !sl_evicts_first(b, l->r) && !streams(b, l))
            notify_hit(b, l);
    }
    if (!b->number)
        return;
    /* A level whose bypassing loads bring a line that is then hit here learns that it could have kept it. */
    bool bypassed = sl_bypassed_above(b, l->r);
    if (line->mark & SL_LINE_BYPASSED)
        l->r->feedback |= SL_FEEDBACK_BYPASS;
    line->mark = (uint8_t)((line->mark & ~SL_LINE_BYPASSED) | (bypassed ? SL_LINE_BYPASSED : 0));
}

/* Whether some granules belong to a store that waits for its way: it may not write all of them. */
static bool stored_alone(const sl_bank *b, size_t line_slot, uint32_t granules)
{
    for (uint32_t m = b->line[line_slot].mshr; m != SL_NO_MSHR; m = b->mshr_item[m].next)
        if (b->mshr_item[m].alone && b->mshr_item[m].asked & granules)
            return true;
    return false;
}

void sl_lookup_invalidate(sl_bank *b, const sl_lookup *l)
{
    sl_line *line = &b->line[l->line_slot];
    if (l->way != SL_NO_WAY) {
        sl_line_invalidate(b, l->access->set, l->way);
    } else {
        line->valid = 0;
        line->stale |= line->in_flight;
    }
}

/* ---- loads, and atomics where they execute ---- */

/* hint miss_evict: a load with the hint is not served by the level, which evicts its line unless it is in flight. */
static bool miss_evicts(const sl_bank *b, const sl_lookup *l)
{
    return b->level->hint == SL_HINT_MISS_EVICT && l->r->evict_hint >> b->number & 1 && l->present &&
           l->r->kind == SL_REQUEST_LOAD && !b->line[l->line_slot].in_flight;
}

/* hit_evict: a load with a hint for lower levels alone evicts the line that it hits. */
static bool hit_evicts(const sl_bank *b, const sl_lookup *l)
{
    uint8_t hints = l->r->evict_hint | l->r->no_allocate | l->r->bypass;
    return b->level->hit_evict && l->r->kind == SL_REQUEST_LOAD && hints >> (b->number + 1) &&
           !(hints >> b->number & 1) && !b->line[l->line_slot].in_flight;
}

/* A load whose cache operator skips the lookup. It must still see what was stored here alone. */
static bool skips_lookup(const sl_bank *b, const sl_lookup *l)
{
    return l->r->no_lookup >> b->number & 1 && l->r->kind == SL_REQUEST_LOAD &&
           !(b->level->write == SL_WRITE_BACK && has_newer_data(b, l));
}

/* Before the lookup of an access that is not plain; false: it stalls. */
static bool skip_or_evict(sl_bank *b, sl_lookup *l)
{
    if (!l->present)
        return true;
    bool skips = skips_lookup(b, l);
    if (!skips && !miss_evicts(b, l))
        return true;
    if (!skips) {
        if (sl_miss_queue_is_full(b))
            return false;
        sl_lookup_invalidate(b, l);
    }
    l->present = false;
    l->way = SL_NO_WAY;
    return true;
}

/* The granules of an access that its line, which is present, lacks. */
BODY uint32_t lacking_granules(const sl_sim *sim, const sl_bank *b, const sl_lookup *l, const bool plain)
{
    uint32_t lacking = l->granules & ~b->line[l->line_slot].valid;
    if (!plain && lacking && b->stored && !b->number)
        lacking &= ~sl_stored_granules(sim, b, l->line_slot, l->r->words, lacking);
    return lacking;
}

BODY sl_bank_outcome read_line(sl_sim *sim, sl_bank *b, sl_lookup *l, const bool plain)
{
    sl_line *line = &b->line[l->line_slot];
    hit(sim, b, l, plain);
    sim->result->level[b->number].data_accesses++;
    if (plain) {
        sl_bank_answer(sim, b, l->number, true);
        return SL_BANK_HIT;
    }
    SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
    if (l->r->kind != SL_REQUEST_LOAD)
        line->dirty |= l->granules;
    SL_OBSERVE_DATA(sim, on_answer, b, l->number);
    sl_bank_answer(sim, b, l->number, true);
    if (hit_evicts(b, l))
        sl_lookup_invalidate(b, l);
    return SL_BANK_HIT;
}

/* All granules that the access lacks are in flight. */
BODY sl_bank_outcome wait_for_line(sl_sim *sim, sl_bank *b, sl_lookup *l, uint32_t lacking, const bool plain)
{
    uint32_t m = sl_mshr_find(b, l->line_slot, lacking);
    if (b->level->mshr_merges && b->mshr_item[m].waiters >= b->level->mshr_merges)
        return fail(sim, b, l, SL_STALL_MERGE, plain);
    l->access->pending = true;
    hit(sim, b, l, plain);
    if (!plain)
        SL_OBSERVE_DATA(sim, on_access, b, l->line_slot, l->number, l->granules, l->r->kind);
    sl_mshr_wait(sim, b, m, l->number);
    return SL_BANK_PENDING;
}

BODY sl_bank_outcome read(sl_sim *sim, sl_bank *b, sl_lookup *l, const bool plain)
{
    if (!plain && !skip_or_evict(b, l))
        return sl_stall_for(b, SL_STALL_QUEUE);
    if (l->present) {
        const sl_line *line = &b->line[l->line_slot];
        uint32_t lacking = lacking_granules(sim, b, l, plain);
        if (!lacking)
            return read_line(sim, b, l, plain);
        if (lacking & line->stale)
            return sl_stall_for(b, SL_STALL_MERGE); /* the data in flight is older than a store */
        if (!plain && b->evictions_in_flight && stored_alone(b, l->line_slot, lacking))
            return sl_stall_for(b, SL_STALL_WAY);
        if (!(lacking & ~line->in_flight))
            return wait_for_line(sim, b, l, lacking, plain);
    }
    if (!plain && sl_decide_bypass(sim, b, l, SL_BYPASS_ON_MISS, SL_STALLS))
        return send_bypass(sim, b, l);
    return miss(sim, b, l, plain);
}

/* ---- any access ---- */

/* Granules that are fetched for a load. */
BODY uint32_t missing_granules(const sl_sim *sim, const sl_bank *b, const sl_lookup *l, sl_bank_outcome outcome)
{
    if (outcome == SL_BANK_MISS)
        return l->asked;
    return outcome == SL_BANK_BYPASS ? l->r->granules << sl_shift_of(sim, b, l->r->addr) : 0;
}

BODY void count(sl_sim *sim, sl_bank *b, const sl_lookup *l, sl_bank_outcome outcome, const bool plain)
{
    sl_sim_level_result *s = &sim->result->level[b->number];
    uint32_t sectors = sl_sectors(l->granules, b->sector_granules);
    s->tag_accesses++;
    if (!plain && !is_counted(sim, b, l)) {
        s->copies += b->number == l->hop && (outcome == SL_BANK_HIT || outcome == SL_BANK_PENDING);
        return;
    }
    s->accesses++;
    s->hits +=
        outcome == SL_BANK_HIT || (!plain && outcome == SL_BANK_KEPT && b->line[l->line_slot].mark & SL_LINE_REUSED);
    s->pending += outcome == SL_BANK_PENDING;
    s->misses += outcome == SL_BANK_MISS;
    if (plain || l->access->kind == SL_ACCESS_LOAD) {
        uint32_t missing = missing_granules(sim, b, l, outcome);
        uint32_t hits = missing ? sl_sectors(l->granules & ~missing, b->sector_granules) : sectors;
        s->read_sectors += sectors;
        s->read_hit_sectors += hits;
        if (b->number == 1) {
            sim->slot[l->r->slot].next_sectors += sectors;
            sim->slot[l->r->slot].next_hits += hits;
        }
    } else if (l->access->kind == SL_ACCESS_ATOMIC || l->access->kind == SL_ACCESS_REDUCTION) {
        s->atomic_sectors += sectors;
    } else {
        s->written_sectors += sectors;
    }
}

BODY sl_lookup look_up(sl_sim *sim, sl_bank *b, sl_request *r, uint32_t number, sl_cache_access *access,
                       const bool plain)
{
    uint64_t line = r->addr >> b->log2_line;
    uint32_t set = sl_set_of(b, r->addr), way = sl_way_again(b, set, line);
    *access = (sl_cache_access){.line = line,
                                .set = set,
                                .pc = sim->first_pc + r->slot,
                                .kind = plain ? SL_ACCESS_LOAD : sl_request_access(r),
                                .now = sim->now + (b->level->keep ? sim->earlier : 0),
                                .warp = b->number ? 0 : r->warp};
    return (sl_lookup){.r = r,
                       .number = number,
                       .hop = plain ? b->number : sl_hop_of(b, r->addr),
                       .granules = r->granules << sl_shift_of(sim, b, r->addr),
                       .way = way,
                       .line_slot = (size_t)set * b->ways + (way == SL_NO_WAY ? 0 : way),
                       .present = way != SL_NO_WAY,
                       .eviction = SL_NONE,
                       .access = access};
}

/* Counts an access that has been accepted. A miss is sent on as a load of what it lacks. */
BODY void finish(sl_sim *sim, sl_bank *b, const sl_lookup *l, sl_bank_outcome outcome, const bool plain)
{
    count(sim, b, l, outcome, plain);
    if (outcome != SL_BANK_MISS)
        return;
    l->r->granules = l->asked;
    l->r->addr = l->access->line << b->log2_line;
    l->r->kind = SL_REQUEST_LOAD;
}

sl_bank_outcome sl_bank_load_plain(sl_sim *sim, sl_bank *b, sl_request *r, uint32_t number)
{
    sl_cache_access access;
    sl_lookup l = look_up(sim, b, r, number, &access, true);
    sl_bank_outcome outcome = read(sim, b, &l, true);
    if (outcome != SL_BANK_STALL)
        finish(sim, b, &l, outcome, true);
    return outcome;
}

static void find_frc_entry(const sl_bank *b, sl_lookup *l)
{
    uint32_t entry = sl_frc_find(b, l->access->line);
    if (entry != SL_NO_ENTRY) {
        l->line_slot = sl_first_entry(b) + entry;
        l->present = true;
    }
}

sl_bank_outcome sl_bank_access_any(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    sl_cache_access access;
    sl_lookup l = look_up(sim, b, r, number, &access, false);
    uint32_t core = r->core; /* a store may be done, and its request free, before the end */
    if (!l.present) {
        if (b->evictions_in_flight && sl_line_in_eviction(b, access.line))
            return sl_stall_for(b, SL_STALL_WAY);
        if (b->frc)
            find_frc_entry(b, &l);
    }
    bool load = r->kind == SL_REQUEST_LOAD;
    if (!load && sim->coalescer && b->number == 1)
        sl_coalescer_close(sim, r->addr);
    sl_bank_outcome outcome = load ? sl_lookup_read(sim, b, &l) : sl_lookup_write(sim, b, &l);
    if (outcome == SL_BANK_STALL)
        return outcome;
    finish(sim, b, &l, outcome, false);
    if (b->level->partitions > 1 && access.kind != SL_ACCESS_LOAD && l.hop == b->number)
        sl_copies_invalidate(sim, b, core, access.line, l.granules);
    if (b->level->stale_sharers && l.present && access.kind == SL_ACCESS_LOAD && !sl_bypassed_above(b, r))
        b->line[l.line_slot].mark |= SL_LINE_LENT;
    if (sim->options.observer && (outcome == SL_BANK_MISS || outcome == SL_BANK_BYPASS))
        sl_bank_wake(sim, b, sim->now); /* observers see the cycle after an access */
    return outcome;
}

bool sl_bank_foresees_stall(sl_sim *sim, sl_bank *b, uint32_t number)
{
    const sl_request *r = sl_request_at(sim, number);
    if (!b->plain || r->kind != SL_REQUEST_LOAD || r->no_allocate >> b->number & 1)
        return false;
    if (sl_way_again(b, sl_set_of(b, r->addr), r->addr >> b->log2_line) != SL_NO_WAY)
        return false;
    b->stall = b->level->mshrs && b->mshrs >= b->level->mshrs ? SL_STALL_MSHR : SL_STALL_QUEUE;
    return true;
}

/* ---- the general bodies, for stores ---- */

sl_bank_outcome sl_lookup_read(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    return read(sim, b, l, false);
}

sl_bank_outcome sl_lookup_fail(sl_sim *sim, sl_bank *b, sl_lookup *l, sl_stall reason)
{
    return fail(sim, b, l, reason, false);
}

sl_bank_outcome sl_lookup_miss(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    return miss(sim, b, l, false);
}

sl_stall sl_lookup_reserve(sl_sim *sim, sl_bank *b, sl_lookup *l, uint32_t queue_entries)
{
    return reserve(sim, b, l, queue_entries, false);
}

bool sl_lookup_alloc_mshr(sl_sim *sim, sl_bank *b, const sl_lookup *l, uint32_t asked, bool alone)
{
    return alloc_mshr(sim, b, l, asked, alone, false);
}

void sl_lookup_hit(sl_sim *sim, sl_bank *b, sl_lookup *l)
{
    hit(sim, b, l, false);
}
