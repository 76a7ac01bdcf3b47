/* SPDX-License-Identifier: MIT */
/* A result with what findings, pages and comparisons want to know beside it: stores and the like, which the trace says,
 * and classes of misses, which only the model knows. */
#ifndef SL_ANALYSIS_RESULT_SET_H
#define SL_ANALYSIS_RESULT_SET_H

#include "analysis/analysis.h"

typedef struct sl_result_set {
    sl_result measured; /* of the analysis that was asked for */
    sl_result counted;  /* without a log: not asked for */
    sl_result classes;  /* of a simulation: of the model; without a log: not asked for, or the model cannot */
} sl_result_set;

/* Runs the analysis with details, and the others with `more`. A set has to be freed also after a failure. */
sl_status sl_result_set_make(const sl_recording *recording, const sl_analysis *analysis, bool more, sl_pool *pool,
                             const sl_progress *progress, sl_result_set *set, sl_error *error);
void sl_result_set_fini(sl_result_set *set); /* an all-zero one is fine */

#endif
