/* SPDX-License-Identifier: MIT */
/* A block: its warps, its shared memory and its barriers. */
#include <stdlib.h>
#include <string.h>

#include "emu/tensor_memory.h"
#include "emu/warp.h"

/* ---- storage ---- */

static uint32_t *special(sl_warp *warp, sl_special_slot slot)
{
    return (uint32_t *)(warp->area[SL_AREA_SPECIAL] + (size_t)slot * warp->code->lanes * 8);
}

static void fill_special(sl_warp *warp, sl_special_slot slot, uint32_t value)
{
    if (!(warp->code->specials_used >> slot & 1))
        return;
    uint32_t *lanes = special(warp, slot);
    for (uint32_t i = 0, count = warp->code->lanes; i < count; i++)
        lanes[i] = value;
}

static void fill_special_64(sl_warp *warp, sl_special_slot slot, uint64_t value)
{
    uint64_t *lanes = (uint64_t *)special(warp, slot);
    for (uint32_t i = 0, count = warp->code->lanes; i < count; i++)
        lanes[i] = value;
}

/* What stays the same for a warp slot during a launch. */
static void fill_launch_specials(sl_warp *warp)
{
    const sl_run *run = warp->worker->run;
    const uint32_t *block = run->launch->block, *grid = run->launch->grid;
    for (uint32_t i = 0; i < run->lanes; i++) {
        uint32_t thread = warp->index * run->lanes + i, lane = thread % 32;
        special(warp, SL_SLOT_TID_X)[i] = thread % block[0];
        special(warp, SL_SLOT_TID_Y)[i] = thread / block[0] % block[1];
        special(warp, SL_SLOT_TID_Z)[i] = thread / block[0] / block[1];
        special(warp, SL_SLOT_LANEID)[i] = lane;
        special(warp, SL_SLOT_WARPID)[i] = thread / 32;
        special(warp, SL_SLOT_LANEMASK_EQ)[i] = 1u << lane;
        special(warp, SL_SLOT_LANEMASK_LT)[i] = (1u << lane) - 1;
        special(warp, SL_SLOT_LANEMASK_LE)[i] = (2u << lane) - 1;
        special(warp, SL_SLOT_LANEMASK_GT)[i] = ~((2u << lane) - 1);
        special(warp, SL_SLOT_LANEMASK_GE)[i] = ~((1u << lane) - 1);
    }
    for (uint32_t k = 0; k < 3; k++) {
        fill_special(warp, (sl_special_slot)(SL_SLOT_NTID_X + k), block[k]);
        fill_special(warp, (sl_special_slot)(SL_SLOT_NCTAID_X + k), grid[k]);
        fill_special(warp, (sl_special_slot)(SL_SLOT_CLUSTER_NCTAID_X + k), run->cluster[k]);
        fill_special(warp, (sl_special_slot)(SL_SLOT_NCLUSTERID_X + k), grid[k] / run->cluster[k]);
    }
    fill_special(warp, SL_SLOT_NWARPID, (run->threads_per_block + 31) / 32);
    fill_special(warp, SL_SLOT_NSMID, run->emu->limits.sms);
    fill_special(warp, SL_SLOT_DYNAMIC_SMEM, run->launch->dynamic_shared_bytes);
    fill_special(warp, SL_SLOT_TOTAL_SMEM, run->shared_bytes);
    fill_special(warp, SL_SLOT_ZERO, 0);
    fill_special(warp, SL_SLOT_CLUSTER_NCTARANK, run->cluster_blocks);
    fill_special(warp, SL_SLOT_CLUSTER_CTARANK, warp->block->rank);
    fill_special(warp, SL_SLOT_EXPLICIT_CLUSTER, -(uint32_t)run->explicit_cluster);
    fill_special(warp, SL_SLOT_SHARED_BASE, warp->block->shared_base);
    uint64_t workspace = run->launch->cooperative ? run->emu->grid_workspace : 0;
    fill_special(warp, SL_SLOT_ENVREG1, (uint32_t)(workspace >> 32));
    fill_special(warp, SL_SLOT_ENVREG2, (uint32_t)workspace);
    fill_special_64(warp, SL_SLOT_GRIDID, run->serial);
    fill_special_64(warp, SL_SLOT_PARAM_BASE, run->param_addr);
}

