/* SPDX-License-Identifier: MIT */
#include "base/team.h"

#include <sched.h>

/* The gate: 16 bits of helpers inside, a bit that it has ended, and above a number that is odd while it is open. */
#define ENDED        (UINT64_C(1) << 16)
#define TURN         (UINT64_C(1) << 17)
#define INSIDE(gate) ((gate) & (ENDED - 1))

enum { AWAKE = 4000, YIELD = 200 }; /* looks at the gate before a helper sleeps, or a thread lets others run */

/* Between two looks at the gate. Whoever is waited for may have no other core to run on. */
static void wait_briefly(uint32_t looks)
{
    if (looks % YIELD == 0)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}

void sl_team_init(sl_team *team)
{
    atomic_init(&team->gate, 0);
    atomic_init(&team->sleepers, 0);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->opened, NULL);
}

void sl_team_fini(sl_team *team)
{
    pthread_cond_destroy(&team->opened);
    pthread_mutex_destroy(&team->lock);
}

static void turn_gate(sl_team *team, uint64_t by)
{
    atomic_fetch_add(&team->gate, by);
    if (!atomic_load(&team->sleepers))
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
}

void sl_team_open(sl_team *team)
{
    turn_gate(team, TURN);
}

void sl_team_close(sl_team *team)
{
    uint64_t gate = atomic_fetch_add(&team->gate, TURN) + TURN;
    for (uint32_t i = 1; INSIDE(gate); i++) {
        wait_briefly(i);
        gate = atomic_load(&team->gate);
    }
}

void sl_team_end(sl_team *team)
{
    turn_gate(team, ENDED);
}

static bool is_open(uint64_t gate, uint64_t seen)
{
    return gate & ENDED || (gate & TURN && gate / TURN != seen);
}

static uint64_t sleep_until_open(sl_team *team, uint64_t seen)
{
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    uint64_t gate = atomic_load(&team->gate);
    while (!is_open(gate, seen)) {
        pthread_cond_wait(&team->opened, &team->lock);
        gate = atomic_load(&team->gate);
    }
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
    return gate;
}

bool sl_team_enter(sl_team *team, uint64_t *seen)
{
    for (uint32_t i = 1;; i++) {
        uint64_t gate = i < AWAKE ? atomic_load(&team->gate) : sleep_until_open(team, *seen);
        if (!is_open(gate, *seen)) {
            wait_briefly(i);
            continue;
        }
        if (gate & ENDED)
            return false;
        if (atomic_compare_exchange_strong(&team->gate, &gate, gate + 1)) {
            *seen = gate / TURN;
            return true;
        }
    }
}

void sl_team_leave(sl_team *team)
{
    atomic_fetch_sub(&team->gate, 1);
}
