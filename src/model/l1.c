/* SPDX-License-Identifier: MIT */
#include "model/l1.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/latency.h"
#include "model/seen_lines.h"

enum { NONE = SL_NOBODY };

/* Links in two doubly linked lists: that of its set, and that of the fully associative cache of the same size that
 * tells capacity from conflict. Where a policy chooses victims, the set has no list but ways. */
enum { REAL, FULL, LISTS };
typedef struct links {
    uint32_t newer, older;
} links;

/* State of a line that is cached, in flight, or was so a while ago. Masks are of sectors, at most 16. */
typedef struct line_record {
    uint64_t line;
    uint64_t arrival;    /* of its latest data in flight */
    uint64_t written[2]; /* bytes that stores wrote of sectors that are not valid */
    uint64_t stored[2];  /* bytes of the last store, */
    uint64_t sent;       /* when it is sent below, */
    links in[LISTS];
    uint32_t set, way; /* way: where a policy chooses victims */
    uint32_t sender;   /* of the last store: its warp */
    uint32_t left;     /* fills of the fully associative cache when it was evicted from there; 0: never, or forgotten */
    uint16_t accessed, pending;
    uint32_t order;       /* as of the L1, when the last store came */
    uint16_t mergeable;   /* sectors of a waiting request with which stores to parts of sectors merge; 0: none waits */
    uint16_t invalidated; /* by stores, since they were last fetched */
    uint16_t valid[LISTS];
    bool resident[LISTS];
    uint16_t fills; /* effects of misses still to come */
    bool awaited;   /* by effects: see free_idle_records */
} line_record;

enum { FIRST_RECORDS = 65536 /* records before those of idle lines are used again */ };

typedef struct list {
    uint32_t newest, oldest, count;
} list;

/* A future effect on a line. */
typedef struct effect {
    uint32_t record, warp; /* record NONE: the end of a load instruction that missed; warp NONE: a hit */
    uint32_t sectors;
    uint32_t next; /* of the same moment, or free */
} effect;

/* Effects of one moment, in the order in which they were issued. */
typedef struct moment {
    uint32_t first, last;
} moment;

struct sl_l1 {
    const sl_level *level;
    sl_l1_config config;
    uint32_t sets, ways, lines; /* in the cache */
    bool moves_on_hit, has_policy;
    list *set;
    list full;
    uint32_t full_fills;
    uint64_t fit[SL_FIT_BINS];
    SL_ARRAY(line_record) records;
    uint32_t free_record, max_records; /* free ones are linked by in[REAL].older */
    sl_seen_lines seen;
    /* What is to come lies less than `moments` (a power of two) ahead: a ring, with a bit for each that is not empty.
     */
    SL_ARRAY(effect) effects;
    uint32_t free_effect, coming;
    moment *moment;
    uint64_t *busy;
    uint64_t moments;
    uint64_t due;  /* everything before it has taken effect */
    uint64_t next; /* when something next takes effect; UINT64_MAX: nothing is to come */
    sl_latency latency;
    uint32_t in_flight;       /* lines */
    uint32_t *warp_in_flight; /* [warps]: load instructions that missed */
    sl_random random;
    uint32_t order; /* requests sent below so far that end the merging of stores: all but stores that can be merged */
    bool failed;
    /* Where has_policy; for LRU and FIFO the lists do. */
    uint32_t pc;                  /* of what is asked for now */
    SL_ARRAY(uint32_t) effect_pc; /* as effects */
    sl_policy_ways by_policy;
};

/* Lists are the common case: what policies need is kept separate. */
static inline bool has_policy(const sl_l1 *c)
{
    return __builtin_expect(c->has_policy, false);
}

/* ---- lines ---- */

/* NONE: it has no record, and so is neither cached nor in flight. */
static inline uint32_t find_line(const sl_l1 *c, uint64_t line)
{
    return sl_seen_slot(&c->seen, line)->record - 1;
}

