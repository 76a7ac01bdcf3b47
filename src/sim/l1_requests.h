/* SPDX-License-Identifier: MIT */
/* The request stream of the first level: loads' requests for lines, in order. From it follows the lower bound of misses
 * of any policy on the same stream (reuse/belady.h): a bound on misses, not on time. It ignores stores, and sectors
 * that a line lacks: with them it would be higher. The requests that did not bypass give the reuse of lines in what a
 * policy admits. */
#ifndef SL_SIM_L1_REQUESTS_H
#define SL_SIM_L1_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "sluice/profile.h"

typedef struct sl_l1_requests sl_l1_requests;

/* NULL when memory runs out. */
sl_l1_requests *sl_l1_requests_create(void);
void sl_l1_requests_destroy(sl_l1_requests *requests); /* NULL is fine */

/* A launch starts on so many caches with so many sets and ways: what was recorded before is forgotten. */
sl_status sl_l1_requests_start(sl_l1_requests *requests, uint32_t caches, uint32_t sets, uint32_t ways,
                               sl_error *error);

/* What became of a request. */
typedef enum sl_l1_request_outcome {
    SL_L1_HIT,    /* a hit, or a pending hit */
    SL_L1_MISS,   /* a miss that was filled */
    SL_L1_BYPASS, /* a miss that bypassed the cache */
} sl_l1_request_outcome;

/* A request. False: memory ran out. */
bool sl_l1_requests_add(sl_l1_requests *requests, uint32_t cache, uint64_t line, uint32_t set,
                        sl_l1_request_outcome outcome);

typedef struct sl_sim_bound {
    uint64_t requests, misses; /* as they were simulated; requests that bypassed the cache are misses */
    uint64_t min_misses;       /* lower bound: misses of a policy with foresight */
} sl_sim_bound;

/* Of what was recorded, all caches together. */
sl_status sl_l1_requests_bound(const sl_l1_requests *requests, sl_pool *pool, sl_sim_bound *bound, sl_error *error);

/* Requests that did not bypass. Those that did do not count for the others: in A B C A, where B bypassed, one
 * request lies between those of A. */
typedef struct sl_sim_reuse {
    uint64_t requests, missed;
    sl_distances distance;   /* distinct lines requested of the same cache since the last request for this one */
    sl_distances gap;        /* the same, but all requests in between count */
    sl_distances missed_gap; /* of those that missed: what is filled */
} sl_sim_reuse;

/* Of what was recorded, all caches together. */
sl_status sl_l1_requests_reuse(const sl_l1_requests *requests, sl_sim_reuse *reuse, sl_error *error);

#endif
