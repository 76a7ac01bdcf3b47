/* SPDX-License-Identifier: MIT */
/* Access pattern-aware cache management: the accesses of one warp tell what kind of locality each load has, which is
 * the same for all warps. Loads that stream bypass; lines of loads that their warp uses again are pinned until it has;
 * all others are cached as ever. Koo et al., "Access pattern-aware cache management for improving data utilization in
 * GPU", ISCA 2017.
 *
 * As published (only the abstract could be had): the kinds of locality (none, that is streaming; within the warp;
 * across warps; both), that a load has the same one in all warps, that one warp is monitored to find it, and that
 * bypassing and pinning follow from it. No code and no full text was found: all that follows is ours, and results are
 * not to be taken for those of the paper.
 * Ours: the first warp that is seen is monitored, for `window` of its loads; then the next. Lines that it accessed are
 * remembered with the load that came first, and hits on them are counted as those of the warp itself or of others. A
 * load with hits of its own on at least half of its lines has locality within the warp, whatever it has across warps;
 * one with hits of others on at least an eighth has it across warps; and one with neither streams. A pinned line is let
 * go after as many hits as the load's lines had on average (the paper is said to follow the loads that consume it), or
 * where all lines of a set are pinned. */
#include "policy/policy.h"
#include "policy/stamps.h"

enum { WINDOW, TAGS };
enum { LOADS = 256, INTRA_SHARE = 2, INTER_SHARE = 8 };

typedef enum { UNKNOWN, STREAM, INTRA, INTER } locality;

typedef struct load_counts {
    uint32_t lines, own, others; /* lines that were remembered, and hits on them */
    uint8_t kind;
    uint8_t uses; /* hits after which a pinned line is let go */
} load_counts;

typedef struct tag {
    uint64_t line; /* line + 1; 0: free */
    uint32_t load;
} tag;

typedef struct apcm {
    sl_stamps stamps;
    uint8_t *pins; /* [sets * ways]: hits that the line is kept for */
    tag *tags;     /* a ring */
    load_counts load[LOADS];
    uint32_t tag_count, next_tag, window, seen, warp;
    bool monitors; /* warp is one */
    uint64_t bypasses, pinned;
} apcm;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    apcm *a = self;
    a->window = (uint32_t)value[WINDOW];
    a->tag_count = (uint32_t)value[TAGS];
    a->pins = sl_arena_array(arena, uint8_t, (size_t)geometry->sets * geometry->ways);
    a->tags = sl_arena_array(arena, tag, a->tag_count);
    if (!a->pins || !a->tags)
        return sl_fail_memory(error);
    return sl_stamps_init(&a->stamps, geometry, arena, error);
}

/* ---- the monitor ---- */

static void classify(apcm *a)
{
    for (uint32_t i = 0; i < LOADS; i++) {
        load_counts *l = &a->load[i];
        if (!l->lines)
            continue;
        l->kind = l->own * INTRA_SHARE >= l->lines ? INTRA : l->others * INTER_SHARE >= l->lines ? INTER : STREAM;
        uint32_t uses = (l->own + l->lines - 1) / l->lines;
        l->uses = (uint8_t)(uses < UINT8_MAX ? uses : UINT8_MAX);
        l->lines = l->own = l->others = 0;
    }
    for (uint32_t i = 0; i < a->tag_count; i++)
        a->tags[i].line = 0;
    a->seen = 0;
    a->monitors = false;
}

static void monitor(apcm *a, const sl_cache_access *access)
{
    if (!sl_access_reads(access))
        return;
    if (!a->monitors) {
        a->monitors = true;
        a->warp = access->warp;
    }
    bool own = access->warp == a->warp;
    tag *found = NULL;
    for (uint32_t i = 0; i < a->tag_count && !found; i++)
        found = a->tags[i].line == access->line + 1 ? &a->tags[i] : NULL;
    if (found) {
        a->load[found->load].own += own;
        a->load[found->load].others += !own;
    } else if (own) {
        a->tags[a->next_tag] = (tag){access->line + 1, access->pc % LOADS};
        a->next_tag = (a->next_tag + 1) % a->tag_count;
        a->load[access->pc % LOADS].lines++;
    }
    a->seen += own;
    if (a->seen == a->window)
        classify(a);
}

/* ---- hooks of the cache ---- */

static sl_admission admit(void *self, const sl_cache_access *access, const sl_way_mask *choices)
{
    apcm *a = self;
    (void)choices;
    if (!sl_access_reads(access) || a->load[access->pc % LOADS].kind != STREAM)
        return SL_ADMIT;
    a->bypasses++;
    monitor(a, access);
    return SL_BYPASS;
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    const apcm *a = self;
    size_t first = (size_t)access->set * a->stamps.ways;
    uint32_t victim = sl_way_from(evictable, 0);
    for (uint32_t w = victim; w != SL_NO_WAY; w = sl_way_from(evictable, w + 1)) {
        bool pinned = a->pins[first + w], pinned_too = a->pins[first + victim];
        if (pinned != pinned_too ? pinned_too : a->stamps.stamp[first + w] < a->stamps.stamp[first + victim])
            victim = w;
    }
    return victim;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    apcm *a = self;
    uint8_t *pins = &a->pins[(size_t)access->set * a->stamps.ways + way];
    monitor(a, access);
    *pins = (uint8_t)(*pins - (*pins > 0));
    sl_stamps_renew(&a->stamps, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    apcm *a = self;
    const load_counts *l = &a->load[access->pc % LOADS];
    bool pin = sl_access_reads(access) && l->kind == INTRA;
    monitor(a, access);
    a->pins[(size_t)access->set * a->stamps.ways + way] = pin ? l->uses : 0;
    a->pinned += pin;
    sl_stamps_renew(&a->stamps, access->set, way);
}

static void report(const void *self, const sl_policy_statistics *statistics)
{
    statistics->number(statistics->to, "bypasses", ((const apcm *)self)->bypasses);
    statistics->number(statistics->to, "pinned", ((const apcm *)self)->pinned);
}

static const sl_param params[] = {
    {"window", SL_PARAM_COUNT, 256, 1, 1u << 20, NULL, "loads of the monitored warp after which loads are classified",
     NULL},
    {"tags", SL_PARAM_COUNT, 64, 1, 4096, NULL, "lines that the monitor remembers", NULL},
    {0},
};

const sl_policy_ops sl_policy_apcm = {
    .name = "apcm",
    .summary = "access patterns of one warp: loads that stream bypass, lines that a warp uses again are pinned",
    .source = "after the abstract of Koo et al., ISCA 2017",
    .params = params,
    .state_bytes = sizeof(apcm),
    .first_level_only = true,
    .keeps = true,
    .init = init,
    .victim = victim,
    .admit = admit,
    .on_hit = on_hit,
    .on_fill = on_fill,
    .report = report,
};
