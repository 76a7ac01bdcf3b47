/* SPDX-License-Identifier: MIT */
#include "sim/stream.h"

#include <stdlib.h>

#include "base/array.h"
#include "reuse/belady.h"
#include "reuse/histogram.h"
#include "reuse/reuse.h"

typedef struct recorded {
    uint64_t *line;
    uint32_t *set;
    uint8_t *fate;
    size_t count, capacity;
    uint64_t misses, min_misses;
} recorded;

struct sl_sim_stream {
    uint32_t caches, sets, ways;
    recorded *cache;
};

sl_sim_stream *sl_sim_stream_create(void)
{
    return calloc(1, sizeof(sl_sim_stream));
}

static void forget(sl_sim_stream *stream)
{
    for (uint32_t i = 0; i < stream->caches; i++) {
        free(stream->cache[i].line);
        free(stream->cache[i].set);
        free(stream->cache[i].fate);
    }
    free(stream->cache);
    stream->cache = NULL;
    stream->caches = 0;
}

void sl_sim_stream_destroy(sl_sim_stream *stream)
{
    if (stream)
        forget(stream);
    free(stream);
}

sl_status sl_sim_stream_start(sl_sim_stream *stream, uint32_t caches, uint32_t sets, uint32_t ways, sl_error *error)
{
    forget(stream);
    stream->cache = calloc(caches, sizeof *stream->cache);
    if (!stream->cache)
        return sl_fail_memory(error);
    stream->caches = caches;
    stream->sets = sets;
    stream->ways = ways;
    return SL_OK;
}

static bool grow(recorded *r)
{
    size_t capacity = r->capacity ? 2 * r->capacity : 1024;
    uint64_t *line = realloc(r->line, capacity * sizeof *line);
    r->line = line ? line : r->line;
    uint32_t *set = line ? realloc(r->set, capacity * sizeof *set) : NULL;
    r->set = set ? set : r->set;
    uint8_t *fate = set ? realloc(r->fate, capacity * sizeof *fate) : NULL;
    r->fate = fate ? fate : r->fate;
    r->capacity = fate ? capacity : r->capacity;
    return fate;
}

bool sl_sim_stream_add(sl_sim_stream *stream, uint32_t cache, uint64_t line, uint32_t set, sl_sim_fate fate)
{
    recorded *r = &stream->cache[cache];
    if (r->count == r->capacity && !grow(r))
        return false;
    r->line[r->count] = line;
    r->set[r->count] = set;
    r->fate[r->count++] = (uint8_t)fate;
    r->misses += fate != SL_FATE_FOUND;
    return true;
}

static sl_status bound_cache(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    const sl_sim_stream *stream = context;
    recorded *r = &stream->cache[index];
    return sl_belady_misses(r->line, r->set, r->count, stream->sets, stream->ways, &r->min_misses, error);
}

sl_status sl_sim_stream_bound(const sl_sim_stream *stream, sl_pool *pool, sl_sim_bound *bound, sl_error *error)
{
    *bound = (sl_sim_bound){0};
    sl_status status = sl_pool_run(pool, stream->caches, bound_cache, (void *)stream, error);
    for (uint32_t i = 0; i < stream->caches && !status; i++) {
        bound->requests += stream->cache[i].count;
        bound->misses += stream->cache[i].misses;
        bound->min_misses += stream->cache[i].min_misses;
    }
    return status;
}

/* ---- reuse ---- */

typedef SL_ARRAY(uint64_t) times;

/* `last`: the last request of each line, by its id in `lines`; time is counted in requests that did not bypass. */
static bool add_cache(const recorded *r, sl_reuse *lines, times *last, sl_sim_reuse *reuse)
{
    uint64_t now = 0;
    for (size_t i = 0; i < r->count; i++) {
        uint32_t id;
        if (r->fate[i] == SL_FATE_BYPASSED)
            continue;
        uint64_t distance = sl_reuse_access_id(lines, r->line[i], &id);
        bool first = id == last->count;
        if (sl_reuse_failed(lines) || (first && !sl_array_push(last, now)))
            return false;
        sl_distances_add(&reuse->distance, distance);
        uint64_t gap = first ? SL_REUSE_NEVER : now - last->items[id] - 1;
        sl_distances_add(&reuse->gap, gap);
        if (r->fate[i] == SL_FATE_MISSED) {
            reuse->missed++;
            sl_distances_add(&reuse->missed_gap, gap);
        }
        last->items[id] = now++;
    }
    reuse->requests += now;
    return true;
}

sl_status sl_sim_stream_reuse(const sl_sim_stream *stream, sl_sim_reuse *reuse, sl_error *error)
{
    sl_reuse *lines = sl_reuse_create();
    times last = {0};
    bool fits = lines;
    *reuse = (sl_sim_reuse){0};
    for (uint32_t i = 0; i < stream->caches && fits; i++) {
        sl_reuse_reset(lines);
        last.count = 0;
        fits = add_cache(&stream->cache[i], lines, &last, reuse);
    }
    sl_array_free(&last);
    sl_reuse_destroy(lines);
    return fits ? SL_OK : sl_fail_memory(error);
}
