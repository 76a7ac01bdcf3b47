/* SPDX-License-Identifier: MIT */
/* Memory of cores and shards, and what they begin a launch with. */
#include <stdlib.h>
#include <string.h>

#include "sim/bank.h"
#include "sim/core.h"

static sl_core_sizes sizes_of(const sl_sim *sim)
{
    const sl_program *program = sim->program;
    return (sl_core_sizes){.registers = program->registers,
                           .slots = program->kernel->mem_slots ? program->kernel->mem_slots : 1,
                           .read_ahead = program->read_ahead,
                           .fetches = program->uops / SL_FETCHED + 1,
                           .blocks = sim->resident_blocks};
}

static bool fit(const sl_core_sizes *sizes, const sl_core_sizes *in)
{
    return sizes->registers <= in->registers && sizes->slots <= in->slots && sizes->read_ahead <= in->read_ahead &&
           sizes->fetches <= in->fetches && sizes->blocks <= in->blocks;
}

/* Cores that get no block need no memory, and what the others have is used again: in
 * small launches most of the time went into allocating and clearing it. */
sl_status sl_core_make_room(const sl_sim *sim, sl_sim_core *core, sl_error *error)
{
    const sl_core_sizes *sizes = &sim->core_sizes;
    size_t warps = sim->machine.core.warps;
    if (core->warp) {
        memset(core->warp, 0, core->stale_warps * sizeof *core->warp);
        memset(core->fetched, 0, sizes->fetches * sizeof *core->fetched);
        memset(core->block, 0, sizes->blocks * sizeof *core->block);
        core->stale_warps = 0;
        return sim->machine.core.scalar_bytes ? sl_scalar_cache_start(&core->scalar, &sim->machine, error) : SL_OK;
    }
    core->ready_at = malloc(warps * sizes->registers * sizeof *core->ready_at);
    core->predictor = malloc(warps * sizes->slots * sizeof *core->predictor);
    core->read_ahead = malloc(warps * sizes->read_ahead * sizeof *core->read_ahead + 1);
    core->fetched = calloc(sizes->fetches, sizeof *core->fetched);
    core->block = calloc(sizes->blocks, sizeof *core->block);
    core->warp = calloc(warps, sizeof *core->warp);
    if (!core->ready_at || !core->predictor || !core->read_ahead || !core->fetched || !core->block || !core->warp)
        return sl_fail_memory(error);
    return sim->machine.core.scalar_bytes ? sl_scalar_cache_start(&core->scalar, &sim->machine, error) : SL_OK;
}

static void free_room(sl_sim_core *core)
{
    free(core->warp);
    free(core->ready_at);
    free(core->predictor);
    free(core->read_ahead);
    free(core->fetched);
    free(core->block);
    free(core->scheduler);
    free(core->memop);
    sl_scalar_cache_fini(&core->scalar);
}

static uint32_t queues_of(const sl_sim *sim, uint32_t core)
{
    const sl_policy *bypass_policy = sl_core_bypass_policy(sim, core);
    uint32_t queues = bypass_policy && bypass_policy->ops->queues ? bypass_policy->ops->queues(bypass_policy->self) : 1;
    return queues < 1 ? 1 : queues > SL_MAX_QUEUES ? SL_MAX_QUEUES : queues;
}

