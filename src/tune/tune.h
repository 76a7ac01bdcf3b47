/* SPDX-License-Identifier: MIT */
/* Tunes one launch: makes its timer, chooses cache controls by each selection strategy, and adds the choice of the
 * first one to the plan of the launch's code. src/analysis finds the launches of inputs, src/interpose those of
 * programs.
 */
#ifndef SL_TUNE_TUNE_H
#define SL_TUNE_TUNE_H

#include "base/array.h"
#include "tune/plan.h"
#include "tune/ranking.h"
#include "tune/select.h"
#include "tune/timer.h"

/* ---- a kernel with a timer ---- */

/* Loads chosen, the whole plan timed against the original, the original kept where that is not faster. */
typedef struct sl_tuned {
    uint8_t *mode;    /* [loads], in the arena of the tuner, as everything here */
    const char **why; /* [loads]; NULL: nothing to say */
    sl_timing timing; /* of the whole plan, memory compared; all zero when nothing was chosen */
    uint32_t chosen;  /* loads that bypass */
    const char *verdict;
} sl_tuned;

/* Chooses by `selector` and times what it chose. The first selector of the table, the default, reverts its plan when
 * the final timing does not show it to be faster; others keep theirs, whatever it costs. */
sl_status sl_tune(sl_tuner *tuner, const sl_selector *selector, sl_tuned *tuned, sl_error *error);

/* Adds the kernel and its loads to the plan; strings are copied. */
sl_status sl_plan_add(sl_plan *plan, const sl_tuner *tuner, const char *kernel, const sl_tuned *tuned, sl_error *error);

/* ---- a launch ---- */

/* A launch with a timer for it. */
typedef struct sl_timed_launch {
    const sl_ptx_module *module; /* NULL: the code is not at hand */
    const char *code;            /* its name */
    const char *kernel;          /* its symbol */
    uint64_t launch;             /* number among all launches of the input */
    uint64_t launches;           /* of this kernel */
    const sl_load_graph *graph;
    const sl_timer *timer;
    const sl_sim_timer *sim; /* the same, where it is the simulator's; NULL otherwise */
    sl_ranking ranking;      /* of what can be timed; zero: not requested */
    bool repeats;            /* see sl_gpu_timer_repeats */
    bool too_short;          /* for the timer */
} sl_timed_launch;

typedef sl_status (*sl_visit_launch)(void *context, const sl_timed_launch *launch, sl_error *error);

/* Makes a timer for a launch that a device is about to run, and visits it. `visited` has everything but the timer, the
 * ranking and what follows from them. `rank` NULL: nothing is ranked. Memory is as it was afterwards. */
sl_status sl_time_launch_on_gpu(sl_device_kernel *kernel, const sl_device_launch *launch,
                                const sl_gpu_timer_options *options, const sl_rank_options *rank,
                                sl_timed_launch *visited, sl_visit_launch visit, void *context, sl_error *error);

/* The result of a selection strategy for one kernel. */
typedef struct sl_tuned_kernel {
    const char *kernel;
    uint64_t launch, launches; /* as of sl_timed_launch */
    uint32_t loads, groups, chosen;
    const char *select;                          /* name of the strategy */
    double base, time, gain, gain_spread, noise; /* as of sl_tuner */
    const char *verdict;
    bool repeats, too_short;
} sl_tuned_kernel;

typedef struct sl_tuning_result {
    sl_plan_list plans;                /* what the first strategy chose, for each PTX module */
    SL_ARRAY(sl_tuned_kernel) kernels; /* each with each strategy */
} sl_tuning_result;

/* Chooses accesses of one launch, whose code has this form and hash, and adds them to the plan of that code. A zeroed
 * result is an empty one. */
sl_status sl_tune_launch(const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                         const sl_tuner_options *options, const sl_selector *const *selector, size_t selectors,
                         sl_tuning_result *result, sl_error *error);
void sl_tuning_result_fini(sl_tuning_result *result);

#endif
