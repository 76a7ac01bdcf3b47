/* SPDX-License-Identifier: MIT */
/* The authors' program of "A Detailed GPU Cache Model Based on Reuse Distance Theory" (HPCA 2014), reproduced from its
 * behavior, on the thread traces it reads: for comparison with the paper and with sl_model_loaded, which follows the
 * paper. Latencies are without their random part, so that results are reproducible.
 *
 * The machine is fixed: one core, warps of 32 threads, 1536 threads or 8 blocks at a time, an L1 of 16 KB in lines of
 * 128 bytes, 4 ways and 32 sets with Fermi's hash, 64 MSHRs, misses of 100 steps, hits of none. hpca14.c lists where it
 * differs from what the paper says. */
#ifndef SL_MODEL_HPCA14_H
#define SL_MODEL_HPCA14_H

#include <stdint.h>

#include "sluice/error.h"

typedef struct sl_hpca14_result {
    uint32_t block[3];
    uint64_t threads, thread_loads;
    uint32_t resident_blocks;
    uint64_t accesses, hits, misses; /* of lines, after coalescing */
    double miss_rate;                /* of misses, latency misses included */
    /* Made from differences between four runs: they need not sum to the misses. */
    uint64_t compulsory, capacity, associativity, latency, mshr;
    /* All misses of the other three runs. */
    uint64_t misses_full_associativity, misses_no_latency, misses_unlimited_mshrs;
} sl_hpca14_result;

sl_status sl_hpca14_run(const char *path, sl_hpca14_result *result, sl_error *error);

#endif
