/* SPDX-License-Identifier: MIT */
/* The simulator as an analysis: launches one after the other or isolated, statistics of policies, reuse in the requests
 * of L1. For analysis.c alone. */
#ifndef SL_ANALYSIS_SIMULATE_H
#define SL_ANALYSIS_SIMULATE_H

#include "analysis/analysis.h"

/* Simulates the launches that are wanted (NULL: all) into the result. `counts` as sl_sim_series has them. */
sl_status sl_analyze_simulated(const sl_analysis *analysis, const sl_recording *recording, const bool *wanted,
                               sl_line_counts *const *counts, sl_pool *pool, const sl_progress *progress,
                               sl_result *result, sl_error *error);
/* Fills a result with what another one found, whose simulation would have been the same. */
sl_status sl_result_copy_simulated(sl_result *result, const sl_result *from, sl_error *error);
sl_sim_options sl_analysis_sim_options(const sl_analysis *analysis, const sl_progress *progress);
sl_sim_series sl_analysis_series(const sl_analysis *analysis, const sl_recording *recording, uint32_t first,
                                 uint32_t launches, sl_line_counts *const *counts);

/* Adds launch `n` of the recording to the log of a result. */
sl_status sl_result_log_launch(sl_result *result, const sl_recording *recording, uint32_t n,
                               const sl_launch_counts *counts, sl_error *error);

#endif
