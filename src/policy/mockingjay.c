/* SPDX-License-Identifier: MIT */
/* Mockingjay: a sampled cache measures reuse distances, a table predicts them by PC, and each line has an estimated
 * time of its next access, which counts down. The line whose estimate is farthest from now, in the future or overdue,
 * is evicted; an access whose estimate is farther than all of them bypasses. Shah, Jain and Lin, "Effective mimicry of
 * Belady's MIN policy", HPCA 2022, sections 3 and 4.
 *
 * As published (compared with the authors' code for one core; of the paper only the abstract could be had): distances
 * are accesses to the set; estimates count in units of `granularity`. The sampled cache looks back over eight times as
 * many accesses as a set has ways, less one, which is the infinite distance. The table takes the first sample as it is,
 * then moves towards samples by one where they are 16 or more away; a line that leaves the sampled cache unused moves
 * it up by one. Hits and misses have entries of their own. PCs that nothing is known of have an estimate of 0. A
 * distance near the infinite one, above 105 of 127 for 16 ways, is as good as infinite: misses bypass then, whatever
 * the set holds. Accesses that bypass count as others do.
 * Ours: what is near the infinite distance is the same part of it for any number of ways. Sampled sets keep full line
 * numbers of all accesses of their window, where the authors keep hashes of 80 lines each. Prefetch instructions are
 * loads (the authors double distances that end with a prefetch). Stores, which have PCs here, have estimates, but
 * neither train nor bypass (the authors' writebacks, which have none, are the next to leave). */
#include <stdlib.h>

#include "base/random.h"
#include "policy/policy.h"

enum { SAMPLED_SETS, LOG2_ENTRIES, GRANULARITY };
enum { HISTORY = 8, UNKNOWN = UINT16_MAX };
enum { NEAR_INFINITE = 22, OF = 128 }; /* the part of the window whose distances are as good as infinite */
#define SLOW 16u
enum { FREE = INT32_MAX }; /* the estimate of a way without a line: nothing bypasses it */

typedef struct past {
    uint64_t line;
    uint32_t signature;
    bool open; /* no access to the line followed yet */
} past;

typedef struct mockingjay {
    int32_t *estimate;  /* [sets * ways] */
    uint32_t *clock;    /* [sets]: accesses since the estimates counted down; at 0 they do */
    uint16_t *distance; /* [1 << log2_entries]: predicted; UNKNOWN: never sampled */
    past *history;      /* [sampled_sets * window]: rings */
    uint64_t *now;      /* [sampled_sets]: accesses so far */
    uint32_t ways, sampled_sets, stride, window, log2_entries, granularity;
    uint32_t infinite, longest; /* distances: the infinite one, and the longest that is not as good as that */
    int32_t farthest;           /* estimate of infinite distances */
    uint64_t bypasses;
} mockingjay;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    mockingjay *m = self;
    m->ways = geometry->ways;
    m->window = HISTORY * geometry->ways;
    m->sampled_sets = value[SAMPLED_SETS] < geometry->sets ? (uint32_t)value[SAMPLED_SETS] : geometry->sets;
    m->stride = geometry->sets / m->sampled_sets;
    m->log2_entries = (uint32_t)value[LOG2_ENTRIES];
    m->granularity = (uint32_t)value[GRANULARITY];
    m->infinite = m->window - 1;
    m->longest = m->infinite - m->window * NEAR_INFINITE / OF;
    m->farthest = (int32_t)(m->infinite / m->granularity);
    m->estimate = sl_arena_array(arena, int32_t, (size_t)geometry->sets * geometry->ways);
    m->clock = sl_arena_array(arena, uint32_t, geometry->sets);
    m->distance = sl_arena_array(arena, uint16_t, (size_t)1 << m->log2_entries);
    m->history = sl_arena_array(arena, past, (size_t)m->sampled_sets * m->window);
    m->now = sl_arena_array(arena, uint64_t, m->sampled_sets);
    if (!m->estimate || !m->clock || !m->distance || !m->history || !m->now)
        return sl_fail_memory(error);
    if (m->window >= UNKNOWN)
        return sl_fail(error, SL_INVALID, "policy 'mockingjay': %u ways are too many", m->ways);
    for (size_t i = 0; i < (size_t)1 << m->log2_entries; i++)
        m->distance[i] = UNKNOWN;
    for (size_t i = 0; i < (size_t)geometry->sets * geometry->ways; i++)
        m->estimate[i] = FREE;
    return SL_OK;
}

/* ---- distances ---- */

static uint32_t signature_of(const mockingjay *m, uint32_t pc, bool hit)
{
    uint64_t mixed = (uint64_t)pc << 1 | hit;
    return (uint32_t)(sl_splitmix64(&mixed) >> (64 - m->log2_entries));
}

