/* The reuse-distance model: what a launch does to the caches of a machine, in one pass over its trace.
 *
 * Cores run on their own, each with its share of the blocks (sl_core); what misses in their first level is put in the
 * order of time and goes through the levels behind (sl_shared), and so on to memory. The result is the same for any
 * number of threads. */
#ifndef SL_MODEL_MODEL_H
#define SL_MODEL_MODEL_H

#include "base/pool.h"
#include "machine/machine.h"
#include "trace/count.h"
#include "trace/loaded.h"

typedef struct sl_model_options {
    bool no_latency, no_associativity, no_mshr, no_divergence; /* the paper's extensions, switched off */
    uint64_t seed;
} sl_model_options;

typedef struct sl_model_result {
    sl_launch_counts counts; /* of the whole launch and of each memory instruction; arrays are left out */
    uint32_t resident_blocks;
    uint64_t l1_bytes;
    sl_counts *slots; /* what counts.slot points to */
} sl_model_result;

/* Fills in `result`, whose memory the caller frees by sl_model_result_fini. */
sl_status sl_model_launch(const sl_machine *machine, const sl_loaded *loaded, const sl_model_options *options,
                          sl_pool *pool, sl_model_result *result, sl_error *error);
void sl_model_result_fini(sl_model_result *result);

#endif
