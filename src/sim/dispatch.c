/* SPDX-License-Identifier: MIT */
#include "sim/engine.h"

#include "sim/core.h"

/* Ends of blocks are processed at block_rate, and their successors start no earlier. */
uint64_t sl_dispatch_end(sl_sim *sim)
{
    uint32_t rate = sim->machine.core.block_rate;
    for (; rate && sim->ends_seen < sim->blocks_done; sim->ends_seen++)
        sim->block_ends = sl_later(sim->block_ends, sim->now * rate) + 1000;
    return rate ? sim->block_ends / rate : 0;
}

/* Blocks that are scheduled to a core at the same time start one after the other. */
static sl_status start_block(sl_sim *sim, sl_sim_core *core, uint64_t earliest, sl_error *error)
{
    const sl_core_limits *limits = &sim->machine.core;
    uint64_t start = sl_later(sl_later(sim->now, core->starts), earliest);
    uint32_t warps = sl_launch_warps(sl_loaded_launch(sim->loaded)) * limits->block_warp_interval;
    core->starts = start + (warps > limits->block_interval ? warps : limits->block_interval);
    return sl_core_start_block(sim, core, sim->next_block++, start + limits->block_cycles, error);
}

/* In every cycle from core 0 on. */
static sl_status schedule_in_order(sl_sim *sim, uint64_t blocks, uint64_t earliest, uint32_t *started, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t c = 0; c < sim->machine.cores && sim->next_block < blocks && !status; c++)
        if (sl_core_has_room(sim, &sim->core[c])) {
            status = start_block(sim, &sim->core[c], earliest, error);
            ++*started;
        }
    return status;
}

static sl_status schedule_in_rounds(sl_sim *sim, uint64_t blocks, uint64_t earliest, uint32_t *started, sl_error *error)
{
    uint32_t cores = sim->machine.cores, passed = 0;
    sl_status status = SL_OK;
    while (*started < cores && passed < 2 * cores && sim->next_block < blocks && !status) {
        uint32_t c = sl_cta_next_core(&sim->cta, &sim->rounds, blocks - sim->next_block);
        if (!sl_core_has_room(sim, &sim->core[c])) {
            passed++;
            continue;
        }
        status = start_block(sim, &sim->core[c], earliest, error);
        passed = 0;
        ++*started;
    }
    /* The rounds of the last blocks do not come to all cores. */
    if (passed && sim->next_block < blocks && !status)
        status = schedule_in_order(sim, blocks, earliest, started, error);
    return status;
}

sl_status sl_dispatch(sl_sim *sim, sl_error *error)
{
    uint64_t blocks = sl_loaded_blocks(sim->loaded);
    uint32_t started = 0;
    const sl_cta_config *cta = &sim->cta;
    bool rounds = (cta->small_gpc_cores || cta->neighbors) && cta->small_gpc_cores < cta->cores;
    sl_status status =
        (rounds ? schedule_in_rounds : schedule_in_order)(sim, blocks, sl_dispatch_end(sim), &started, error);
    sim->room = started && sim->next_block < blocks;
    return status;
}
