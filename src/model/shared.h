/* SPDX-License-Identifier: MIT */
/* A cache that several cores share. It receives the misses of the level above, ordered by time, and has no latency: a
 * requested line is valid for the next request. */
#ifndef SL_MODEL_SHARED_H
#define SL_MODEL_SHARED_H

#include "model/core.h"

/* What a level did for a memory instruction of the kernel, in sectors of the level. */
typedef struct sl_shared_counts {
    uint64_t reads, read_hits; /* of loads */
    uint64_t writes;           /* of stores */
    uint64_t filled;           /* read from below */
    uint64_t written;          /* written below */
    uint64_t kept;             /* sectors that the cache had from launches before, when they were first read */
} sl_shared_counts;

typedef struct sl_shared sl_shared;

typedef struct sl_shared_config {
    const sl_level *level, *above; /* must stay valid; above: the level whose misses it serves */
    uint32_t slots;                /* memory instructions of the kernel */
    uint32_t miss_cycles; /* from a request that misses here to its data: how long others can be merged with it */
    bool wants_traffic;   /* for a level below */
    bool keeps;           /* what the spare cache holds; false: this one is empty */
    bool no_stamps;       /* asks the policy for victims also where LRU stamps would be enough */
    const char *spill;    /* as sl_loaded_spill */
    uint64_t seed;
} sl_shared_config;

/* `spare`: the cache of the launch before, whose memory this one takes over if it is as large, with `keeps` what it
 * holds as well, and which is freed in any case; NULL: none. */
sl_status sl_shared_create(const sl_shared_config *config, sl_shared *spare, sl_shared **shared, sl_error *error);
void sl_shared_destroy(sl_shared *shared); /* NULL is fine */
/* Frees the traffic, which the level below has read. */
void sl_shared_drop_traffic(sl_shared *shared);
/* The next piece of traffic, from core or instance `source` of the level above; times do not go back. False: memory ran
 * out. */
bool sl_shared_access(sl_shared *shared, const sl_traffic *traffic, uint32_t source);
/* At the end: fails if the policy made an invalid choice. */
sl_status sl_shared_check(const sl_shared *shared, sl_error *error);
/* [slots], and one more for write-backs, which belong to no instruction. */
const sl_shared_counts *sl_shared_result(const sl_shared *shared);
/* What misses here, for the next level; lines and sectors are this level's. */
const sl_large_array *sl_shared_traffic(const sl_shared *shared);

#endif
