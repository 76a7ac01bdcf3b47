/* SPDX-License-Identifier: MIT */
/* Priority-based cache allocation: some warps hold tokens, and only these allocate lines and evict others'. Warps
 * without one still hit whatever is there; what they miss bypasses. So the cache keeps the working sets of few warps
 * while all run. Li et al., "Priority-based cache allocation in throughput processors", HPCA 2015, section 3: the
 * static form, whose number of tokens is chosen for each program (`tokens=best`), with or without a limit on active
 * warps.
 *
 * As published: a warp keeps its token until it ends; then it goes to the oldest warp without one. Ours: the core is
 * looked at after 16 cycles, or when a warp can issue (warp_ages.h). Left out: the search for the number of tokens at
 * run time. */
#include "policy/warp_ages.h"

enum { TOKENS, ACTIVE };
enum { AGAIN = 16 };

typedef struct pcal {
    sl_warp_ages warps;
    uint64_t holders; /* a bit each */
    uint32_t tokens, active;
    uint64_t without_token, held;
} pcal;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    pcal *p = self;
    (void)geometry;
    (void)arena;
    (void)error;
    p->tokens = (uint32_t)value[TOKENS];
    p->active = (uint32_t)value[ACTIVE];
    return SL_OK;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    pcal *p = self;
    (void)choices;
    if (!p->warps.live || p->holders >> (access->warp % SL_MAX_CORE_WARPS) & 1)
        return SL_ADMIT;
    p->without_token++;
    return SL_BYPASS;
}

static uint64_t throttle_warps(void *self, const sl_core_work *work, uint64_t *wait)
{
    pcal *p = self;
    *wait = AGAIN;
    p->holders &= work->warps & ~sl_warp_ages_update(&p->warps, work);
    while (p->warps.live & ~p->holders && (uint32_t)__builtin_popcountll(p->holders) < p->tokens)
        p->holders |= UINT64_C(1) << sl_warp_ages_oldest(&p->warps, p->warps.live & ~p->holders);
    if (!p->active)
        return 0;
    uint64_t left = sl_warp_ages_younger(&p->warps, p->active);
    p->held += left != 0;
    return left;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const pcal *p = self;
    statistics->number(statistics->to, "without_token", p->without_token);
    statistics->number(statistics->to, "holds", p->held);
}

static const uint64_t tokens_tried[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 0};
static const sl_param params[] = {
    {"tokens", SL_PARAM_COUNT, 16, 1, SL_MAX_CORE_WARPS, NULL, "warps that allocate", tokens_tried},
    {"active", SL_PARAM_COUNT, 0, 0, SL_MAX_CORE_WARPS, NULL, "warps that may issue loads, the oldest; 0: all", NULL},
    {0},
};

const sl_policy_ops sl_policy_pcal = {
    .name = "pcal",
    .summary = "priority-based cache allocation: only warps with a token allocate, the others hit or bypass",
    .source = "Li et al., HPCA 2015, section 3",
    .params = params,
    .state_bytes = sizeof(pcal),
    .first_level_only = true,
    .init = init,
    .admit = admit,
    .report = report,
    .throttle_warps = throttle_warps,
};
