/* SPDX-License-Identifier: MIT */
/* Coordinated bypassing and warp throttling: lines are protected for a distance that is learnt as the program runs,
 * requests bypass where all lines of their set are protected, and where that leaves contention for lines or congestion
 * behind the cache, fewer warps issue loads. Chen et al., "Adaptive cache management for energy-efficient GPU
 * computing", MICRO 2014, by its abstract: nothing more of it was available.
 *
 * As published: bypassing by reuse distance; contention and congestion are detected as the program runs; throttling
 * goes with bypassing; a simple predictor estimates the best number of warps. The distance is that of Duong et al.,
 * MICRO 2012: of N(i) reuses at a distance of i accesses to a set, and n accesses, it maximizes hits per occupied
 * place, sum N(i) / (sum N(i) i + (n - sum N(i)) (d + ways)), sums to d. Ours is the rest: contention is a share of
 * the loads that ask for a line which left the set lately, congestion a share of them that wait for an MSHR or the miss
 * queue; the predictor is the number of warps whose mean distance would be the number of ways; the number moves by one
 * in each epoch, up where there is neither; the oldest warps stay active. */
#include "policy/ghosts.h"
#include "policy/protection.h"
#include "policy/warp_ages.h"

enum { SAMPLE, DEPTH, INTERVAL, EPOCH, CONTENTION, CONGESTION };

typedef struct cbwt {
    sl_protection lines;
    sl_ghosts victims;
    sl_warp_ages warps;
    uint64_t *line;   /* [sets * ways] */
    uint64_t *recent; /* [sampled sets * depth]: lines that were accessed last, plus one, as a ring */
    uint32_t *next;   /* [sampled sets]: where the next one is written */
    uint64_t *reuses; /* [depth + 1]: by distance */
    uint64_t sampled, pending_samples;
    uint32_t sample, depth, interval, contention, congestion, active;
    uint64_t epoch, epoch_end;
    uint64_t loads, lost, stalls; /* of this epoch */
    uint64_t bypasses, all_lost, all_stalls, holds;
} cbwt;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    cbwt *c = self;
    c->sample = (uint32_t)value[SAMPLE];
    c->depth = (uint32_t)value[DEPTH];
    c->interval = (uint32_t)value[INTERVAL];
    c->epoch = value[EPOCH];
    c->contention = (uint32_t)value[CONTENTION];
    c->congestion = (uint32_t)value[CONGESTION];
    c->active = SL_MAX_CORE_WARPS;
    size_t rings = geometry->sets / c->sample + 1;
    c->line = sl_arena_array(arena, uint64_t, (size_t)geometry->sets * geometry->ways);
    c->recent = sl_arena_array(arena, uint64_t, rings * c->depth);
    c->next = sl_arena_array(arena, uint32_t, rings);
    c->reuses = sl_arena_array(arena, uint64_t, c->depth + 1);
    if (!c->line || !c->recent || !c->next || !c->reuses ||
        !sl_ghosts_init(&c->victims, geometry->sets, geometry->ways, arena))
        return sl_fail_memory(error);
    return sl_protection_init(&c->lines, geometry, 1, arena, error);
}

/* ---- the distance ---- */

/* The distance with most hits per occupied place; 1, which is LRU, where nothing is reused. */
static uint32_t best_distance(const cbwt *c)
{
    uint64_t hits = 0, places = 0, best_hits = 0, best_cost = 1;
    uint32_t best = 1;
    for (uint32_t d = 1; d <= c->depth; d++) {
        hits += c->reuses[d];
        places += c->reuses[d] * d;
        uint64_t cost = places + (c->sampled - hits) * (d + c->lines.stamps.ways);
        if (hits * best_cost > best_hits * cost) {
            best = d;
            best_hits = hits;
            best_cost = cost;
        }
    }
    return best;
}

static void learn(cbwt *c)
{
    c->lines.distance = best_distance(c);
    c->pending_samples = 0;
    c->sampled = 0;
    for (uint32_t d = 1; d <= c->depth; d++)
        c->reuses[d] /= 2;
    for (uint32_t d = 1; d <= c->depth; d++)
        c->sampled += c->reuses[d];
}

static void take_sample(cbwt *c, const sl_cache_access *access)
{
    if (access->set % c->sample)
        return;
    uint32_t ring = access->set / c->sample, newest = c->next[ring];
    uint64_t *recent = &c->recent[(size_t)ring * c->depth];
    uint32_t distance = 1;
    while (distance <= c->depth && recent[(newest + c->depth - distance) % c->depth] != access->line + 1)
        distance++;
    if (distance <= c->depth)
        c->reuses[distance]++;
    recent[newest] = access->line + 1;
    c->next[ring] = (newest + 1) % c->depth;
    c->sampled++;
    if (++c->pending_samples >= c->interval)
        learn(c);
}

