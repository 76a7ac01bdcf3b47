/* SPDX-License-Identifier: MIT */
/* Blocks that run together: those of a cluster, each with its own shared memory, which the others can access; and one
 * by itself where there are no clusters. Their warps take turns, block after block. */
#include <stdio.h>
#include <stdlib.h>

#include "emu/warp.h"

sl_status sl_cluster_init(sl_cluster *cluster, sl_worker *worker, sl_error *error)
{
    uint32_t blocks = worker->run->cluster_blocks;
    *cluster = (sl_cluster){.worker = worker, .block = calloc(blocks, sizeof *cluster->block)};
    sl_status status = cluster->block ? SL_OK : sl_fail_memory(error);
    if (status == SL_OK && worker->run->emu->check_race &&
        !(cluster->race = sl_race_create(blocks * worker->run->warps_per_block)))
        status = sl_fail_memory(error);
    for (; cluster->blocks < blocks && status == SL_OK; cluster->blocks++)
        status = sl_block_init(&cluster->block[cluster->blocks], cluster, cluster->blocks, error);
    if (status != SL_OK)
        sl_cluster_fini(cluster);
    return status;
}

void sl_cluster_fini(sl_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->blocks; i++)
        sl_block_fini(&cluster->block[i]);
    free(cluster->block);
    sl_race_destroy(cluster->race);
    *cluster = (sl_cluster){0};
}

void sl_cluster_start(sl_cluster *cluster, uint64_t index)
{
    const sl_run *run = cluster->worker->run;
    const uint32_t *shape = run->cluster, *grid = run->launch->grid;
    uint32_t clusters[2] = {grid[0] / shape[0], grid[1] / shape[1]};
    cluster->index = index;
    cluster->arrivals = cluster->idle_rounds = 0;
    if (cluster->race)
        sl_race_start(cluster->race, run->code);
    for (uint32_t rank = 0; rank < cluster->blocks; rank++) {
        const uint32_t id[3] = {
            (uint32_t)(index % clusters[0]) * shape[0] + rank % shape[0],
            (uint32_t)(index / clusters[0] % clusters[1]) * shape[1] + rank / shape[0] % shape[1],
            (uint32_t)(index / clusters[0] / clusters[1]) * shape[2] + rank / shape[0] / shape[1],
        };
        sl_block_start(&cluster->block[rank], id);
    }
}

/* ---- the barrier ---- */

static uint64_t live_threads(const sl_cluster *cluster)
{
    uint64_t threads = 0;
    for (uint32_t i = 0; i < cluster->blocks; i++)
        threads += cluster->block[i].live_threads;
    return threads;
}

static bool complete(const sl_cluster *cluster)
{
    if (cluster->arrivals < live_threads(cluster))
        return false;
    for (uint32_t i = 0; i < cluster->blocks; i++)
        for (uint32_t k = 0; k < cluster->block[i].warps; k++)
            if (cluster->block[i].warp[k].live & ~cluster->block[i].at_cluster_barrier[k])
                return false;
    return true;
}

/* Begins the next phase: nobody has arrived. */
static void release(sl_cluster *cluster)
{
    const uint64_t *arrived[SL_MAX_CLUSTER_BLOCKS];
    cluster->arrivals = 0;
    for (uint32_t i = 0; i < cluster->blocks; i++)
        arrived[i] = cluster->block[i].at_cluster_barrier;
    if (cluster->race)
        sl_race_barrier(cluster->race, cluster->block, cluster->blocks, arrived);
    for (uint32_t i = 0; i < cluster->blocks; i++) {
        sl_block *block = &cluster->block[i];
        for (uint32_t k = 0; k < block->warps; k++) {
            sl_warp *warp = &block->warp[k];
            block->at_cluster_barrier[k] = 0;
            for (uint32_t j = 0; j < warp->splits; j++)
                if (warp->split[j].state == SL_SPLIT_BARRIER && warp->split[j].barrier == SL_CLUSTER_BARRIER)
                    warp->split[j].state = SL_SPLIT_READY;
            sl_warp_past_barrier(warp);
            sl_warp_merge(warp);
        }
    }
}

bool sl_cluster_barrier(sl_warp *warp, const sl_code_bb *bb)
{
    sl_cluster *cluster = warp->block->cluster;
    uint64_t *arrived = &warp->block->at_cluster_barrier[warp->index];
    if (bb->barrier_mode == SL_BARRIER_CLUSTER_ARRIVE) {
        if (*arrived & warp->mask)
            sl_fault_raise(warp, bb->first_inst + bb->insts - 1, __builtin_ctzll(*arrived & warp->mask),
                           SL_FAULT_BARRIER, "it has arrived at the barrier of the cluster, but has not waited there");
        *arrived |= warp->mask;
        cluster->arrivals += (uint32_t)__builtin_popcountll(warp->mask);
        if (complete(cluster))
            release(cluster);
        return false;
    }
    warp->now.barrier = SL_CLUSTER_BARRIER;
    return *arrived & warp->mask; /* else its phase is complete */
}

