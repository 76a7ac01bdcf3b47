/* SPDX-License-Identifier: MIT */
/* The request stream of the first level: loads' requests for lines, in order. From it follows the lower bound of misses
 * of any policy on the same stream (cache/belady.h): a bound on misses, not on time. It ignores stores, and sectors
 * that a line lacks: with them it would be higher. The requests that did not bypass give the reuse of lines in what a
 * policy admits. */
#ifndef SL_SIM_STREAM_H
#define SL_SIM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "sluice/profile.h"

typedef struct sl_sim_stream sl_sim_stream;

/* NULL when memory runs out. */
sl_sim_stream *sl_sim_stream_create(void);
void sl_sim_stream_destroy(sl_sim_stream *stream); /* NULL is fine */

/* A launch starts on so many caches with so many sets and ways: what was recorded before is forgotten. */
sl_status sl_sim_stream_start(sl_sim_stream *stream, uint32_t caches, uint32_t sets, uint32_t ways, sl_error *error);

/* What became of a request. */
typedef enum sl_sim_fate {
    SL_FATE_FOUND,    /* a hit, or a pending hit */
    SL_FATE_MISSED,   /* a miss that was filled */
    SL_FATE_BYPASSED, /* a miss that bypassed the cache */
} sl_sim_fate;

/* A request. False: memory ran out. */
bool sl_sim_stream_add(sl_sim_stream *stream, uint32_t cache, uint64_t line, uint32_t set, sl_sim_fate fate);

typedef struct sl_sim_bound {
    uint64_t requests, misses; /* as they were simulated; requests that bypassed the cache are misses */
    uint64_t min_misses;       /* lower bound: misses of a policy with foresight */
} sl_sim_bound;

/* Of what was recorded, all caches together. */
sl_status sl_sim_stream_bound(const sl_sim_stream *stream, sl_pool *pool, sl_sim_bound *bound, sl_error *error);

/* Requests that did not bypass. Those that did do not count for the others: in A B C A, where B bypassed, one
 * request lies between those of A. */
typedef struct sl_sim_reuse {
    uint64_t requests, missed;
    sl_distances distance;   /* distinct lines requested of the same cache since the last request for this one */
    sl_distances gap;        /* the same, but all requests in between count */
    sl_distances missed_gap; /* of those that missed: what is filled */
} sl_sim_reuse;

/* Of what was recorded, all caches together. */
sl_status sl_sim_stream_reuse(const sl_sim_stream *stream, sl_sim_reuse *reuse, sl_error *error);

#endif
