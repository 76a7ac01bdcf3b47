/* SPDX-License-Identifier: MIT */
/* A sweep: points of one recording with other first-level caches, policies or seeds, and what they give for each
 * kernel. Sweeps over many inputs are files (sweep_file.h). */
#ifndef SL_STUDY_SWEEP_H
#define SL_STUDY_SWEEP_H

#include "analysis/metrics.h"
#include "base/map.h"
#include "machine/vary.h"
#include "study/point.h"

typedef struct sl_sweep_point {
    sl_point point;              /* its machine is resolved */
    const char *varied, *factor; /* what alone differs from the machine, and how: "size", "2x"; NULL: any number */
    const char *policy;          /* of the first level; NULL: that of the machine */
} sl_sweep_point;

/* A point, summed over launches. The size of a unified L1 depends on the shared memory of the launch. */
typedef struct sl_swept {
    uint64_t min_l1_bytes, max_l1_bytes;
    sl_counts counts;
} sl_swept;

typedef struct sl_swept_kernel {
    const char *symbol, *name;
    uint64_t launches, failed;
    sl_swept *swept; /* [points], of the launches that did not fail */
} sl_swept_kernel;

typedef struct sl_sweep {
    sl_arena arena;
    sl_point like;    /* what all points have in common: the kind, the machine, the seed */
    bool first_level; /* points have the first level of the machine alone */
    SL_ARRAY(sl_sweep_point) points;
    char note[512]; /* the first point that was skipped, and why; "": none */
    /* of the run */
    const sl_recording *recording;
    sl_point_result *result; /* [points] */
    size_t passes;           /* over the accesses that the run took */
    size_t kernels;          /* in the order of their first launch */
    sl_swept_kernel *kernel;
    sl_map symbols; /* of `kernel` */
    sl_swept *all;  /* [points], of all kernels */
} sl_sweep;

/* `like` has a machine that is resolved, which outlives this, as the texts do. */
sl_status sl_sweep_init(sl_sweep *sweep, const sl_point *like, bool first_level, sl_error *error);
void sl_sweep_fini(sl_sweep *sweep); /* zeros are fine */

/* Values of a parameter; none: as the machine has it. */
typedef struct sl_sweep_list {
    size_t count;
    const uint64_t *value;
} sl_sweep_list;

/* All combinations of sizes, ways, lines and MSHRs of the first level, the last list fastest. */
sl_status sl_sweep_product(sl_sweep *sweep, const sl_sweep_list list[4], sl_error *error);
/* Ways, size, line and MSHRs one by one, by 0.25 to 4: figure 12 of the reuse-distance paper. */
sl_status sl_sweep_figure12(sl_sweep *sweep, sl_error *error);
/* Sizes from an eighth to eight times. Impossible points are skipped here and below, and noted. */
sl_status sl_sweep_sizes(sl_sweep *sweep, sl_error *error);
/* Points of the model: replacement policies, as the model has no bypass policies. Points of the simulator: the
 * unchanged machine, then every other policy, bypass policies with the machine's replacement policy. */
sl_status sl_sweep_policies(sl_sweep *sweep, sl_error *error);
/* `count` seeds from that of `like` on. */
sl_status sl_sweep_seeds(sl_sweep *sweep, uint64_t count, sl_error *error);

/* Runs them all. `pool` and `progress` may be NULL; the recording must outlive the sweep. */
sl_status sl_sweep_run(sl_sweep *sweep, const sl_recording *recording, sl_pool *pool, const sl_progress *progress,
                       sl_error *error);
/* What a kernel gave; NULL: it was not launched. */
const sl_swept_kernel *sl_sweep_kernel(const sl_sweep *sweep, const char *symbol);

/* A metric of one launch over all points; `points` are those that know it. */
typedef struct sl_spread {
    size_t points;
    double mean, deviation; /* deviation: the sample's */
    double min, max;
} sl_spread;
sl_spread sl_sweep_spread(const sl_sweep *sweep, uint32_t launch, sl_metric metric);

#endif
