/* SPDX-License-Identifier: MIT */
#include "machine/limits.h"

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
