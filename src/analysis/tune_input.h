/* SPDX-License-Identifier: MIT */
/* Kernels of an input with a timer for each, for tuning and measuring.
 *
 * On a real GPU the host code runs, and the longest launches of each kernel are intercepted, timed with many choices of
 * loads, and then resumed. On a simulated machine the launches come from a recording, and the launch of each kernel
 * with the most warp instructions is simulated. */
#ifndef SL_ANALYSIS_TUNE_INPUT_H
#define SL_ANALYSIS_TUNE_INPUT_H

#include "analysis/result.h"
#include "recording/recording.h"
#include "tune/tune.h"

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
    uint32_t max_kernels; /* those with the most warp instructions; 0: all */
    double share;         /* of all warp instructions that those tuned should have, 0 to 1 */
    /* Called for each launch, in the order of the program. */
    sl_visit_launch visit;
    void *context;
} sl_timed_kernels;

sl_status sl_time_on_gpu(const sl_timed_kernels *kernels, sl_error *error);
sl_status sl_time_on_sim(const sl_timed_kernels *kernels, sl_error *error);

/* ---- tuning ---- */

/* Chooses loads of each kernel by each strategy, on the simulator where `kernels` has a machine, else on a GPU; its
 * `visit` is not used. The caller frees the result, also after a failure. */
sl_status sl_tune_kernels(const sl_timed_kernels *kernels, const sl_tuner_options *options,
                          const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                          sl_error *error);
/* Results of every selection strategy but the bound, on the simulator; the `visit` of `kernels` is not used.
 *
 * Adds, summed over kernels: original_cycles and paper_cycles, ours_cycles, PassL0_1_cycles and so on; of each of these
 * NAME_loads (how many bypass), NAME_L0_hits and NAME_L0_reads (sectors) of each level, NAME_dram_reads; cycles of
 * the paper's strategy with other settings (thresh1_200_cycles, weight_0_cycles: in hundredths); and affinity_L2_3 (the
 * gain of the third load alone in this mode, in percent), which only makes sense for one kernel. */
sl_status sl_tune_strategies(const sl_timed_kernels *kernels, sl_values *values, sl_error *error);
/* Simulates all launches of the recording one after the other, without and with the plans of the result, and reverts
 * kernels that are not faster there (tune/program_results.h), where the first strategy does that. */
sl_status sl_compare_on_sim(const sl_timed_kernels *kernels, const sl_selector *const *selector, size_t selectors,
                            sl_tuning_result *result, sl_error *error);

#endif