void sl_cluster_exited(sl_cluster *cluster)
{
    if (cluster->arrivals && complete(cluster))
        release(cluster);
}

/* ---- running ---- */

/* Says who of a block waits for what; returns the first of them, and where it waits. */
static sl_warp *waiting_warps(sl_block *block, char *who, size_t size, uint32_t *inst)
{
    size_t used = 0;
    sl_warp *first = NULL;
    who[0] = 0;
    for (uint32_t i = 0; i < block->warps; i++) {
        sl_warp *warp = &block->warp[i];
        for (uint32_t k = 0; k < warp->splits && used < size - 100; k++) {
            const sl_warp_split *split = &warp->split[k];
            bool barrier = split->state == SL_SPLIT_BARRIER;
            const sl_code_bb *bb = &warp->code->bb[barrier ? split->wait_bb : split->bb];
            uint32_t at = barrier ? bb->first_inst + bb->insts - 1 : bb->first_inst;
            char where[40];
            snprintf(where, sizeof where, "%s",
                     bb->group_wait ? "products of their warp group" : "lanes of their warp");
            if (!first) {
                first = warp;
                *inst = at;
            }
            if (barrier && split->barrier == SL_CLUSTER_BARRIER)
                snprintf(where, sizeof where, "the barrier of the cluster");
            else if (barrier)
                snprintf(where, sizeof where, "barrier %u", split->barrier);
            used += (size_t)snprintf(who + used, size - used, "%s%d lanes of warp %u wait at %s (line %u)",
                                     used ? "; " : "", __builtin_popcountll(split->mask), i, where,
                                     warp->code->inst[at]->line);
        }
    }
    return first;
}

/* Nothing can run and not everything has finished: says who waits for what. */
static _Noreturn void deadlock(sl_cluster *cluster)
{
    char who[400];
    uint32_t inst = UINT32_MAX;
    sl_warp *first = NULL;
    for (uint32_t i = 0; i < cluster->blocks && !first; i++)
        first = waiting_warps(&cluster->block[i], who, sizeof who, &inst);
    sl_fault_raise(first ? first : &cluster->block[0].warp[0], inst, -1, SL_FAULT_BARRIER,
                   "a barrier that cannot complete: %s", who);
}

enum { PART_BYTES = 4 << 20 }; /* a block's streams are handed over when they grow past this */

static void hand_over_if_long(sl_block *block)
{
    if (!block->recorded)
        return;
    size_t bytes = block->counter ? sl_launch_counter_bytes(block->counter) : 0;
    for (uint32_t i = 0; block->stream && i < block->warps; i++)
        bytes += block->stream[i].control.count + block->stream[i].memory.count;
    if (bytes > PART_BYTES)
        block->worker->deliver(block->worker, block, false);
}

/* What the warps did in one turn of each. */
typedef struct turn_result {
    bool ran, spun, moved, busy;
} turn_result;

static void run_warps(sl_block *block, turn_result *round)
{
    uint64_t clock = block->worker->clock, thread_insts = block->worker->thread_insts;
    for (uint32_t i = 0; i < block->warps; i++) {
        sl_warp *warp = &block->warp[i];
        if (!warp->live || !sl_warp_has_ready(warp))
            continue;
        uint64_t before = block->worker->steps;
        sl_warp_stop stop = sl_warp_run(warp);
        round->ran |= block->worker->steps != before;
        round->spun |= stop == SL_WARP_SPINS;
        round->moved |= stop != SL_WARP_SPINS;
        round->busy |= stop == SL_WARP_PAUSED || stop == SL_WARP_DONE;
    }
    block->warp_insts += block->worker->clock - clock;
    block->thread_insts += block->worker->thread_insts - thread_insts;
}

sl_cluster_stop sl_cluster_run(sl_cluster *cluster, bool alone)
{
    for (;;) {
        turn_result round = {0};
        for (uint32_t i = 0; i < cluster->blocks; i++)
            run_warps(&cluster->block[i], &round);
        if (!live_threads(cluster)) {
            for (uint32_t i = 0; i < cluster->blocks; i++)
                sl_stray_join(&cluster->worker->strays, &cluster->block[i].strays);
            return SL_CLUSTER_DONE;
        }
        if (!round.ran)
            deadlock(cluster);
        for (uint32_t i = 0; i < cluster->blocks; i++)
            hand_over_if_long(&cluster->block[i]);
        cluster->idle_rounds = round.moved ? 0 : cluster->idle_rounds + 1;
        /* Warps that meet at barriers may all be waiting for what one of them spins for. */
        if (round.spun && !round.busy && !alone)
            return SL_CLUSTER_SPINS;
    }
}
