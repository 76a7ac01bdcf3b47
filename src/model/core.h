/* SPDX-License-Identifier: MIT */
/* One core: its warps take turns, and what they load goes through the first cache.
 *
 * Follows sections 4.1 and 4.5 of the HPCA 2014 paper: warps of the resident blocks in a queue, first in, first out; a
 * warp that has made its request goes on when the data is there; one that finds no MSHR goes to the back. Blocks start
 * one after the other as others end. Each line that is accessed takes a step, as in the paper's tables. Beyond the
 * paper: barriers, instructions that take time, stall on use, stores and atomics. */
#ifndef SL_MODEL_CORE_H
#define SL_MODEL_CORE_H

#include "base/large_array.h"
#include "model/hot_words.h"
#include "model/l1.h"
#include "model/stacks.h"
#include "model/work.h"
#include "trace/walk.h"

/* Something that goes on to the next level. */
typedef struct sl_traffic {
    uint64_t time;
    uint64_t line;    /* of the first cache */
    uint16_t sectors; /* a mask */
    uint8_t kind;     /* SL_ACCESS_LOAD, _STORE, _ATOMIC, _BULK_LOAD */
    uint8_t counted;  /* a global load: its sectors are those that profilers count */
    uint32_t slot;    /* memory slot of the kernel */
} sl_traffic;

/* Bytes of traffic that a core, or a cache, has in memory; more is in a file. */
enum { SL_MAX_TRAFFIC = 256 << 10 };

/* The traffic of a core or a cache. */
static inline const sl_traffic *sl_traffic_of(const sl_large_array *traffic, size_t *count)
{
    *count = traffic->bytes / sizeof(sl_traffic);
    return (const sl_traffic *)(const void *)traffic->data;
}

typedef struct sl_core_config {
    const sl_loaded *loaded;
    const sl_walk_plan *plan;
    const sl_machine *machine;
    const sl_level *l1; /* with its final size */
    uint32_t resident_blocks;
    uint32_t core;
    bool no_latency, no_associativity, no_mshr, no_divergence;
    bool wants_traffic;
    sl_stacks *stacks; /* sees the same accesses; NULL: none */
    uint64_t seed;
} sl_core_config;

/* What a memory instruction of the kernel did on this core. */
typedef struct sl_slot_loads {
    uint64_t requests;                 /* of warps */
    uint64_t sectors[SL_LOAD_CLASSES]; /* global loads */
} sl_slot_loads;

typedef struct sl_core_result {
    sl_warps_work work;
    sl_hot_words *atomics;     /* the caller's; added to. NULL: not wanted */
    sl_slot_loads *slot;       /* [mem_slots], the caller's; added to */
    sl_large_array traffic;    /* of sl_traffic; its folder and limit are the caller's */
    uint64_t steps;            /* when the last warp ended */
    uint64_t fit[SL_FIT_BINS]; /* as sl_l1_fit says */
} sl_core_result;

/* Runs the blocks (indices of the loaded launch) in this order. */
sl_status sl_core_run(const sl_core_config *config, const uint32_t *block, size_t blocks, sl_core_result *result,
                      sl_error *error);

#endif
