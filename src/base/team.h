/* SPDX-License-Identifier: MIT */
/* Threads that work together for microseconds at a time, many times in a row. The leader opens the gate; helpers that
 * see it come in, take what work they find and leave; the leader works as well, closes the gate and waits for those
 * inside. Nobody has to come: work that no helper has taken is left to the leader. Helpers wait for the gate awake for
 * some microseconds, then asleep.
 *
 * All are jobs of one run of a pool (pool.h). What the leader wrote before it opened the gate is seen inside, and what
 * was written inside is seen by the leader once it has closed it. */
#ifndef SL_BASE_TEAM_H
#define SL_BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct sl_team {
    _Atomic uint64_t gate; /* helpers inside; how often it was opened and closed; whether the work has ended */
    _Atomic uint32_t sleepers;
    pthread_mutex_t lock;
    pthread_cond_t opened;
} sl_team;

void sl_team_init(sl_team *team);
void sl_team_fini(sl_team *team);

/* For the leader. */
void sl_team_open(sl_team *team);
void sl_team_close(sl_team *team);
/* The gate is closed, and no helper waits before it any more. */
void sl_team_end(sl_team *team);

/* For helpers: waits until the gate is open, for the first time since *seen (0 at first), and goes in. False: the work
 * has ended. */
bool sl_team_enter(sl_team *team, uint64_t *seen);
void sl_team_leave(sl_team *team);

#endif
