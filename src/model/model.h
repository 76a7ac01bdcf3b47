/* SPDX-License-Identifier: MIT */
/* The reuse-distance model: cache behavior of a launch on a machine, in one pass over its trace.
 *
 * Cores run independently, each with its share of the blocks (sl_core); misses of their first level are merged by time
 * and go through the levels below (sl_shared) to memory. The result does not depend on the number of threads. */
#ifndef SL_MODEL_MODEL_H
#define SL_MODEL_MODEL_H

#include "base/pool.h"
#include "base/progress.h"
#include "machine/occupancy.h"
#include "model/work.h"
#include "sluice/model.h"
#include "trace/count.h"
#include "trace/loaded.h"

struct sl_model_result {
    sl_launch_counts counts; /* of the whole launch and of each memory instruction; arrays are left out */
    uint32_t resident_blocks;
    uint64_t l1_bytes;
    sl_counts *slots;         /* what counts.slot points to */
    uint64_t hottest_atomics; /* lanes of atomics on the word with most */
    uint32_t cores;
    sl_warps_work *work; /* [cores] */
    uint32_t *block;     /* core c runs block[first_block[c]] … block[first_block[c + 1] - 1] */
    size_t *first_block;
};

/* Caches of a launch that the next one takes the memory of: most of the time of a small launch. Zeroed before the
 * first, for one launch at a time; freed by sl_model_spare_fini. */
typedef struct sl_model_spare {
    struct sl_shared **cache[SL_MAX_LEVELS]; /* of each level, by instance */
    uint32_t caches[SL_MAX_LEVELS];
} sl_model_spare;
void sl_model_spare_fini(sl_model_spare *spare);

/* Fills in `result`, whose memory the caller frees by sl_model_result_fini. `spare` may be NULL: nothing is kept.
 * `progress` (may be NULL) counts cores. */
sl_status sl_model_loaded(const sl_machine *machine, const sl_loaded *loaded, const sl_model_options *options,
                          sl_model_spare *spare, sl_pool *pool, const sl_progress *progress, sl_model_result *result,
                          sl_error *error);
void sl_model_result_fini(sl_model_result *result);

/* The first level for this launch, without the carve-out of shared memory. `occupancy` may be NULL. */
sl_status sl_model_first_level(const sl_machine *machine, const sl_loaded *loaded, sl_level *level,
                               sl_occupancy *occupancy, sl_error *error);

/* Whether reuse distances alone decide: then one pass does for many first levels. */
static inline bool sl_model_is_pure(const sl_model_options *options)
{
    return options->no_latency && options->no_mshr && options->no_divergence;
}

/* What sl_model_loaded says of global loads for each of many first levels (as they are for this launch) that sl_stacks
 * can have at once. The machine is any that has such a first level, whose others are left out; options must be pure. */
sl_status sl_model_stacks(const sl_machine *machine, const sl_loaded *loaded, const sl_model_options *options,
                          const sl_level *level, size_t levels, sl_pool *pool, sl_counts *total, sl_error *error);

#endif
