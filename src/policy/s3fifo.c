/* SPDX-License-Identifier: MIT */
/* S3-FIFO: a small queue takes new lines, and a main queue those that were hit more than once in it; ghosts of lines
 * that left the small queue go to the main queue when they come again. Lines at the end of the main queue that were hit
 * go round once more for each hit. Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023,
 * section 4.
 *
 * As published (compared with libCacheSim, by its authors): a tenth of the room for the small queue, as many ghosts as
 * the main queue has room for, hits counted to three, two of them to get into the main queue, where the count begins at
 * 0 again; the small queue gives a line where it is as long as it should be or longer, and where lines that move make
 * the main queue too long, that gives the next. Until the cache is full all lines go to the small queue, as in the
 * first version of libCacheSim (the second fills the main queue then).
 * Ours: the queues are those of a set, because a line cannot leave its set; the small one has at least one way. Lines
 * that may not leave are passed over. */
#include "policy/ghosts.h"
#include "policy/policy.h"
#include "policy/stamps.h"

enum { SMALL };
enum { MAX_HITS = 3 };

typedef struct s3fifo {
    sl_stamps came;
    uint64_t *line; /* [sets * ways] */
    uint8_t *hits;  /* [sets * ways] */
    bool *main;     /* [sets * ways]: the queue of the line */
    uint32_t small; /* ways of the small queue */
    sl_ghosts ghosts;
} s3fifo;

static sl_status init(void *self, const sl_cache_geometry *geometry, const uint64_t *value, sl_arena *arena,
                      sl_error *error)
{
    s3fifo *s = self;
    size_t lines = (size_t)geometry->sets * geometry->ways;
    s->small = (uint32_t)(geometry->ways * value[SMALL] / 100);
    s->small += !s->small;
    s->line = sl_arena_array(arena, uint64_t, lines);
    s->hits = sl_arena_array(arena, uint8_t, lines);
    s->main = sl_arena_array(arena, bool, lines);
    if (!s->line || !s->hits || !s->main ||
        !sl_ghosts_init(&s->ghosts, geometry->sets, geometry->ways - s->small, arena))
        return sl_fail_memory(error);
    return sl_stamps_init(&s->came, geometry, arena, error);
}

/* Lines of the small queue in a full set. */
static uint32_t length_of_small(const s3fifo *s, uint32_t set)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < s->came.ways; w++)
        count += !s->main[(size_t)set * s->came.ways + w];
    return count;
}

static uint32_t victim_of_main(s3fifo *s, uint32_t set, const sl_way_mask *evictable)
{
    for (;;) {
        uint32_t way = sl_stamps_oldest_of(&s->came, set, s->main, true, evictable);
        size_t at = (size_t)set * s->came.ways + way;
        if (way == SL_NO_WAY || !s->hits[at])
            return way;
        s->hits[at]--;
        sl_stamps_renew(&s->came, set, way);
    }
}

static uint32_t victim_of_small(s3fifo *s, uint32_t set, const sl_way_mask *evictable)
{
    for (;;) {
        uint32_t way = sl_stamps_oldest_of(&s->came, set, s->main, false, evictable);
        size_t at = (size_t)set * s->came.ways + way;
        if (way == SL_NO_WAY)
            return victim_of_main(s, set, evictable);
        if (s->hits[at] <= 1) {
            sl_ghosts_add(&s->ghosts, set, s->line[at]);
            return way;
        }
        s->main[at] = true;
        s->hits[at] = 0;
        sl_stamps_renew(&s->came, set, way);
    }
}

static uint32_t victim(void *self, const sl_cache_access *access, const sl_way_mask *evictable)
{
    s3fifo *s = self;
    uint32_t way = SL_NO_WAY;
    if (length_of_small(s, access->set) < s->small)
        way = victim_of_main(s, access->set, evictable);
    return way != SL_NO_WAY ? way : victim_of_small(s, access->set, evictable);
}

static void on_hit(void *self, const sl_cache_access *access, uint32_t way)
{
    s3fifo *s = self;
    uint8_t *hits = &s->hits[(size_t)access->set * s->came.ways + way];
    *hits = (uint8_t)(*hits + (*hits < MAX_HITS));
}

static void on_fill(void *self, const sl_cache_access *access, uint32_t way)
{
    s3fifo *s = self;
    size_t at = (size_t)access->set * s->came.ways + way;
    uint32_t ghost = sl_ghosts_find(&s->ghosts, access->set, access->line);
    s->line[at] = access->line;
    s->hits[at] = 0;
    s->main[at] = ghost != UINT32_MAX;
    if (s->main[at])
        sl_ghosts_remove(&s->ghosts, access->set, ghost);
    sl_stamps_renew(&s->came, access->set, way);
}

static const sl_param params[] = {
    {"small", SL_PARAM_COUNT, 10, 1, 90, NULL, "percentage of the ways of a set that the small queue has", NULL},
    {0},
};

const sl_policy_ops sl_policy_s3fifo = {
    .name = "s3fifo",
    .summary = "three FIFO queues: a small one for new lines, a main one for lines hit in it, and ghosts",
    .source = "Yang et al., SOSP 2023, section 4",
    .params = params,
    .state_bytes = sizeof(s3fifo),
    .init = init,
    .victim = victim,
    .on_hit = on_hit,
    .on_fill = on_fill,
};
