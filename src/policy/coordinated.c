/* SPDX-License-Identifier: MIT */
/* Coordinated static and dynamic bypassing: a profiling run says which loads gain much from the cache and which gain
 * nothing; of the others, a share of the threads caches, and the share is adapted as the program runs. Xie et al.,
 * "Coordinated static and dynamic cache bypassing for GPUs", HPCA 2015, by its abstract: nothing more of it was
 * available.
 *
 * As published: three kinds of loads by a profile; the ratio of thread blocks that cache is modulated at run time. Ours
 * is the rest: the profile of a load is the mean number of requests, in the profiling run and to the same cache, of
 * the lines that it has missed so far; in place of blocks, which a cache does not know, an eighth of the places of
 * warps on the core each; the share moves by an eighth in each epoch, and turns around when the core issued fewer
 * instructions than in the epoch before. Lines that were asked for by another cache in the profiling run count as
 * asked for once. */
#include "policy/line_counts.h"
#include "policy/policy.h"

enum { LOW, HIGH, LOADS, EPOCH };
enum { PARTS = 8, CORE_WARPS = 64 };

/* Of a load of the code. */
typedef struct profile {
    uint64_t lines, requests;
} profile;

typedef struct coordinated {
    const sl_line_counts *counts;
    profile *load; /* [loads]: by PC */
    uint32_t instance, loads, low, high;
    uint64_t epoch, epoch_end;
    uint64_t seen[CORE_WARPS], issued, issued_before; /* instructions: of each warp; in this epoch and the last */
    uint32_t share;                                   /* of PARTS */
    bool grows;
    uint64_t static_bypasses, dynamic_bypasses, changes;
} coordinated;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    coordinated *c = self;
    if (!geometry->counts)
        return sl_fail(error, SL_INVALID,
                       "policy 'coordinated' needs a profiling run, which counts lines, before this one");
    if (value[LOW] > value[HIGH])
        return sl_fail(error, SL_INVALID, "policy 'coordinated': 'low' exceeds 'high'");
    c->counts = geometry->counts;
    c->instance = geometry->instance;
    c->low = (uint32_t)value[LOW];
    c->high = (uint32_t)value[HIGH];
    c->loads = (uint32_t)value[LOADS];
    c->epoch = value[EPOCH];
    c->share = PARTS;
    c->load = sl_arena_array(arena, profile, c->loads);
    return c->load ? SL_OK : sl_fail_memory(error);
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    coordinated *c = self;
    (void)choices;
    if (!sl_access_reads(access))
        return SL_ADMIT;
    profile *p = &c->load[sl_fold(access->pc, c->loads)];
    uint32_t requests = sl_line_counts_local(c->counts, c->instance, access->line);
    p->lines++;
    p->requests += requests ? requests : 1;
    if (p->requests >= c->high * p->lines)
        return SL_ADMIT;
    if (p->requests < c->low * p->lines) {
        c->static_bypasses++;
        return SL_BYPASS;
    }
    if (access->warp % PARTS < c->share)
        return SL_ADMIT;
    c->dynamic_bypasses++;
    return SL_BYPASS;
}

/* What the warps have issued since the last look; one that has issued less than then began in the place of another. */
static uint64_t count_issued(coordinated *c, const sl_core_work *work)
{
    uint64_t issued = 0;
    for (uint64_t left = work->warps; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        uint64_t now = work->instructions[warp];
        issued += now - (now < c->seen[warp] ? 0 : c->seen[warp]);
        c->seen[warp] = now;
    }
    return issued;
}

static void end_epoch(coordinated *c)
{
    if (c->issued < c->issued_before)
        c->grows = !c->grows;
    if (c->share == PARTS)
        c->grows = false;
    else if (!c->share)
        c->grows = true;
    c->share = c->grows ? c->share + 1 : c->share - 1;
    c->changes++;
    c->issued_before = c->issued;
    c->issued = 0;
}

/* Holds no warp back: this is where the policy sees what the core has done. */
static uint64_t throttle_warps(void *self, const sl_core_work *work, uint64_t *wait)
{
    coordinated *c = self;
    c->issued += count_issued(c, work);
    if (!c->epoch_end)
        c->epoch_end = work->now + c->epoch;
    if (work->now >= c->epoch_end) {
        end_epoch(c);
        c->epoch_end = work->now + c->epoch;
    }
    *wait = c->epoch_end - work->now;
    return 0;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const coordinated *c = self;
    statistics->number(statistics->to, "static_bypasses", c->static_bypasses);
    statistics->number(statistics->to, "dynamic_bypasses", c->dynamic_bypasses);
    statistics->number(statistics->to, "changes", c->changes);
}

static const sl_param params[] = {
    {"low", SL_PARAM_COUNT, 2, 1, 65535, NULL, "loads bypass whose lines have fewer requests on average", NULL},
    {"high", SL_PARAM_COUNT, 8, 1, 65535, NULL, "loads cache whose lines have at least so many", NULL},
    {"loads", SL_PARAM_COUNT, 256, 1, 65536, NULL, "entries of the table of loads", NULL},
    {"epoch", SL_PARAM_COUNT, 2048, 1, 1u << 20, NULL, "cycles after which the share of warps that cache changes",
     NULL},
    {0},
};

const sl_policy_ops sl_policy_coordinated = {
    .name = "coordinated",
    .summary = "coordinated static and dynamic bypassing: by a profile of loads, and a share of warps that adapts",
    .source = "Xie et al., HPCA 2015, abstract",
    .params = params,
    .state_bytes = sizeof(coordinated),
    .needs_counts = true,
    .first_level_only = true,
    .init = init,
    .admit = admit,
    .report = report,
    .throttle_warps = throttle_warps,
};