/* Takes the records from lines that are neither cached nor in flight. There are no free ones before. */
static uint32_t free_idle_records(sl_l1 *c)
{
    uint32_t freed = 0;
    for (size_t at = 0; at < c->moments; at++) /* a hit may be to come for a line that was evicted since */
        if (c->busy[at / 64] >> (at % 64) & 1)
            for (uint32_t e = c->moment[at].first; e != NONE; e = c->effects.items[e].next)
                if (c->effects.items[e].record != NONE)
                    c->records.items[c->effects.items[e].record].awaited = true;
    for (uint32_t i = 0; i < c->records.count; i++) {
        line_record *r = &c->records.items[i];
        bool idle = !r->resident[REAL] && !r->resident[FULL] && !r->fills && !r->pending && !r->awaited;
        r->awaited = false;
        if (!idle || r->written[0] || r->written[1])
            continue;
        sl_seen_count_lookup(&c->seen);
        *sl_seen_slot(&c->seen, r->line) = (sl_seen_line){r->line + 1, 0, r->accessed, r->invalidated};
        r->in[REAL].older = c->free_record;
        c->free_record = i;
        freed++;
    }
    return freed;
}

static uint32_t new_record(sl_l1 *c)
{
    if (c->free_record == NONE && c->records.count >= c->max_records) {
        if (free_idle_records(c) < c->max_records / 2)
            c->max_records *= 2;
    }
    uint32_t record = c->free_record;
    if (record != NONE) {
        c->free_record = c->records.items[record].in[REAL].older;
        return record;
    }
    return c->records.count < NONE && sl_array_push(&c->records, (line_record){0}) ? (uint32_t)c->records.count - 1
                                                                                   : NONE;
}

/* Gives a line a record. NONE: memory ran out. */
__attribute__((noinline)) static uint32_t add_line(sl_l1 *c, uint64_t line)
{
    uint32_t record = sl_seen_reserve(&c->seen) ? new_record(c) : NONE;
    if (record == NONE) {
        c->failed = true;
        return NONE;
    }
    sl_seen_line *s = sl_seen_slot(&c->seen, line);
    c->seen.count += !s->tag;
    c->records.items[record] = (line_record){.line = line, .accessed = s->accessed, .invalidated = s->invalidated};
    c->records.items[record].set = c->sets == 1 ? 0 : sl_level_set(c->level, line * c->level->line_bytes);
    *s = (sl_seen_line){line + 1, record + 1, s->accessed, s->invalidated};
    return record;
}

static inline uint32_t find_or_add_line(sl_l1 *c, uint64_t line)
{
    sl_seen_count_lookup(&c->seen);
    uint32_t found = find_line(c, line);
    return found != NONE ? found : add_line(c, line);
}

/* ---- lists ---- */

static void unlink_record(sl_l1 *c, int which, list *l, uint32_t record)
{
    links *at = &c->records.items[record].in[which];
    if (at->newer == NONE)
        l->newest = at->older;
    else
        c->records.items[at->newer].in[which].older = at->older;
    if (at->older == NONE)
        l->oldest = at->newer;
    else
        c->records.items[at->older].in[which].newer = at->newer;
    l->count--;
}

static void link_newest(sl_l1 *c, int which, list *l, uint32_t record)
{
    c->records.items[record].in[which] = (links){NONE, l->newest};
    if (l->newest == NONE)
        l->oldest = record;
    else
        c->records.items[l->newest].in[which].newer = record;
    l->newest = record;
    l->count++;
}

static void mark_evicted(line_record *r, int which)
{
    r->resident[which] = false;
    r->valid[which] = 0;
    if (which == REAL)
        r->written[0] = r->written[1] = 0;
}

static void evict_line(sl_l1 *c, int which, list *l, uint32_t record)
{
    unlink_record(c, which, l, record);
    mark_evicted(&c->records.items[record], which);
}

/* A use of a line: it becomes the newest, and is allocated if it was not cached. Inlined for either list, with other
 * policies separate: that saves 4 % of the instructions of the model's inner loop (callgrind). */
