/* SPDX-License-Identifier: MIT */
#include "sim/dispatch.h"

#include "sim/core.h"

/* Every cycle begins with the first core. */
static sl_status deal_in_order(sl_sim *sim, uint64_t blocks, uint32_t *given, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t c = 0; c < sim->machine.cores && sim->next_block < blocks && !status; c++)
        if (sl_core_has_room(sim, &sim->core[c])) {
            status = sl_core_start_block(sim, &sim->core[c], sim->next_block++, error);
            ++*given;
        }
    return status;
}

/* The next core of the rounds; those of the small cluster are passed over where they are full, too. */
static uint32_t next_core(sl_sim *sim, uint32_t stride)
{
    const sl_core_limits *core = &sim->machine.core;
    sl_rounds *r = &sim->rounds;
    if (r->next_apart < core->apart)
        return r->next_apart++;
    uint32_t next = core->apart + r->next;
    r->next = (r->next + stride) % (sim->machine.cores - core->apart);
    if (++r->since == core->apart_every)
        r->since = r->next_apart = 0;
    return next;
}

/* The last few blocks go to cores far from each other. */
static sl_status deal_in_rounds(sl_sim *sim, uint64_t blocks, uint32_t *given, sl_error *error)
{
    uint32_t cores = sim->machine.cores, group = sim->machine.level[0].merge_group, passed = 0;
    sl_status status = SL_OK;
    while (*given < cores && passed < 2 * cores && sim->next_block < blocks && !status) {
        uint32_t stride = group && sim->next_block + group >= blocks ? group : 1, c = next_core(sim, stride);
        if (!sl_core_has_room(sim, &sim->core[c])) {
            passed++;
            continue;
        }
        status = sl_core_start_block(sim, &sim->core[c], sim->next_block++, error);
        passed = 0;
        ++*given;
    }
    return status;
}

sl_status sl_dispatch(sl_sim *sim, sl_error *error)
{
    uint64_t blocks = sl_loaded_blocks(sim->loaded);
    uint32_t given = 0;
    bool rounds =
        sim->machine.core.apart && sim->machine.core.apart_every && sim->machine.core.apart < sim->machine.cores;
    sl_status status = (rounds ? deal_in_rounds : deal_in_order)(sim, blocks, &given, error);
    sim->room = given && sim->next_block < blocks;
    return status;
}
