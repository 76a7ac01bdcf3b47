/* SPDX-License-Identifier: MIT */
/* What-ifs of recordings, of any kind (trace/what_if.def). */
#ifndef SL_ANALYSIS_WHAT_IF_H
#define SL_ANALYSIS_WHAT_IF_H

#include "analysis/analysis.h"
#include "trace/what_if.h"

/* The analysis, of the model or the simulator, with the cause taken away. `before`: its result as things are, needed
 * for those of kind TIME, of which `after` gets the estimated cycles alone; the simulator has none. */
sl_status sl_analyze_what_if(const sl_recording *recording, const sl_analysis *analysis, const sl_what_if *what_if,
                             const sl_result *before, sl_pool *pool, const sl_progress *progress, sl_result *after,
                             sl_error *error);

/* The estimated cycles of a launch of a result of the model without the cause that a what-if of kind TIME names. */
uint64_t sl_ideal_cycles(const sl_result *modeled, uint32_t launch, sl_what_if_id id);

#endif
