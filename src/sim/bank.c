#include "sim/bank.h"

#include "sim/lines.h"
#include "sim/network.h"

/* ---- where things are ---- */

uint32_t sl_bank_for(const sl_sim *sim, uint32_t number, uint32_t core, uint64_t addr)
{
    const sl_level *level = &sim->machine.level[number];
    uint32_t instance = core / level->cores_per_instance;
    if (!number || level->banks == 1) /* the banks of the first level are ports of one cache */
        return instance;
    uint64_t chunk = addr / level->bank_bytes;
    if (level->index == SL_INDEX_MIX)
        chunk = sl_mix_bits(chunk);
    return instance * level->banks + (uint32_t)(chunk % level->banks);
}

/* ---- answers ---- */

static void put(sl_sim *sim, sl_queue *queue, uint64_t time, uint32_t number)
{
    if (!sl_queue_put(queue, time, number))
        sim->failed = true;
}

/* The level has what the request wanted. */
static void answer(sl_sim *sim, sl_bank *b, uint32_t number, bool hit)
{
    sl_request *r = sl_request_at(sim, number);
    if (!sl_request_is_answered(r)) {
        sl_core_stored(sim, number);
        return;
    }
    /* What comes back takes the time of a hit once more: a miss is known no sooner. In the last level that is a part of
     * the time of memory. */
    bool waits = hit || !b->number || b->number + 1u < sim->machine.levels;
    uint64_t time = sim->now + (waits ? b->hit_cycles : 0);
    put(sim, waits ? &b->hits : &b->fills, time, number);
    sl_wake(&sim->bank_due[b->number], b->index, time);
}

/* ---- lines that leave ---- */

static void tell_eviction(sl_bank *b, uint32_t set, uint32_t way)
{
    bool reused = b->line[(size_t)set * b->ways + way].mark & SL_LINE_REUSED;
    sl_policy_evict(&b->replacement, set, way, reused);
    if (b->bypass.ops)
        sl_policy_evict(&b->bypass, set, way, reused);
}

static void forget(sl_bank *b, uint32_t set, uint32_t way)
{
    size_t place = (size_t)set * b->ways + way;
    sl_put_tag(b, set, way, 0);
    b->line[place].valid = b->line[place].dirty = b->line[place].stale = 0;
    b->line[place].mark = 0;
}

/* Writes back what is dirty; there is room for it in the miss queue. */
static void write_back(sl_sim *sim, sl_bank *b, size_t place)
{
    uint32_t number = sl_request_take(&sim->pool);
    if (number == SL_NONE)
        return;
    sl_request *r = sl_request_at(sim, number);
    r->kind = SL_REQUEST_WRITEBACK;
    r->addr = (b->line[place].tag - 1) << b->log2_line;
    r->units = r->whole = b->line[place].dirty;
    r->slot = SL_NONE;
    r->core = (uint16_t)(b->instance * b->level->cores_per_instance);
    r->since = sim->now;
    sim->result->level[b->number].writebacks++;
    put(sim, &b->out, sim->now, number);
    sl_wake(&sim->bank_due[b->number], b->index, sim->now);
}

static void evict(sl_sim *sim, sl_bank *b, uint32_t set, uint32_t way)
{
    size_t place = (size_t)set * b->ways + way;
    sl_sim_level_result *stats = &sim->result->level[b->number];
    stats->evictions++;
    stats->unused_evictions += !(b->line[place].mark & SL_LINE_REUSED);
    tell_eviction(b, set, way);
    if (b->line[place].dirty)
        write_back(sim, b, place);
    forget(b, set, way);
}

/* A store takes a line's data away. Of what is on its way only those who wait for it already may use it. */
static void drop(sl_bank *b, uint32_t set, uint32_t way)
{
    size_t place = (size_t)set * b->ways + way;
    b->line[place].valid = 0;
    b->line[place].stale |= b->line[place].flying;
    if (!b->line[place].flying) {
        tell_eviction(b, set, way);
        forget(b, set, way);
    }
}

/* ---- an access ---- */

/* All that is known of an access while it is looked at. */
typedef struct lookup {
    sl_request *r;
    uint32_t number;
    uint32_t units;
    uint32_t way;
    size_t place;
    sl_cache_access access;
} lookup;

/* The one place where it is decided whether a request that misses goes past its level. The decision travels with it. */
static bool goes_past(sl_bank *b, lookup *l)
{
    uint8_t bit = (uint8_t)(1u << b->number);
    sl_way_mask mask;
    if (l->r->bypass & bit)
        return true;
    if (l->r->admitted & bit || l->way != SL_NO_WAY || l->r->kind != SL_REQUEST_LOAD || !b->gate)
        return false;
    l->r->admitted |= bit;
    if (!b->gate->ops->admit)
        return false;
    sl_offer_ways(b, l->access.set, true, &mask);
    if (sl_policy_admit(b->gate, &l->access, &mask) == SL_ADMIT)
        return false;
    l->r->bypass |= bit;
    return true;
}

