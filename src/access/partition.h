/* SPDX-License-Identifier: MIT */
/* Partitions of a level that all cores share: each serves some of the cores, and is home to as many lines as the
 * others. What its cores read of lines whose home is another one it fetches from there, and keeps as a copy. */
#ifndef SL_ACCESS_PARTITION_H
#define SL_ACCESS_PARTITION_H

#include "machine/machine.h"

/* Request coalescing across SMs: of the reads of neighboring cores (coalesce_cores, a GPC) the second level takes up
 * to coalesce_requests identical ones as one while the first of them is there. One read of a line is open to that at a
 * time; a read of other sectors of the line closes it, and is not open itself. */

static inline bool sl_coalescer_exists(const sl_level *first)
{
    return first->coalesce_requests > 1 && first->coalesce_cores > 1;
}

/* Which coalescer a core has. */
static inline uint32_t sl_coalescer_of(const sl_level *first, uint32_t core)
{
    return first->coalesce_cores ? core / first->coalesce_cores : core;
}

/* Whether another read can be merged with one that already stands for `reads`. */
static inline bool sl_coalescer_takes(const sl_level *first, uint32_t reads)
{
    return reads < first->coalesce_requests;
}

static inline uint32_t sl_partitions(const sl_level *level)
{
    return level->partitions ? level->partitions : 1;
}

/* The partition that serves a core: they take turns, for so many cores each as the level says, or for those of each
 * coalescer of `first`, the level above. */
static inline uint32_t sl_partition_of(const sl_level *level, const sl_level *first, uint32_t core)
{
    if (!level->partition_cores)
        return sl_coalescer_of(first, core) % sl_partitions(level);
    if (core < level->partition_first)
        return 0;
    return ((core - level->partition_first) / level->partition_cores + 1) % sl_partitions(level);
}

/* The partition that is the home of a line. */
static inline uint32_t sl_partition_home(const sl_level *level, uint64_t line)
{
    return level->partitions > 1 ? (uint32_t)((line * 0x9e3779b97f4a7c15u) >> 32) % level->partitions : 0;
}

#endif
