/* SPDX-License-Identifier: MIT */
/* Launch limits of a GPU: launches beyond them are rejected, as by the driver. */
#ifndef SL_MACHINE_LIMITS_H
#define SL_MACHINE_LIMITS_H

#include "machine/machine.h"

typedef struct sl_gpu_limits {
    uint32_t sms, max_threads_per_block, max_block[3], max_grid[3];
    uint32_t max_threads_per_sm, max_blocks_per_sm, registers_per_sm;
    uint32_t shared_per_block, shared_per_block_optin, shared_per_sm, reserved_shared_per_block;
    uint32_t const_bytes;
    uint64_t memory_bytes;
} sl_gpu_limits;

sl_gpu_limits sl_gpu_limits_of(const sl_machine *machine);

#endif
