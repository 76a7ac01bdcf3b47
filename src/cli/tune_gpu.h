/* SPDX-License-Identifier: MIT */
/* Kernels of a subject timed on a real GPU, while its host runs: the launch that takes longest of each kernel is
 * stopped at, timed with many choices of loads, and then let go. */
#ifndef SL_CLI_TUNE_GPU_H
#define SL_CLI_TUNE_GPU_H

#include "bypass/clock_gpu.h"
#include "cli/tune_subject.h"

/* A launch that is about to run, with a clock for it. */
typedef struct sl_timed_launch {
    const sl_ptx_module *module;
    const sl_ptx_func *func;
    uint64_t launch;   /* number among all launches of the subject */
    uint64_t launches; /* of this kernel */
    const sl_load_graph *graph;
    const sl_clock *clock;
    bool repeats;   /* see sl_gpu_clock_repeats */
    bool too_short; /* for the timer */
} sl_timed_launch;

typedef struct sl_gpu_tour {
    const sl_subject *subject;
    const char *kernel_regex; /* NULL: all kernels */
    uint32_t most_launches;   /* of each kernel, those that take longest */
    uint32_t rounds;
    bool cold;
    bool check; /* a workload's own check in the end */
    sl_status (*visit)(void *context, const sl_timed_launch *launch, sl_error *error);
    void *context;
} sl_gpu_tour;

/* Runs the host twice: to see which launches take longest, and to visit them, in the order of the program. */
sl_status sl_gpu_visit(const sl_gpu_tour *tour, sl_error *error);

#endif
