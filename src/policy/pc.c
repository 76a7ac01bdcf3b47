/* SPDX-License-Identifier: MIT */
/* PC-based bypassing: a load whose lines are not reused bypasses. Tian et al., "Adaptive GPU cache bypassing", GPGPU-8,
 * 2015.
 *
 * A table of counters is indexed by the hash of a load's PC. Each line remembers the last load that accessed it. A hit
 * decrements the counter of that load, an eviction increments it. A load that misses with a counter at the threshold
 * bypasses. The next level marks lines that were requested by a bypass and reports when they are requested again: the
 * bypass was wrong, and the counter of the requesting load is decremented.
 *
 * Sampled sets never bypass, so that the table keeps learning. Set dueling decides whether the others bypass. It counts
 * the hits of leaders: where nothing is reused, both kinds miss alike, and a selector that counts misses wanders and
 * vetoes bypasses by chance; on the slides, nearly all predicted bypasses prevent a fill. The authors name sampling and
 * set dueling, but give no numbers: all are parameters. Only loads are predicted and train the table. */
#include "policy/policy.h"
#include "policy/set_dueling.h"

enum { THRESHOLD, COUNTERS, BITS, START, UP, DOWN, SAMPLE, LEADERS, SELECTOR_BITS, DUEL, HASH, CORRECTION };
enum { HASH_FOLD, HASH_MIX };
enum { OFF, ON };
enum { DUEL_HITS, DUEL_MISSES };
enum { NO_LOAD = 0xffffffff };

typedef struct pc {
    uint32_t *counter;   /* [counters] */
    uint32_t *last_load; /* [sets * ways]: counter of the load that accessed the line last, or NO_LOAD */
    uint32_t ways, counters, max, threshold, up, down, sample;
    bool mixes, corrects, counts_hits;
    sl_set_dueling dueling; /* the first kind bypasses */
    uint64_t predictions;   /* one for each load, hit or miss */
    uint64_t dead, bypasses, wrong_bypasses;
} pc;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    pc *p = self;
    p->ways = geometry->ways;
    p->counters = (uint32_t)value[COUNTERS];
    p->max = (1u << value[BITS]) - 1;
    p->threshold = (uint32_t)value[THRESHOLD];
    if (p->threshold > p->max || value[START] > p->max)
        return sl_fail(error, SL_INVALID, "policy 'pc': '%s' exceeds the maximum of a %u-bit counter",
                       p->threshold > p->max ? "threshold" : "start", (uint32_t)value[BITS]);
    p->up = (uint32_t)value[UP];
    p->down = (uint32_t)value[DOWN];
    p->sample = (uint32_t)value[SAMPLE];
    p->mixes = value[HASH] == HASH_MIX;
    p->corrects = value[CORRECTION] == ON;
    sl_set_dueling_init(&p->dueling, geometry->sets, (uint32_t)value[LEADERS], (uint32_t)value[SELECTOR_BITS]);
    p->counts_hits = value[DUEL] == DUEL_HITS;
    p->counter = sl_arena_array(arena, uint32_t, p->counters);
    p->last_load = sl_arena_array(arena, uint32_t, (size_t)geometry->sets * geometry->ways);
    if (!p->counter || !p->last_load)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < p->counters; i++)
        p->counter[i] = (uint32_t)value[START];
    return SL_OK;
}

/* ---- the table ---- */

static uint32_t hash(const pc *p, const sl_cache_access *access)
{
    if (!sl_access_reads(access))
        return NO_LOAD;
    if (p->mixes)
        return (uint32_t)((access->pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) % p->counters);
    return sl_fold(access->pc, p->counters);
}

static void was_alive(pc *p, uint32_t load)
{
    if (load != NO_LOAD)
        p->counter[load] -= p->down < p->counter[load] ? p->down : p->counter[load];
}

static void was_dead(pc *p, uint32_t load)
{
    if (load != NO_LOAD)
        p->counter[load] += p->up < p->max - p->counter[load] ? p->up : p->max - p->counter[load];
}

/* ---- hooks of the cache ---- */