static sl_outcome stall(sl_bank *b, sl_stall reason)
{
    b->stall = reason;
    return SL_OUTCOME_STALL;
}

static sl_outcome go_past(sl_sim *sim, sl_bank *b, lookup *l)
{
    sl_way_mask mask;
    if (b->out.count >= b->level->miss_queue)
        return stall(b, SL_STALL_QUEUE);
    if (b->gate && b->gate->ops->give_up && sl_offer_ways(b, l->access.set, false, &mask)) {
        uint32_t way = sl_policy_give_up(b->gate, &l->access, &mask);
        if (way != SL_NO_WAY)
            evict(sim, b, l->access.set, way);
    }
    sim->result->level[b->number].bypasses++;
    put(sim, &b->out, sim->now, l->number);
    return SL_OUTCOME_PAST;
}

/* A request cannot go on: the policy may let it go past instead, and is asked once for each reason. */
static sl_outcome hold(sl_sim *sim, sl_bank *b, lookup *l, sl_stall reason)
{
    bool asked = l->r->stalled >> reason & 1;
    if (!b->gate || !b->gate->ops->on_stall || asked || l->r->kind != SL_REQUEST_LOAD)
        return stall(b, reason);
    l->r->stalled |= (uint8_t)(1u << reason);
    if (b->gate->ops->on_stall(b->gate->self, &l->access, reason) == SL_ADMIT)
        return stall(b, reason);
    l->r->bypass |= (uint8_t)(1u << b->number);
    return go_past(sim, b, l);
}

/* Gives the line of an access a way; its victim has left. SL_STALLS: done. */
static sl_stall reserve(sl_sim *sim, sl_bank *b, lookup *l, uint32_t queue_places)
{
    uint32_t set = l->access.set, way = sl_free_way(b, set);
    bool full = way == SL_NO_WAY;
    if (full) {
        sl_way_mask mask;
        if (!sl_offer_ways(b, set, false, &mask))
            return SL_STALL_WAY;
        way = sl_policy_victim(&b->replacement, &l->access, &mask);
        queue_places += b->line[(size_t)set * b->ways + way].dirty != 0;
    }
    if (queue_places && b->out.count + queue_places > b->level->miss_queue + 1)
        return SL_STALL_QUEUE;
    if (full)
        evict(sim, b, set, way);
    l->way = way;
    l->place = (size_t)set * b->ways + way;
    sl_put_tag(b, set, way, l->access.line + 1);
    sl_policy_fill(&b->replacement, &l->access, way);
    if (b->bypass.ops)
        sl_policy_fill(&b->bypass, &l->access, way);
    return SL_STALLS;
}

static bool passed_above(const sl_bank *b, const sl_request *r)
{
    return b->number && r->kind == SL_REQUEST_LOAD && r->bypass >> (b->number - 1) & 1;
}

/* Lines in flight of the request's warp, where these are limited. */
static uint32_t *mshrs_of_warp(sl_bank *b, const sl_request *r)
{
    uint32_t core = r->core - b->instance * b->level->cores_per_instance;
    return &b->warp_mshrs[core * SL_CORE_WARPS + r->warp];
}

/* Sends the request for what its line lacks. Below, it is a load of that, whatever it is here. */
static sl_outcome miss(sl_sim *sim, sl_bank *b, lookup *l)
{
    const sl_level *level = b->level;
    if ((level->mshrs && b->mshrs >= level->mshrs) ||
        (b->warp_mshrs && *mshrs_of_warp(b, l->r) >= level->mshrs_per_warp))
        return hold(sim, b, l, SL_STALL_MSHR);
    if (b->out.count >= level->miss_queue)
        return hold(sim, b, l, SL_STALL_QUEUE);
    if (l->way == SL_NO_WAY) {
        sl_stall reason = reserve(sim, b, l, 1);
        if (reason != SL_STALLS)
            return hold(sim, b, l, reason);
    }
    uint32_t m = sl_take_mshr(b);
    if (m == SL_NONE) {
        sim->failed = true;
        return SL_OUTCOME_STALL;
    }
    uint32_t lacking = l->units & ~b->line[l->place].valid & ~b->line[l->place].flying;
    uint32_t asked = sl_widen(lacking, b->fill_units, 1u << (b->log2_line - sim->log2_unit)) &
                     ~b->line[l->place].valid & ~b->line[l->place].flying;
    b->mshr_item[m] = (sl_mshr){.next = b->line[l->place].mshr,
                                .primary = l->number,
                                .asked = asked,
                                .wanted = l->r->units,
                                .addr = l->r->addr,
                                .kind = l->r->kind,
                                .waiters = 1,
                                .waiting = SL_EMPTY_LIST};
    if (b->warp_mshrs)
        ++*mshrs_of_warp(b, l->r);
    b->line[l->place].mshr = m;
    sl_set_flying(b, l->access.set, l->way, b->line[l->place].flying | asked);
    if (passed_above(b, l->r))
        b->line[l->place].mark |= SL_LINE_PASSED;
    put(sim, &b->out, sim->now, l->number);
    return SL_OUTCOME_MISS;
}

