/* SPDX-License-Identifier: MIT */
/* What-if studies: points of one recording with other first-level caches, policies or seeds. */
#ifndef SL_STUDY_WHATIF_H
#define SL_STUDY_WHATIF_H

#include "machine/vary.h"
#include "study/point.h"

typedef struct sl_whatif_point {
    sl_point point;              /* its machine is resolved */
    const char *varied, *factor; /* what alone differs from the machine, and how: "size", "2x"; NULL: any number */
    const char *policy;          /* of the first level; NULL: that of the machine */
} sl_whatif_point;

typedef struct sl_whatif {
    sl_arena arena;
    sl_point like;    /* what all points have in common: the kind, the machine, the seed */
    bool first_level; /* points have the first level of the machine alone */
    SL_ARRAY(sl_whatif_point) points;
    char note[512];          /* the first point that was skipped, and why; "": none */
    sl_point_result *result; /* [points], of the run */
    size_t passes;           /* over the accesses that the run took */
} sl_whatif;

/* `like` has a machine that is resolved, which outlives this, as the texts do. */
sl_status sl_whatif_init(sl_whatif *whatif, const sl_point *like, bool first_level, sl_error *error);
void sl_whatif_fini(sl_whatif *whatif); /* zeros are fine */

/* Values of a parameter; none: as the machine has it. */
typedef struct sl_whatif_list {
    size_t count;
    const uint64_t *value;
} sl_whatif_list;

/* All combinations of sizes, ways, lines and MSHRs of the first level, the last list fastest. */
sl_status sl_whatif_product(sl_whatif *whatif, const sl_whatif_list list[4], sl_error *error);
/* Ways, size, line and MSHRs one by one, by 0.25 to 4: figure 12 of the reuse-distance paper. */
sl_status sl_whatif_figure12(sl_whatif *whatif, sl_error *error);
/* Sizes from an eighth to eight times. Impossible points are skipped here and below, and noted. */
sl_status sl_whatif_sizes(sl_whatif *whatif, sl_error *error);
/* Points of the model: replacement policies, as the model has no bypass policies. Points of the simulator: the
 * unchanged machine, then every other policy, bypass policies beside the machine's replacement policy. */
sl_status sl_whatif_policies(sl_whatif *whatif, sl_error *error);
/* `count` seeds from that of `like` on. */
sl_status sl_whatif_seeds(sl_whatif *whatif, uint64_t count, sl_error *error);

/* Runs them all. `pool` and `progress` may be NULL. */
sl_status sl_whatif_run(sl_whatif *whatif, const sl_recording *recording, sl_pool *pool, const sl_progress *progress,
                        sl_error *error);

#endif
