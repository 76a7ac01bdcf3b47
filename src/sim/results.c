/* SPDX-License-Identifier: MIT */
#include "sim/engine.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/bank.h"
#include "sim/core.h"

/* Accesses times their energy, and leakage for as long as the launch ran. A policy's tables come on top. */
static void count_energy(const sl_sim *sim, uint32_t number)
{
    const sl_level *level = &sim->machine.level[number];
    sl_sim_level_result *r = &sim->result->level[number];
    const sl_policy_ops *ops = sim->bank[number][0].bypass_policy ? sim->bank[number][0].bypass_policy->ops : NULL;
    double instances = sim->machine.cores / level->cores_per_instance;
    double seconds = sim->machine.clock_mhz ? (double)sim->result->cycles / (sim->machine.clock_mhz * 1e6) : 0;
    double leak_mw = level->leak_uw * 1e-3 + (ops ? ops->leak_mw : 0);
    double access_nj = (double)r->tag_accesses * level->tag_fj * 1e-6 +
                       (double)r->data_accesses * level->data_fj * 1e-6 +
                       (ops ? (double)r->tag_accesses * ops->access_nj : 0);
    if (!level->tag_fj && !level->data_fj && !level->leak_uw)
        return;
    r->leakage_nj = leak_mw * instances * seconds * 1e6;
    r->energy_nj = access_nj + r->leakage_nj;
}

static double memory_energy(const sl_sim *sim)
{
    const sl_memory *m = &sim->machine.memory;
    const sl_sim_result *r = sim->result;
    double sector = sim->machine.level[sim->machine.levels - 1].sector_bytes;
    return ((double)r->dram_read_sectors * sector * m->read_pj +
            (double)r->dram_written_sectors * sector * m->write_pj + (double)r->dram_row_misses * m->row_pj) *
           1e-3;
}

static void add_load(sl_counts *to, const sl_slot_stats *s)
{
    sl_counts_add(to, SL_COUNTER_ld_requests, s->requests);
    sl_counts_add(to, SL_COUNTER_ld_sectors, s->sectors);
    sl_counts_add(to, SL_COUNTER_ld_sector_hits, s->hits);
    sl_counts_add(to, SL_COUNTER_ld_sector_misses, s->misses);
    sl_counts_add(to, SL_COUNTER_pending_hit_sectors, s->pending);
    sl_counts_add(to, SL_COUNTER_bypass_requests, s->bypasses);
    sl_counts_add(to, SL_COUNTER_bypassed_sectors, s->bypassed);
}

/* Requests and sectors of what is no load from global memory. */
static bool other_counters(const sl_inst *inst, sl_counter *requests, sl_counter *sectors)
{
    bool local = inst->space == SL_MEM_LOCAL;
    switch ((sl_mem_access)inst->access) {
    case SL_ACCESS_LOAD:
        *requests = SL_COUNTER_local_ld_requests;
        *sectors = SL_COUNTER_local_ld_sectors;
        return local;
    case SL_ACCESS_STORE:
        *requests = local ? SL_COUNTER_local_st_requests : SL_COUNTER_st_requests;
        *sectors = local ? SL_COUNTER_local_st_sectors : SL_COUNTER_st_sectors;
        return true;
    case SL_ACCESS_ATOMIC:
        *requests = SL_COUNTER_atom_requests;
        *sectors = SL_COUNTER_atom_sectors;
        return true;
    case SL_ACCESS_REDUCTION:
        *requests = SL_COUNTER_red_requests;
        *sectors = SL_COUNTER_red_sectors;
        return true;
    case SL_ACCESS_ASYNC_COPY:
        *requests = SL_COUNTER_async_requests;
        *sectors = SL_COUNTER_async_sectors;
        return true;
    case SL_ACCESS_BULK_LOAD:
        *requests = SL_COUNTER_bulk_ld_requests;
        *sectors = SL_COUNTER_bulk_ld_sectors;
        return true;
    case SL_ACCESS_BULK_STORE:
        *requests = SL_COUNTER_bulk_st_requests;
        *sectors = SL_COUNTER_bulk_st_sectors;
        return true;
    case SL_ACCESS_BULK_REDUCTION:
        *requests = SL_COUNTER_bulk_red_requests;
        *sectors = SL_COUNTER_bulk_red_sectors;
        return true;
    default:
        return false;
    }
}