static void note_hit(sl_bank *b, lookup *l)
{
    b->line[l->place].mark |= SL_LINE_REUSED;
    sl_policy_hit(&b->replacement, &l->access, l->way);
    if (b->bypass.ops)
        sl_policy_hit(&b->bypass, &l->access, l->way);
    if (!b->number)
        return;
    bool passed = passed_above(b, l->r);
    if (b->line[l->place].mark & SL_LINE_PASSED)
        l->r->feedback |= SL_FEEDBACK_BYPASS;
    b->line[l->place].mark = (uint8_t)((b->line[l->place].mark & ~SL_LINE_PASSED) | (passed ? SL_LINE_PASSED : 0));
}

/* Loads, and atomics where they are done. */
static sl_outcome read(sl_sim *sim, sl_bank *b, lookup *l)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    if (l->way != SL_NO_WAY) {
        uint32_t lacking = l->units & ~b->line[l->place].valid;
        if (lacking & b->line[l->place].stale)
            return stall(b, SL_STALL_MERGE); /* what is on its way is older than a store */
        if (!lacking) {
            note_hit(b, l);
            stats->data_accesses++;
            if (l->r->kind != SL_REQUEST_LOAD)
                b->line[l->place].dirty |= l->units;
            answer(sim, b, l->number, true);
            return SL_OUTCOME_HIT;
        }
        if (!(lacking & ~b->line[l->place].flying)) {
            uint32_t m = sl_mshr_with(b, l->place, lacking);
            if (b->level->mshr_merges && b->mshr_item[m].waiters >= b->level->mshr_merges)
                return hold(sim, b, l, SL_STALL_MERGE);
            note_hit(b, l);
            sl_wait_in(sim, b, m, l->number);
            return SL_OUTCOME_PENDING;
        }
    }
    return goes_past(b, l) ? go_past(sim, b, l) : miss(sim, b, l);
}

/* Stores at a level that sends them on. */
static sl_outcome write_through(sl_sim *sim, sl_bank *b, lookup *l)
{
    if (b->out.count >= b->level->miss_queue)
        return stall(b, SL_STALL_QUEUE);
    sl_write_policy write = b->level->write;
    bool atomic = l->r->kind != SL_REQUEST_STORE && l->r->kind != SL_REQUEST_WRITEBACK;
    if (l->way == SL_NO_WAY && write == SL_WRITE_ALLOCATE && !atomic && l->r->whole)
        reserve(sim, b, l, 0); /* where there is no way it does without */
    if (l->way != SL_NO_WAY) {
        sim->result->level[b->number].data_accesses++;
        if (write == SL_WRITE_EVICT || atomic) {
            drop(b, l->access.set, l->way);
        } else {
            b->line[l->place].stale |= b->line[l->place].flying & l->units;
            if (write == SL_WRITE_ALLOCATE)
                b->line[l->place].valid |= (l->r->whole << sl_shift_of(sim, b, l->r->addr)) & ~b->line[l->place].flying;
        }
    }
    l->r->bypass |= (uint8_t)(1u << b->number); /* answers to atomics leave nothing here */
    put(sim, &b->out, sim->now, l->number);
    return SL_OUTCOME_PAST;
}

/* Stores at a level that keeps them. Units that are written in part are not valid, but known to be dirty. */
static sl_outcome write_here(sl_sim *sim, sl_bank *b, lookup *l)
{
    sl_sim_level_result *stats = &sim->result->level[b->number];
    bool hit = l->way != SL_NO_WAY;
    uint32_t whole = l->r->whole << sl_shift_of(sim, b, l->r->addr);
    if (!hit) {
        if (b->level->write_fetch && l->units & ~whole)
            return miss(sim, b, l);
        sl_stall reason = reserve(sim, b, l, 0);
        if (reason != SL_STALLS)
            return stall(b, reason);
    } else {
        note_hit(b, l);
    }
    stats->data_accesses++;
    b->line[l->place].valid |= whole & ~b->line[l->place].flying;
    b->line[l->place].dirty |= l->units;
    sl_core_stored(sim, l->number);
    return SL_OUTCOME_KEPT;
}

