/* SPDX-License-Identifier: MIT */
/* Load batching: traces are of PTX, where a load stands right before its first use; the compiler hoists loads, and the
 * instructions that compute their addresses, so that latencies overlap. Accesses to shared memory keep their order, and
 * so do all others; nothing moves across barriers and fences. */
#ifndef SL_SIM_LOAD_BATCHING_H
#define SL_SIM_LOAD_BATCHING_H

#include "sim/program.h"

/* Reorders the steps of all basic blocks and program->order. `max`: max loads of a batch. */
sl_status sl_program_batch_loads(sl_program *program, uint32_t prefetch, sl_error *error);

#endif
