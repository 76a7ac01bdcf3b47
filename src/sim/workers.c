/* SPDX-License-Identifier: MIT */
#include "sim/workers.h"

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
        sim->result->thread_insts += view->result.thread_insts;
        add(sim->result->scheduler_cycles, view->result.scheduler_cycles, sizeof view->result.scheduler_cycles);
        add(&sim->result->level[0], &view->result.level[0], offsetof(sl_sim_level_result, energy_nj));
        add(sim->slot, view->sim.slot, sim->program->kernel->mem_slots * sizeof *sim->slot);
    }
}
