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
    uint64_t longest_block, longest_index;               /* that warp: block of the launch, warp of the block */
    uint64_t accesses, longest_accesses;                 /* the same of memory instructions */
    uint64_t load_lines, load_sectors, fill_sectors;     /* line requests to the first level, and what it fetches */
    uint64_t store_lines, store_sectors, partial_stores; /* partial: lines that are not stored whole */
    uint64_t atomic_lines, atomic_sectors;
} sl_warps_work;

/* Passes of atomics (access/atomics.h) in the slice with most, and of floating-point sums on the sector with most. */
typedef struct sl_hot_atomics {
    uint64_t passes, float_passes;
} sl_hot_atomics;

/* Estimates of a launch as it would be if */
typedef enum sl_time_ideal {
    SL_TIME_EVEN,   /* its work were spread evenly over all cores */
    SL_TIME_FULL,   /* they also had as many warps as fit, which shared that work */
    SL_TIME_WIDE,   /* lanes moved 16 bytes where they move 4: a quarter of the instructions for indices */
    SL_TIME_BEHIND, /* it began behind the launch before without a launch of its own */
    SL_TIME_IDEALS
} sl_time_ideal;

struct sl_model_result {
    sl_launch_counts counts; /* of the whole launch and of each memory instruction; arrays are left out */
    uint32_t resident_blocks;
    uint64_t l1_bytes;
    sl_counts *slots;                      /* what counts.slot points to */
    sl_hot_atomics atomics;                /* of all cores */
    uint64_t filled_sectors;               /* that the last level read from memory for what the launch accesses, */
    uint64_t kept_sectors;                 /* and those that it read there as launches before had left them */
    double imbalance;                      /* instructions of the busiest core, times those of the mean one */
    double index_share;                    /* of the instructions that a core issues: integers, moves, branches */
    uint64_t ideal_cycles[SL_TIME_IDEALS]; /* by time/estimate.h, as est_cycles; 0: nothing was estimated */
    uint32_t cores;
    sl_warps_work *work; /* [cores] */
    uint32_t *block;     /* core c runs block[first_block[c]] … block[first_block[c + 1] - 1] */
    size_t *first_block;
};

/* The caches behind the first, from launch to launch. The next one takes over their memory, which is most of the time
 * of a small launch, and what they hold, if they are warm. Zeroed but for `warm` before the first, for one launch at a
 * time; freed by sl_model_caches_fini. */
typedef struct sl_model_caches {
    bool warm; /* levels that all cores share keep what they hold; false: all are empty at each launch */
    struct sl_shared **cache[SL_MAX_LEVELS]; /* of each level, by instance */
    uint32_t caches[SL_MAX_LEVELS];
} sl_model_caches;
void sl_model_caches_fini(sl_model_caches *caches);
/* Instead of modeling a launch, where caches are warm: they get the lines that it accesses, in the order of its trace.
 */
sl_status sl_model_warm(const sl_machine *machine, const sl_trace *trace, uint32_t launch, sl_model_caches *caches,
                        sl_error *error);

/* Fills in `result`, whose memory the caller frees by sl_model_result_fini. `caches` may be NULL: they
 * are empty, and nothing is kept. `progress` (may be NULL) counts cores. */
sl_status sl_model_loaded(const sl_machine *machine, const sl_loaded *loaded, const sl_model_options *options,
                          sl_model_caches *caches, sl_pool *pool, const sl_progress *progress, sl_model_result *result,
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
    bool warm; /* finds what launches before left */
} sl_model_variant;

/* Called for each pass that is of one variant alone, before its counts are taken. */
typedef sl_status (*sl_model_each)(void *to, size_t variant, const sl_loaded *loaded, sl_model_result *result,
                                   sl_error *error);

/* total[i] is the result of sl_model_loaded for variant[i], with caches[i]. `caches` may be NULL: all are empty; `each`
 * may be NULL. */
sl_status sl_model_variants(const sl_loaded *loaded, const sl_model_variant *variant, size_t count,
                            sl_model_caches *caches, sl_pool *pool, sl_model_each each, void *to, sl_counts *total,
                            sl_error *error);
/* The number of passes over the accesses. */
size_t sl_model_variants_passes(const sl_model_variant *variant, size_t count);

#endif
