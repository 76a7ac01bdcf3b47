/* SPDX-License-Identifier: MIT */
#include "sim/workers.h"

#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

#include "lower/program.h"
#include "sim/bank.h"
#include "sim/core.h"

enum { MIN_ACTIVE = 8 }; /* shards with work in a cycle that several threads are faster for */

/* Whether cores and memory can be simulated at the same time, and cores in any order. */
static bool is_possible(const sl_sim *sim)
{
    const sl_machine *m = &sim->machine;
    const sl_sim_options *o = &sim->options;
    if (m->levels < 2 || !m->level[1].network_cycles)
        return false;
    for (uint32_t i = 0; i < m->levels; i++)
        if (m->level[i].inclusive)
            return false;
    return !sim->options.data_observer && !o->observer && !o->record_counts && !sim->shared_state[0][0] &&
           !sim->shared_state[0][1];
}

static sl_status start_view(const sl_sim *sim, sl_view *view, sl_error *error)
{
    uint32_t slots = sim->program->kernel->mem_slots;
    *view = (sl_view){.sim = *sim, .failed_at = SL_NONE};
    view->sim.result = &view->result;
    view->sim.slot = calloc(slots ? slots : 1, sizeof *view->sim.slot);
    view->sim.room = view->sim.failed = false;
    view->sim.blocks_done = 0;
    view->sim.is_view = true;
    view->sim.prefetch = NULL;
    return view->sim.slot ? sl_host_prefetch_create(&view->sim, error) : sl_fail_memory(error);
}

sl_status sl_workers_create(sl_sim *sim, sl_pool *pool, sl_workers **made, sl_error *error)
{
    *made = NULL;
    unsigned threads = sl_pool_threads(pool);
    if (threads > sim->shards)
        threads = sim->shards;
    uint32_t min = sim->options.shared_from ? sim->options.shared_from : MIN_ACTIVE;
    if (threads < 2 || sim->shards < min || sl_loaded_blocks(sim->loaded) < min || !is_possible(sim))
        return SL_OK;
    sl_workers *workers = calloc(1, sizeof *workers);
    if (!workers)
        return sl_fail_memory(error);
    *made = workers;
    workers->min_active = min;
    workers->view = aligned_alloc(_Alignof(sl_view), threads * sizeof *workers->view);
    workers->active = malloc(sim->shards * sizeof *workers->active);
    sl_work_gate_init(&workers->gate);
    if (!workers->view || !workers->active)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < sim->machine.cores; i++)
        sim->core[i].stock = &sim->core[i].own;
    for (uint32_t g = 0; g < sim->shards; g++)
        atomic_init(&sim->shard[g].owner, g * threads / sim->shards);
    sl_status status = SL_OK;
    for (; workers->threads < threads && !status; workers->threads++)
        status = start_view(sim, &workers->view[workers->threads], error);
    return status;
}

void sl_workers_destroy(sl_workers *workers)
{
    if (!workers)
        return;
    for (unsigned i = 0; i < workers->threads; i++) {
        free(workers->view[i].sim.slot);
        free(workers->view[i].sim.prefetch);
    }
    sl_work_gate_fini(&workers->gate);
    free(workers->view);
    free(workers->active);
    free(workers);
}

/* `bytes` of numbers. */
static void add(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
        ((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

void sl_workers_collect(sl_sim *sim, sl_workers *workers)
{
    for (unsigned i = 0; i < workers->threads; i++) {
        const sl_view *view = &workers->view[i];
        sim->result->warp_insts += view->result.warp_insts;
        sim->result->machine_insts += view->result.machine_insts;
        sim->result->index_insts += view->result.index_insts;
        sim->result->thread_insts += view->result.thread_insts;
        add(sim->result->scheduler_cycles, view->result.scheduler_cycles, sizeof view->result.scheduler_cycles);
        add(&sim->result->level[0], &view->result.level[0], offsetof(sl_sim_level_result, energy_nj));
        add(sim->slot, view->sim.slot, sim->program->kernel->mem_slots * sizeof *sim->slot);
    }
}

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