__attribute__((always_inline)) static inline void use(sl_l1 *c, int which, list *l, uint32_t room, uint32_t record,
                                                      uint32_t sectors)
{
    line_record *r = &c->records.items[record];
    bool whole = which == FULL || c->sets == 1; /* the fully associative cache */
    if (r->resident[which]) {
        if (l->newest != record && (which == FULL || c->moves_on_hit)) {
            unlink_record(c, which, l, record);
            link_newest(c, which, l, record);
        }
    } else {
        c->full_fills += whole;
        if (l->count == room) {
            if (whole)
                c->records.items[l->oldest].left = c->full_fills;
            evict_line(c, which, l, l->oldest);
        }
        link_newest(c, which, l, record);
        r->resident[which] = true;
    }
    r->valid[which] |= (uint16_t)sectors;
}

/* The same as `use` in a set whose victims a policy chooses. */
__attribute__((noinline)) static void use_way(sl_l1 *c, uint32_t record, uint32_t sectors, sl_mem_access kind,
                                              uint32_t pc)
{
    line_record *r = &c->records.items[record];
    sl_cache_access access = {.line = r->line, .set = r->set, .pc = pc, .kind = kind};
    if (r->resident[REAL]) {
        sl_policy_ways_hit(&c->by_policy, &access, r->way);
    } else {
        uint32_t gone = sl_policy_ways_enter(&c->by_policy, &access, record, &r->way);
        if (gone != NONE)
            mark_evicted(&c->records.items[gone], REAL);
        r->resident[REAL] = true;
    }
    r->valid[REAL] |= (uint16_t)sectors;
}

/* ---- what happens to a line ---- */

/* The bytes of a sector, in the word of the line's mask that holds them. */
static uint64_t sector_bytes(const sl_l1 *c, uint32_t sector, uint32_t *word)
{
    uint32_t bytes = c->level->sector_bytes, first = sector * bytes;
    *word = first / 64;
    return (bytes < 64 ? (UINT64_C(1) << bytes) - 1 : ~UINT64_C(0)) << first % 64;
}

/* Which bytes stores wrote of these sectors no longer matters: they are whole. */
static void forget_parts(sl_l1 *c, line_record *r, uint32_t sectors)
{
    r->invalidated &= (uint16_t)~sectors;
    if (!(r->written[0] | r->written[1]))
        return;
    for (uint32_t left = sectors, word; left; left &= left - 1) {
        uint64_t bytes = sector_bytes(c, (uint32_t)__builtin_ctz(left), &word);
        r->written[word] &= ~bytes;
    }
}

static void use_both(sl_l1 *c, uint32_t record, uint32_t sectors, sl_mem_access kind, uint32_t pc)
{
    forget_parts(c, &c->records.items[record], sectors);
    if (has_policy(c))
        use_way(c, record, sectors, kind, pc);
    else
        use(c, REAL, &c->set[c->records.items[record].set], c->ways, record, sectors);
    if (c->sets > 1)
        use(c, FULL, &c->full, c->lines, record, sectors);
}

/* ---- effects ---- */

static void apply(sl_l1 *c, const effect *e, uint32_t pc)
{
    if (e->record == NONE) {
        c->warp_in_flight[e->warp]--;
        return;
    }
    line_record *r = &c->records.items[e->record];
    if (e->warp != NONE) {
        if (!--r->fills)
            c->in_flight--;
        r->pending &= (uint16_t)~e->sectors;
    }
    use_both(c, e->record, e->sectors, SL_ACCESS_LOAD, pc);
}

