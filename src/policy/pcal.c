/* SPDX-License-Identifier: MIT */
/* Priority-based cache allocation: some warps hold tokens, and only these allocate lines and evict others'. Warps
 * without one still hit whatever is there; what they miss bypasses. So the cache keeps the working sets of few warps
 * while all run. Li et al., "Priority-based cache allocation in throughput processors", HPCA 2015, section 3: the
 * static form, whose number of tokens is chosen for each program (`tokens=best`), with or without a limit on active
 * warps.
 *
 * As published: a warp keeps its token until it ends; then it goes to the oldest warp without one. Ours: warps that
 * began between two looks at the core (16 cycles, or when a warp can issue) are of the same age, and the lower place is
 * the older; that a warp has ended is seen then, too. Left out: the search for the number of tokens at run time. */
#include "policy/policy.h"

enum { TOKENS, ACTIVE };
enum { WARPS = 64, AGAIN = 16 };

typedef struct pcal {
    uint64_t live, holders; /* warps, a bit each */
    uint64_t issued[WARPS], began[WARPS];
    uint64_t next; /* number of the next warp that begins */
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
    if (!p->live || p->holders >> (access->warp % WARPS) & 1)
        return SL_ADMIT;
    p->without_token++;
    return SL_BYPASS;
}

static uint32_t oldest(const pcal *p, uint64_t warps)
{
    uint32_t best = (uint32_t)__builtin_ctzll(warps);
    for (uint64_t left = warps & (warps - 1); left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        best = p->began[warp] < p->began[best] ? warp : best;
    }
    return best;
}

/* Which warps began and ended. One that has issued less than before has begun in the place of another one. */
static void update_warps(pcal *p, const sl_core_work *work)
{
    uint64_t began = work->warps & ~p->live;
    for (uint64_t left = work->warps & p->live; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        began |= (uint64_t)(work->instructions[warp] < p->issued[warp]) << warp;
    }
    p->live = work->warps;
    p->holders &= work->warps & ~began;
    for (uint64_t left = began; left; left &= left - 1)
        p->began[__builtin_ctzll(left)] = p->next++;
    for (uint64_t left = work->warps; left; left &= left - 1)
        p->issued[__builtin_ctzll(left)] = work->instructions[__builtin_ctzll(left)];
}

static uint64_t throttle_warps(void *self, const sl_core_work *work, uint64_t *wait)
{
    pcal *p = self;
    *wait = AGAIN;
    update_warps(p, work);
    while (p->live & ~p->holders && (uint32_t)__builtin_popcountll(p->holders) < p->tokens)
        p->holders |= UINT64_C(1) << oldest(p, p->live & ~p->holders);
    uint64_t left = p->live;
    if (!p->active)
        return 0;
    for (uint32_t i = 0; i < p->active && left; i++)
        left &= ~(UINT64_C(1) << oldest(p, left));
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
    {"tokens", SL_PARAM_COUNT, 16, 1, WARPS, NULL, "warps that allocate", tokens_tried},
    {"active", SL_PARAM_COUNT, 0, 0, WARPS, NULL, "warps that may issue loads, the oldest; 0: all", NULL},
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
