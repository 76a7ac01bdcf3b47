/* SPDX-License-Identifier: MIT */
/* Kernels of an input with a timer for each, for tuning, measuring and points of kind "tune".
 *
 * On a real GPU the host code runs, and the longest launches of each kernel are intercepted, timed with many choices of
 * loads, and then resumed. On a simulated machine the launches come from a recording, and the launch of each kernel
 * with the most warp instructions is simulated. */
#ifndef SL_STUDY_TUNING_H
#define SL_STUDY_TUNING_H

#include "bypass/program_results.h"
#include "bypass/tune.h"
#include "recording/recording.h"
#include "study/rank_launch.h"
#include "study/timer_gpu.h"
#include "study/timer_sim.h"

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
    sl_ranking ranking;      /* of what can be timed; zero: nobody asked for it */
    bool repeats;            /* see sl_gpu_timer_repeats */
    bool too_short;          /* for the timer */
} sl_timed_launch;

typedef struct sl_timed_kernels {
    const sl_input *input;    /* on a GPU: a workload, PTX or LLVM IR */
    const char *kernel_regex; /* NULL or "": all kernels */
    bool cold;                /* flush caches before every run */
    bool rank;                /* rank what can be timed */
    /* on a GPU */
    const char *scratch;   /* a folder for what is ranked */
    double seconds;        /* as of sl_rank_options */
    uint32_t max_launches; /* of each kernel */
    uint32_t rounds;       /* 0: chosen by the timer */
    bool check;            /* check the result of a workload */
    /* on the simulator */
    const sl_machine *machine;
    const sl_recording *recording;
    uint64_t seed;
    sl_pool *pool;        /* NULL: one choice after the other */
    uint32_t max_kernels; /* of those with most warp instructions; 0: all */
    double share;         /* of all warp instructions that those tuned should have, 0 to 1 */
    /* Called for each launch, in the order of the program. */
    sl_status (*visit)(void *context, const sl_timed_launch *launch, sl_error *error);
    void *context;
} sl_timed_kernels;

/* Makes a timer for a launch that a device is about to run, and visits it. `visited` has everything but the timer, the
 * ranking and what follows from them. `rank` NULL: nothing is ranked. Memory is as it was afterwards. */
sl_status sl_time_launch_on_gpu(sl_device_kernel *kernel, const sl_device_launch *launch,
                                const sl_gpu_timer_options *options, const sl_rank_options *rank,
                                sl_timed_launch *visited,
                                sl_status (*visit)(void *context, const sl_timed_launch *launch, sl_error *error),
                                void *context, sl_error *error);
sl_status sl_time_on_gpu(const sl_timed_kernels *kernels, sl_error *error);
sl_status sl_time_on_sim(const sl_timed_kernels *kernels, sl_error *error);

/* ---- tuning ---- */

/* The result of a selection strategy for one kernel. */
typedef struct sl_tuned_kernel {
    const char *kernel;
    uint64_t launch, launches; /* as of sl_timed_launch */
    uint32_t loads, groups, chosen;
    const sl_selector *selector;
    double base, time, gain, gain_spread, noise; /* as of sl_tuner */
    const char *verdict;
    bool repeats, too_short;
} sl_tuned_kernel;

typedef struct sl_tuning_result {
    sl_plan_list plans;                /* what the first strategy chose, for each PTX module */
    SL_ARRAY(sl_tuned_kernel) kernels; /* each with each strategy */
} sl_tuning_result;

/* Chooses loads of each kernel by each strategy, on the simulator where `kernels` has a machine, else on a GPU; its
 * `visit` is not used. The caller frees the result, also after a failure. */
sl_status sl_tune_kernels(const sl_timed_kernels *kernels, const sl_tuner_options *options,
                          const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                          sl_error *error);
/* Chooses accesses of one launch, whose code has this form and hash, and adds them to the plan of that code. A zeroed
 * result is an empty one. */
sl_status sl_tune_launch(const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                         const sl_tuner_options *options, const sl_selector *const *selector, size_t selectors,
                         sl_tuning_result *result, sl_error *error);
/* Cycles of the kernels of a recording, all launches one after the other, with a plan (NULL: without). */
sl_status sl_simulate_planned(const sl_timed_kernels *kernels, const sl_plan *plan, sl_program_results *results,
                              sl_error *error);
void sl_tuning_result_fini(sl_tuning_result *result);

#endif