static void learn(mockingjay *m, uint32_t signature, uint32_t sample)
{
    uint16_t *distance = &m->distance[signature];
    if (*distance == UNKNOWN)
        *distance = (uint16_t)sample;
    else if (sample >= *distance + SLOW)
        ++*distance;
    else if (sample + SLOW <= *distance)
        --*distance;
}

/* A line left the sampled cache unused. */
static void learn_infinite(mockingjay *m, uint32_t signature)
{
    uint16_t *distance = &m->distance[signature];
    *distance = (uint16_t)(*distance < m->infinite ? *distance + 1u : m->infinite);
}

static void sample(mockingjay *m, const sl_cache_access *access, uint32_t signature)
{
    uint32_t number = access->set / m->stride;
    if (access->set % m->stride || number >= m->sampled_sets || !sl_access_reads(access))
        return;
    past *ring = &m->history[(size_t)number * m->window];
    uint64_t now = m->now[number]++, back = now < m->infinite ? now : m->infinite;
    for (uint64_t ago = 1; ago <= back; ago++) {
        past *last = &ring[(now - ago) % m->window];
        if (last->open && last->line == access->line) {
            learn(m, last->signature, (uint32_t)ago);
            last->open = false;
            break;
        }
    }
    past *slot = &ring[now % m->window]; /* what falls out of the window now */
    if (slot->open)
        learn_infinite(m, slot->signature);
    *slot = (past){access->line, signature, true};
}

static bool is_infinite(const mockingjay *m, uint32_t signature)
{
    return m->distance[signature] != UNKNOWN && m->distance[signature] > m->longest;
}

/* The estimate of an access in units; 0 for instructions that are not known. */
static int32_t estimate_of(const mockingjay *m, uint32_t signature)
{
    uint16_t distance = m->distance[signature];
    if (is_infinite(m, signature))
        return m->farthest;
    return distance == UNKNOWN ? 0 : (int32_t)(distance / m->granularity);
}

/* ---- hooks of the cache ---- */

/* `way`: SL_NO_WAY where it bypasses. */
static void note_access(mockingjay *m, const sl_cache_access *access, uint32_t way, bool hit)
{
    int32_t *estimate = &m->estimate[(size_t)access->set * m->ways];
    uint32_t signature = signature_of(m, access->pc, hit), *clock = &m->clock[access->set];
    sample(m, access, signature);
    for (uint32_t w = 0; w < m->ways && !*clock; w++)
        estimate[w] -= w != way && abs(estimate[w]) < m->farthest;
    *clock = (*clock + 1) % m->granularity;
    if (way != SL_NO_WAY)
        estimate[way] = estimate_of(m, signature);
}

/* The line farthest from now; of two, one that is overdue. */
static uint32_t farthest_of(const mockingjay *m, uint32_t set, const sl_way_mask *among)
{
    const int32_t *estimate = &m->estimate[(size_t)set * m->ways];
    uint32_t farthest = sl_way_from(among, 0);
    for (uint32_t w = farthest; w != SL_NO_WAY; w = sl_way_from(among, w + 1)) {
        int32_t difference = abs(estimate[w]) - abs(estimate[farthest]);
        if (difference > 0 || (!difference && estimate[w] < estimate[farthest]))
            farthest = w;
    }
    return farthest;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    mockingjay *m = self;
    uint32_t way = farthest_of(m, access->set, choices), signature = signature_of(m, access->pc, false);
    if (way == SL_NO_WAY || !sl_access_reads(access))
        return SL_ADMIT;
    int32_t estimate = m->estimate[(size_t)access->set * m->ways + way];
    if (estimate == FREE || (!is_infinite(m, signature) && estimate_of(m, signature) <= abs(estimate)))
        return SL_ADMIT;
    m->bypasses++;
    note_access(m, access, SL_NO_WAY, false);
    return SL_BYPASS;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    return farthest_of(self, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    note_access(self, access, way, true);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    note_access(self, access, way, false);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    mockingjay *m = self;
    (void)reused;
    m->estimate[(size_t)set * m->ways + way] = FREE;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "bypasses", ((const mockingjay *)self)->bypasses);
}

static const sl_param params[] = {
    {"sampled_sets", SL_PARAM_COUNT, 32, 1, 65536, NULL, "sets in which reuse distances are measured, at most all",
     NULL},
    {"log2_entries", SL_PARAM_COUNT, 11, 1, 20, NULL, "log2 of the entries of the table of distances", NULL},
    {"granularity", SL_PARAM_COUNT, 8, 1, 256, NULL, "accesses to a set in which estimates count down by one", NULL},
    {0},
};

const sl_policy_ops sl_policy_mockingjay = {
    .name = "mockingjay",
    .summary = "predicts reuse distances by PC; evicts the line whose next access is farthest away, or bypasses",
    .source = "Shah, Jain and Lin, HPCA 2022, sections 3 and 4",
    .params = params,
    .state_bytes = sizeof(mockingjay),
    .keeps = true,
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
