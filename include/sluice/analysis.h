/* SPDX-License-Identifier: MIT */
/* From a program to numbers: run a workload or a PTX kernel on the emulator, or open a trace, and count, profile,
 * model, simulate or tune what it did. The numbers are those of the commands `sluice info`, `profile`, `model`, `sim`
 * and `tune`, and of sweeps. */
#ifndef SLUICE_ANALYSIS_H
#define SLUICE_ANALYSIS_H

#include "sluice/counters.h"
#include "sluice/machine.h"
#include "sluice/pool.h"
#include "sluice/progress.h"
#include "sluice/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- recordings ---- */

typedef struct sl_recording sl_recording;

/* What is recorded; strings that are NULL have their default. */
typedef struct sl_source {
    const char *name;           /* a workload ("spmv"), a file of PTX, or a trace */
    const char *size, *params;  /* of a workload: "small", "default", "large"; "rows=500 seed=2" */
    const char *kernel;         /* of PTX: the kernel; NULL: the only one */
    uint32_t grid[3], block[3]; /* of PTX; 0: 1 */
    const char *const *arg;     /* of PTX: "f32[1K]:random", "u32:1024"; NULL ends them; NULL: none */
    uint64_t seed;              /* of generated data; 0: 1 */
    uint64_t max_instructions;  /* as --max-instructions; 0: the limits of each warp */
    uint32_t lanes;             /* of a warp; 0: 32 */
    uint32_t threads;           /* of the emulator; 0: all cores */
    const char *scratch;        /* a folder for the trace, which is removed with the recording; NULL: /tmp */
} sl_source;

/* Runs the program, or opens the trace. Errors of kernels name the kernel, the thread, the line and the address. */
SL_API sl_status sl_recording_create(const sl_source *source, const sl_progress *progress, sl_recording **recording,
                                     sl_error *error);
SL_API void sl_recording_destroy(sl_recording *recording); /* NULL is fine */
/* Its launches as a trace, which belongs to the recording. */
SL_API const sl_trace *sl_recording_trace(const sl_recording *recording);

/* ---- analyses ---- */

typedef struct sl_result sl_result;

/* All zeros, but for the seed, which should be 1: as the commands have it. */
typedef struct sl_settings {
    const char *plan; /* "sim": the file of a bypass plan for the code of the recording (tune.h); NULL: none */
    uint64_t seed;    /* of what is random */
    bool cold;        /* "model", "sim", "tune": all caches are empty before each launch */
    bool isolated;    /* "sim": each launch on a machine on which nothing ran before */
    bool loads_only;  /* "profile": no stores and atomics */
} sl_settings;

/* `kind` is "count", "profile", "model", "sim", or "tune": every selection strategy but the bound on the simulator,
 * with the values that points of sweeps have ("ours_cycles"), summed over kernels. The result does not depend on the
 * number of threads of `pool` (which may be NULL), and outlives recording and machine. */
SL_API sl_status sl_analysis_run(const sl_recording *recording, const sl_machine *machine, const char *kind,
                                 const sl_settings *settings, sl_pool *pool, const sl_progress *progress,
                                 sl_result **result, sl_error *error);
SL_API void sl_result_destroy(sl_result *result); /* NULL is fine */

SL_API uint32_t sl_result_launches(const sl_result *result); /* 0 of "tune" */
/* Counters of a launch, which belong to the result; NULL: "profile" and "tune" have none. */
SL_API const sl_counts *sl_result_counts(const sl_result *result, uint32_t launch);
/* Every number of the result, summed over its launches, under the names that sweeps use ("ld_sectors", "L1_hits",
 * "distance_4"), in alphabetical order: 0 … sl_result_value_count() - 1. */
SL_API size_t sl_result_value_count(const sl_result *result);
SL_API const char *sl_result_value_name(const sl_result *result, size_t index);
SL_API double sl_result_value_at(const sl_result *result, size_t index);

#ifdef __cplusplus
}
#endif

#endif
