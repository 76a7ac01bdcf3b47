/* SPDX-License-Identifier: MIT */
/* Reuse profiles: how the accesses of a launch reuse lines and sectors, from its trace alone. No cache and no
 * timing is involved; only an order of the accesses is assumed.
 *
 * The order: block b runs on core b % cores. A core holds some blocks at a time and takes the next of its blocks when
 * one ends. The warps of its blocks take turns, one access to memory each; at a barrier they wait for the others of
 * their block. Each core has a separate history: results are sums over the cores.
 *
 * What is looked at: loads, stores, atomics and asynchronous copies in global and local memory. Prefetches, textures,
 * constants and shared memory do not count. An access is one line (or sector) of one access of a warp. Every launch
 * starts over. */
#ifndef SLUICE_PROFILE_H
#define SLUICE_PROFILE_H

#include "sluice/pool.h"
#include "sluice/progress.h"
#include "sluice/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- histograms over powers of two ---- */

enum { SL_DISTANCE_BINS = 48, SL_REUSE_BINS = 34 };

/* Bin 0 holds 0, bin k > 0 holds 2^(k-1) … 2^k - 1. */
typedef struct sl_distances {
    uint64_t never; /* first accesses */
    uint64_t bin[SL_DISTANCE_BINS];
} sl_distances;

static inline uint64_t sl_distance_min(unsigned bin)
{
    return bin ? UINT64_C(1) << (bin - 1) : 0;
}
static inline uint64_t sl_distance_max(unsigned bin)
{
    return (UINT64_C(1) << bin) - 1;
}

/* Bins 0, 1 and 2 hold 0, 1 and 2; bin k > 2 holds 2^(k-2) + 1 … 2^(k-1): 3-4, 5-8, … */
static inline uint64_t sl_reuse_min(unsigned bin)
{
    return bin < 3 ? bin : (UINT64_C(1) << (bin - 2)) + 1;
}
static inline uint64_t sl_reuse_max(unsigned bin)
{
    return bin < 3 ? bin : UINT64_C(1) << (bin - 1);
}

/* ---- profiles ---- */

typedef struct sl_profile_options {
    uint32_t line_bytes, sector_bytes; /* powers of two, sectors not larger than lines */
    uint32_t cores, blocks_per_core;
    uint64_t cache_bytes; /* per core: what fills refer to; at least one line */
    uint32_t windows;     /* of the footprint: at least that many, less than twice as many */
    bool loads_only;
} sl_profile_options;

/* A part of the time that a launch takes. */
typedef struct sl_footprint_window {
    uint64_t accesses;
    uint64_t lines;     /* different ones */
    uint64_t new_lines; /* of these, never accessed before */
} sl_footprint_window;

/* Of a load, a launch, a kernel or all of a trace. */
typedef struct sl_profile_counts {
    uint64_t requests; /* warp instructions with at least one lane */
    uint64_t line_accesses, sector_accesses;
    uint64_t requested_bytes;                    /* active lanes times width */
    uint64_t used_bytes;                         /* different bytes among those of one request */
    sl_distances line_distance, sector_distance; /* different ones accessed in between */
    sl_distances line_gap;                       /* accesses in between, whichever */
    /* Lines it was the first to access, by how often they were accessed again, by whomever. */
    uint64_t lines, line_reuses[SL_REUSE_BINS];
    /* In a fully associative cache with LRU replacement. */
    uint64_t fills;                /* accesses that miss */
    uint64_t evicted_before_reuse; /* of these, lines evicted without a hit though they are accessed at other times */
} sl_profile_counts;

/* Lines accessed exactly once: as many accesses, and as many fills, have no reuse at all. */
static inline uint64_t sl_profile_once(const sl_profile_counts *counts)
{
    return counts->line_reuses[0];
}

typedef struct sl_profile_load {
    uint32_t slot; /* memory slot of the kernel */
    sl_profile_counts counts;
} sl_profile_load;

typedef struct sl_profile {
    const sl_trace_kernel *kernel; /* of the trace */
    const sl_trace_launch *launch;
    sl_profile_counts total;
    uint32_t loads; /* memory instructions that accessed something, in program order */
    sl_profile_load *load;
    uint32_t cores;           /* that had anything to do */
    uint64_t footprint_lines; /* different ones, over all cores */
    uint64_t window_accesses; /* length of a window: accesses of one core */
    uint32_t windows;
    sl_footprint_window *window; /* sums over the cores: window i of each */
} sl_profile;

SL_API void sl_profile_counts_merge(sl_profile_counts *into, const sl_profile_counts *from);

/* SL_INVALID names the option that makes no sense. */
SL_API sl_status sl_profile_check(const sl_profile_options *options, sl_error *error);
/* Profiles one launch; the trace must outlive the profile. `pool` may be NULL; the result is the same for any number of
 * threads. `progress` (may be NULL) counts cores. */
SL_API sl_status sl_profile_launch(const sl_trace *trace, uint32_t launch, const sl_profile_options *options,
                                   sl_pool *pool, const sl_progress *progress, sl_profile *profile, sl_error *error);
SL_API void sl_profile_fini(sl_profile *profile); /* an all-zero one is fine */

#ifdef __cplusplus
}
#endif

#endif
