/* SPDX-License-Identifier: MIT */
#include "base/work_gate.h"

#include <sched.h>

/* The gate: 16 bits of workers inside, a bit that it has ended, and above a number that is odd while it is open. */
#define ENDED         (UINT64_C(1) << 16)
#define TURN          (UINT64_C(1) << 17)
#define INSIDE(state) ((state) & (ENDED - 1))

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

void sl_work_gate_init(sl_work_gate *gate)
{
    atomic_init(&gate->state, 0);
    atomic_init(&gate->sleepers, 0);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->opened, NULL);
}

void sl_work_gate_fini(sl_work_gate *gate)
{
    pthread_cond_destroy(&gate->opened);
    pthread_mutex_destroy(&gate->lock);
}

static void turn_gate(sl_work_gate *gate, uint64_t by)
{
    atomic_fetch_add(&gate->state, by);
    if (!atomic_load(&gate->sleepers))
        return;
    pthread_mutex_lock(&gate->lock);
    pthread_cond_broadcast(&gate->opened);
    pthread_mutex_unlock(&gate->lock);
}

void sl_work_gate_open(sl_work_gate *gate)
{
    turn_gate(gate, TURN);
}

void sl_work_gate_close(sl_work_gate *gate)
{
    uint64_t state = atomic_fetch_add(&gate->state, TURN) + TURN;
    for (uint32_t i = 1; INSIDE(state); i++) {
        wait_briefly(i);
        state = atomic_load(&gate->state);
    }
}

void sl_work_gate_end(sl_work_gate *gate)
{
    turn_gate(gate, ENDED);
}

static bool is_open(uint64_t state, uint64_t seen)
{
    return state & ENDED || (state & TURN && state / TURN != seen);
}

static uint64_t sleep_until_open(sl_work_gate *gate, uint64_t seen)
{
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_add(&gate->sleepers, 1);
    uint64_t state = atomic_load(&gate->state);
    while (!is_open(state, seen)) {
        pthread_cond_wait(&gate->opened, &gate->lock);
        state = atomic_load(&gate->state);
    }
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&gate->lock);
    return state;
}

bool sl_work_gate_enter(sl_work_gate *gate, uint64_t *seen)
{
    for (uint32_t i = 1;; i++) {
        uint64_t state = i < AWAKE ? atomic_load(&gate->state) : sleep_until_open(gate, *seen);
        if (!is_open(state, *seen)) {
            wait_briefly(i);
            continue;
        }
        if (state & ENDED)
            return false;
        if (atomic_compare_exchange_strong(&gate->state, &state, state + 1)) {
            *seen = state / TURN;
            return true;
        }
    }
}

void sl_work_gate_leave(sl_work_gate *gate)
{
    atomic_fetch_sub(&gate->state, 1);
}
