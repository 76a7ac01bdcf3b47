/* SPDX-License-Identifier: MIT */
/* Bypassing by instruction: a load whose lines are not reused does not allocate. Tian et al.,
 * "Adaptive GPU cache bypassing", GPGPU-8, 2015.
 *
 * A table of counters by the hash of a load. Each line remembers the last load that accessed it. Where the line is hit,
 * it was alive after that load, whose counter goes down; where it is evicted, it was dead, and the counter goes up. A
 * load that misses with a counter at the threshold bypasses. The next level remembers which lines it was asked for that
 * way, and says so when it is asked again: then the bypass was wrong, and the counter of the load that now asks goes
 * down.
 *
 * Some sets never bypass, so that the table keeps learning; and there is set dueling: some always bypass as predicted,
 * some never, and the others do as those that miss less. Bypassing has a lead at first: where nothing is used again
 * both sides miss alike, and bypassing saves the energy of fills. The authors name sampling and set dueling, but give
 * no numbers: all are parameters. Loads alone are predicted and learned from. */
#include "policy/hash.h"
#include "policy/policy.h"
#include "policy/set_dueling.h"

enum { THRESHOLD, COUNTERS, BITS, START, UP, DOWN, SAMPLE, LEADERS, SELECTOR_BITS, LEAD, HASH, CORRECTION };
enum { HASH_FOLD, HASH_MIX };
enum { OFF, ON };
enum { NO_LOAD = 0xffffffff };

typedef struct pc {
    uint32_t *counter;   /* [counters] */
    uint32_t *last_load; /* [sets * ways]: counter of the load that accessed the line last, or NO_LOAD */
    uint32_t ways, counters, max, threshold, up, down, sample;
    bool mixes, corrects;
    sl_set_dueling dueling; /* the first kind bypasses */
    uint64_t predictions, dead, bypasses, wrong_bypasses;
} pc;

static sl_status init(void *self, const sl_cache_shape *shape, const uint64_t *value, sl_arena *arena, sl_error *error)
{
    pc *p = self;
    p->ways = shape->ways;
    p->counters = (uint32_t)value[COUNTERS];
    p->max = (1u << value[BITS]) - 1;
    p->threshold = (uint32_t)value[THRESHOLD];
    if (p->threshold > p->max || value[START] > p->max)
        return sl_fail(error, SL_INVALID, "policy 'pc': '%s' is more than %u bits count to",
                       p->threshold > p->max ? "threshold" : "start", (uint32_t)value[BITS]);
    p->up = (uint32_t)value[UP];
    p->down = (uint32_t)value[DOWN];
    p->sample = (uint32_t)value[SAMPLE];
    p->mixes = value[HASH] == HASH_MIX;
    p->corrects = value[CORRECTION] == ON;
    sl_set_dueling_init(&p->dueling, shape->sets, (uint32_t)value[LEADERS], (uint32_t)value[SELECTOR_BITS]);
    p->dueling.selector -= value[LEAD] < p->dueling.selector ? (uint32_t)value[LEAD] : p->dueling.selector;
    p->counter = sl_arena_array(arena, uint32_t, p->counters);
    p->last_load = sl_arena_array(arena, uint32_t, (size_t)shape->sets * shape->ways);
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

/* The last set of so many is sampled, unless it leads for bypassing. */
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
    statistics->number(statistics->to, "bypassing_leader_misses", p->dueling.misses[0]);
    statistics->number(statistics->to, "keeping_leader_misses", p->dueling.misses[1]);
}

static const char *const hash_words[] = {"fold", "mix", NULL};
static const char *const switch_words[] = {"off", "on", NULL};
static const uint64_t thresholds[] = {1, 2, 4, 6, 8, 10, 12, 14, 15, 0};

static const sl_param params[] = {
    {"threshold", SL_PARAM_COUNT, 8, 0, 65535, NULL, "a load whose counter has this bypasses", thresholds},
    {"counters", SL_PARAM_COUNT, 128, 2, 1u << 20, NULL, "of the table", NULL},
    {"bits", SL_PARAM_COUNT, 4, 1, 16, NULL, "of a counter", NULL},
    {"start", SL_PARAM_COUNT, 0, 0, 65535, NULL, "what counters start with", NULL},
    {"up", SL_PARAM_COUNT, 1, 0, 65535, NULL, "step for a line that is evicted", NULL},
    {"down", SL_PARAM_COUNT, 1, 0, 65535, NULL, "step for a line that is hit, and for a wrong bypass", NULL},
    {"sample", SL_PARAM_COUNT, 32, 0, 65536, NULL, "one set in so many never bypasses; 0: all do", NULL},
    {"leaders", SL_PARAM_COUNT, 2, 0, 65536, NULL, "leader sets of either kind for set dueling; 0: none", NULL},
    {"selector_bits", SL_PARAM_COUNT, 10, 1, 20, NULL, "of the counter that says which kind misses less", NULL},
    {"lead", SL_PARAM_COUNT, 128, 0, 1u << 19, NULL,
     "misses by which bypassing has to be worse in set dueling before it is given up the first time", NULL},
    {"hash", SL_PARAM_WORD, HASH_FOLD, 0, 0, hash_words,
     "of a load: fold, its number folded to the size of the table; mix, all bits mixed", NULL},
    {"correction", SL_PARAM_WORD, ON, 0, 0, switch_words, "whether the next level's word on wrong bypasses is heeded",
     NULL},
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
    .cost = "224 bytes for an L1 of 16 KB and a bit in each line of L2; tags take 0.0017867 nJ where they took "
            "0.00134096, the table 0.000126232; leakage grows from 7.538627 to 7.72904 mW",
    .init = init,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .on_feedback = on_feedback,
    .report = report,
};