/* ---- hooks of the cache ---- */

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    cbwt *c = self;
    take_sample(c, access);
    sl_protection_advance(&c->lines, access->set);
    if (!sl_access_reads(access))
        return SL_ADMIT;
    uint32_t victim = sl_ghosts_find(&c->victims, access->set, access->line);
    c->loads++;
    if (victim != UINT32_MAX) {
        sl_ghosts_remove(&c->victims, access->set, victim);
        c->lost++;
        c->all_lost++;
    }
    if (sl_protection_admits(&c->lines, access->set, choices))
        return SL_ADMIT;
    c->bypasses++;
    return SL_BYPASS;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return sl_protection_victim(&((cbwt *)self)->lines, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    cbwt *c = self;
    take_sample(c, access);
    sl_protection_advance(&c->lines, access->set);
    sl_protection_renew(&c->lines, access->set, way, true);
    c->loads += sl_access_reads(access);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    cbwt *c = self;
    sl_protection_renew(&c->lines, access->set, way, false);
    c->line[(size_t)access->set * c->lines.stamps.ways + way] = access->line;
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    cbwt *c = self;
    (void)reused;
    sl_protection_drop(&c->lines, set, way);
    sl_ghosts_add(&c->victims, set, c->line[(size_t)set * c->lines.stamps.ways + way]);
}

static sl_admission on_stall(void *self, const sl_cache_access *access, sl_stall reason)
{
    cbwt *c = self;
    (void)access;
    bool congested = reason == SL_STALL_MSHR || reason == SL_STALL_QUEUE;
    c->stalls += congested;
    c->all_stalls += congested;
    return SL_ADMIT;
}

/* ---- warps ---- */

/* Of `active` warps, those whose mean distance would be the number of ways; all where nothing was reused. */
static uint32_t predict_warps(const cbwt *c, uint32_t active)
{
    uint64_t reuses = 0, sum = 0;
    for (uint32_t d = 1; d <= c->depth; d++) {
        reuses += c->reuses[d];
        sum += c->reuses[d] * d;
    }
    uint64_t fit = sum ? (active * c->lines.stamps.ways * reuses + sum - 1) / sum : active;
    return fit < active ? (uint32_t)fit : active;
}

static void end_epoch(cbwt *c)
{
    uint32_t live = (uint32_t)__builtin_popcountll(c->warps.live);
    uint32_t active = c->active < live ? c->active : live;
    if (active && c->loads) {
        if (c->stalls * c->congestion >= c->loads)
            active -= active > 1;
        else if (c->lost * c->contention >= c->loads)
            active -= active > predict_warps(c, active);
        else
            active += active < live;
        c->active = active == live ? SL_MAX_CORE_WARPS : active;
    }
    c->loads = c->lost = c->stalls = 0;
}

static uint64_t throttle_warps(void *self, const sl_core_work *work, uint64_t *wait)
{
    cbwt *c = self;
    sl_warp_ages_update(&c->warps, work);
    if (work->now >= c->epoch_end) {
        end_epoch(c);
        c->epoch_end = work->now + c->epoch;
    }
    *wait = c->epoch_end - work->now;
    uint64_t held = sl_warp_ages_younger(&c->warps, c->active);
    c->holds += held != 0;
    return held;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const cbwt *c = self;
    statistics->number(statistics->to, "bypasses", c->bypasses);
    statistics->number(statistics->to, "distance", c->lines.distance);
    statistics->number(statistics->to, "lost_locality", c->all_lost);
    statistics->number(statistics->to, "stalls", c->all_stalls);
    statistics->number(statistics->to, "holds", c->holds);
}

static const sl_param params[] = {
    {"sample", SL_PARAM_COUNT, 8, 1, 65536, NULL, "one set in this many is sampled for reuse distances", NULL},
    {"depth", SL_PARAM_COUNT, 256, 1, 4096, NULL, "longest distance that is seen", NULL},
    {"interval", SL_PARAM_COUNT, 1024, 1, 1u << 20, NULL, "sampled accesses after which the distance is chosen", NULL},
    {"epoch", SL_PARAM_COUNT, 1024, 1, 1u << 20, NULL, "cycles after which the number of warps is chosen", NULL},
    {"contention", SL_PARAM_COUNT, 8, 1, 65536, NULL, "contention: one load in this many lost its line", NULL},
    {"congestion", SL_PARAM_COUNT, 4, 1, 65536, NULL, "congestion: one load in this many waits for an MSHR or a queue",
     NULL},
    {0},
};

const sl_policy_ops sl_policy_cbwt = {
    .name = "cbwt",
    .summary = "coordinated bypassing and warp throttling: learnt protecting distance, fewer warps under contention",
    .source = "Chen et al., MICRO 2014, abstract",
    .params = params,
    .state_bytes = sizeof(cbwt),
    .first_level_only = true,
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_stall = on_stall,
    .report = report,
    .throttle_warps = throttle_warps,
};