static bool init_warp(sl_block *block, uint32_t index)
{
    sl_warp *warp = &block->warp[index];
    sl_worker *worker = block->worker;
    const sl_code *code = worker->run->code;
    const sl_code_function *kernel = &code->function[0];
    memset(warp, 0, sizeof *warp);
    warp->code = code;
    warp->worker = worker;
    warp->block = block;
    warp->index = index;
    uint32_t threads = worker->run->threads_per_block - index * worker->run->lanes;
    warp->exists = threads >= code->lanes ? (code->lanes == 64 ? UINT64_MAX : ((uint64_t)1 << code->lanes) - 1)
                                          : ((uint64_t)1 << threads) - 1;
    warp->register_capacity = (kernel->frame_bytes + 63) & ~63u;
    warp->local_capacity = kernel->local_bytes ? (kernel->local_bytes + 63) & ~63u : 0;
    if (posix_memalign((void **)&warp->registers, 64, warp->register_capacity + 64) ||
        posix_memalign((void **)&warp->area[SL_AREA_SPECIAL], 64, code->special_bytes))
        return false;
    memset(warp->registers, 0, warp->register_capacity);
    if (warp->local_capacity && !(warp->local = calloc(code->lanes, warp->local_capacity)))
        return false;
    warp->area[SL_AREA_CONST] = code->consts;
    fill_launch_specials(warp);
    return true;
}

sl_status sl_block_init(sl_block *block, sl_cluster *cluster, uint32_t rank, sl_error *error)
{
    const sl_run *run = cluster->worker->run;
    *block = (sl_block){.worker = cluster->worker,
                        .cluster = cluster,
                        .rank = rank,
                        .id = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, /* of no block: the first one sets all */
                        .warps = run->warps_per_block,
                        .shared_bytes = run->shared_bytes,
                        .shared_base = run->code->knows_clusters ? rank << SL_RANK_BIT : 0};
    uint32_t granularity = run->emu->machine.core.shared_granularity;
    granularity = granularity ? granularity : 1;
    block->shared_room = (run->shared_bytes + granularity - 1) / granularity * granularity;
    void *warps = NULL;
    if (posix_memalign(&warps, 64, sizeof *block->warp * block->warps))
        return sl_fail_memory(error);
    block->warp = warps;
    memset(warps, 0, sizeof *block->warp * block->warps);
    bool ok = true;
    for (uint32_t i = 0; i < block->warps && ok; i++)
        ok = init_warp(block, i);
    if (posix_memalign((void **)&block->shared, 64, block->shared_room + 64))
        block->shared = NULL;
    ok = ok && block->shared;
    if (run->emu->check_uninit)
        ok = ok && (block->shared_written = calloc(1, block->shared_room / 8 + 1));
    for (uint32_t i = 0; i < SL_BARRIERS; i++)
        ok = ok && (block->barrier[i].arrived = calloc(block->warps, sizeof(uint64_t)));
    ok = ok && (block->at_cluster_barrier = calloc(block->warps, sizeof *block->at_cluster_barrier));
    if (run->counter) {
        ok = ok && !sl_launch_counter_part(run->counter, &block->counter, NULL);
    } else if (run->recording) {
        ok = ok && (block->stream = calloc(block->warps, sizeof *block->stream));
        for (uint32_t i = 0; ok && i < block->warps; i++)
            ok = sl_warp_stream_init(&block->stream[i], run->kernel->facts.mem_slots, run->lanes);
    }
    if (ok)
        return SL_OK;
    sl_block_fini(block);
    return sl_fail_memory(error);
}

void sl_block_fini(sl_block *block)
{
    for (uint32_t i = 0; block->warp && i < block->warps; i++) {
        free(block->warp[i].registers);
        free(block->warp[i].local);
        free(block->warp[i].reconvergence);
        free(block->warp[i].area[SL_AREA_SPECIAL]);
        if (block->stream)
            sl_warp_stream_fini(&block->stream[i]);
    }
    for (uint32_t i = 0; i < SL_BARRIERS; i++)
        free(block->barrier[i].arrived);
    free(block->at_cluster_barrier);
    sl_launch_counter_destroy(block->counter);
    free(block->stream);
    free(block->warp);
    free(block->shared);
    free(block->shared_written);
    sl_tensor_memory_free(block->tensor);
    sl_stray_free(block->strays);
    *block = (sl_block){0};
}

