/* SPDX-License-Identifier: MIT */
/* Protecting distance: a line is protected for `pd` accesses to its set after each use; where all lines are protected,
 * requests bypass. Duong et al., "Improving cache management policies using dynamic reuse distances", MICRO 2012,
 * section 3, with a static distance (SPDP-B; without bypassing, SPDP-NB).
 *
 * A set full of lines in flight, of which one is unprotected, makes a request wait and not bypass.
 *
 * Among unprotected lines the LRU line is evicted, which the paper leaves open. If all are protected and one must be
 * evicted, it is the one with the longest remaining distance, lines without a hit first. */
#include "policy/policy.h"
#include "policy/stamps.h"

enum { PD };

typedef struct pdp {
    sl_stamps stamps;
    uint32_t *left; /* [sets * ways]: accesses to the set for which the line stays protected; free ways have 0 */
    bool *reused;   /* [sets * ways] */
    uint32_t pd;
    bool is_asked; /* the cache calls admit: misses are seen there */
    uint64_t bypasses;
} pdp;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    pdp *p = self;
    size_t lines = (size_t)geometry->sets * geometry->ways;
    p->pd = (uint32_t)value[PD];
    p->left = sl_arena_array(arena, uint32_t, lines);
    p->reused = sl_arena_array(arena, bool, lines);
    if (!p->left || !p->reused)
        return sl_fail_memory(error);
    return sl_stamps_init(&p->stamps, geometry, arena, error);
}

static uint32_t *left_of(pdp *p, uint32_t set)
{
    return &p->left[(size_t)set * p->stamps.ways];
}

/* An access to a set decrements its distances. */
static void advance(pdp *p, uint32_t set)
{
    uint32_t *left = left_of(p, set);
    for (uint32_t w = 0; w < p->stamps.ways; w++)
        left[w] -= left[w] > 0;
}

static void protect(pdp *p, uint32_t set, uint32_t way, bool reused)
{
    left_of(p, set)[way] = p->pd;
    p->reused[(size_t)set * p->stamps.ways + way] = reused;
    sl_stamps_renew(&p->stamps, set, way);
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    pdp *p = self;
    const uint32_t *left = left_of(p, access->set);
    p->is_asked = true;
    advance(p, access->set);
    if (!sl_access_reads(access))
        return SL_ADMIT;
    uint32_t first = sl_way_from(choices, 0);
    for (uint32_t w = first; w != SL_NO_WAY; w = sl_way_from(choices, w + 1))
        if (!left[w])
            return SL_ADMIT;
    for (uint32_t w = 0; first == SL_NO_WAY && w < p->stamps.ways; w++)
        if (!left[w])
            return SL_ADMIT;
    p->bypasses++;
    return SL_BYPASS;
}

/* Whether a is evicted rather than b. */
static bool is_evicted_rather(const pdp *p, uint32_t set, uint32_t a, uint32_t b)
{
    size_t first = (size_t)set * p->stamps.ways;
    const uint32_t *left = &p->left[first];
    const bool *reused = &p->reused[first];
    if (!left[a] || !left[b])
        return left[a] == left[b] ? p->stamps.stamp[first + a] < p->stamps.stamp[first + b] : !left[a];
    return reused[a] != reused[b] ? !reused[a] : left[a] > left[b];
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const pdp *p = self;
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1))
        if (is_evicted_rather(p, access->set, w, victim))
            victim = w;
    return victim;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    advance(self, access->set);
    protect(self, access->set, way, true);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    if (!((pdp *)self)->is_asked)
        advance(self, access->set);
    protect(self, access->set, way, false);
}

static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    (void)reused;
    left_of(self, set)[way] = 0;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "bypasses", ((const pdp *)self)->bypasses);
}

static const uint64_t distances[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 0};

static const sl_param params[] = {
    {"pd", SL_PARAM_COUNT, 16, 1, 1u << 20, NULL,
     "protecting distance: accesses to the set for which a line is protected after a use", distances},
    {0},
};

const sl_policy_ops sl_policy_pdp = {
    .name = "pdp",
    .summary =
        "static protecting distance: protect lines for a number of accesses to their set; bypass if all are protected",
    .source = "Duong et al., MICRO 2012, section 3",
    .params = params,
    .state_bytes = sizeof(pdp),
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
};
