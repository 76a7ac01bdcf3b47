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

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "sim/engine.h"

/* A gate for parallel phases of microseconds, many in a row, among workers of one run of a pool (pool.h). The leader
 * opens the gate; other workers enter, do what work they find, and leave; the leader works as well, closes the gate and
 * waits for those inside. Workers that arrive late are not waited for: the leader does the rest. Workers spin before a
 * closed gate for some microseconds, then sleep.
 *
 * What the leader wrote before it opened the gate is visible inside, and what was written inside is visible to the
 * leader after it has closed the gate. */

typedef struct sl_work_gate {
    _Atomic uint64_t state; /* workers inside; how often it was opened and closed; whether the work has ended */
    _Atomic uint32_t sleepers;
    pthread_mutex_t lock;
    pthread_cond_t opened;
} sl_work_gate;

void sl_work_gate_init(sl_work_gate *gate);
void sl_work_gate_fini(sl_work_gate *gate);

/* For the leader. */
void sl_work_gate_open(sl_work_gate *gate);
void sl_work_gate_close(sl_work_gate *gate);
/* Ends the work: workers that wait, or come later, are turned away. */
void sl_work_gate_end(sl_work_gate *gate);

/* For the other workers: waits until the gate has been opened since *seen (0 at first), and enters. False: the work has
 * ended. */
bool sl_work_gate_enter(sl_work_gate *gate, uint64_t *seen);
void sl_work_gate_leave(sl_work_gate *gate);

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