/* The last of every `sample` sets never bypasses, unless it is a leader. */
static bool may_bypass(const pc *p, uint32_t set)
{
    uint32_t kind = sl_set_dueling_kind(&p->dueling, set);
    if (kind == SL_DUEL_FOLLOWER && p->sample && set % p->sample == p->sample - 1)
        return false;
    return sl_set_dueling_side(&p->dueling, set) == 0;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    pc *p = self;
    uint32_t load = hash(p, access);
    (void)choices;
    if (load == NO_LOAD)
        return SL_ADMIT;
    if (!p->counts_hits)
        sl_set_dueling_miss(&p->dueling, access->set);
    p->predictions++;
    if (p->counter[load] < p->threshold)
        return SL_ADMIT;
    p->dead++;
    if (!may_bypass(p, access->set))
        return SL_ADMIT;
    p->bypasses++;
    return SL_BYPASS;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    pc *p = self;
    uint32_t *last = &p->last_load[(size_t)access->set * p->ways + way], load = hash(p, access);
    if (load == NO_LOAD)
        return;
    p->predictions++;
    if (p->counts_hits)
        sl_set_dueling_hit(&p->dueling, access->set);
    was_alive(p, *last);
    *last = load;
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    pc *p = self;
    p->last_load[(size_t)access->set * p->ways + way] = hash(p, access);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    pc *p = self;
    (void)reused;
    was_dead(p, p->last_load[(size_t)set * p->ways + way]);
}

static void on_feedback(void *self, const sl_cache_access *access, uint32_t flags)
{
    pc *p = self;
    if (!(flags & SL_FEEDBACK_BYPASS))
        return;
    p->wrong_bypasses++;
    if (p->corrects)
        was_alive(p, hash(p, access));
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const pc *p = self;
    statistics->number(statistics->to, "predictions", p->predictions);
    statistics->number(statistics->to, "predicted_dead", p->dead);
    statistics->number(statistics->to, "bypasses", p->bypasses);
    statistics->number(statistics->to, "wrong_bypasses", p->wrong_bypasses);
    statistics->number(statistics->to, "selector", p->dueling.selector);
}

static const char *const hash_words[] = {"fold", "mix", NULL};
static const char *const duel_words[] = {"hits", "misses", NULL};
static const char *const switch_words[] = {"off", "on", NULL};
static const uint64_t thresholds[] = {1, 2, 4, 6, 8, 10, 12, 14, 15, 0};

static const sl_param params[] = {
    {"threshold", SL_PARAM_COUNT, 8, 0, 65535, NULL, "loads bypass from this counter value on", thresholds},
    {"counters", SL_PARAM_COUNT, 128, 2, 1u << 20, NULL, "counters of the table", NULL},
    {"bits", SL_PARAM_COUNT, 4, 1, 16, NULL, "bits of a counter", NULL},
    {"start", SL_PARAM_COUNT, 0, 0, 65535, NULL, "initial value of the counters", NULL},
    {"up", SL_PARAM_COUNT, 1, 0, 65535, NULL, "increment for an evicted line", NULL},
    {"down", SL_PARAM_COUNT, 1, 0, 65535, NULL, "decrement for a hit, and for a wrong bypass", NULL},
    {"sample", SL_PARAM_COUNT, 32, 0, 65536, NULL, "one set in this many never bypasses; 0: all can bypass", NULL},
    {"leaders", SL_PARAM_COUNT, 2, 0, 65536, NULL, "leader sets of each kind for set dueling; 0: no set dueling", NULL},
    {"selector_bits", SL_PARAM_COUNT, 10, 1, 20, NULL, "bits of the selector of set dueling (PSEL)", NULL},
    {"duel", SL_PARAM_WORD, DUEL_HITS, 0, 0, duel_words, "what set dueling counts in leader sets: hits; misses", NULL},
    {"hash", SL_PARAM_WORD, HASH_FOLD, 0, 0, hash_words,
     "hash of a load's PC: fold, XOR-folded to the size of the table; mix, multiplicative", NULL},
    {"correction", SL_PARAM_WORD, ON, 0, 0, switch_words,
     "on: the next level's feedback on wrong bypasses trains the table", NULL},
    {0},
};

const sl_policy_ops sl_policy_pc = {
    .name = "pc",
    .summary = "PC-based: bypass loads whose lines are not reused, corrected by the next level and by set dueling",
    .source = "Tian et al., GPGPU-8, 2015",
    .params = params,
    .state_bytes = sizeof(pc),
    .keeps = true,
    /* A tag that holds the hash takes 0.0017867 instead of 0.00134096, and the table 0.000126232. */
    .access_nj = 0.0017867 - 0.00134096 + 0.000126232,
    .leak_mw = 7.72904 - 7.538627,
    .cost = "224 bytes for an L1 of 16 KB and a bit per line of L2; 0.0017867 instead of 0.00134096 nJ per tag access, "
            "0.000126232 nJ per table access; 7.72904 instead of 7.538627 mW of leakage",
    .init = init,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_feedback = on_feedback,
    .report = report,
};
