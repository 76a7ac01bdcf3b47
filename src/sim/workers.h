/* SPDX-License-Identifier: MIT */
/* The worker threads that simulate one launch.
 *
 * Cores and their L1s interact only through the levels below, and what arrives from there was sent network_cycles
 * before. So a cycle has two phases. In the first, on one thread, L1s send requests in turn and blocks start. In the
 * second, cores of cycle t, and fills and answers of their L1s of cycle t + 1, are simulated shard by shard on all
 * threads, while one of them simulates DRAM and the levels below L1 in cycle t + 1. Events of the latter for cores and
 * L1s (completed stores, data) are deferred to the next first phase. The result is the same as on one thread.
 *
 * A thread works on a view: a copy of the simulator with its own time and counters. */
#ifndef SL_SIM_WORKERS_H
#define SL_SIM_WORKERS_H

#include <stdatomic.h>

#include "base/pool.h"
#include "base/work_gate.h"
#include "sim/engine.h"

typedef struct __attribute__((aligned(64))) sl_view {
    sl_sim sim;
    sl_sim_result result;
    uint64_t ended, ended_after; /* blocks that ended in cycles t and t + 1 */
    bool filled;                 /* an L1 had fills or answers in cycle t + 1 */
    uint32_t failed_at;          /* shard that failed; SL_NONE: none did */
    sl_status status;
    sl_error error;
} sl_view;

typedef struct sl_workers {
    sl_work_gate gate;
    unsigned threads;
    sl_view *view;                /* [threads] */
    uint32_t *active;             /* shards with work in this cycle */
    uint32_t actives, min_active; /* with fewer than min_active one thread simulates the cycle */
    uint64_t now;                 /* t */
    bool memory_ticked;           /* DRAM or a level below L1 had an event */
} sl_workers;

/* For a prepared launch. *workers stays NULL where one thread has to simulate it: see docs/sim.md. */
sl_status sl_workers_create(sl_sim *sim, sl_pool *pool, sl_workers **workers, sl_error *error);
void sl_workers_destroy(sl_workers *workers); /* NULL is fine */
/* Adds the counters of the views to those of the simulator. */
void sl_workers_collect(sl_sim *sim, sl_workers *workers);

#endif
