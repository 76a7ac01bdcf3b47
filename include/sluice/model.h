/* SPDX-License-Identifier: MIT */
/* The reuse-distance model: what a launch does to the caches of a machine, in one pass over its trace. docs/model.md
 * describes what it models, what it does not, and its accuracy against hardware. */
#ifndef SLUICE_MODEL_H
#define SLUICE_MODEL_H

#include "sluice/counters.h"
#include "sluice/machine.h"
#include "sluice/pool.h"
#include "sluice/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Extensions to switch off, and the random seed. */
typedef struct sl_model_options {
    bool no_latency, no_associativity, no_mshr, no_divergence; /* the paper's extensions, switched off */
    uint64_t seed;
} sl_model_options;

typedef struct sl_model_result sl_model_result;

/* Models one launch of a trace, with caches that are empty at its start. `options` NULL: nothing is left
 * out, and the seed is 1, as in `sluice model`. `pool` may be NULL. The result does not depend on the number of
 * threads; it is the caller's, and does not need the trace or the machine. A trace of warps of another width than the
 * machine's is SL_INVALID, a damaged one SL_CORRUPT. */
SL_API sl_status sl_model_launch(const sl_machine *machine, const sl_trace *trace, uint32_t launch,
                                 const sl_model_options *options, sl_pool *pool, sl_model_result **result,
                                 sl_error *error);
SL_API void sl_model_result_destroy(sl_model_result *result); /* NULL is fine */

/* Of the whole launch, and of one memory instruction: sl_trace_kernel.mem_slots tells how many there are. The counts
 * are part of the result. */
SL_API const sl_counts *sl_model_total(const sl_model_result *result);
SL_API const sl_counts *sl_model_slot(const sl_model_result *result, uint32_t slot);
/* Blocks that a core held at once, and the size of its first cache next to their shared memory. */
SL_API uint32_t sl_model_resident_blocks(const sl_model_result *result);
SL_API uint64_t sl_model_l1_bytes(const sl_model_result *result);

#ifdef __cplusplus
}
#endif

#endif
