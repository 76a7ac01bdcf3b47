/* SPDX-License-Identifier: MIT */
/* Sampling dead block prediction: a sampler, a second tag array for a few sets, learns which instructions access lines
 * for the last time. Lines last accessed by such an instruction are evicted first, and its misses bypass. Khan et al.,
 * "Sampling dead block prediction for last-level caches", MICRO 2010, section 4.
 *
 * The sampler sees all requests to its sets, bypassed ones as well, and has its own replacement: a hit trains the last
 * instruction of the entry as not dead, an eviction as dead. Tables with different hashes of the PC are trained; their
 * sum predicts.
 *
 * The paper's sampler has 32 sets for a cache of 2048; in a cache with fewer than 32 sets all are sampled. Entries keep
 * full line numbers and PCs, where the paper has 15 bits of each. */
#include "base/random.h"
#include "policy/policy.h"
#include "policy/stamps.h"

enum { SAMPLER_SETS, SAMPLER_WAYS, TABLES, LOG2_ENTRIES, BITS, THRESHOLD };
enum { MAX_TABLES = 8 };

typedef struct entry {
    uint64_t line; /* line + 1; 0: free */
    uint64_t stamp;
    uint32_t pc; /* of its last use */
    bool dead;   /* as predicted then */
} entry;

typedef struct sdbp {
    sl_stamps stamps;
    bool *dead;     /* [sets * ways] */
    entry *sampler; /* [sampler_sets * sampler_ways] */
    uint8_t *table; /* [tables << log2_entries] */
    uint32_t sampler_sets, sampler_ways, stride, tables, log2_entries, threshold;
    uint8_t max;
    bool is_asked; /* the cache calls admit: misses are seen there */
    uint64_t now;
    uint64_t bypasses, dead_victims, lru_victims;
} sdbp;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    sdbp *s = self;
    s->sampler_sets = value[SAMPLER_SETS] < geometry->sets ? (uint32_t)value[SAMPLER_SETS] : geometry->sets;
    s->sampler_ways = (uint32_t)value[SAMPLER_WAYS];
    s->stride = geometry->sets / s->sampler_sets;
    s->tables = (uint32_t)value[TABLES];
    s->log2_entries = (uint32_t)value[LOG2_ENTRIES];
    s->threshold = (uint32_t)value[THRESHOLD];
    s->max = (uint8_t)((1u << value[BITS]) - 1);
    if (s->threshold > s->tables * s->max)
        return sl_fail(error, SL_INVALID,
                       "policy 'sdbp': 'threshold' exceeds the maximum sum of %u tables of %u-bit counters", s->tables,
                       (uint32_t)value[BITS]);
    s->dead = sl_arena_array(arena, bool, (size_t)geometry->sets * geometry->ways);
    s->sampler = sl_arena_array(arena, entry, (size_t)s->sampler_sets * s->sampler_ways);
    s->table = sl_arena_array(arena, uint8_t, (size_t)s->tables << s->log2_entries);
    if (!s->dead || !s->sampler || !s->table)
        return sl_fail_memory(error);
    return sl_stamps_init(&s->stamps, geometry, arena, error);
}

/* ---- the predictor ---- */

/* The counter of an instruction in a table. */
static uint8_t *counter_of(const sdbp *s, uint32_t pc, uint32_t table)
{
    uint64_t mixed = (uint64_t)pc << 8 | table;
    return &s->table[((size_t)table << s->log2_entries) + (sl_splitmix64(&mixed) >> (64 - s->log2_entries))];
}

static bool predicts_dead(const sdbp *s, uint32_t pc)
{
    uint32_t sum = 0;
    for (uint32_t t = 0; t < s->tables; t++)
        sum += *counter_of(s, pc, t);
    return sum >= s->threshold;
}

static void learn(sdbp *s, uint32_t pc, bool dead)
{
    for (uint32_t t = 0; t < s->tables; t++) {
        uint8_t *counter = counter_of(s, pc, t);
        *counter = (uint8_t)(dead ? *counter + (*counter < s->max) : *counter - (*counter > 0));
    }
}

