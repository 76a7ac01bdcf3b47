/* SPDX-License-Identifier: MIT */
/* Tuning on the simulator: which loads and stores of a recording should bypass which caches, or carry which cache hint.
 * The numbers are those of `sluice tune`, and the plan is the file that it writes: `sluice apply` puts it into PTX, and
 * sl_analysis_run simulates it (sl_settings.plan). docs/bypass.md describes controls and selection strategies. */
#ifndef SLUICE_TUNE_H
#define SLUICE_TUNE_H

#include "sluice/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Strings that are NULL have their default. */
typedef struct sl_tune_settings {
    const char *select;   /* the selection strategy: "ours" (the default), "paper", "bound", … */
    const char *controls; /* cache controls to try, separated by commas: "L1,L2"; NULL: all that are simulated */
    const char *kernel;   /* kernels whose symbol or name matches this POSIX extended expression; NULL: all */
    uint64_t seed;        /* of what is random */
    uint32_t rounds;      /* simulations of each choice, 1 to 5, each with a longer memory latency; 0: 1 */
    bool cold;            /* empty caches before each simulation, instead of a warm-up run */
} sl_tune_settings;

typedef struct sl_tune_result sl_tune_result;

/* Tunes the launch of each kernel that has most warp instructions. `settings` NULL: a seed of 1, the rest as the
 * defaults say. `pool` and `progress` may be NULL. The result does not depend on the number of threads, and outlives
 * recording and machine. A recording of LLVM IR is SL_UNSUPPORTED. */
SL_API sl_status sl_tune_recording(const sl_recording *recording, const sl_machine *machine,
                                   const sl_tune_settings *settings, sl_pool *pool, const sl_progress *progress,
                                   sl_tune_result **result, sl_error *error);
SL_API void sl_tune_result_destroy(sl_tune_result *result); /* NULL is fine */

/* A launch that was tuned. */
typedef struct sl_tuned_launch {
    const char *kernel;                 /* its symbol */
    uint64_t launch, launches;          /* its number in the run, from 0; launches of the kernel */
    uint32_t loads, chosen;             /* static loads; accesses and settings that the plan changes */
    double cycles, tuned_cycles;        /* without and with the plan */
    double gain_percent, noise_percent; /* of `cycles`; gains up to the noise mean nothing */
    const char *verdict;                /* a sentence; "": none */
} sl_tuned_launch;

/* Launches that were tuned: 0 … sl_tune_result_count() - 1. */
SL_API size_t sl_tune_result_count(const sl_tune_result *result);
SL_API const sl_tuned_launch *sl_tune_result_at(const sl_tune_result *result, size_t index);
/* Writes the plan to a file, whose folder must exist. */
SL_API sl_status sl_tune_result_save(const sl_tune_result *result, const char *path, sl_error *error);

#ifdef __cplusplus
}
#endif

#endif