static inline void push_effect(sl_l1 *c, uint64_t time, effect e)
{
    if (time < c->due) { /* misses that take no time */
        apply(c, &e, c->pc);
        return;
    }
    uint32_t at = c->free_effect;
    e.next = NONE;
    if (at != NONE) {
        c->free_effect = c->effects.items[at].next;
        c->effects.items[at] = e;
    } else {
        at = (uint32_t)c->effects.count;
        if (!sl_array_push(&c->effects, e) || (has_policy(c) && !sl_array_push(&c->effect_pc, c->pc))) {
            c->failed = true;
            return;
        }
    }
    if (has_policy(c))
        c->effect_pc.items[at] = c->pc;
    uint64_t position = time & (c->moments - 1);
    moment *m = &c->moment[position];
    if (c->busy[position / 64] >> (position % 64) & 1) {
        c->effects.items[m->last].next = at;
    } else {
        m->first = at;
        c->busy[position / 64] |= UINT64_C(1) << (position % 64);
    }
    m->last = at;
    c->coming++;
    c->next = time < c->next ? time : c->next;
}

static uint64_t next_moment(const sl_l1 *c)
{
    if (!c->coming)
        return UINT64_MAX;
    uint64_t position = c->due & (c->moments - 1), words = c->moments / 64, word = position / 64;
    uint64_t bits = c->busy[word] & ~UINT64_C(0) << (position % 64);
    while (!bits)
        bits = c->busy[word = (word + 1) & (words - 1)];
    uint64_t found = word * 64 + (uint64_t)__builtin_ctzll(bits);
    return c->due + ((found - position) & (c->moments - 1));
}

static void apply_effects(sl_l1 *c, uint64_t time)
{
    uint64_t position = time & (c->moments - 1);
    c->busy[position / 64] &= ~(UINT64_C(1) << (position % 64));
    for (uint32_t at = c->moment[position].first, next; at != NONE; at = next) {
        effect e = c->effects.items[at];
        next = e.next;
        c->effects.items[at].next = c->free_effect;
        c->free_effect = at;
        c->coming--;
        apply(c, &e, has_policy(c) ? c->effect_pc.items[at] : 0);
    }
}

__attribute__((noinline)) static void catch_up(sl_l1 *c, uint64_t time)
{
    while (c->next < time) {
        apply_effects(c, c->next);
        c->due = c->next + 1;
        c->next = next_moment(c);
    }
}

/* Applies all effects before `time`: usually none, so that the check is inlined. */
static inline void advance(sl_l1 *c, uint64_t time)
{
    if (c->next < time)
        catch_up(c, time);
    if (c->due < time)
        c->due = time;
}

/* Whether an effect at exactly `time` is on the line, or was requested by the warp (NONE: by no warp). A warp continues
 * when its data arrives: it must see the cache after that effect. */
static inline bool arrives_now(const sl_l1 *c, uint64_t time, uint32_t warp, uint32_t record)
{
    if (c->next != time)
        return false;
    for (uint32_t at = c->moment[time & (c->moments - 1)].first; at != NONE; at = c->effects.items[at].next) {
        const effect *e = &c->effects.items[at];
        if (e->warp != NONE && (e->record == record || e->warp == warp))
            return true;
    }
    return false;
}

/* ---- loads ---- */

void sl_l1_by(sl_l1 *c, uint32_t pc)
{
    c->pc = pc;
}

bool sl_l1_uses_pc(const sl_l1 *c)
{
    return c->has_policy;
}

uint32_t sl_l1_present(sl_l1 *c, uint64_t time, uint64_t line)
{
    advance(c, time);
    uint32_t record = find_line(c, line);
    if (record == NONE)
        return 0;
    const line_record *r = &c->records.items[record];
    return r->valid[REAL] | r->pending;
}

static bool mshr_free(sl_l1 *c, uint32_t warp)
{
    const sl_level *level = c->level;
    if (c->config.no_mshr)
        return true;
    return (!level->mshrs || c->in_flight < level->mshrs) &&
           (!level->mshrs_per_warp || c->warp_in_flight[warp] < level->mshrs_per_warp);
}

bool sl_l1_mshr_free(sl_l1 *c, uint64_t time)
{
    advance(c, time + 1);
    return c->config.no_mshr || !c->level->mshrs || c->in_flight < c->level->mshrs;
}

