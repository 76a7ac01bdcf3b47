/* SPDX-License-Identifier: MIT */
/* Cache-conscious wavefront scheduling: each warp has the tags of lines that it filled and that were evicted (its
 * victim tags). A miss on one of them is locality that the warp lost to others, and raises its score; scores fall back
 * to a base by one each cycle. Warps may issue loads in the order of their scores until these sum up to the base of all
 * warps; the others wait. Rogers et al., "Cache-conscious wavefront scheduling", MICRO 2012, sections 3 and 4
 * (lost-locality scoring).
 *
 * As published (compared with the authors' simulator and its configuration): 16 victim tags of a warp, the oldest of
 * which gives way to a new one, and which a miss does not remove; the warp that filled a line owns it; a base of 100;
 * a score of losses / instructions * 8 * cutoff, both of the warps that have not ended; the cutoff, which is the base
 * times the warps that have not ended; the warp that reaches the cutoff may issue, those behind it may not. Ours:
 * victim tags are fully associative (the authors': 8 ways of 2 sets). A score is never below the base. Which warps are
 * held back is looked at again after 16 cycles, or when a warp can issue (the authors': each cycle), and it is then
 * that a warp is seen to have ended. */
#include "policy/ghosts.h"
#include "policy/policy.h"

enum { TAGS, BASE, K };
enum { WARPS = 64, AGAIN = 16 };

typedef struct ccws {
    sl_ghosts victims;                /* by warp */
    uint64_t *line;                   /* [sets * ways] */
    uint8_t *owner;                   /* [sets * ways]: the warp that filled the line */
    uint64_t score[WARPS], at[WARPS]; /* of that cycle */
    uint64_t lost[WARPS], issued[WARPS];
    uint64_t base, k, cutoff;
    uint64_t live_lost, live_issued; /* of warps that have not ended */
    uint64_t all_lost, holds;
    size_t evicted; /* the line that was evicted since the last miss, and then perhaps replaced; SIZE_MAX: none */
    uint32_t ways;
} ccws;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    ccws *c = self;
    size_t lines = (size_t)geometry->sets * geometry->ways;
    c->ways = geometry->ways;
    c->evicted = SIZE_MAX;
    c->base = value[BASE];
    c->k = value[K];
    c->line = sl_arena_array(arena, uint64_t, lines);
    c->owner = sl_arena_array(arena, uint8_t, lines);
    if (!c->line || !c->owner || !sl_ghosts_init(&c->victims, WARPS, (uint32_t)value[TAGS], arena))
        return sl_fail_memory(error);
    return SL_OK;
}

static uint64_t score_of(const ccws *c, uint32_t warp, uint64_t now)
{
    uint64_t gone = now > c->at[warp] ? now - c->at[warp] : 0;
    return c->score[warp] > c->base + gone ? c->score[warp] - gone : c->base;
}

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    ccws *c = self;
    uint32_t warp = access->warp % WARPS;
    (void)choices;
    c->evicted = SIZE_MAX;
    if (sl_ghosts_find(&c->victims, warp, access->line) == UINT32_MAX)
        return SL_ADMIT;
    c->all_lost++;
    c->live_lost++;
    c->lost[warp]++;
    uint64_t score = c->live_lost * c->k * c->cutoff / (c->live_issued ? c->live_issued : 1);
    c->score[warp] = score > c->base ? score : c->base;
    c->at[warp] = access->now;
    return SL_ADMIT;
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    ccws *c = self;
    size_t at = (size_t)access->set * c->ways + way;
    if (at == c->evicted && sl_ghosts_find(&c->victims, c->owner[at], c->line[at]) == UINT32_MAX)
        sl_ghosts_add(&c->victims, c->owner[at], c->line[at]);
    c->evicted = SIZE_MAX;
    c->line[at] = access->line;
    c->owner[at] = (uint8_t)(access->warp % WARPS);
}

/* A line that is replaced is a victim: another one is filled into its way at once. One that a store drops is not. */
static void on_evict(void *self, uint32_t set, uint32_t way, bool reused)
{
    ccws *c = self;
    (void)reused;
    c->evicted = (size_t)set * c->ways + way;
}

/* Counts what warps lost and issued that have not ended; those that began since start at the base. */
static void count_warps(ccws *c, const sl_core_work *work)
{
    c->live_lost = c->live_issued = 0;
    for (uint64_t left = work->warps; left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        if (work->instructions[warp] < c->issued[warp])
            c->lost[warp] = c->score[warp] = 0;
        c->issued[warp] = work->instructions[warp];
        c->live_lost += c->lost[warp];
        c->live_issued += c->issued[warp];
    }
}

/* The warp with the highest score, of equal ones the lowest. */
static uint32_t highest(const ccws *c, uint64_t warps, uint64_t now)
{
    uint32_t best = (uint32_t)__builtin_ctzll(warps);
    for (uint64_t left = warps & (warps - 1); left; left &= left - 1)
        if (score_of(c, (uint32_t)__builtin_ctzll(left), now) > score_of(c, best, now))
            best = (uint32_t)__builtin_ctzll(left);
    return best;
}

static uint64_t throttle_warps(void *self, const sl_core_work *work, uint64_t *wait)
{
    ccws *c = self;
    uint64_t sum = 0, left = work->warps;
    count_warps(c, work);
    c->cutoff = c->base * (uint64_t)__builtin_popcountll(work->warps);
    while (left && sum < c->cutoff) {
        uint32_t warp = highest(c, left, work->now);
        uint64_t score = score_of(c, warp, work->now);
        if (left == work->warps && score == c->base)
            return 0; /* none is above the base */
        sum += score;
        left &= ~(UINT64_C(1) << warp);
    }
    c->holds += left != 0;
    *wait = AGAIN;
    return left;
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    const ccws *c = self;
    statistics->number(statistics->to, "lost_locality", c->all_lost);
    statistics->number(statistics->to, "holds", c->holds);
}

static const sl_param params[] = {
    {"tags", SL_PARAM_COUNT, 16, 1, 1024, NULL, "victim tags of a warp", NULL},
    {"base", SL_PARAM_COUNT, 100, 1, 1u << 20, NULL, "score of a warp that has lost nothing", NULL},
    {"k", SL_PARAM_COUNT, 8, 1, 1024, NULL, "weight of lost locality in scores (K_THROTTLE)", NULL},
    {0},
};

const sl_policy_ops sl_policy_ccws = {
    .name = "ccws",
    .summary = "cache-conscious wavefront scheduling: holds back loads of warps while others lose their locality",
    .source = "Rogers et al., MICRO 2012, sections 3 and 4",
    .params = params,
    .state_bytes = sizeof(ccws),
    .first_level_only = true,
    .init = init,
    .admit = admit,
    .on_fill = on_fill,
    .on_evict = on_evict,
    .report = report,
    .throttle_warps = throttle_warps,
};
