/* SPDX-License-Identifier: MIT */
/* Hawkeye: in some sets, what Belady's OPT would have done with past accesses is computed (OPTgen), and a table of
 * counters by PC learns whether lines of an instruction would have been hits. Lines of such instructions are friendly,
 * the others averse; averse lines are evicted first, then the oldest friendly one, whose instruction is detrained. Jain
 * and Lin, "Back to the future: leveraging Belady's algorithm for improved cache replacement", ISCA 2016, sections 3
 * and 4.
 *
 * As published (compared with the authors' code for the cache replacement championship of 2017; of the paper only the
 * abstract could be had): 64 sampled sets, a history of eight times as many accesses as a set has ways, training of the
 * PC of the access before, counters that begin at the lower end of the friendly half, RRPVs of 3 bits, 7 for averse
 * lines, hit or filled. A friendly fill ages the friendly lines unless one of them is as old as they get, which keeps
 * their order. Only evictions from sampled sets detrain.
 * Counters: 8 K of 3 bits, as in a port that follows the paper; the championship's have 2 K of 5 bits
 * (log2_entries=11, bits=5).
 * Ours: OPTgen has all ways (the championship's two fewer). Sampled sets keep full line numbers and PCs of all accesses
 * of their history, where the authors keep hashes of fewer lines; a line that comes again later than that trains
 * nothing. There is one predictor, not another one for prefetches. Stores train nothing. A cache with fewer sets than
 * are to be sampled samples all. */
#include "base/random.h"
#include "policy/policy.h"

enum { SAMPLED_SETS, LOG2_ENTRIES, BITS };
enum { HISTORY = 8, OLDEST = 6, AVERSE = 7 }; /* RRPVs of three bits: friendly lines age to OLDEST */

/* An access to a sampled set. */
typedef struct past {
    uint64_t line;
    uint32_t pc;
    uint32_t occupancy; /* lines that OPT keeps from this access to the next */
} past;

typedef struct hawkeye {
    uint8_t *rrpv;    /* [sets * ways] */
    uint32_t *pc;     /* [sets * ways]: of the last access */
    uint8_t *counter; /* [1 << log2_entries] */
    past *history;    /* [sampled_sets * window]: rings */
    uint64_t *now;    /* [sampled_sets]: accesses so far */
    uint32_t ways, sampled_sets, stride, window, log2_entries;
    uint8_t max;
    uint64_t opt_hits, opt_misses;
} hawkeye;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    hawkeye *h = self;
    size_t lines = (size_t)geometry->sets * geometry->ways;
    h->ways = geometry->ways;
    h->window = HISTORY * geometry->ways;
    h->sampled_sets = value[SAMPLED_SETS] < geometry->sets ? (uint32_t)value[SAMPLED_SETS] : geometry->sets;
    h->stride = geometry->sets / h->sampled_sets;
    h->log2_entries = (uint32_t)value[LOG2_ENTRIES];
    h->max = (uint8_t)((1u << value[BITS]) - 1);
    h->rrpv = sl_arena_array(arena, uint8_t, lines);
    h->pc = sl_arena_array(arena, uint32_t, lines);
    h->counter = sl_arena_array(arena, uint8_t, (size_t)1 << h->log2_entries);
    h->history = sl_arena_array(arena, past, (size_t)h->sampled_sets * h->window);
    h->now = sl_arena_array(arena, uint64_t, h->sampled_sets);
    if (!h->rrpv || !h->pc || !h->counter || !h->history || !h->now)
        return sl_fail_memory(error);
    for (size_t i = 0; i < (size_t)1 << h->log2_entries; i++)
        h->counter[i] =
            (uint8_t)(h->max / 2 + 1); /* the first half averse, the second friendly: undecided, but friendly */
    for (size_t i = 0; i < lines; i++)
        h->rrpv[i] = AVERSE; /* free ways are not among the friendly ones */
    return SL_OK;
}

/* ---- the predictor ---- */

static uint8_t *counter_of(const hawkeye *h, uint32_t pc)
{
    uint64_t mixed = pc;
    return &h->counter[sl_splitmix64(&mixed) >> (64 - h->log2_entries)];
}

