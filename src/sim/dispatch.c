/* SPDX-License-Identifier: MIT */
#include "sim/engine.h"

#include "sim/core.h"

/* Whether another block may start in this cycle; `starts` is the time of the next one, in cycles times the rate. */
static bool may_start(const sl_sim *sim)
{
    return sim->block_starts < (sim->now + 1) * sim->machine.core.block_rate || !sim->machine.core.block_rate;
}

static sl_status start_block(sl_sim *sim, sl_sim_core *core, sl_error *error)
{
    uint64_t now = sim->now * sim->machine.core.block_rate;
    sim->block_starts = (sim->block_starts > now ? sim->block_starts : now) + 1000;
    return sl_core_start_block(sim, core, sim->next_block++, error);
}

/* Every cycle begins with the first core. */
static sl_status schedule_in_order(sl_sim *sim, uint64_t blocks, uint32_t *started, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t c = 0; c < sim->machine.cores && sim->next_block < blocks && may_start(sim) && !status; c++)
        if (sl_core_has_room(sim, &sim->core[c])) {
            status = start_block(sim, &sim->core[c], error);
            ++*started;
        }
    return status;
}

static sl_status schedule_in_rounds(sl_sim *sim, uint64_t blocks, uint32_t *started, sl_error *error)
{
    uint32_t cores = sim->machine.cores, passed = 0;
    sl_status status = SL_OK;
    while (*started < cores && passed < 2 * cores && sim->next_block < blocks && may_start(sim) && !status) {
        uint32_t c = sl_cta_next_core(&sim->cta, &sim->rounds, blocks - sim->next_block);
        if (!sl_core_has_room(sim, &sim->core[c])) {
            passed++;
            continue;
        }
        status = start_block(sim, &sim->core[c], error);
        passed = 0;
        ++*started;
    }
    return status;
}

sl_status sl_dispatch(sl_sim *sim, sl_error *error)
{
    uint64_t blocks = sl_loaded_blocks(sim->loaded);
    uint32_t started = 0;
    const sl_cta_config *cta = &sim->cta;
    bool rounds = cta->small_gpc_cores && cta->small_gpc_interval && cta->small_gpc_cores < cta->cores;
    sl_status status = (rounds ? schedule_in_rounds : schedule_in_order)(sim, blocks, &started, error);
    sim->room = (started || !may_start(sim)) && sim->next_block < blocks;
    return status;
}
