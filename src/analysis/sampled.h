/* SPDX-License-Identifier: MIT */
/* Analyses of some launches of a program instead of all. The others bring their lines into the caches that all cores
 * share, which is a small part of the work, and get the numbers of a launch that counts alike; sums have an interval.
 * Which launches are analyzed depends on the seed, on what the trace counts and on the results, on nothing else. */
#ifndef SL_ANALYSIS_SAMPLED_H
#define SL_ANALYSIS_SAMPLED_H

#include "analysis/launch_sample.h"
#include "analysis/result.h"
#include "recording/recording.h"

typedef enum sl_sample_when {
    SL_SAMPLE_NEVER, /* every launch is analyzed */
    SL_SAMPLE_AUTO,  /* programs of many launches that are predicted to take longer than SL_EXACT_SECONDS are sampled */
    SL_SAMPLE_ALWAYS, /* wherever it saves work */
} sl_sample_when;
enum { SL_EXACT_SECONDS = 10 };

typedef struct sl_sampling {
    sl_sample_when when;
    double target;            /* half of the 95 % interval of cycles, of their sum; 0: 1 % */
    const uint32_t *stand_in; /* [launches]: the choice that an earlier analysis made; NULL: none */
} sl_sampling;

/* Runs an analysis on the launches of the recording that are wanted (NULL: all), and adds them to the result. */
typedef sl_status sl_analyze_wanted(void *context, const bool *wanted, sl_result *result, sl_error *error);

struct sl_analysis; /* analysis.h */
/* Fills in the result: of all launches, of a sample, or of those before the analysis was stopped. */
sl_status sl_analyze_sampled(const struct sl_analysis *analysis, const sl_recording *recording, sl_pool *pool,
                             const sl_progress *progress, sl_analyze_wanted *run, void *context, sl_result *result,
                             sl_error *error);

#endif