void sl_block_start(sl_block *block, const uint32_t id[3])
{
    const sl_run *run = block->worker->run;
    const uint32_t *grid = run->launch->grid;
    bool moved[3];
    for (int k = 0; k < 3; k++) {
        moved[k] = block->id[k] != id[k];
        block->id[k] = id[k];
    }
    block->index = id[0] + grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
    block->live_threads = run->threads_per_block;
    block->part = 0;
    block->warp_insts = block->thread_insts = 0;
    block->recorded = run->recording && block->index < run->block_limit;
    memset(block->at_cluster_barrier, 0, block->warps * sizeof *block->at_cluster_barrier);
    if (block->shared_room)
        memset(block->shared, 0, block->shared_room); /* so that results never depend on what ran before */
    if (block->shared_written)
        memset(block->shared_written, 0, block->shared_room / 8 + 1);
    sl_tensor_memory_start(block->tensor);
    for (uint32_t i = 0; i < SL_BARRIERS && run->code->has_barriers; i++)
        block->barrier[i].active = false;
    for (uint32_t i = 0; i < block->warps; i++) {
        sl_warp *warp = &block->warp[i];
        for (uint32_t k = 0; k < 3; k++)
            if (moved[k]) {
                fill_special(warp, (sl_special_slot)(SL_SLOT_CTAID_X + k), block->id[k]);
                fill_special(warp, (sl_special_slot)(SL_SLOT_CLUSTERID_X + k), block->id[k] / run->cluster[k]);
                fill_special(warp, (sl_special_slot)(SL_SLOT_CLUSTER_CTAID_X + k), block->id[k] % run->cluster[k]);
            }
        if (warp->code->specials_used >> SL_SLOT_SMID & 1)
            fill_special(warp, SL_SLOT_SMID, (uint32_t)(block->index % run->emu->limits.sms));
        warp->stream = block->recorded && block->stream ? &block->stream[i] : NULL;
        warp->counter = block->recorded ? block->counter : NULL;
        warp->race = block->cluster->race;
        warp->watched = warp->stream || warp->counter || warp->race;
        if (warp->stream)
            sl_warp_stream_reset(warp->stream, run->kernel->facts.mem_slots, run->lanes);
        sl_warp_start(warp);
    }
}

/* ---- barriers ---- */

/* Arrivals as the hardware counts them when a thread count is given: 32 lanes whose live ones are all here count whole.
 */
static uint32_t counted_arrivals(const sl_block *block, const sl_barrier_state *barrier)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < block->warps; i++) {
        for (uint32_t half = 0; half < block->warp[i].code->lanes; half += 32) {
            uint32_t here = (uint32_t)(barrier->arrived[i] >> half), live = (uint32_t)(block->warp[i].live >> half);
            if (here)
                total += live & ~here ? (uint32_t)__builtin_popcount(here) : 32;
        }
    }
    return total;
}

static bool complete(const sl_block *block, const sl_barrier_state *barrier)
{
    if (barrier->expected)
        return counted_arrivals(block, barrier) >= barrier->expected;
    if (barrier->arrivals < block->live_threads)
        return false;
    for (uint32_t i = 0; i < block->warps; i++)
        if (block->warp[i].live & ~barrier->arrived[i])
            return false;
    return true;
}

/* The result of bar.red for lanes that waited at the end of `bb` in a given frame. */
static void write_reduction(sl_warp *warp, uint64_t mask, uint32_t frame, const sl_code_bb *bb,
                            const sl_barrier_state *barrier)
{
    if (bb->barrier_dst == SL_REF_NONE)
        return;
    uint32_t result = bb->barrier_mode == SL_BARRIER_POPC  ? barrier->ayes
                      : bb->barrier_mode == SL_BARRIER_AND ? -(uint32_t)barrier->all
                                                           : -(uint32_t)(barrier->ayes != 0);
    uint32_t *lanes = (uint32_t *)(warp->registers + frame + (bb->barrier_dst & SL_AREA_MASK));
    for (; mask; mask &= mask - 1)
        lanes[__builtin_ctzll(mask)] = result;
}

