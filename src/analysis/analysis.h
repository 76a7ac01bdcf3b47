/* SPDX-License-Identifier: MIT */
/* The one way from a recording to numbers: recording x machine x {count, profile, model, sim, tune} x settings ->
 * result. Commands, sweeps, papers, validation, what-ifs, pages and users of the library all call sl_analyze; a setting
 * that is left out has the same value for all of them. */
#ifndef SL_ANALYSIS_ANALYSIS_H
#define SL_ANALYSIS_ANALYSIS_H

#include "analysis/launch_sample.h"
#include "analysis/result.h"
#include "base/hash.h"
#include "base/pool.h"
#include "model/model.h"
#include "recording/recording.h"
#include "sim/series.h"
#include "trace/what_if.h"

/* Analyses of some launches of a program instead of all. The others bring their lines into the caches that all cores
 * share, which is a small part of the work, and get the numbers of a launch that counts alike; sums have an interval.
 * Which launches are analyzed depends on the seed, on what the trace counts and on the results, on nothing else. */

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

struct sl_analysis;
/* Fills in the result: of all launches, of a sample, or of those before the analysis was stopped. */
sl_status sl_analyze_sampled(const struct sl_analysis *analysis, const sl_recording *recording, sl_pool *pool,
                             const sl_progress *progress, sl_analyze_wanted *run, void *context, sl_result *result,
                             sl_error *error);

/* About how many seconds of a core a launch takes, of a simulation or a model. */
double sl_launch_seconds(sl_analysis_kind kind, uint64_t warp_insts);
/* Whether it would be a sample. */
sl_status sl_analysis_is_sampled(const struct sl_analysis *analysis, const sl_recording *recording, sl_pool *pool,
                                 const sl_progress *progress, bool *sampled, sl_error *error);
/* Gives the launches that were left out, as another analysis chose (sl_sampling.stand_in), the numbers of others. */
sl_status sl_result_stand_in(const sl_recording *recording, const uint32_t *stand_in, sl_result *result,
                             sl_error *error);

/* ---- tuning ---- */

/* Whose loads are chosen on the simulated machine, and how. The launch of a kernel with the most warp instructions
 * represents it. */
typedef struct sl_analysis_tuning {
    const sl_input *input;              /* has the code; LLVM IR: with number_loads of its sl_input_spec */
    const char *kernel_regex;           /* NULL or "": all kernels */
    uint32_t max_kernels;               /* those with the most warp instructions; 0: all */
    double share;                       /* of all warp instructions that those tuned should have, 0 to 1 */
    size_t selectors;                   /* 0: all strategies are compared (sl_result.strategies) */
    const sl_selector *const *selector; /* [selectors] (sl_result.tuned) */
    const sl_tuner_options *options;    /* with selectors */
} sl_analysis_tuning;

/* ---- analyses ---- */

typedef struct sl_analysis {
    sl_analysis_kind kind;
    const sl_machine *machine; /* NULL: none, for counts */
    bool details;              /* memory instructions too (sl_result.log) */
    bool unread;               /* counts: only what the index of the trace says */
    uint64_t seed;             /* of what is random */
    /* which launches */
    sl_sampling sampling;
    bool warms_gaps; /* launches of the trace that the recording leaves out bring their lines into shared caches, too */
    const volatile bool *stop; /* once it is true, what was not analyzed is estimated (sl_result_sample); NULL: never */
    /* the model */
    sl_model_options model; /* extensions that are off; its seed is the analysis's */
    /* the model and the simulator: levels that all cores share keep what they hold from launch to launch, unless */
    bool cold;     /* all caches are empty before each launch, */
    bool isolated; /* or each runs on a machine on which nothing ran before */
    /* the simulator */
    bool requests;                   /* also the reuse of lines in the requests of L1 (sim/l1_requests.h) */
    bool bound;                      /* also a lower bound on the misses of any policy */
    const sl_sim_plan *plan;         /* [launches of the recording]; NULL: none */
    const sl_sim_observer *observer; /* NULL: none */
    /* profiles */
    const sl_profile_options *profile; /* NULL: sl_profile_defaults of the machine */
    bool loads_only;                   /* with the defaults */
    /* tuning, which also has `cold` */
    const sl_analysis_tuning *tuning; /* of SL_ANALYSIS_TUNE */
} sl_analysis;

/* The line and sector of the machine's first level, on its cores, with as many resident blocks as one holds, at most 8:
 * they differ between launches. Its cache of 0 bytes stands for the L1 that the first launch has. */
sl_profile_options sl_profile_defaults(const sl_machine *machine);

/* Analyses of one recording. Those of the model that one pass over the accesses can answer are answered by one pass
 * unless they ask for details, and the first simulations that share the line counts of a profiling run have one. Of
 * several that may be sampled, the first chooses the launches for all. */
typedef struct sl_analysis_batch {
    const sl_recording *recording;
    size_t count;
    const sl_analysis *analysis;
    sl_pool *pool;               /* NULL: one thread. Results do not depend on it */
    const sl_progress *progress; /* NULL: none */
} sl_analysis_batch;

/* Fills result[count]. On failure, which is of any of them, results have to be freed all the same. */
sl_status sl_analyze_all(const sl_analysis_batch *batch, sl_result *result, sl_error *error);
/* One analysis. */
sl_status sl_analyze(const sl_recording *recording, const sl_analysis *analysis, sl_pool *pool,
                     const sl_progress *progress, sl_result *result, sl_error *error);

/* A hash of every key of the machine, and of the simulator's sources. */
void sl_machine_key(const sl_machine *machine, char key[SL_KEY_BYTES]);

/* A result with what findings, pages and comparisons show next to it: stores and the like, which the trace has, and
 * classes of misses, which only the model knows. */
typedef struct sl_result_set {
    sl_result measured; /* of the analysis that was asked for */
    sl_result counted;  /* without a log: not asked for */
    sl_result classes;  /* of a simulation: of the model; without a log: not asked for, or the model cannot */
} sl_result_set;

/* Runs the analysis with details, and the others with `more`. A set has to be freed also after a failure. */
sl_status sl_result_set_make(const sl_recording *recording, const sl_analysis *analysis, bool more, sl_pool *pool,
                             const sl_progress *progress, sl_result_set *set, sl_error *error);
/* Groups all of its launches (launch_log.h). */
sl_status sl_result_set_group(sl_result_set *set, sl_label by, sl_error *error);
void sl_result_set_fini(sl_result_set *set); /* an all-zero one is fine */

/* ---- what-ifs, of any kind (trace/what_if.def) ---- */

/* The analysis, of the model or the simulator, with the cause taken away. `before`: its result as things are, needed
 * for those of kind TIME, of which `after` gets the estimated cycles alone; the simulator has none. */
sl_status sl_analyze_what_if(const sl_recording *recording, const sl_analysis *analysis, const sl_what_if *what_if,
                             const sl_result *before, sl_pool *pool, const sl_progress *progress, sl_result *after,
                             sl_error *error);

/* The estimated cycles of a launch of a result of the model without the cause that a what-if of kind TIME names. */
uint64_t sl_ideal_cycles(const sl_result *modeled, uint32_t launch, sl_what_if_id id);

#endif