static void collect_slot(const sl_sim *sim, uint32_t number, sl_counts *to)
{
    const sl_trace_kernel *kernel = sim->program->kernel;
    const sl_inst *inst = &kernel->inst[kernel->mem_inst[number]];
    const sl_slot_stats *s = &sim->slot[number];
    sl_counter requests, sectors;
    if (!sl_inst_uses_cache(inst))
        return;
    if (sl_inst_is_global_load(inst)) {
        add_load(to, s);
        if (sim->machine.core.scalar_bytes) {
            sl_counts_add(to, SL_COUNTER_scalar_requests, s->scalar);
            sl_counts_add(to, SL_COUNTER_scalar_lines, s->scalar_lines);
            sl_counts_add(to, SL_COUNTER_scalar_hits, s->scalar_hits);
        }
    } else if (other_counters(inst, &requests, &sectors)) {
        sl_counts_add(to, requests, s->requests);
        sl_counts_add(to, sectors, s->sectors);
    }
    sl_counts_add(to, SL_COUNTER_l1_stall_cycles, s->stall_cycles);
    if (sl_inst_loads(inst) || inst->access == SL_ACCESS_ATOMIC)
        sl_counts_add(to, SL_COUNTER_wait_cycles, s->wait_cycles);
    if (inst->access == SL_ACCESS_LOAD && sim->machine.levels > 1) {
        sl_counts_add(to, SL_COUNTER_l2_read_sectors, s->next_sectors);
        sl_counts_add(to, SL_COUNTER_l2_read_hits, s->next_hits);
        sl_counts_add(to, SL_COUNTER_dram_read_sectors, s->memory_sectors);
    }
}

static void add_total(const sl_sim *sim, sl_counter counter, uint64_t value)
{
    sl_counts *total = &sim->result->counts.total;
    total->value[counter] = 0; /* sums of instructions lack what none of them requested */
    sl_counts_add(total, counter, value);
}

/* Of all levels that have it. */
static void collect_frc(const sl_sim *sim)
{
    uint64_t misses = 0;
    bool any = false;
    for (uint32_t i = 0; i < sim->machine.levels; i++) {
        misses += sim->result->level[i].frc_misses;
        any |= sim->machine.level[i].miss_handling == SL_MISS_FRC;
    }
    if (any)
        add_total(sim, SL_COUNTER_frc_misses, misses);
}

