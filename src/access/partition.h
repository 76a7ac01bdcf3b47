/* SPDX-License-Identifier: MIT */
/* Partitions of a level that all cores share: each serves some of the cores, and is home to as many lines as the
 * others. What its cores read of lines whose home is another one it fetches from there, and keeps as a copy. */
#ifndef SL_ACCESS_PARTITION_H
#define SL_ACCESS_PARTITION_H

#include "access/coalescer.h"

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
