/* SPDX-License-Identifier: MIT */
/* Several threads that simulate a launch.
 *
 * What goes on within a core and its first-level cache in a cycle concerns the others only through what that sends
 * below, and what comes from below was sent network_cycles before. So a cycle has two parts. In the first, which is
 * one thread's, the first-level caches send in turns, and blocks start. In the second the cores of cycle t and, of
 * cycle t + 1, the fills and answers of their caches are simulated shard by shard, and at the same time memory with the
 * levels below the first in cycle t + 1. What that has for cores in the same cycle, stores that have arrived, is put
 * off to the next first part, and so is data for the first-level caches. All is then as if one thread had done one part
 * after the other.
 *
 * A thread works on a view: a copy of the simulator with a time and with counters of its own. */
#ifndef SL_SIM_CREW_H
#define SL_SIM_CREW_H

#include <stdatomic.h>

#include "base/pool.h"
#include "base/team.h"
#include "sim/engine.h"

typedef struct __attribute__((aligned(64))) sl_view {
    sl_sim sim;
    sl_sim_result result;
    uint64_t ended, ended_after; /* blocks, in cycles t and t + 1 */
    bool filled;                 /* something came to a first level in cycle t + 1 */
    uint32_t failed_at;          /* shard that failed; SL_NONE: none did */
    sl_status status;
    sl_error error;
} sl_view;

typedef struct sl_crew {
    sl_team team;
    unsigned threads;
    sl_view *view;           /* [threads] */
    uint32_t *due;           /* shards with work in this cycle */
    uint32_t dues, min_dues; /* min_dues: with fewer one thread does it */
    uint64_t now;            /* t */
    bool memory_ticked;      /* something happened there */
} sl_crew;

/* For a launch that has been prepared. *crew stays NULL where one thread has to do it: see docs/sim.md. */
sl_status sl_crew_create(sl_sim *sim, sl_pool *pool, sl_crew **crew, sl_error *error);
void sl_crew_destroy(sl_crew *crew); /* NULL is fine */
/* Adds what the views have counted. */
void sl_crew_collect(sl_sim *sim, sl_crew *crew);

#endif
