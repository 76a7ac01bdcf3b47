/* SPDX-License-Identifier: MIT */
#include "sim/sim.h"
#include "sim/coalescer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/occupancy.h"
#include "sim/bank.h"
#include "sim/core.h"
#include "sim/data_observer.h"
#include "sim/dram.h"
#include "sim/evict.h"
#include "sim/host_prefetch.h"
#include "sim/l1_requests.h"
#include "sim/network.h"

/* ---- what it can simulate ---- */

static sl_status check_machine(const sl_machine *m, sl_error *error)
{
    if (m->core.warps > SL_CORE_WARPS || m->core.blocks > UINT8_MAX)
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s has %u warps and %u blocks per core; the simulator takes up to %u and %u", m->name,
                       m->core.warps, m->core.blocks, SL_CORE_WARPS, UINT8_MAX);
    if (m->cores > UINT16_MAX)
        return sl_fail(error, SL_UNSUPPORTED, "%s has %u cores; the simulator takes up to %u", m->name, m->cores,
                       UINT16_MAX);
    uint32_t granule = m->level[0].sector_bytes;
    for (uint32_t i = 0; i < m->levels; i++) {
        const sl_level *level = &m->level[i];
        granule = level->sector_bytes < granule ? level->sector_bytes : granule;
        if (i && level->line_bytes < m->level[i - 1].line_bytes)
            return sl_fail(error, SL_UNSUPPORTED,
                           "%s: lines of %s are shorter than those of %s; the simulator supports only equal or longer "
                           "lines from level to level",
                           m->name, level->name, m->level[i - 1].name);
        for (uint32_t above = 0; level->inclusive && above < i; above++)
            if (m->level[above].write == SL_WRITE_BACK)
                return sl_fail(error, SL_UNSUPPORTED,
                               "%s: %s is inclusive, and %s above it has 'write: back'; the simulator does not support "
                               "write-back levels above an inclusive one",
                               m->name, level->name, m->level[above].name);
        if (level->partitions > 1 && (!i || i + 1 < m->levels || m->levels == SL_MAX_LEVELS ||
                                      level->cores_per_instance != m->cores || level->banks % level->partitions))
            return sl_fail(error, SL_UNSUPPORTED,
                           "%s: only the last of up to %u levels, shared by all cores, can have partitions in the "
                           "simulator, with as many banks each",
                           m->name, SL_MAX_LEVELS - 1);
        if (i && level->write == SL_WRITE_ALLOCATE)
            return sl_fail(error, SL_UNSUPPORTED,
                           "%s: only the first level can have 'write: allocate' in the simulator", m->name);
    }
    if (m->level[m->levels - 1].line_bytes / granule > 32)
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s: a line of %u bytes in sectors of %u; the simulator takes up to 32 of them", m->name,
                       m->level[m->levels - 1].line_bytes, granule);
    return SL_OK;
}

/* Prefetching costs more than it gains where all lines fit the host's cache. */
static void choose_prefetch(sl_sim *sim)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < sim->machine.levels; i++) {
        const sl_level *level = &sim->machine.level[i];
        bytes += (size_t)level->sets * level->ways * sizeof(sl_line) * (sim->machine.cores / level->cores_per_instance);
    }
    uint32_t max =
        sim->machine.cores > sim->machine.memory.channels ? sim->machine.cores : sim->machine.memory.channels;
    for (uint32_t i = 1; i < sim->machine.levels; i++)
        max = sim->banks[i] > max ? sim->banks[i] : max;
    sim->prefetch_parts = bytes < SL_HOST_CACHE_BYTES ? 0 : max;
}

sl_status sl_host_prefetch_create(sl_sim *sim, sl_error *error)
{
    sim->prefetch = NULL;
    if (!sim->prefetch_parts)
        return SL_OK;
    sim->prefetch = calloc(1, sizeof *sim->prefetch + 3 * sim->prefetch_parts * sizeof(sl_upcoming));
    if (!sim->prefetch)
        return sl_fail_memory(error);
    sim->prefetch->back = (sl_upcoming *)(sim->prefetch + 1);
    sim->prefetch->access = sim->prefetch->back + sim->prefetch_parts;
    sim->prefetch->up = sim->prefetch->access + sim->prefetch_parts;
    return SL_OK;
}

