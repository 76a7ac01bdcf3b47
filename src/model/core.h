/* SPDX-License-Identifier: MIT */
/* One core: its warps take turns, and what they load goes through the first cache.
 *
 * Follows sections 4.1 and 4.5 of the HPCA 2014 paper: warps of the resident blocks in a queue, first in, first out; a
 * warp that has made its request continues when the data is there; one that finds no MSHR goes to the back. Blocks
 * start one after the other as others end. Each line that is accessed takes a step, as in the paper's tables. Beyond
 * the paper: barriers, instructions that take time, stall on use, stores and atomics. */
#ifndef SL_MODEL_CORE_H
#define SL_MODEL_CORE_H

#include <stdint.h>

#include "access/atomics.h"
#include "base/large_array.h"
#include "machine/machine.h"
#include "model/l1.h"
#include "model/model.h"
#include "sluice/trace.h"
#include "trace/walk.h"

/* What atomics ask of the slices of L2, where those of one slice take turns (access/atomics.h).
 *
 * Sectors of floating-point sums are in a table by hash. One that finds another in its place takes its passes off the
 * other's, and the place when nothing is left of them: a sector with more than all others of its place together stays,
 * with a count that is a lower bound. */

enum { SL_FLOAT_SECTORS = 256 };

typedef struct sl_atomic_load {
    uint64_t passes[SL_ATOMIC_UNITS];
    struct {
        uint64_t sector, passes;
    } floats[SL_FLOAT_SECTORS];
} sl_atomic_load;

/* A line of a warp's request, with the passes of its sectors; `level`: the last. */
void sl_atomic_load_add(sl_atomic_load *load, const sl_level *level, uint64_t line_addr, uint32_t passes, bool floats);
void sl_atomic_load_merge(sl_atomic_load *into, const sl_atomic_load *from);
sl_hot_atomics sl_atomic_load_max(const sl_atomic_load *load);

/* The first cache of a core in many sizes at once, where reuse distances alone decide: loads that take effect at once,
 * any number of lines in flight, LRU.
 *
 * A line's position in the LRU stack of its set says which associativities hold it (the inclusion property), so one
 * stack per set does for all numbers of ways; the fully associative stack next to them tells capacity from conflict for
 * all sizes. Levels with another number of sets have other stacks, fed by the same accesses. A sector is there while
 * its line was not evicted since the sector was last used: it remembers the largest distance of its line since then. */

typedef struct sl_stacks sl_stacks;

/* The levels (`count` of them, which must stay valid) agree in lines, sectors and write policy, and are LRU.
 * `no_associativity`: all have one set. */
sl_status sl_stacks_create(const sl_level *level, size_t count, bool no_associativity, sl_stacks **stacks,
                           sl_error *error);
void sl_stacks_destroy(sl_stacks *stacks); /* NULL is fine */

/* As the functions of l1.h; only sectors of loads that are `counted` show in the results. */
void sl_stacks_load(sl_stacks *stacks, uint64_t line, uint32_t sectors, bool counted);
void sl_stacks_store(sl_stacks *stacks, uint64_t line, uint32_t sectors);
void sl_stacks_invalidate(sl_stacks *stacks, uint64_t line);
void sl_stacks_bypass(sl_stacks *stacks, uint64_t line, uint32_t sectors, bool lookup); /* counted */

/* [count][SL_LOAD_CLASSES]: sectors by level and class. */
const uint64_t (*sl_stacks_result(const sl_stacks *stacks))[SL_LOAD_CLASSES];
/* Memory ran out: the results are not right. */
bool sl_stacks_failed(const sl_stacks *stacks);

/* Something that is sent to the next level. */
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
    uint64_t requests;                          /* of warps */
    uint64_t sectors[SL_LOAD_CLASSES];          /* global loads */
    uint64_t scalar, scalar_lines, scalar_hits; /* of warps, as scalar loads; their lines */
} sl_slot_loads;

typedef struct sl_core_result {
    sl_warps_work work;
    sl_atomic_load *atomics;   /* the caller's; added to. NULL: not wanted */
    sl_slot_loads *slot;       /* [mem_slots], the caller's; added to */
    sl_large_array traffic;    /* of sl_traffic; its folder and limit are the caller's */
    uint64_t steps;            /* when the last warp ended */
    uint64_t fit[SL_FIT_BINS]; /* as sl_l1_fit says */
} sl_core_result;

/* Runs the blocks (indices of the loaded launch) in this order. */
sl_status sl_core_run(const sl_core_config *config, const uint32_t *block, size_t blocks, sl_core_result *result,
                      sl_error *error);

#endif