static const sl_mem_access kind_of[] = {[SL_REQUEST_LOAD] = SL_ACCESS_LOAD,
                                        [SL_REQUEST_STORE] = SL_ACCESS_STORE,
                                        [SL_REQUEST_ATOMIC] = SL_ACCESS_ATOMIC,
                                        [SL_REQUEST_REDUCTION] = SL_ACCESS_REDUCTION,
                                        [SL_REQUEST_WRITEBACK] = SL_ACCESS_STORE};

static void count(sl_sim *sim, sl_bank *b, const lookup *l, uint32_t units, sl_outcome outcome)
{
    sl_sim_level_result *s = &sim->result->level[b->number];
    uint32_t sectors = sl_sectors(sim, units, b->sector_units);
    s->accesses++;
    s->hits += outcome == SL_OUTCOME_HIT || (outcome == SL_OUTCOME_KEPT && b->line[l->place].mark & SL_LINE_REUSED);
    s->pending += outcome == SL_OUTCOME_PENDING;
    s->misses += outcome == SL_OUTCOME_MISS;
    if (l->access.kind == SL_ACCESS_LOAD || l->access.kind == SL_ACCESS_ATOMIC) {
        bool hit = outcome == SL_OUTCOME_HIT || outcome == SL_OUTCOME_PENDING;
        s->read_sectors += sectors;
        s->read_hit_sectors += hit ? sectors : 0;
        if (b->number == 1 && l->access.kind == SL_ACCESS_LOAD) {
            sim->slot[l->r->slot].next_sectors += sectors;
            sim->slot[l->r->slot].next_hits += hit ? sectors : 0;
        }
    } else {
        s->written_sectors += sectors;
    }
}

sl_outcome sl_bank_access(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    lookup l = {.r = r, .number = number, .units = r->units << sl_shift_of(sim, b, r->addr)};
    l.access = (sl_cache_access){.line = r->addr >> b->log2_line,
                                 .set = sl_set_of(b, r->addr),
                                 .pc = sim->first_pc + r->slot,
                                 .kind = kind_of[r->kind],
                                 .now = sim->now};
    l.way = sl_way_of(b, l.access.set, l.access.line);
    l.place = (size_t)l.access.set * b->ways + (l.way == SL_NO_WAY ? 0 : l.way);
    sl_outcome outcome;
    bool keeps = b->level->write == SL_WRITE_BACK;
    if (r->kind == SL_REQUEST_LOAD || (keeps && (r->kind == SL_REQUEST_ATOMIC || r->kind == SL_REQUEST_REDUCTION)))
        outcome = read(sim, b, &l);
    else
        outcome = keeps ? write_here(sim, b, &l) : write_through(sim, b, &l);
    if (outcome == SL_OUTCOME_STALL)
        return outcome;
    sim->result->level[b->number].tag_accesses++;
    count(sim, b, &l, l.units, outcome);
    if (outcome == SL_OUTCOME_MISS) {
        r->units = b->mshr_item[b->line[l.place].mshr].asked;
        r->addr = l.access.line << b->log2_line;
        r->kind = SL_REQUEST_LOAD;
    }
    if (outcome == SL_OUTCOME_MISS || outcome == SL_OUTCOME_PAST)
        sl_wake(&sim->bank_due[b->number], b->index, sim->now);
    return outcome;
}

/* ---- data from below ---- */

static void hear_feedback(sl_sim *sim, sl_bank *b, sl_request *r)
{
    if (r->feedback && b->gate && b->gate->ops->on_feedback) {
        sl_cache_access access = {.line = r->addr >> b->log2_line,
                                  .set = sl_set_of(b, r->addr),
                                  .pc = sim->first_pc + r->slot,
                                  .kind = kind_of[r->kind],
                                  .now = sim->now};
        b->gate->ops->on_feedback(b->gate->self, &access, r->feedback);
    }
    r->feedback = 0;
}

/* What of a waiting request has come is enough, unless some of it is on its way with another MSHR. */
static void release(sl_sim *sim, sl_bank *b, size_t place, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    uint32_t units = r->units << sl_shift_of(sim, b, r->addr);
    uint32_t m = units & ~b->line[place].valid & b->line[place].flying ? sl_mshr_with(b, place, units) : SL_NONE;
    if (m != SL_NONE) {
        sl_wait_in(sim, b, m, number);
        return;
    }
    if (r->kind != SL_REQUEST_LOAD)
        b->line[place].dirty |= units;
    sim->result->level[b->number].data_accesses++;
    answer(sim, b, number, false);
}

