/* SPDX-License-Identifier: MIT */
/* Blocks of a core, as cuda_occupancy.h counts them, and the carve-out that the driver then picks. */
#include "machine/occupancy.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t round_up(uint64_t n, uint32_t to)
{
    return to ? (n + to - 1) / to * to : n;
}

/* Resources of a block. */
typedef struct block_needs {
    uint32_t warps;
    uint64_t threads, warp_registers, asked_shared, shared;
    bool estimated; /* the registers */
} block_needs;

static block_needs needs_of(const sl_core_limits *core, const sl_trace_kernel *kernel, const sl_trace_launch *launch)
{
    block_needs n = {.warps = sl_launch_warps(launch), .threads = sl_launch_threads(launch)};
    n.warp_registers = round_up((uint64_t)kernel->regs_per_thread * launch->lanes, core->register_granularity);
    n.estimated = kernel->regs_estimated;
    n.asked_shared = (uint64_t)kernel->static_shared_bytes + launch->dynamic_shared_bytes;
    n.shared = round_up(n.asked_shared, core->shared_granularity) + core->shared_per_block;
    return n;
}

/* Blocks by registers: each register partition holds whole warps. */
static uint64_t blocks_by_registers(const sl_core_limits *core, const block_needs *n)
{
    uint32_t parts = core->register_partitions ? core->register_partitions : 1;
    uint64_t blocks = core->registers / parts / n->warp_registers * parts / n->warps;
    return blocks || !n->estimated ? blocks : 1; /* an estimate that leaves no room for a block is wrong */
}

typedef enum limit { LIMIT_BLOCKS, LIMIT_THREADS, LIMIT_WARPS, LIMIT_REGISTERS, LIMIT_SHARED } limit;
static const char *const limit_names[] = {"blocks", "threads", "warps", "registers", "shared memory"};

/* The tightest limit so far, and its name. */
typedef struct tightest {
    uint64_t blocks;
    limit by;
} tightest;

static void limit_to(tightest *f, uint64_t blocks, limit by)
{
    if (blocks < f->blocks)
        *f = (tightest){blocks, by};
}

static uint32_t smallest_carve_out(const sl_core_limits *core, uint64_t bytes)
{
    uint32_t i = 0;
    while (i < core->carve_outs - 1 && core->carve_out[i] < bytes)
        i++;
    return i;
}

/* What the program prefers is a hint: one block fits in any case. */
static uint32_t preferred_carve_out(const sl_core_limits *core, const block_needs *n, uint32_t percent)
{
    uint64_t wanted = (uint64_t)core->carve_out[core->carve_outs - 1] * percent / 100;
    return core->carve_out[smallest_carve_out(core, wanted > n->shared ? wanted : n->shared)];
}

/* The driver takes a carve-out by what the blocks need that fit by everything else, but never more than would hold as
 * many of them as a core can have at all. */
static uint32_t choose_carve_out(const sl_core_limits *core, const block_needs *n, uint64_t blocks)
{
    uint64_t need = blocks * n->shared;
    uint32_t chosen = smallest_carve_out(core, need);
    if (core->carve_out_needs) {
        for (chosen = 0; chosen < core->carve_outs - 1 && core->carve_out_need[chosen] < need; chosen++)
            ;
        uint32_t enough = smallest_carve_out(core, core->blocks * n->shared);
        if (chosen > enough)
            chosen = enough;
    }
    return core->carve_out[chosen];
}

static sl_status refuse(const sl_machine *m, const sl_trace_kernel *kernel, const block_needs *n, limit by,
                        sl_error *error)
{
    const sl_core_limits *core = &m->core;
    char why[128];
    switch (by) {
    case LIMIT_THREADS:
        snprintf(why, sizeof why, "%" PRIu64 " threads, and a core holds %u", n->threads, core->threads);
        break;
    case LIMIT_WARPS:
        snprintf(why, sizeof why, "%u warps, and a core holds %u", n->warps, core->warps);
        break;
    case LIMIT_REGISTERS:
        snprintf(why, sizeof why, "%u warps with %" PRIu64 " registers each, and a core has %u", n->warps,
                 n->warp_registers, core->registers);
        break;
    default:
        snprintf(why, sizeof why, "%" PRIu64 " bytes of shared memory, and a core has %u", n->shared,
                 core->shared_bytes);
    }
    return sl_fail(error, SL_INVALID, "a block of kernel %s does not fit a core of %s: it takes %s", kernel->name,
                   m->name, why);
}

