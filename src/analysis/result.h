/* SPDX-License-Identifier: MIT */
/* The result of an analysis: what it found of each launch. Everything that shows, stores, compares or checks numbers
 * takes them from here; nothing else holds any. */
#ifndef SL_ANALYSIS_RESULT_H
#define SL_ANALYSIS_RESULT_H

#include "analysis/launch_log.h"
#include "base/array.h"
#include "profile/sums.h"
#include "sim/l1_requests.h"
#include "sim/series.h"
#include "tune/tune.h"

/* Numbers by name: a result in the form in which it is stored, and in which papers and sweeps ask for it. */

enum { SL_VALUE_NAME = 40 };

/* A counter of a result, summed over the launches of the program. */
typedef struct sl_value {
    char name[SL_VALUE_NAME];
    double value; /* counters are whole and exact below 2^53 */
} sl_value;

typedef SL_ARRAY(sl_value) sl_values;

/* False when memory runs out. Adds to a value that is there. */
bool sl_values_add(sl_values *values, const char *name, double amount);
/* Adds a histogram as "gap_0", "gap_1", "gap_2", "gap_4": bins are named after their lower bounds; empty ones beyond
 * the twelfth are left out. */
bool sl_values_add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                        uint64_t (*min)(unsigned));
const double *sl_values_find(const sl_values *values, const char *name); /* NULL: there is none */

/* What is done with a recording. */
typedef enum sl_analysis_kind {
    SL_ANALYSIS_SIM,     /* cycle by cycle */
    SL_ANALYSIS_MODEL,   /* misses by reuse distances */
    SL_ANALYSIS_TUNE,    /* cycle by cycle, with loads that bypass as each selection strategy says */
    SL_ANALYSIS_PROFILE, /* reuse in the trace alone, in the order and with the line and size of the machine's L1 */
    SL_ANALYSIS_COUNT,   /* what the trace says, without caches */
    SL_ANALYSES
} sl_analysis_kind;
extern const char *const sl_analysis_names[SL_ANALYSES + 1]; /* "sim", ...; ends with NULL */

/* A statistic that a policy reports (sl_policy_ops.report), summed over the caches of its level. */
typedef struct sl_policy_statistic {
    uint32_t level;
    bool bypass; /* of the policy that bypasses */
    const char *policy, *name;
    uint64_t value;
} sl_policy_statistic;

/* Of one launch. */
typedef struct sl_result_launch {
    bool analyzed;     /* false: its numbers are those of another launch, which stands for it */
    sl_counts counts;  /* of the whole launch; memory instructions are in the log */
    uint64_t l1_bytes; /* of the first level next to shared memory */
    uint32_t resident_blocks;
    double imbalance, index_share;         /* of the model, as the next (model/model.h); 0: not estimated */
    uint64_t ideal_cycles[SL_TIME_IDEALS]; /* of the model (model/model.h), as est_cycles; 0: not estimated */
    /* of the simulator */
    sl_sim_level_result level[SL_MAX_LEVELS];
    double energy_nj;
    size_t statistics;
    sl_policy_statistic *statistic;
    sl_sim_bound bound; /* where it was asked for */
} sl_result_launch;

/* Where not all launches were analyzed (analysis.h). */
typedef struct sl_result_sample {
    uint32_t analyzed; /* launches */
    bool chosen;       /* they were chosen; false: the rest is missing as the analysis was stopped */
    bool stopped;
    double target;             /* as asked for */
    double predicted_s, saved; /* seconds that all launches were predicted to take, and the share of it saved */
    uint32_t *stand_in;        /* [launches]: the one whose numbers each has */
    size_t intervals;
    struct sl_sampled_total *interval; /* 95 % intervals of sums over all launches */
} sl_result_sample;

typedef struct sl_sampled_total {
    sl_counter counter;
    double total, half; /* the interval is total - half … total + half */
} sl_sampled_total;

typedef struct sl_result {
    sl_analysis_kind kind;
    bool cold;                 /* as analyzed (sl_analysis) */
    const sl_machine *machine; /* that of the analysis, with the values that were found for "best"; owned */
    uint32_t launches;
    sl_result_launch *launch; /* [launches of the recording]; NULL: of profiles and of tuning */
    sl_launch_log *log;       /* the same with memory instructions; NULL: they were not asked for */
    sl_result_sample sample;  /* its `stand_in` NULL: every launch was analyzed */
    size_t passes;            /* of the model over the accesses, for all analyses of its batch together */
    bool bounded;             /* launches have a bound on misses */
    sl_sim_search search;     /* what was searched for */
    sl_values requests;       /* reuse in the requests of L1, where it was asked for */
    /* of profiles */
    sl_profile_options profiled_as;
    sl_profile *profile; /* [launches] */
    sl_profile_sums sums;
    /* of tuning: one of the two */
    sl_tuning_result tuned; /* what the selection strategies that were asked for chose */
    sl_values strategies;   /* what every strategy gives (sl_tune_strategies) */
    sl_error damage;        /* what counts could not read; status SL_OK: nothing */
    char *stuck;            /* the state of the simulator after a launch that made no progress; NULL: none */
    sl_arena arena;
} sl_result;

/* An all-zero result is fine. */
void sl_result_fini(sl_result *result);

/* Of all launches that did not fail, where it was simulated with its memory instructions. */
sl_sim_level_result sl_result_level_sum(const sl_result *result, uint32_t level);
sl_sim_bound sl_result_bound_sum(const sl_result *result);
/* Simulated cycles of a launch, else estimated ones, and of all; 0: unknown, of any. */
uint64_t sl_result_launch_cycles(const sl_result *result, uint32_t launch);
uint64_t sl_result_cycles(const sl_result *result);

/* Every number of the result, summed over its launches: counters under their own names, those of a level as
 * "L1_hits", statistics of the bypass policy of L1 as "policy_NAME", histograms as "gap_4". */
sl_status sl_result_values(const sl_result *result, sl_values *values, sl_error *error);

#endif
