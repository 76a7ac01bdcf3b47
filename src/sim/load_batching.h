/* SPDX-License-Identifier: MIT */
/* The order that a compiler gives the instructions of a basic block. Traces are of PTX, where loads stand before their
 * first use; what turns it into machine code puts loads, and what their addresses need, as early as it can, so that
 * their latencies overlap. Accesses to shared memory keep their order, and so do all others; barriers and fences keep
 * their place. */
#ifndef SL_SIM_LOAD_BATCHING_H
#define SL_SIM_LOAD_BATCHING_H

#include "sim/program.h"

/* Reorders the steps of all basic blocks and program->order. `max`: how many loads are batched at most
 * before the instructions that stood between them follow. */
sl_status sl_program_batch_loads(sl_program *program, uint32_t prefetch, sl_error *error);

#endif
