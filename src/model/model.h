/* SPDX-License-Identifier: MIT */
/* The reuse-distance model: cache behavior of a launch on a machine, in one pass over its trace.
 *
 * Cores run independently, each with its share of the blocks (sl_core); misses of their first level are merged by time
 * and go through the levels below (sl_shared) to memory. The result does not depend on the number of threads. */
#ifndef SL_MODEL_MODEL_H
#define SL_MODEL_MODEL_H

#include <stdint.h>

#include "base/pool.h"
#include "base/progress.h"
#include "machine/occupancy.h"
#include "sluice/model.h"
#include "trace/count.h"
#include "trace/loaded.h"

/* What the warps of a core did, for estimates of its time. */

typedef struct sl_warps_work {
    uint64_t insts, longest_warp;                        /* warp instructions: of all, and of the warp with most */
    uint64_t accesses, longest_accesses;                 /* the same of memory instructions */
    uint64_t load_lines, load_sectors, fill_sectors;     /* line requests to the first level, and what it fetches */
    uint64_t store_lines, store_sectors, partial_stores; /* partial: lines that are not stored whole */
    uint64_t atomic_lines, atomic_sectors;
} sl_warps_work;

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

/* A launch on many machines or with many options at once: sweeps, ablations, seeds. Variants share passes over the
 * trace where possible. */

typedef struct sl_model_variant {
    sl_machine machine;
    sl_model_options options;
} sl_model_variant;

/* Called for each pass that is of one variant alone, before its counts are taken. */
typedef sl_status (*sl_model_each)(void *to, size_t variant, const sl_loaded *loaded, sl_model_result *result,
                                   sl_error *error);

/* total[i] is the result of sl_model_loaded for variant[i]. `each` may be NULL. */
sl_status sl_model_variants(const sl_loaded *loaded, const sl_model_variant *variant, size_t count, sl_pool *pool,
                            sl_model_each each, void *to, sl_counts *total, sl_error *error);
/* The number of passes over the accesses. */
size_t sl_model_variants_passes(const sl_model_variant *variant, size_t count);

#endif
