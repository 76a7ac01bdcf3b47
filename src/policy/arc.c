/* SPDX-License-Identifier: MIT */
/* Adaptive replacement cache: lines accessed once and lines accessed again are two LRU lists; ghosts of each say which
 * of them should have been longer, and a target for the first adapts by them. Megiddo and Modha, "ARC: a self-tuning,
 * low overhead replacement cache", FAST 2003, figure 4.
 *
 * As published (compared with descriptions of figure 4 and with libCacheSim; the paper itself could not be had): all
 * four cases, the steps of the target, which are the quotient of the ghosts and at least 1, and what is forgotten
 * where T1 and B1 are as long as the cache, or all four lists twice as long.
 * Ours: the lists, and the target, are those of a set, because a line cannot leave its set. The quotients are rounded
 * down, so that the target is a number of lines. Where the line that the paper evicts may not leave, the next of its
 * list does, or one of the other list. */
#include "policy/ghosts.h"
#include "policy/policy.h"
#include "policy/stamps.h"

typedef struct arc {
    sl_stamps used;
    uint64_t *line;      /* [sets * ways] */
    bool *again;         /* [sets * ways]: on the second list, T2 */
    uint32_t *target;    /* [sets]: p, of the first list */
    bool *adapted;       /* [sets]: the miss under way has moved the target */
    sl_ghosts ghosts[2]; /* B1 and B2; a line that comes again is one of them until it is filled */
} arc;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    arc *a = self;
    (void)value;
    size_t lines = (size_t)geometry->sets * geometry->ways;
    a->line = sl_arena_array(arena, uint64_t, lines);
    a->again = sl_arena_array(arena, bool, lines);
    a->target = sl_arena_array(arena, uint32_t, geometry->sets);
    a->adapted = sl_arena_array(arena, bool, geometry->sets);
    if (!a->line || !a->again || !a->target || !a->adapted ||
        !sl_ghosts_init(&a->ghosts[0], geometry->sets, geometry->ways + 1, arena) ||
        !sl_ghosts_init(&a->ghosts[1], geometry->sets, 2 * geometry->ways + 1, arena))
        return sl_fail_memory(error);
    return sl_stamps_init(&a->used, geometry, arena, error);
}

/* The ghosts that have a line: 0, 1, or 2 where neither has. */
static uint32_t ghosts_of(const arc *a, uint32_t set, uint64_t line)
{
    for (uint32_t i = 0; i < 2; i++)
        if (sl_ghosts_find(&a->ghosts[i], set, line) != UINT32_MAX)
            return i;
    return 2;
}

static void adapt(arc *a, uint32_t set, uint32_t ghosts)
{
    uint32_t b1 = a->ghosts[0].count[set], b2 = a->ghosts[1].count[set], *p = &a->target[set];
    if (ghosts == 0) {
        uint32_t more = b2 > b1 ? b2 / b1 : 1;
        *p = *p + more < a->used.ways ? *p + more : a->used.ways;
    } else if (ghosts == 1) {
        uint32_t less = b1 > b2 ? b1 / b2 : 1;
        *p = *p > less ? *p - less : 0;
    }
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    arc *a = self;
    uint32_t set = access->set, ways = a->used.ways, ghosts = ghosts_of(a, set, access->line), t1 = 0;
    size_t first = (size_t)set * ways;
    for (uint32_t w = 0; w < ways; w++)
        t1 += !a->again[first + w];
    adapt(a, set, ghosts);
    a->adapted[set] = true;
    bool forgotten = false; /* the line that leaves is no ghost */
    bool from_first = t1 && ((ghosts == 1 && t1 == a->target[set]) || t1 > a->target[set]);
    uint32_t b1 = a->ghosts[0].count[set], b2 = a->ghosts[1].count[set];
    if (ghosts == 2 && t1 + b1 >= ways) {
        forgotten = from_first = !b1;
        if (b1) {
            sl_ghosts_remove(&a->ghosts[0], set, 0);
            from_first = t1 > a->target[set];
        }
    } else if (ghosts == 2 && b1 + b2 >= ways && b2) {
        sl_ghosts_remove(&a->ghosts[1], set, 0);
    }
    uint32_t way = sl_stamps_oldest_of(&a->used, set, a->again, !from_first, evictable);
    if (way == SL_NO_WAY)
        way = sl_stamps_oldest_of(&a->used, set, a->again, from_first, evictable);
    if (!forgotten)
        sl_ghosts_add(&a->ghosts[a->again[first + way]], set, a->line[first + way]);
    return way;
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    arc *a = self;
    a->again[(size_t)access->set * a->used.ways + way] = true;
    sl_stamps_renew(&a->used, access->set, way);
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    arc *a = self;
    size_t at = (size_t)access->set * a->used.ways + way;
    uint32_t ghosts = ghosts_of(a, access->set, access->line);
    if (!a->adapted[access->set])
        adapt(a, access->set, ghosts);
    a->adapted[access->set] = false;
    a->line[at] = access->line;
    a->again[at] = ghosts < 2;
    if (ghosts < 2)
        sl_ghosts_remove(&a->ghosts[ghosts], access->set,
                         sl_ghosts_find(&a->ghosts[ghosts], access->set, access->line));
    sl_stamps_renew(&a->used, access->set, way);
}

const sl_policy_ops sl_policy_arc = {
    .name = "arc",
    .summary =
        "adaptive replacement: two LRU lists, of lines accessed once and again, whose shares follow their ghosts",
    .source = "Megiddo and Modha, FAST 2003, figure 4",
    .state_bytes = sizeof(arc),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
};