bool sl_l1_may_miss(sl_l1 *c, uint64_t time, uint32_t warp)
{
    advance(c, time);
    if (mshr_free(c, warp))
        return true;
    advance(c, time + 1); /* frees the MSHRs of what arrives at this very moment */
    return mshr_free(c, warp);
}

static void count_fit(sl_l1 *c, const line_record *r, uint32_t sectors)
{
    uint64_t distance = c->lines + (uint64_t)(c->full_fills - r->left), bin = distance * SL_FIT_STEPS / c->lines;
    bin = r->left && bin < SL_FIT_BINS ? bin : SL_FIT_BINS - 1;
    c->fit[bin] += (uint64_t)__builtin_popcount(sectors);
}

const uint64_t *sl_l1_fit(const sl_l1 *c)
{
    return c->fit;
}

bool sl_l1_needs_mshr(sl_l1 *c, uint64_t time, uint64_t line, uint32_t sectors)
{
    uint32_t present = sl_l1_present(c, time, line), record = find_line(c, line);
    return sectors & ~present && (record == NONE || !c->records.items[record].fills);
}

static void classify(sl_l1 *c, const line_record *r, uint32_t missing, uint32_t waited, sl_l1_outcome *outcome)
{
    uint32_t first = missing & ~r->accessed, again = missing & r->accessed, full = c->sets > 1 ? r->valid[FULL] : 0;
    outcome->sectors[SL_LOAD_COMPULSORY] = first;
    outcome->sectors[SL_LOAD_STORE] = again & r->invalidated;
    again &= ~r->invalidated;
    outcome->sectors[SL_LOAD_MSHR] = again & waited;
    outcome->sectors[SL_LOAD_CONFLICT] = again & ~waited & full;
    outcome->sectors[SL_LOAD_CAPACITY] = again & ~waited & ~full;
    if (outcome->sectors[SL_LOAD_CAPACITY])
        count_fit(c, r, outcome->sectors[SL_LOAD_CAPACITY]);
}

static inline uint64_t fetch(sl_l1 *c, uint64_t time, uint32_t warp, uint32_t record, uint32_t sectors)
{
    line_record *r = &c->records.items[record];
    uint64_t arrival = time + sl_latency_draw(&c->latency, &c->random);
    if (!r->fills++)
        c->in_flight++;
    r->pending |= (uint16_t)sectors;
    if (arrival > r->arrival)
        r->arrival = arrival;
    push_effect(c, arrival, (effect){record, warp, sectors, NONE});
    return arrival;
}

static void finish_hit(sl_l1 *c, uint64_t time, uint32_t record, uint32_t sectors)
{
    if (c->level->hit_cycles) {
        push_effect(c, time + c->level->hit_cycles, (effect){record, NONE, sectors, NONE});
        return;
    }
    advance(c, time + 1);
    use_both(c, record, sectors, SL_ACCESS_LOAD, c->pc);
}

bool sl_l1_has_parts(const sl_l1 *c, uint64_t line)
{
    uint32_t record = c->level->write == SL_WRITE_ALLOCATE ? find_line(c, line) : NONE;
    return record != NONE && (c->records.items[record].written[0] | c->records.items[record].written[1]);
}

/* Sectors of which stores wrote all requested bytes. */
static uint32_t covered(const sl_l1 *c, const line_record *r, uint32_t sectors, const uint64_t bytes[2])
{
    uint32_t enough = 0;
    if (!bytes || !(r->written[0] | r->written[1]))
        return 0;
    for (uint32_t left = sectors & ~r->valid[REAL], word; left; left &= left - 1) {
        uint64_t mask = sector_bytes(c, (uint32_t)__builtin_ctz(left), &word);
        if (!(bytes[word] & mask & ~r->written[word]))
            enough |= left & -left;
    }
    return enough;
}

