/* SPDX-License-Identifier: MIT */
/* How many blocks of a launch a core holds at once, and the rest of a unified first level. */
#ifndef SL_MACHINE_OCCUPANCY_H
#define SL_MACHINE_OCCUPANCY_H

#include "machine/machine.h"
#include "sluice/trace.h"

typedef struct sl_occupancy {
    uint32_t blocks, warps; /* of a full core */
    uint32_t shared_bytes;  /* shared memory of the core: the carve-out, or what the machine has */
    uint64_t l1_bytes;      /* size of L1, without the shared memory */
    const char *limit;      /* what limits occupancy: "threads", "warps", "blocks", "registers", "shared memory" */
} sl_occupancy;

/* Warps are those of the launch, whatever the machine's width. A kernel whose registers are not known is not limited by
 * them, and with an estimate of them one block fits in any case. SL_INVALID: not even one block fits. */
sl_status sl_occupancy_of(const sl_machine *machine, const sl_trace_kernel *kernel, const sl_trace_launch *launch,
                          sl_occupancy *occupancy, sl_error *error);

/* Blocks that a core holds at most, with the carve-out that suits them best: what CUDA's occupancy functions say. 0:
 * not even one fits. */
uint32_t sl_occupancy_max_blocks(const sl_machine *machine, const sl_trace_kernel *kernel,
                                 const sl_trace_launch *launch);

/* Launch limits of a GPU: launches beyond them are rejected, as by the driver. */

typedef struct sl_gpu_limits {
    uint32_t sms, max_threads_per_block, max_block[3], max_grid[3];
    uint32_t max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
    uint32_t shared_per_block, shared_per_block_optin, shared_per_sm, reserved_shared_per_block;
    uint32_t const_bytes;
    uint64_t memory_bytes;
} sl_gpu_limits;

sl_gpu_limits sl_gpu_limits_of(const sl_machine *machine);

#endif