static bool is_friendly(const hawkeye *h, uint32_t pc)
{
    return *counter_of(h, pc) > h->max / 2;
}

static void train(hawkeye *h, uint32_t pc, bool friendly)
{
    uint8_t *counter = counter_of(h, pc);
    *counter = (uint8_t)(friendly ? *counter + (*counter < h->max) : *counter - (*counter > 0));
}

/* ---- OPTgen ---- */

/* Whether OPT would have had the line since its last access, `ago` accesses ago: there was room all the time. */
static bool opt_hits(const hawkeye *h, past *ring, uint64_t now, uint64_t ago)
{
    for (uint64_t t = now - ago; t < now; t++)
        if (ring[t % h->window].occupancy == h->ways)
            return false;
    for (uint64_t t = now - ago; t < now; t++)
        ring[t % h->window].occupancy++;
    return true;
}

static bool is_sampled(const hawkeye *h, uint32_t set)
{
    return set % h->stride == 0 && set / h->stride < h->sampled_sets;
}

static void sample(hawkeye *h, const sl_cache_access *access)
{
    uint32_t number = access->set / h->stride;
    if (!is_sampled(h, access->set) || !sl_access_reads(access))
        return;
    past *ring = &h->history[(size_t)number * h->window];
    uint64_t now = h->now[number]++, back = now < h->window ? now : h->window;
    for (uint64_t ago = 1; ago <= back; ago++) {
        const past *last = &ring[(now - ago) % h->window];
        if (last->line != access->line)
            continue;
        uint32_t pc = last->pc;
        bool hit = opt_hits(h, ring, now, ago);
        train(h, pc, hit);
        h->opt_hits += hit;
        h->opt_misses += !hit;
        break;
    }
    ring[now % h->window] = (past){access->line, access->pc, 0};
}

/* ---- hooks of the cache ---- */

static void age(uint8_t *rrpv, uint32_t ways)
{
    for (uint32_t w = 0; w < ways; w++)
        if (rrpv[w] == OLDEST)
            return;
    for (uint32_t w = 0; w < ways; w++)
        rrpv[w] = (uint8_t)(rrpv[w] + (rrpv[w] < OLDEST));
}

static void note_access(hawkeye *h, const sl_cache_access *access, uint32_t way, bool fill)
{
    uint8_t *rrpv = &h->rrpv[(size_t)access->set * h->ways];
    sample(h, access);
    h->pc[(size_t)access->set * h->ways + way] = access->pc;
    if (!is_friendly(h, access->pc)) {
        rrpv[way] = AVERSE;
        return;
    }
    rrpv[way] = 0;
    if (fill)
        age(rrpv, h->ways);
    rrpv[way] = 0;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    hawkeye *h = self;
    size_t first = (size_t)access->set * h->ways;
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (h->rrpv[first + w] > h->rrpv[first + victim])
            victim = w;
    if (h->rrpv[first + victim] != AVERSE && is_sampled(h, access->set))
        train(h, h->pc[first + victim], false);
    return victim;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    note_access(self, access, way, false);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    note_access(self, access, way, true);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    hawkeye *h = self;
    (void)reused;
    h->rrpv[(size_t)set * h->ways + way] = AVERSE;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const hawkeye *h = self;
    statistics->number(statistics->to, "opt_hits", h->opt_hits);
    statistics->number(statistics->to, "opt_misses", h->opt_misses);
}

static const sl_param params[] = {
    {"sampled_sets", SL_PARAM_COUNT, 64, 1, 65536, NULL, "sets in which OPT is computed, at most all", NULL},
    {"log2_entries", SL_PARAM_COUNT, 13, 1, 20, NULL, "log2 of the counters of the predictor", NULL},
    {"bits", SL_PARAM_COUNT, 3, 1, 8, NULL, "bits of a counter", NULL},
    {0},
};

const sl_policy_ops sl_policy_hawkeye = {
    .name = "hawkeye",
    .summary = "learns by PC what Belady's OPT would have kept; evicts lines of other PCs first",
    .source = "Jain and Lin, ISCA 2016, sections 3 and 4",
    .params = params,
    .state_bytes = sizeof(hawkeye),
    .keeps = true,
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
