/* SPDX-License-Identifier: MIT */
/* Access interval predictor: a line that has been idle for longer than its longest access interval is dead and evicted
 * first; a line that was never reused bypasses the next time. Kharbutli and Solihin, "Counter-based cache replacement
 * and bypassing algorithms", IEEE Transactions on Computers 57(4), 2008; first ICCD 2005, section 3.2. In the size in
 * which Tian et al., GPGPU-8, 2015, compare with it: a table of 128 by 128.
 *
 * Each line counts the accesses to its set since its last use, and keeps the maximum of these intervals. On eviction
 * the maximum goes into a table, indexed by hashes of the filling instruction and of the line, with a confidence bit
 * that says whether it equals the previous one. Only confident intervals are used. A confident interval of 0 means that
 * the line was never reused.
 *
 * Our addition: one such request in `relearn` is admitted, because nothing else would ever correct the table. */
#include "policy/policy.h"
#include "policy/stamps.h"

enum { INTERVAL_BITS, PC_BITS, LINE_BITS, RELEARN };

typedef struct entry {
    uint8_t longest;
    bool sure;
} entry;

typedef struct line {
    uint8_t since, longest; /* accesses to the set since its last use; the longest interval of this stay */
    entry past;             /* the table's entry when the line was filled */
    uint32_t at;            /* its entry of the table */
} line;

typedef struct counter {
    sl_stamps stamps;
    line *lines;  /* [sets * ways] */
    entry *table; /* [pcs * addresses] */
    uint32_t pcs, addresses;
    uint8_t max;
    uint64_t relearn, dead_on_arrival;
    bool is_asked; /* the cache calls admit: misses are seen there */
    uint64_t bypasses, expired_victims, lru_victims;
} counter;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    counter *c = self;
    c->max = (uint8_t)((1u << value[INTERVAL_BITS]) - 1);
    c->pcs = 1u << value[PC_BITS];
    c->addresses = 1u << value[LINE_BITS];
    c->relearn = value[RELEARN];
    c->lines = sl_arena_array(arena, line, (size_t)geometry->sets * geometry->ways);
    c->table = sl_arena_array(arena, entry, (size_t)c->pcs * c->addresses);
    if (!c->lines || !c->table)
        return sl_fail_memory(error);
    return sl_stamps_init(&c->stamps, geometry, arena, error);
}

static line *lines_of(counter *c, uint32_t set)
{
    return &c->lines[(size_t)set * c->stamps.ways];
}

static uint32_t index_of(const counter *c, const sl_cache_access *access)
{
    return sl_fold(access->pc, c->pcs) * c->addresses + sl_fold(access->line, c->addresses);
}

/* An access to a set. */
static void advance(counter *c, uint32_t set)
{
    line *lines = lines_of(c, set);
    for (uint32_t w = 0; w < c->stamps.ways; w++)
        lines[w].since = (uint8_t)(lines[w].since + (lines[w].since < c->max));
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    counter *c = self;
    const entry *e = &c->table[index_of(c, access)];
    (void)choices;
    c->is_asked = true;
    advance(c, access->set);
    if (!sl_access_reads(access) || !e->sure || e->longest)
        return SL_ADMIT;
    if (c->relearn && ++c->dead_on_arrival % c->relearn == 0)
        return SL_ADMIT;
    c->bypasses++;
    return SL_BYPASS;
}

static bool has_expired(const line *l)
{
    return l->past.sure && l->since > l->longest && l->since > l->past.longest;
}

/* The least recently used expired line, or the LRU line if none has expired. The MRU line never expires. */
static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    counter *c = self;
    const line *lines = lines_of(c, access->set);
    const uint64_t *stamp = &c->stamps.stamp[(size_t)access->set * c->stamps.ways];
    uint32_t last = 0, victim = SL_NO_WAY;
    for (uint32_t w = 1; w < c->stamps.ways; w++)
        last = stamp[w] > stamp[last] ? w : last;
    for (uint32_t w = sl_way_from(evictable, 0); w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (w != last && has_expired(&lines[w]) && (victim == SL_NO_WAY || stamp[w] < stamp[victim]))
            victim = w;
    c->expired_victims += victim != SL_NO_WAY;
    c->lru_victims += victim == SL_NO_WAY;
    return victim != SL_NO_WAY ? victim : sl_stamps_oldest(&c->stamps, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    counter *c = self;
    line *l = &lines_of(c, access->set)[way];
    advance(c, access->set);
    l->longest = l->since > l->longest ? l->since : l->longest;
    l->since = 0;
    sl_stamps_renew(&c->stamps, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    counter *c = self;
    uint32_t at = index_of(c, access);
    if (!c->is_asked)
        advance(c, access->set);
    lines_of(c, access->set)[way] = (line){.past = c->table[at], .at = at};
    sl_stamps_renew(&c->stamps, access->set, way);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    counter *c = self;
    const line *l = &lines_of(c, set)[way];
    (void)reused;
    c->table[l->at] = (entry){.longest = l->longest, .sure = l->longest == l->past.longest};
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const counter *c = self;
    statistics->number(statistics->to, "bypasses", c->bypasses);
    statistics->number(statistics->to, "expired_victims", c->expired_victims);
    statistics->number(statistics->to, "lru_victims", c->lru_victims);
}

static const sl_param params[] = {
    {"interval_bits", SL_PARAM_COUNT, 4, 1, 8, NULL, "bits of an interval", NULL},
    {"pc_bits", SL_PARAM_COUNT, 7, 1, 12, NULL, "bits of the hash of a PC", NULL},
    {"line_bits", SL_PARAM_COUNT, 7, 1, 12, NULL, "bits of the hash of a line", NULL},
    {"relearn", SL_PARAM_COUNT, 32, 0, 1u << 20, NULL, "admit one in this many requests predicted to bypass; 0: none",
     NULL},
    {0},
};

const sl_policy_ops sl_policy_counter = {
    .name = "counter",
    .summary =
        "access interval predictor: evict lines idle for longer than their longest interval, bypass those never reused",
    .source = "Kharbutli and Solihin, IEEE Transactions on Computers 57(4), 2008, as AIP",
    .params = params,
    .state_bytes = sizeof(counter),
    .keeps = true,
    .cost = "10.625 KB for an L1 of 16 KB (Tian et al., GPGPU-8, 2015)",
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
