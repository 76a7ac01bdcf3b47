/* SPDX-License-Identifier: MIT */
/* Profile-guided bypassing: a profiling run counts the requests of each line, and in the second run lines with too few
 * bypass. Li et al., "Locality-driven dynamic GPU cache bypassing", ICS 2015, section 6.1.
 *
 * Counts are kept per cache of the level (local) and for all of them (global). The paper combines both without saying
 * how. Either one, or both of them, would be one of the two alone, as the global count is never smaller: here they are
 * added, so that reuse within a cache counts twice. */
#include "policy/line_counts.h"
#include "policy/policy.h"

enum { COUNTS, THRESHOLD };
enum { COUNTS_LOCAL, COUNTS_GLOBAL, COUNTS_BOTH };

typedef struct profiled {
    const sl_line_counts *counts;
    uint32_t instance;
    bool local, global; /* what is counted */
    uint64_t threshold;
    uint64_t bypasses;
} profiled;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    profiled *p = self;
    (void)arena;
    if (!geometry->counts)
        return sl_fail(error, SL_INVALID,
                       "policy 'profiled' needs a profiling run, which counts lines, before this one");
    p->counts = geometry->counts;
    p->instance = geometry->instance;
    p->local = value[COUNTS] != COUNTS_GLOBAL;
    p->global = value[COUNTS] != COUNTS_LOCAL;
    p->threshold = value[THRESHOLD];
    return SL_OK;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    profiled *p = self;
    (void)choices;
    if (!sl_access_reads(access))
        return SL_ADMIT;
    uint64_t count = (p->local ? sl_line_counts_local(p->counts, p->instance, access->line) : 0) +
                     (p->global ? sl_line_counts_global(p->counts, access->line) : 0);
    if (count >= p->threshold)
        return SL_ADMIT;
    p->bypasses++;
    return SL_BYPASS;
}

/* Thresholds between which no line's count lies are the same. */
static bool decides_alike(const uint64_t *value, const uint64_t *other, const sl_line_counts *counts)
{
    uint64_t a = value[THRESHOLD], b = other[THRESHOLD];
    if (value[COUNTS] != other[COUNTS])
        return false;
    return !sl_line_counts_between(counts, value[COUNTS] != COUNTS_GLOBAL, value[COUNTS] != COUNTS_LOCAL, a < b ? a : b,
                                   a < b ? b : a);
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "bypasses", ((const profiled *)self)->bypasses);
}

static const char *const counts_words[] = {"local", "global", "both", NULL};
static const uint64_t thresholds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0};

static const sl_param params[] = {
    {"counts", SL_PARAM_WORD, COUNTS_BOTH, 0, 0, counts_words,
     "what counts: local, requests to this cache; global, to all caches of its level; both, the sum", NULL},
    {"threshold", SL_PARAM_COUNT, 2, 1, UINT32_MAX, NULL, "min count of a line that is admitted", thresholds},
    {0},
};

const sl_policy_ops sl_policy_profiled = {
    .name = "profiled",
    .summary = "profile-guided: bypass lines whose profiled reuse count is below a threshold",
    .source = "Li et al., ICS 2015, section 6.1, as Profiled-BYPASS",
    .params = params,
    .state_bytes = sizeof(profiled),
    .needs_counts = true,
    .init = init,
    .admit = admit,
    .decides_alike = decides_alike,
    .report = report,
};
