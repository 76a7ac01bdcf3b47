/* SPDX-License-Identifier: MIT */
/* Request coalescing across SMs: reads of the same sectors by several SMs that L2 sees as one (access/partition.h),
 * from the arrival of the first of them at L2 until it is answered; on a hit only for as long as a hit takes, however
 * long the answer waits for its port. */
#ifndef SL_SIM_COALESCER_H
#define SL_SIM_COALESCER_H

#include "base/hash.h"
#include "sim/engine.h"

/* A read in flight. */
typedef struct sl_flight {
    uint32_t next;              /* of the bucket, or of the free ones, plus one; 0: none */
    uint32_t primary, granules; /* the read, and what it reads */
    uint32_t core;              /* of the primary */
    uint64_t addr, until;       /* and the last cycle in which others are merged with it */
    uint32_t requests;          /* the primary included; UINT32_MAX: nothing more is merged with it */
    sl_request_list waiting;
} sl_flight;

/* So many that there is hardly ever a second flight in one: 132 SMs have tens of thousands of reads in flight. */
enum { SL_COALESCER_BUCKETS = 1 << 16 };

typedef struct sl_coalescer {
    const sl_level *first;
    uint32_t *bucket; /* [SL_COALESCER_BUCKETS]: first flight plus one; 0: none */
    sl_flight *item;
    uint32_t capacity, free;
} sl_coalescer;

static inline uint32_t *sl_coalescer_bucket(const sl_coalescer *coalescer, uint64_t addr)
{
    return &coalescer->bucket[sl_hash_mix(addr) & (SL_COALESCER_BUCKETS - 1)];
}

/* *coalescer stays NULL where the machine has none; the machine must outlive it. */
sl_status sl_coalescer_create(const sl_machine *machine, sl_coalescer **coalescer, sl_error *error);
void sl_coalescer_destroy(sl_coalescer *coalescer); /* NULL is fine */

typedef enum sl_coalesced { SL_COALESCED_FIRST, SL_COALESCED_ALONE, SL_COALESCED_MERGED } sl_coalesced;

/* A request arrives at L2. FIRST: once accepted it may be opened for others. MERGED: it waits for another one, which is
 * in L2. A read of other sectors of an open line goes alone, and closes the line. */
sl_coalesced sl_coalescer_merge(sl_sim *sim, const sl_request *r, uint32_t number);
/* Opens a read for others up to cycle `until`. `r`: as it arrived. False: out of memory. */
bool sl_coalescer_open(sl_sim *sim, const sl_request *r, uint32_t number, uint64_t until);
/* The line is written: later reads must not be merged with earlier ones. */
void sl_coalescer_close(sl_sim *sim, uint64_t addr);
/* L2 answers a read: returns those merged with it, which get the same data. */
sl_request_list sl_coalescer_answer(sl_sim *sim, uint32_t number);

#endif