void sl_l1_load(sl_l1 *c, uint64_t time, uint32_t warp, uint64_t line, uint32_t sectors, uint32_t waited,
                const uint64_t bytes[2], sl_l1_outcome *outcome)
{
    *outcome = (sl_l1_outcome){.done = time};
    advance(c, time);
    uint32_t record = find_or_add_line(c, line);
    if (record == NONE)
        return;
    line_record *r = &c->records.items[record];
    if (arrives_now(c, time, warp, record))
        advance(c, time + 1);
    uint32_t parts = covered(c, r, sectors, bytes); /* hits that do not change their sectors */
    uint32_t hits = sectors & (r->valid[REAL] | parts), pending = sectors & r->pending & ~hits,
             missing = sectors & ~hits & ~pending;
    classify(c, r, missing, waited, outcome);
    c->order += missing != 0;
    outcome->sectors[SL_LOAD_HIT] = hits;
    outcome->sectors[SL_LOAD_PENDING] = pending;
    r->accessed |= (uint16_t)sectors;
    if (c->config.no_latency) {
        use_both(c, record, sectors & ~parts, SL_ACCESS_LOAD, c->pc);
        return;
    }
    uint32_t shared = c->config.no_clipping ? 0 : pending, asked = missing | (pending & ~shared);
    if (shared)
        outcome->done = r->arrival;
    if (asked) {
        uint64_t arrival = fetch(c, time, warp, record, asked);
        outcome->done = arrival > outcome->done ? arrival : outcome->done;
    }
    if (hits) {
        uint64_t arrival = time + c->level->hit_cycles;
        outcome->done = arrival > outcome->done ? arrival : outcome->done;
        finish_hit(c, time, record, hits & ~parts);
    }
}

void sl_l1_missed(sl_l1 *c, uint32_t warp, uint64_t done)
{
    if (c->config.no_latency || c->config.no_mshr || !c->level->mshrs_per_warp)
        return;
    c->warp_in_flight[warp]++;
    push_effect(c, done, (effect){NONE, warp, 0, NONE});
}

uint64_t sl_l1_next_effect(const sl_l1 *c)
{
    return c->next;
}

void sl_l1_bypass(sl_l1 *c, uint64_t time, uint64_t line, uint32_t sectors, bool lookup, sl_l1_outcome *outcome)
{
    *outcome = (sl_l1_outcome){.done = time};
    uint32_t there = lookup ? sl_l1_present(c, time, line) & sectors : 0;
    if (there) {
        const line_record *r = &c->records.items[find_line(c, line)];
        outcome->sectors[SL_LOAD_HIT] = there & r->valid[REAL];
        outcome->sectors[SL_LOAD_PENDING] = there & ~r->valid[REAL];
        outcome->done = there & ~r->valid[REAL] ? r->arrival : time + c->level->hit_cycles;
    }
    outcome->sectors[SL_LOAD_BYPASSED] = sectors & ~there;
    c->order += (sectors & ~there) != 0;
    if (sectors & ~there && !c->config.no_latency)
        outcome->done = time + c->config.latency;
}

/* ---- stores ---- */

/* Of its line what takes effect at `time` has taken it. NULL: never accessed, or memory ran out. */
static line_record *record_at(sl_l1 *c, uint64_t time, uint32_t record)
{
    if (record != NONE && arrives_now(c, time, NONE, record))
        advance(c, time + 1);
    return record == NONE ? NULL : &c->records.items[record];
}

void sl_l1_invalidate(sl_l1 *c, uint64_t time, uint64_t line)
{
    advance(c, time);
    c->order++;
    uint32_t record = find_line(c, line);
    line_record *r = record_at(c, time, record);
    if (!r)
        return;
    uint32_t gone = r->valid[REAL];
    if (r->resident[REAL] && c->has_policy) {
        sl_policy_ways_evict(&c->by_policy, r->set, r->way);
        mark_evicted(r, REAL);
    } else if (r->resident[REAL])
        evict_line(c, REAL, &c->set[r->set], record);
    if (r->resident[FULL])
        evict_line(c, FULL, &c->full, record);
    r->invalidated |= (uint16_t)gone;
}