sl_status sl_sim_create_with(const sl_machine *machine, const sl_sim_options *options, sl_sim **made, sl_error *error)
{
    sl_status status = check_machine(machine, error);
    if (status)
        return status;
    sl_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return sl_fail_memory(error);
    uint32_t granule = machine->level[0].sector_bytes;
    for (uint32_t i = 1; i < machine->levels; i++)
        granule = machine->level[i].sector_bytes < granule ? machine->level[i].sector_bytes : granule;
    sim->whole = sim->machine = *machine;
    sim->options = *options;
    sim->log2_granule = (unsigned)__builtin_ctz(granule);
    sim->sector_granules = machine->level[0].sector_bytes / granule;
    sim->log2_line = (unsigned)__builtin_ctz(machine->level[0].line_bytes);
    sim->pool = malloc(sizeof *sim->pool);
    if (!sim->pool || !sl_request_pool_init(sim->pool))
        status = sl_fail_memory(error);
    else
        sim->request = sim->pool->item;
    for (uint32_t i = 1; i < machine->levels && !status; i++)
        status = sl_banks_create(sim, i, error);
    if (!status)
        status = sl_dram_create(sim, error);
    if (!status)
        status = sl_coalescer_create(&sim->whole, &sim->coalescer, error);
    if (!status) {
        choose_prefetch(sim);
        status = sl_host_prefetch_create(sim, error);
    }
    if (status)
        sl_sim_destroy(sim);
    else
        *made = sim;
    return status;
}

void sl_sim_destroy(sl_sim *sim)
{
    if (!sim)
        return;
    sl_cores_destroy(sim);
    for (uint32_t i = 0; i < sim->machine.levels; i++)
        sl_banks_destroy(sim, i);
    sl_dram_destroy(sim);
    sl_coalescer_destroy(sim->coalescer);
    free(sim->prefetch);
    sl_queue_fini(&sim->fills);
    sl_queue_fini(&sim->acks);
    if (sim->pool)
        sl_request_pool_fini(sim->pool);
    free(sim->pool);
    free(sim->state);
    free(sim);
}

/* ---- a launch ---- */

/* A private level that keeps its contents from launch to launch: as large as before, and the data is not checked, which
 * another core may have stored since. */
static bool is_kept(const sl_sim *sim, uint32_t number)
{
    const sl_level *level = &sim->machine.level[number];
    return level->keep && sim->banks[number] && !sim->options.data_observer &&
           sim->bank[number][0].sets * (number ? level->banks : 1) == level->sets &&
           sim->bank[number][0].ways == level->ways;
}

/* Every launch starts at cycle 0. */
static void reset_time(sl_sim *sim)
{
    sl_wheel_reset(&sim->channel_wheel);
    for (uint32_t level = 0; level < sim->machine.levels; level++) {
        if (level)
            sl_wheel_reset(&sim->bank_wheel[level]);
        for (uint32_t i = 0; i < sim->banks[level]; i++) {
            sl_bank *b = &sim->bank[level][i];
            b->out_waits = false;
            b->atomics = (sl_atomic_slice){0};
            b->atomic_from = b->across_from = 0;
            b->merge_until = b->up_free = b->down_free = b->in_free = b->back_free = b->across_free = 0;
            b->accept_at = b->sent_at = 0;
            b->accepted_at = b->stalled_since = SL_NEVER;
            b->below_cycles =
                level + 1 < sim->machine.levels ? sim->machine.level[level + 1].hit_cycles : sl_dram_unloaded(sim);
        }
    }
    sl_dram_reset(sim);
}

/* Resident blocks per core, and the size of L1 after the shared-memory carve-out. */
static sl_status find_occupancy(sl_sim *sim, const sl_loaded *loaded, const sl_sim_plan *plan, sl_occupancy *occupancy,
                                sl_error *error)
{
    sl_trace_launch launch = *sl_loaded_launch(loaded);
    if (plan && plan->has_preferred_shared) {
        launch.has_preferred_shared = true;
        launch.preferred_shared = plan->preferred_shared;
    }
    sl_status status = sl_occupancy_of(&sim->machine, sl_loaded_kernel(loaded), &launch, occupancy, error);
    if (status || !plan || !plan->log2_fewer)
        return status;
    occupancy->blocks = occupancy->blocks >> plan->log2_fewer ? occupancy->blocks >> plan->log2_fewer : 1;
    return SL_OK;
}