static void collect_total(const sl_sim *sim)
{
    const sl_sim_result *r = sim->result;
    const sl_sim_level_result *l1 = &r->level[0];
    static const sl_counter stall[SL_STALLS] = {SL_COUNTER_stall_way_cycles, SL_COUNTER_stall_mshr_cycles,
                                                SL_COUNTER_stall_merge_cycles, SL_COUNTER_stall_queue_cycles};
    static const sl_counter cycles[SL_CYCLES] = {SL_COUNTER_issue_cycles,    SL_COUNTER_lsu_cycles,
                                                 SL_COUNTER_pipeline_cycles, SL_COUNTER_data_cycles,
                                                 SL_COUNTER_barrier_cycles,  SL_COUNTER_idle_cycles};
    if (sim->machine.levels > 1) {
        add_total(sim, SL_COUNTER_l2_read_sectors, r->level[1].read_sectors);
        add_total(sim, SL_COUNTER_l2_read_hits, r->level[1].read_hit_sectors);
        add_total(sim, SL_COUNTER_l2_write_sectors, r->level[1].written_sectors);
        add_total(sim, SL_COUNTER_l2_misses, r->level[1].misses + r->level[1].store_misses);
        add_total(sim, SL_COUNTER_l2_delay_cycles, r->level[1].delay_cycles);
    }
    add_total(sim, SL_COUNTER_l1_fill_sectors, l1->fill_sectors);
    add_total(sim, SL_COUNTER_dram_read_sectors,
              r->dram_read_sectors + sl_machine_launch_sectors(&sim->machine, sim->program->kernel->insts));
    add_total(sim, SL_COUNTER_dram_write_sectors, r->dram_written_sectors);
    add_total(sim, SL_COUNTER_warp_insts, r->warp_insts);
    if (r->machine_insts)
        add_total(sim, SL_COUNTER_machine_insts, r->machine_insts);
    add_total(sim, SL_COUNTER_thread_insts, r->thread_insts);
    add_total(sim, SL_COUNTER_cycles, r->cycles);
    if (sim->machine.clock_mhz)
        add_total(sim, SL_COUNTER_time_ns, r->cycles * 1000 / sim->machine.clock_mhz);
    add_total(sim, SL_COUNTER_l1_requests, l1->accesses);
    add_total(sim, SL_COUNTER_bypass_requests, l1->bypasses);
    add_total(sim, SL_COUNTER_evictions, l1->evictions);
    add_total(sim, SL_COUNTER_unused_evictions, l1->unused_evictions);
    for (int i = 0; i < SL_STALLS; i++)
        add_total(sim, stall[i], l1->stall_cycles[i]);
    for (int i = 0; i < SL_CYCLES; i++)
        add_total(sim, cycles[i], r->scheduler_cycles[i]);
    collect_frc(sim);
    add_total(sim, SL_COUNTER_dram_row_hits, r->dram_row_hits);
    add_total(sim, SL_COUNTER_dram_row_misses, r->dram_row_misses);
    if (r->energy_nj > 0)
        add_total(sim, SL_COUNTER_energy_nj, (uint64_t)(r->energy_nj + 0.5));
}

/* Whether nothing is in flight, and cycles and sectors have been counted once. For assert. */
static inline bool conserves(const sl_sim *sim)
{
    const sl_sim_result *r = sim->result;
    uint64_t cycles = 0, all = sim->now * sim->machine.cores * sim->machine.core.schedulers;
    bool whole = !sl_requests_used(sim);
    for (int i = 0; i < SL_CYCLES; i++)
        cycles += r->scheduler_cycles[i];
    for (uint32_t level = 0; level < sim->machine.levels; level++)
        for (uint32_t i = 0; i < sim->banks[level]; i++) {
            const sl_bank *b = &sim->bank[level][i];
            whole &= !b->mshrs && !b->in.count && !b->across.count && !b->out.count && !b->back.count &&
                     !b->hits.count && !b->fills.count;
        }
    for (uint32_t i = 0; i < sim->machine.cores; i++)
        whole &= !sim->core[i].live && !sim->core[i].queued;
    for (uint32_t s = 0; s < sim->program->kernel->mem_slots; s++) {
        const sl_slot_stats *slot = &sim->slot[s];
        const sl_trace_kernel *kernel = sim->program->kernel;
        bool loads = kernel->inst[kernel->mem_inst[s]].access == SL_ACCESS_LOAD;
        whole &= !loads || slot->hits + slot->misses == slot->sectors;
    }
    return whole && cycles == all && r->scheduler_cycles[SL_CYCLE_ISSUE] == r->warp_insts;
}

sl_status sl_sim_collect(sl_sim *sim, sl_error *error)
{
    assert(conserves(sim));
    sl_sim_result *r = sim->result;
    uint32_t slots = sim->program->kernel->mem_slots;
    r->cycles = sim->now;
    r->slots = calloc(slots + 1, sizeof *r->slots);
    if (!r->slots)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < sim->machine.levels; i++) {
        count_energy(sim, i);
        r->energy_nj += r->level[i].energy_nj;
    }
    r->energy_nj += memory_energy(sim);
    for (uint32_t s = 0; s < slots; s++) {
        collect_slot(sim, s, &r->slots[s]);
        sl_counts_merge(&r->counts.total, &r->slots[s]);
    }
    collect_total(sim);
    r->counts.blocks = sl_loaded_blocks(sim->loaded);
    r->counts.slots = slots;
    r->counts.slot = r->slots;
    return SL_OK;
}