/* Whether all bytes of the sectors are among these. */
static bool has_all_bytes(const sl_l1 *c, uint32_t sectors, const uint64_t bytes[2])
{
    for (uint32_t left = sectors, word; left; left &= left - 1)
        if (sector_bytes(c, (uint32_t)__builtin_ctz(left), &word) & ~bytes[word])
            return false;
    return true;
}

/* Merges a store to parts of sectors with the request of the same warp that still waits for such, as the simulator does
 * (sim/stored.c). A request of another kind ends the waiting. Returns the sectors that the waiting request lacks. */
static uint32_t merge_stored(sl_l1 *c, line_record *r, uint32_t sectors, bool may_merge, bool joins)
{
    bool merges = joins && may_merge && r->mergeable && r->order == c->order;
    uint32_t added = merges ? sectors & ~r->mergeable : sectors;
    if (!may_merge)
        c->order++;
    r->mergeable = (uint16_t)(may_merge ? (merges ? r->mergeable : 0) | sectors : 0);
    r->order = c->order;
    return added;
}

/* Sectors are forgotten where a store to other words of them is still to be sent on, unless they are in flight. Returns
 * the sectors that the store adds to what is sent below. */
static uint32_t meet_stored(sl_l1 *c, line_record *r, uint64_t time, uint32_t sectors, const uint64_t bytes[2],
                            const sl_l1_sender *sender)
{
    bool waits = time < r->sent, joins = waits && sender->joins && sender->warp == r->sender;
    for (uint32_t left = waits && !joins ? sectors & ~r->pending : 0, word; left; left &= left - 1) {
        uint64_t mask = sector_bytes(c, (uint32_t)__builtin_ctz(left), &word), before = r->stored[word] & mask;
        if (!before || before == (bytes[word] & mask))
            continue;
        r->written[word] &= ~mask;
        r->valid[REAL] &= (uint16_t) ~(left & -left);
        r->valid[FULL] &= (uint16_t) ~(left & -left);
    }
    r->stored[0] = bytes[0] | (joins ? r->stored[0] : 0);
    r->stored[1] = bytes[1] | (joins ? r->stored[1] : 0);
    r->sent = sender->sent;
    r->sender = sender->warp;
    bool may_merge = c->level->join_cycles && sender->joins && !has_all_bytes(c, sectors, bytes);
    uint32_t added = merge_stored(c, r, sectors, may_merge, joins);
    if (r->mergeable && has_all_bytes(c, r->mergeable, r->stored))
        r->mergeable = 0;
    return added;
}

/* Keeps the written bytes. A valid sector stays valid with the new bytes; one of which only some bytes are known is not
 * valid. */
static void keep_written(sl_l1 *c, line_record *r, uint32_t sectors, const uint64_t bytes[2])
{
    uint32_t whole = 0;
    for (uint32_t left = sectors & ~r->valid[REAL], word; left; left &= left - 1) {
        uint64_t mask = sector_bytes(c, (uint32_t)__builtin_ctz(left), &word);
        r->written[word] |= bytes ? bytes[word] & mask : mask;
        if (!(mask & ~r->written[word])) {
            r->written[word] &= ~mask;
            whole |= left & -left;
        }
    }
    for (int which = 0; which < LISTS; which++)
        r->valid[which] |= (uint16_t)(r->resident[which] ? whole : 0);
}

uint32_t sl_l1_store(sl_l1 *c, uint64_t time, uint64_t line, uint32_t sectors, const uint64_t bytes[2],
                     const sl_l1_sender *sender)
{
    if (c->level->write == SL_WRITE_EVICT)
        sl_l1_invalidate(c, time, line);
    if (c->level->write == SL_WRITE_EVICT || c->level->write == SL_WRITE_THROUGH)
        return sectors; /* through: the line, if it is there, is updated where it stands */
    advance(c, time);
    uint32_t record = find_or_add_line(c, line), sent = sectors;
    line_record *r = record_at(c, time, record);
    if (!r)
        return sectors;
    use_both(c, record, c->level->write == SL_WRITE_BACK ? sectors : 0, SL_ACCESS_STORE, c->pc);
    bool keeps = c->level->write == SL_WRITE_ALLOCATE;
    if (keeps && bytes && sender)
        sent = meet_stored(c, r, time, sectors, bytes, sender);
    else
        c->order++;
    if (keeps)
        keep_written(c, r, sectors, bytes);
    else
        r->accessed |= (uint16_t)sectors;
    return sent;
}

