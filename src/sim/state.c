/* SPDX-License-Identifier: MIT */
#include "sim/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/bank.h"
#include "sim/core.h"
#include "sim/dram.h"

static const char *const stall_names[SL_STALLS] = {
    [SL_STALL_WAY] = "every way of its set is in flight",
    [SL_STALL_MSHR] = "no MSHR is free",
    [SL_STALL_MERGE] = "no merge slot of its MSHR is free",
    [SL_STALL_QUEUE] = "the miss queue is full",
};

static const char *const state_names[] = {
    [SL_WARP_RUNS] = "could issue",
    [SL_WARP_DATA] = "waits for memory",
    [SL_WARP_BARRIER] = "waits at a barrier",
    [SL_WARP_DRAIN] = "has ended, waits for its requests",
};

static void write_warp(FILE *out, const sl_sim *sim, const sl_sim_core *core, uint32_t w)
{
    const sl_sim_warp *warp = &core->warp[w];
    const sl_trace_kernel *k = sim->program->kernel;
    bool within = warp->inst < k->insts && warp->state != SL_WARP_DRAIN;
    fprintf(out, "core %u, warp %u: %s", core->number, w, state_names[warp->state]);
    if (within)
        fprintf(out, " at '%s' (line %u)", k->strings + sl_program_inst(sim->program, warp->inst)->opcode,
                sl_program_inst(sim->program, warp->inst)->ptx_line);
    fprintf(out, "; %u loads and %u stores are in flight\n", warp->loads, warp->stores);
}

static void write_core(FILE *out, const sl_sim *sim, const sl_sim_core *core)
{
    for (uint64_t left = core->live; left; left &= left - 1)
        write_warp(out, sim, core, (uint32_t)__builtin_ctzll(left));
    if (core->queued)
        fprintf(out, "core %u: %u memory instructions wait before %s%s%s\n", core->number, core->instructions,
                sim->machine.level[0].name, core->stalled ? ": " : "", core->stalled ? stall_names[core->stall] : "");
}

static void write_bank(FILE *out, const sl_sim *sim, const sl_bank *b)
{
    uint32_t held = b->in.count + b->across.count + b->out.count + b->back.count + b->hits.count + b->fills.count +
                    b->mshrs + b->evictions_in_flight;
    if (!held)
        return;
    fprintf(out, "%s bank %u: %u requests in, %u to the next level, %u fills, %u answers, %u MSHRs", b->level->name,
            b->index, b->in.count + b->across.count, b->out.count, b->back.count, b->hits.count + b->fills.count,
            b->mshrs);
    if (b->number && sl_queue_ready_at(&b->in) <= sim->now)
        fprintf(out, "; stalled: %s", stall_names[b->stall]);
    fputc('\n', out);
    for (uint32_t i = 0; i < b->eviction_capacity && b->evictions_in_flight; i++)
        if (b->eviction[i].line)
            fprintf(out, "  line %#" PRIx64 " is being evicted%s\n", (b->eviction[i].line - 1) << b->log2_line,
                    b->eviction[i].waiting.first != SL_NONE ? ", and a fill waits for that" : "");
    for (size_t line_slot = 0; line_slot < (size_t)b->sets * b->ways + b->level->frc_entries; line_slot++)
        for (uint32_t m = b->line[line_slot].mshr; m != SL_NO_MSHR; m = b->mshr_item[m].next)
            fprintf(out, "  line %#" PRIx64 ": sectors %#x in flight, %u wait\n",
                    (b->line[line_slot].tag - 1) << b->log2_line, b->mshr_item[m].asked, b->mshr_item[m].waiters);
}

static void write_state(FILE *out, const sl_sim *sim)
{
    fprintf(out, "cycle %" PRIu64 ", last progress at %" PRIu64 "\n", sim->now, sim->last_progress);
    for (uint32_t i = 0; i < sim->machine.cores; i++)
        write_core(out, sim, &sim->core[i]);
    for (uint32_t level = 0; level < sim->machine.levels; level++)
        for (uint32_t i = 0; i < sim->banks[level]; i++)
            write_bank(out, sim, &sim->bank[level][i]);
    for (uint32_t i = 0; i < sim->machine.memory.channels; i++)
        if (sim->channel[i].entries || sim->channel[i].done.count)
            fprintf(out, "channel %u: %u requests wait, %u reads return\n", i, sim->channel[i].entries,
                    sim->channel[i].done.count);
}

sl_status sl_sim_stuck(sl_sim *sim, sl_error *error)
{
    size_t bytes;
    free(sim->state);
    sim->state = NULL;
    FILE *out = open_memstream(&sim->state, &bytes);
    if (out) {
        write_state(out, sim);
        fclose(out);
    }
    return sl_fail(error, SL_FAULT,
                   "%s makes no progress: nothing was issued or answered since cycle %" PRIu64 ", and %u requests wait",
                   sim->program->kernel->name, sim->last_progress, sl_requests_used(sim));
}

const char *sl_sim_state_text(const sl_sim *sim)
{
    return sim->state;
}