/* Blocks of a core by everything but shared memory. */
static tightest limit_blocks(const sl_core_limits *core, const block_needs *n)
{
    tightest f = {core->blocks, LIMIT_BLOCKS};
    limit_to(&f, core->threads / n->threads, LIMIT_THREADS);
    limit_to(&f, core->warps / n->warps, LIMIT_WARPS);
    if (core->registers && n->warp_registers)
        limit_to(&f, blocks_by_registers(core, n), LIMIT_REGISTERS);
    return f;
}

uint32_t sl_occupancy_max_blocks(const sl_machine *machine, const sl_trace_kernel *kernel,
                                 const sl_trace_launch *launch)
{
    const sl_core_limits *core = &machine->core;
    block_needs n = needs_of(core, kernel, launch);
    if (!n.threads || n.threads > core->block_threads)
        return 0;
    tightest f = limit_blocks(core, &n);
    if (core->shared_bytes && n.shared)
        limit_to(&f, core->shared_bytes / n.shared, LIMIT_SHARED);
    return (uint32_t)f.blocks;
}

sl_status sl_occupancy_of(const sl_machine *machine, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                          sl_occupancy *occupancy, sl_error *error)
{
    const sl_core_limits *core = &machine->core;
    block_needs n = needs_of(core, kernel, launch);
    uint32_t shared = core->shared_bytes;
    uint64_t l1 = machine->level[0].size_bytes;
    if (!n.threads)
        return sl_fail(error, SL_INVALID, "a block of kernel %s has no threads", kernel->name);
    tightest f = limit_blocks(core, &n);
    if (core->unified_bytes) {
        shared = launch->has_preferred_shared ? preferred_carve_out(core, &n, launch->preferred_shared)
                                              : choose_carve_out(core, &n, f.blocks);
        l1 = (uint64_t)core->unified_bytes - shared - core->l1_reserved;
    }
    if (shared && n.shared)
        limit_to(&f, shared / n.shared, LIMIT_SHARED);
    if (!f.blocks)
        return refuse(machine, kernel, &n, f.by, error);
    *occupancy = (sl_occupancy){(uint32_t)f.blocks, (uint32_t)f.blocks * n.warps, shared, l1, limit_names[f.by]};
    return SL_OK;
}

/* The same on all GPUs that run CUDA, since compute capability 3.0 (CUDA C programming guide). */
enum {
    MAX_GRID_X = 0x7fffffff,
    MAX_GRID_YZ = 65535,
    MAX_BLOCK_Z = 64,
    SHARED_PER_BLOCK = 48 << 10, /* without opting in to more */
    CONST_BYTES = 64 << 10,
};

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

sl_gpu_limits sl_gpu_limits_of(const sl_machine *machine)
{
    const sl_core_limits *core = &machine->core;
    uint32_t threads = core->block_threads, shared = core->shared_bytes ? core->shared_bytes : UINT32_MAX;
    uint32_t optin = shared - min(core->shared_per_block, shared);
    return (sl_gpu_limits){
        .sms = machine->cores,
        .max_threads_per_block = threads,
        .max_block = {threads, threads, min(threads, MAX_BLOCK_Z)},
        .max_grid = {MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ},
        .max_threads_per_sm = core->threads,
        .max_blocks_per_sm = core->blocks,
        .registers_per_sm = core->registers,
        .shared_per_block = min(SHARED_PER_BLOCK, optin),
        .shared_per_block_optin = optin,
        .shared_per_sm = shared,
        .reserved_shared_per_block = core->shared_per_block,
        .const_bytes = CONST_BYTES,
        .memory_bytes = machine->memory.size_bytes ? machine->memory.size_bytes : UINT64_MAX,
    };
}