/* ---- life ---- */

/* Room for what is to come: from now to the longest latency. */
static bool make_moments(sl_l1 *c)
{
    uint64_t longest = sl_latency_longest(&c->latency) + c->level->hit_cycles;
    for (c->moments = 64; c->moments <= longest + 1;)
        c->moments *= 2;
    c->moment = malloc(c->moments * sizeof *c->moment);
    c->busy = calloc(c->moments / 64, sizeof *c->busy);
    c->free_effect = NONE;
    c->next = UINT64_MAX;
    return c->moment && c->busy;
}

/* For LRU and FIFO a list in the order of use, or of fills, is enough. The others have ways. */
static sl_status make_replacement(sl_l1 *c, sl_error *error)
{
    sl_policy_choice choice;
    sl_status status = sl_policy_parse_among(c->level->policies, c->level->replacement, &choice, error);
    if (status)
        return status;
    c->moves_on_hit = !strcmp(choice.ops->name, "lru");
    if (!c->config.no_lists && (c->moves_on_hit || !strcmp(choice.ops->name, "fifo")))
        return SL_OK;
    c->has_policy = true;
    return sl_policy_ways_init(&c->by_policy, &choice,
                               &(sl_cache_geometry){.sets = c->sets, .ways = c->ways, .seed = c->config.seed}, error);
}

sl_status sl_l1_create(const sl_l1_config *config, sl_l1 **l1, sl_error *error)
{
    sl_l1 *c = calloc(1, sizeof *c);
    if (!c)
        return sl_fail_memory(error);
    c->config = *config;
    c->level = config->level;
    c->lines = c->level->sets * c->level->ways;
    c->sets = config->no_associativity ? 1 : c->level->sets;
    c->ways = c->lines / c->sets;
    c->random = sl_random_seed(config->seed);
    c->free_record = NONE;
    c->max_records = FIRST_RECORDS;
    c->full = (list){NONE, NONE, 0};
    c->set = malloc(c->sets * sizeof *c->set);
    c->warp_in_flight = calloc(config->warps ? config->warps : 1, sizeof *c->warp_in_flight);
    for (uint32_t i = 0; c->set && i < c->sets; i++)
        c->set[i] = (list){NONE, NONE, 0};
    if (!c->set || !c->warp_in_flight || !sl_latency_init(&c->latency, config->latency, config->sigma) ||
        !make_moments(c) || !sl_seen_resize(&c->seen, c->config.spill, SL_SEEN_FIRST_LOG2)) {
        sl_l1_destroy(c);
        return sl_fail_memory(error);
    }
    sl_status status = make_replacement(c, error);
    if (status)
        sl_l1_destroy(c);
    else
        *l1 = c;
    return status;
}

void sl_l1_destroy(sl_l1 *c)
{
    if (!c)
        return;
    sl_array_free(&c->records);
    sl_large_array_free(&c->seen.room);
    sl_array_free(&c->effects);
    sl_array_free(&c->effect_pc);
    free(c->moment);
    free(c->busy);
    sl_latency_fini(&c->latency);
    free(c->set);
    free(c->warp_in_flight);
    sl_policy_ways_fini(&c->by_policy);
    free(c);
}

bool sl_l1_failed(const sl_l1 *c)
{
    return c->failed;
}

sl_status sl_l1_check(const sl_l1 *c, sl_error *error)
{
    return sl_policy_check(&c->by_policy.policy, error);
}