static sl_status prepare(sl_sim *sim, const sl_loaded *loaded, const sl_sim_plan *plan, sl_program *program,
                         sl_error *error)
{
    const sl_trace_launch *launch = sl_loaded_launch(loaded);
    const sl_trace_kernel *kernel = sl_loaded_kernel(loaded);
    sl_occupancy occupancy;
    sim->machine = sim->whole;
    if (launch->lanes != sim->machine.lanes)
        return sl_fail(error, SL_INVALID, "%s was recorded with warps of %u threads, and those of %s have %u",
                       kernel->name, launch->lanes, sim->machine.name, sim->machine.lanes);
    sl_status status = sl_access_check(&sim->machine.level[0], kernel, error);
    if (!status)
        status = find_occupancy(sim, loaded, plan, &occupancy, error);
    if (!status)
        status = sl_machine_resize_first(&sim->machine, occupancy.l1_bytes, error);
    if (!status)
        status = sl_program_init(program, &sim->machine, kernel, error);
    if (status)
        return status;
    sim->program = program;
    sim->loaded = loaded;
    sim->resident_blocks = occupancy.blocks;
    sim->result->resident_blocks = occupancy.blocks;
    sim->result->l1_bytes = occupancy.l1_bytes;
    sim->now = sim->last_progress = sim->machine.core.launch_cycles;
    sim->next_block = sim->blocks_done = sim->ends_seen = sim->block_ends = 0;
    sim->shape = sl_access_shape_of(&sim->machine, launch, sim->machine.level[0].line_bytes, 1u << sim->log2_granule);
    sim->cta = sl_cta_config_of(&sim->machine, occupancy.blocks);
    sim->rounds = (sl_cta_rounds){0};
    sim->room = true;
    sim->pool->stocked = 0; /* no request is in use */
    sim->stock = (sl_request_stock){0};
    for (uint32_t i = sim->machine.levels; i-- > 0 && !status;) /* the newest data is in the first */
        status = (sl_is_private(sim, i) && !is_kept(sim, i)) || sim->options.cold
                     ? sl_banks_empty(sim, i, error)
                     : sl_banks_restart_counts(sim, i, error);
    sim->first_pc = launch->kernel * SL_KERNEL_PCS;
    sim->slot = status ? NULL : calloc(kernel->mem_slots ? kernel->mem_slots : 1, sizeof *sim->slot);
    if (!status && !sim->slot)
        status = sl_fail_memory(error);
    if (!status)
        status = sl_cores_start(sim, error);
    if (!status)
        reset_time(sim);
    return status;
}

/* Notifies observers of the launch. */
static sl_status announce(sl_sim *sim, sl_error *error)
{
    const sl_sim_observer *observer = sim->options.observer;
    const sl_bank *first = &sim->bank[0][0];
    if (observer && observer->launch)
        observer->launch(observer->to, &sim->machine, sim->loaded);
    if (sim->options.record_requests)
        return sl_l1_requests_start(sim->options.record_requests, sim->banks[0], first->sets, first->ways, error);
    return SL_OK;
}

/* The bypass hints of the levels. Where the last has evict-first and the first has `bypass`, as GPUs of NVIDIA have
 * since Volta, both know priorities of lines. */
static void read_hints(sl_sim *sim)
{
    uint32_t last = sim->whole.levels - 1;
    sim->evict_hints = sim->evict_first_levels = sim->priorities = 0;
    if (sim->whole.level[0].hint == SL_HINT_BYPASS && sim->whole.level[last].hint == SL_HINT_EVICT_FIRST)
        sim->priorities = (uint8_t)(1u | 1u << last);
    for (uint32_t i = 0; i < sim->whole.levels; i++) {
        sim->evict_hints |= (uint8_t)((sim->whole.level[i].hint != SL_HINT_BYPASS) << i);
        sl_hint hint = sim->whole.level[i].hint;
        sim->evict_first_levels |= (uint8_t)((hint == SL_HINT_EVICT_FIRST || hint == SL_HINT_STREAM) << i);
    }
}

sl_status sl_sim_launch(sl_sim *sim, const sl_loaded *loaded, const sl_sim_plan *plan, sl_sim_result *result,
                        sl_error *error)
{
    sl_program program = {0};
    *result = (sl_sim_result){0};
    if (sim->broken_off)
        return sl_fail(error, SL_INVALID, "an earlier launch was not simulated to its end: create a new simulator");
    sim->result = result;
    sim->plan = plan ? plan->hint : NULL;
    read_hints(sim);
    sl_status status = prepare(sim, loaded, plan, &program, error);
    if (!status)
        status = announce(sim, error);
    if (!status) {
        status = sl_sim_cycles(sim, error);
        sim->broken_off = status != SL_OK;
    }
    for (uint32_t i = 0; i < sim->machine.levels && !status; i++)
        status = sl_banks_check(sim, i, error);
    if (!status)
        status = sl_sim_collect(sim, error);
    sim->earlier += sim->now;
    if (!status && sim->options.observer && sim->options.observer->done)
        sim->options.observer->done(sim->options.observer->to, result->cycles);
    free(sim->slot);
    sim->slot = NULL;
    sl_program_fini(&program);
    return status;
}

void sl_sim_result_fini(sl_sim_result *result)
{
    free(result->slots);
    *result = (sl_sim_result){0};
}

void sl_sim_set_counts(sl_sim *sim, const struct sl_line_counts *counts, struct sl_line_counts *record_counts)
{
    sim->options.counts = counts;
    sim->options.record_counts = record_counts;
}

void sl_sim_set_cold(sl_sim *sim, bool cold)
{
    sim->options.cold = cold;
}

/* Since the caches were last emptied; of a policy that keeps what it learnt, since the first launch. */
void sl_sim_policy_report(const sl_sim *sim, uint32_t level, bool bypass, const sl_policy_statistics *statistics)
{
    for (uint32_t i = 0; i < sim->banks[level]; i++) {
        const sl_policy *policy = bypass ? &sim->bank[level][i].bypass : &sim->bank[level][i].replacement;
        if (policy->ops && policy->ops->report)
            policy->ops->report(policy->self, statistics);
    }
}