/* ---- the sampler ---- */

/* The victim in a set of the sampler: a free entry, one predicted dead, or the LRU entry. */
static entry *victim_of(const sdbp *s, entry *set)
{
    entry *best = set;
    for (uint32_t w = 0; w < s->sampler_ways; w++) {
        entry *e = &set[w];
        if (!e->line)
            return e;
        if (e->dead != best->dead ? e->dead : e->stamp < best->stamp)
            best = e;
    }
    return best;
}

/* A read of a line. */
static void sample(sdbp *s, const sl_cache_access *access)
{
    uint32_t number = access->set / s->stride;
    if (access->set % s->stride || number >= s->sampler_sets || !sl_access_reads(access))
        return;
    entry *set = &s->sampler[(size_t)number * s->sampler_ways], *found = NULL;
    for (uint32_t w = 0; w < s->sampler_ways && !found; w++)
        found = set[w].line == access->line + 1 ? &set[w] : NULL;
    if (found) {
        learn(s, found->pc, false);
    } else {
        found = victim_of(s, set);
        if (found->line)
            learn(s, found->pc, true);
        found->line = access->line + 1;
    }
    found->pc = access->pc;
    found->dead = predicts_dead(s, access->pc);
    found->stamp = ++s->now;
}

/* ---- hooks of the cache ---- */

static void note_access(sdbp *s, const sl_cache_access *access, uint32_t way)
{
    s->dead[(size_t)access->set * s->stamps.ways + way] = sl_access_reads(access) && predicts_dead(s, access->pc);
    sl_stamps_renew(&s->stamps, access->set, way);
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    sdbp *s = self;
    (void)choices;
    s->is_asked = true;
    sample(s, access);
    if (!sl_access_reads(access) || !predicts_dead(s, access->pc))
        return SL_ADMIT;
    s->bypasses++;
    return SL_BYPASS;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    sdbp *s = self;
    size_t first = (size_t)access->set * s->stamps.ways;
    const bool *dead = &s->dead[first];
    const uint64_t *stamp = &s->stamps.stamp[first];
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (dead[w] != dead[victim] ? dead[w] : stamp[w] < stamp[victim])
            victim = w;
    s->dead_victims += dead[victim];
    s->lru_victims += !dead[victim];
    return victim;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    sample(self, access);
    note_access(self, access, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    if (!((sdbp *)self)->is_asked)
        sample(self, access);
    note_access(self, access, way);
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const sdbp *s = self;
    statistics->number(statistics->to, "bypasses", s->bypasses);
    statistics->number(statistics->to, "dead_victims", s->dead_victims);
    statistics->number(statistics->to, "lru_victims", s->lru_victims);
}

static const uint64_t thresholds[] = {2, 4, 6, 7, 8, 9, 0};

static const sl_param params[] = {
    {"sampler_sets", SL_PARAM_COUNT, 32, 1, 65536, NULL, "sampled sets, at most all", NULL},
    {"sampler_ways", SL_PARAM_COUNT, 12, 1, 1024, NULL, "associativity of the sampler", NULL},
    {"tables", SL_PARAM_COUNT, 3, 1, MAX_TABLES, NULL, "prediction tables, each with a different hash of the PC", NULL},
    {"log2_entries", SL_PARAM_COUNT, 12, 1, 20, NULL, "log2 of the entries of a table", NULL},
    {"bits", SL_PARAM_COUNT, 2, 1, 8, NULL, "bits of a counter", NULL},
    {"threshold", SL_PARAM_COUNT, 8, 0, MAX_TABLES * 255, NULL, "min sum of the counters that predicts a dead line",
     thresholds},
    {0},
};

const sl_policy_ops sl_policy_sdbp = {
    .name = "sdbp",
    .summary =
        "sampling dead block prediction: evict lines predicted dead first, and bypass loads that fill dead lines",
    .source = "Khan et al., MICRO 2010, section 4",
    .params = params,
    .state_bytes = sizeof(sdbp),
    .keeps = true,
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .report = report,
};