static void release(sl_block *block, uint32_t number)
{
    sl_barrier_state *barrier = &block->barrier[number];
    barrier->active = false;
    if (block->cluster->race)
        sl_race_barrier(block->cluster->race, block, 1, (const uint64_t *const[]){barrier->arrived});
    for (uint32_t i = 0; i < block->warps; i++) {
        sl_warp *warp = &block->warp[i];
        for (uint32_t k = 0; k < warp->splits; k++) {
            sl_warp_split *split = &warp->split[k];
            if (split->state != SL_SPLIT_BARRIER || split->barrier != number)
                continue;
            write_reduction(warp, split->mask, split->frame, &warp->code->bb[split->wait_bb], barrier);
            split->state = SL_SPLIT_READY;
        }
        sl_warp_past_barrier(warp);
        sl_warp_merge(warp);
    }
}

static void open_barrier(sl_block *block, sl_barrier_state *barrier, uint32_t expected)
{
    barrier->active = true;
    barrier->expected = expected;
    barrier->arrivals = barrier->ayes = 0;
    barrier->all = true;
    memset(barrier->arrived, 0, block->warps * sizeof *barrier->arrived);
}

bool sl_block_barrier(sl_block *block, sl_warp *warp, const sl_code_bb *bb)
{
    if (bb->barrier_mode >= SL_BARRIER_CLUSTER_ARRIVE)
        return sl_cluster_barrier(warp, bb);
    uint32_t inst = bb->first_inst + bb->insts - 1;
    int lane = __builtin_ctzll(warp->mask);
    const uint32_t *ids = (const uint32_t *)(warp->area[bb->barrier >> SL_AREA_SHIFT] + (bb->barrier & SL_AREA_MASK));
    uint32_t number = ids[lane], expected = 0;
    if (number >= SL_BARRIERS)
        sl_fault_raise(warp, inst, lane, SL_FAULT_BARRIER, "barrier %u does not exist (0 to %u)", number,
                       SL_BARRIERS - 1);
    if (bb->barrier_count != SL_REF_NONE) {
        const uint32_t *counts =
            (const uint32_t *)(warp->area[bb->barrier_count >> SL_AREA_SHIFT] + (bb->barrier_count & SL_AREA_MASK));
        expected = counts[lane];
        if (expected == 0 || expected % 32)
            sl_fault_raise(warp, inst, lane, SL_FAULT_BARRIER, "a barrier for %u threads: not a multiple of 32",
                           expected);
    }
    sl_barrier_state *barrier = &block->barrier[number];
    if (!barrier->active)
        open_barrier(block, barrier, expected);
    barrier->arrived[warp->index] |= warp->mask;
    barrier->arrivals += (uint32_t)__builtin_popcountll(warp->mask);
    if (bb->barrier_dst != SL_REF_NONE) {
        const uint32_t *p =
            (const uint32_t *)(warp->area[bb->barrier_src >> SL_AREA_SHIFT] + (bb->barrier_src & SL_AREA_MASK));
        for (uint64_t left = warp->mask; left; left &= left - 1) {
            bool aye = (p[__builtin_ctzll(left)] != 0) != bb->barrier_src_negated;
            barrier->ayes += aye;
            barrier->all &= aye;
        }
    }
    warp->now.barrier = (uint8_t)number;
    if (complete(block, barrier)) {
        write_reduction(warp, warp->mask, warp->now.frame, bb, barrier);
        release(block, number);
        return false;
    }
    return bb->barrier_mode != SL_BARRIER_ARRIVE;
}

void sl_block_exited(sl_block *block, uint32_t threads)
{
    block->live_threads -= threads;
    for (uint32_t i = 0; i < SL_BARRIERS && block->worker->run->code->has_barriers; i++)
        if (block->barrier[i].active && complete(block, &block->barrier[i]))
            release(block, i);
    sl_cluster_exited(block->cluster);
}