static uint32_t unlink_mshr(sl_bank *b, size_t place, uint32_t primary)
{
    uint32_t *link = &b->line[place].mshr;
    while (b->mshr_item[*link].primary != primary)
        link = &b->mshr_item[*link].next;
    uint32_t m = *link;
    *link = b->mshr_item[m].next;
    return m;
}

void sl_bank_fill(sl_sim *sim, sl_bank *b, uint32_t number)
{
    sl_request *r = sl_request_at(sim, number);
    hear_feedback(sim, b, r);
    sim->last_progress = sim->now;
    b->changed |= b->stall != SL_STALL_QUEUE;
    if (r->bypass >> b->number & 1) {
        answer(sim, b, number, false);
        return;
    }
    uint32_t set = sl_set_of(b, r->addr), way = sl_way_of(b, set, r->addr >> b->log2_line);
    size_t place = (size_t)set * b->ways + way;
    uint32_t m = unlink_mshr(b, place, number), asked = b->mshr_item[m].asked;
    sl_request_list waiting = b->mshr_item[m].waiting;
    r->units = b->mshr_item[m].wanted;
    r->addr = b->mshr_item[m].addr;
    r->kind = b->mshr_item[m].kind;
    sl_give_mshr(b, m);
    if (b->warp_mshrs)
        --*mshrs_of_warp(b, r);
    sl_set_flying(b, set, way, b->line[place].flying & ~asked);
    b->line[place].valid |= asked & ~b->line[place].stale;
    b->line[place].stale &= b->line[place].flying;
    sim->result->level[b->number].fill_sectors += sl_sectors(sim, asked, b->sector_units);
    if (!b->number)
        sl_core_unblock(sim, b->instance, false);
    release(sim, b, place, number);
    while (waiting.first != SL_NONE)
        release(sim, b, place, sl_request_pop(&sim->pool, &waiting));
    if (!b->line[place].valid && !b->line[place].flying && !b->line[place].dirty) {
        tell_eviction(b, set, way); /* a store has taken all of it */
        forget(b, set, way);
    }
}

/* ---- time ---- */

/* Counts the cycles for which the head of the queue has waited. */
static void end_stall(sl_sim *sim, sl_bank *b)
{
    if (b->stalled_since != SL_NEVER)
        sim->result->level[b->number].stall_cycles[b->stall] += sim->now - b->stalled_since;
    b->stalled_since = SL_NEVER;
}

/* Takes requests from the network until one has to wait. That one is looked at again when something has changed. */
static void take_in(sl_sim *sim, sl_bank *b)
{
    if (b->stalled_since != SL_NEVER && !b->changed)
        return;
    b->changed = false;
    for (uint32_t n = 0; n < b->level->ports && sl_queue_due(&b->in) <= sim->now; n++) {
        end_stall(sim, b);
        if (sl_bank_access(sim, b, sl_queue_head(&b->in)->request) == SL_OUTCOME_STALL) {
            b->stalled_since = sim->now;
            return;
        }
        sl_queue_take(&b->in);
        sl_network_has_room(sim, b->number - 1u, &b->room);
    }
}

static void take_back(sl_sim *sim, sl_bank *b)
{
    while (sl_queue_due(&b->back) <= sim->now)
        sl_bank_fill(sim, b, sl_queue_take(&b->back));
}

static void answer_hits(sl_sim *sim, sl_bank *b)
{
    while (sl_queue_due(&b->hits) <= sim->now)
        sl_core_answer(sim, sl_queue_take(&b->hits));
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t sl_bank_tick(sl_sim *sim, sl_bank *b)
{
    uint64_t now = sim->now;
    take_back(sim, b);
    if (b->number) {
        take_in(sim, b);
        sl_network_up(sim, b);
    } else {
        answer_hits(sim, b);
    }
    sl_network_down(sim, b);
    if (sim->options.listener && sim->options.listener->bank)
        sim->options.listener->bank(sim->options.listener->to, b->number, b->index, now, b->mshrs, b->in.count);
    uint64_t next = b->stalled_since != SL_NEVER && !b->changed ? SL_NEVER : sl_queue_due(&b->in);
    next = b->out_waits ? next : least(next, later(sl_queue_due(&b->out), b->down_free));
    next = least(next, least(sl_queue_due(&b->hits), sl_queue_due(&b->fills)));
    next = least(next, sl_queue_due(&b->back));
    return next > now ? next : now + 1;
}