static sl_status start_core(sl_sim *sim, sl_sim_core *core, uint32_t number, sl_error *error)
{
    uint32_t warps = sim->machine.core.warps, schedulers = sim->machine.core.schedulers;
    const sl_sim_core old = *core;
    uint32_t stale = old.ages < warps ? old.ages : warps;
    free(old.memop);
    *core = (sl_sim_core){.number = number,
                          .next = SL_NEVER,
                          .stock = &sim->stock,
                          .shard = &sim->shard[number / sim->machine.level[0].cores_per_instance / SL_SHARD_CACHES],
                          .ticked = SL_NEVER,
                          .memop_free = SL_NONE,
                          .queues = queues_of(sim, number),
                          .warp = old.warp,
                          .ready_at = old.ready_at,
                          .predictor = old.predictor,
                          .read_ahead = old.read_ahead,
                          .fetched = old.fetched,
                          .block = old.block,
                          .scheduler = old.scheduler,
                          .scalar = old.scalar,
                          .stale_warps = stale > old.stale_warps ? stale : old.stale_warps};
    core->schedules_when_lsu_full =
        sim->machine.core.scheduling == SL_SCHEDULE_TWO_LEVEL ||
        (sl_core_bypass_policy(sim, number) && sl_core_bypass_policy(sim, number)->ops->throttle_warps);
    for (uint32_t q = 0; q < SL_MAX_QUEUES; q++)
        core->queue[q] = SL_EMPTY_LIST;
    if (!core->scheduler && !(core->scheduler = malloc(schedulers * sizeof *core->scheduler)))
        return sl_fail_memory(error);
    memset(core->scheduler, 0, schedulers * sizeof *core->scheduler);
    for (uint32_t w = 0; w < warps; w++)
        core->scheduler[w % schedulers].warps |= UINT64_C(1) << w;
    for (uint32_t i = 0; i < schedulers; i++)
        core->scheduler[i].last = SL_CORE_WARPS - 1; /* the first turn is warp 0's */
    return SL_OK;
}

static sl_status create_shards(sl_sim *sim, sl_error *error)
{
    uint32_t caches = sim->banks[0], shards = (caches + SL_SHARD_CACHES - 1) / SL_SHARD_CACHES;
    sim->shard = aligned_alloc(_Alignof(sl_shard), shards * sizeof *sim->shard);
    sim->port = aligned_alloc(_Alignof(sl_port), caches * sizeof *sim->port);
    sim->senders = calloc((caches + 63) / 64, sizeof *sim->senders);
    if (!sim->shard || !sim->port || !sim->senders)
        return sl_fail_memory(error);
    memset(sim->shard, 0, shards * sizeof *sim->shard);
    memset(sim->port, 0, caches * sizeof *sim->port);
    sim->shards = shards;
    for (uint32_t g = 0; g < shards; g++)
        sim->shard[g].core_next = sim->shard[g].fill_next = SL_NEVER;
    for (uint32_t i = 0; i < shards * SL_SHARD_CACHES; i++)
        sim->shard[i / SL_SHARD_CACHES].fill_at[i % SL_SHARD_CACHES] = SL_NEVER;
    for (uint32_t i = 0; i < caches; i++)
        sim->bank[0][i].shard = &sim->shard[i / SL_SHARD_CACHES];
    return SL_OK;
}

static void destroy_shards(sl_sim *sim)
{
    for (uint32_t g = 0; g < sim->shards; g++)
        sl_queue_fini(&sim->shard[g].inbox);
    free(sim->shard);
    free(sim->port);
    free(sim->senders);
    sim->shard = NULL;
    sim->port = NULL;
    sim->senders = NULL;
    sim->shards = 0;
}

sl_status sl_cores_start(sl_sim *sim, sl_error *error)
{
    uint32_t cores = sim->machine.cores;
    sl_core_sizes sizes = sizes_of(sim);
    if (!fit(&sizes, &sim->core_sizes))
        sl_cores_destroy(sim);
    if (!sim->core) {
        sim->core = calloc(cores, sizeof *sim->core);
        sim->core_sizes = sizes;
    }
    if (!sim->core)
        return sl_fail_memory(error);
    destroy_shards(sim);
    sl_status status = create_shards(sim, error);
    for (uint32_t i = 0; i < cores && !status; i++)
        status = start_core(sim, &sim->core[i], i, error);
    return status;
}

void sl_cores_destroy(sl_sim *sim)
{
    for (uint32_t i = 0; sim->core && i < sim->machine.cores; i++)
        free_room(&sim->core[i]);
    free(sim->core);
    destroy_shards(sim);
    sim->core = NULL;
}
