/* SPDX-License-Identifier: MIT */
#include "sim/l1_requests.h"

#include <stdlib.h>

#include "base/array.h"
#include "reuse/belady.h"
#include "reuse/reuse.h"

typedef struct recorded {
    uint64_t *line;
    uint32_t *set;
    uint8_t *outcome;
    size_t count, capacity;
    uint64_t misses, min_misses;
} recorded;

struct sl_l1_requests {
    uint32_t caches, sets, ways;
    recorded *cache;
};

sl_l1_requests *sl_l1_requests_create(void)
{
    return calloc(1, sizeof(sl_l1_requests));
}

static void forget(sl_l1_requests *requests)
{
    for (uint32_t i = 0; i < requests->caches; i++) {
        free(requests->cache[i].line);
        free(requests->cache[i].set);
        free(requests->cache[i].outcome);
    }
    free(requests->cache);
    requests->cache = NULL;
    requests->caches = 0;
}

void sl_l1_requests_destroy(sl_l1_requests *requests)
{
    if (requests)
        forget(requests);
    free(requests);
}

sl_status sl_l1_requests_start(sl_l1_requests *requests, uint32_t caches, uint32_t sets, uint32_t ways, sl_error *error)
{
    forget(requests);
    requests->cache = calloc(caches, sizeof *requests->cache);
    if (!requests->cache)
        return sl_fail_memory(error);
    requests->caches = caches;
    requests->sets = sets;
    requests->ways = ways;
    return SL_OK;
}

static bool grow(recorded *r)
{
    size_t capacity = r->capacity ? 2 * r->capacity : 1024;
    uint64_t *line = realloc(r->line, capacity * sizeof *line);
    r->line = line ? line : r->line;
    uint32_t *set = line ? realloc(r->set, capacity * sizeof *set) : NULL;
    r->set = set ? set : r->set;
    uint8_t *outcome = set ? realloc(r->outcome, capacity * sizeof *outcome) : NULL;
    r->outcome = outcome ? outcome : r->outcome;
    r->capacity = outcome ? capacity : r->capacity;
    return outcome;
}

bool sl_l1_requests_add(sl_l1_requests *requests, uint32_t cache, uint64_t line, uint32_t set,
                        sl_l1_request_outcome outcome)
{
    recorded *r = &requests->cache[cache];
    if (r->count == r->capacity && !grow(r))
        return false;
    r->line[r->count] = line;
    r->set[r->count] = set;
    r->outcome[r->count++] = (uint8_t)outcome;
    r->misses += outcome != SL_L1_HIT;
    return true;
}

static sl_status bound_cache(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    const sl_l1_requests *requests = context;
    recorded *r = &requests->cache[index];
    return sl_belady_misses(r->line, r->set, r->count, requests->sets, requests->ways, &r->min_misses, error);
}

sl_status sl_l1_requests_bound(const sl_l1_requests *requests, sl_pool *pool, sl_sim_bound *bound, sl_error *error)
{
    *bound = (sl_sim_bound){0};
    sl_status status = sl_pool_run(pool, requests->caches, bound_cache, (void *)requests, error);
    for (uint32_t i = 0; i < requests->caches && !status; i++) {
        bound->requests += requests->cache[i].count;
        bound->misses += requests->cache[i].misses;
        bound->min_misses += requests->cache[i].min_misses;
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
        if (r->outcome[i] == SL_L1_BYPASS)
            continue;
        uint64_t distance = sl_reuse_access_id(lines, r->line[i], &id);
        bool first = id == last->count;
        if (sl_reuse_failed(lines) || (first && !sl_array_push(last, now)))
            return false;
        sl_distances_add(&reuse->distance, distance);
        uint64_t gap = first ? SL_REUSE_NEVER : now - last->items[id] - 1;
        sl_distances_add(&reuse->gap, gap);
        if (r->outcome[i] == SL_L1_MISS) {
            reuse->missed++;
            sl_distances_add(&reuse->missed_gap, gap);
        }
        last->items[id] = now++;
    }
    reuse->requests += now;
    return true;
}

sl_status sl_l1_requests_reuse(const sl_l1_requests *requests, sl_sim_reuse *reuse, sl_error *error)
{
    sl_reuse *lines = sl_reuse_create();
    times last = {0};
    bool fits = lines;
    *reuse = (sl_sim_reuse){0};
    for (uint32_t i = 0; i < requests->caches && fits; i++) {
        sl_reuse_reset(lines);
        last.count = 0;
        fits = add_cache(&requests->cache[i], lines, &last, reuse);
    }
    sl_array_free(&last);
    sl_reuse_destroy(lines);
    return fits ? SL_OK : sl_fail_memory(error);
}
