/* SPDX-License-Identifier: MIT */
/* A gate for parallel phases of microseconds, many in a row, among workers of one run of a pool (pool.h). The leader
 * opens the gate; other workers enter, do what work they find, and leave; the leader works as well, closes the gate and
 * waits for those inside. Workers that arrive late are not waited for: the leader does the rest. Workers spin before a
 * closed gate for some microseconds, then sleep.
 *
 * What the leader wrote before it opened the gate is visible inside, and what was written inside is visible to the
 * leader after it has closed the gate. */
#ifndef SL_BASE_WORK_GATE_H
#define SL_BASE_WORK_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
