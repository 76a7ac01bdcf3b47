/* SPDX-License-Identifier: MIT */
/* An access at a bank, from its lookup to its outcome: what loads (bank.c) and stores (bank_store.c) share. */
#ifndef SL_SIM_LOOKUP_H
#define SL_SIM_LOOKUP_H

#include "sim/bank.h"

typedef struct sl_lookup {
    sl_request *r;
    uint32_t number;
    uint32_t hop; /* sl_hop_of */
    uint32_t granules;
    uint32_t way;     /* SL_NO_WAY: the line is absent, or in an entry of FRC */
    size_t line_slot; /* of the line, if it is present: in a way, or in an entry of FRC */
    bool present;
    uint32_t eviction;       /* record of the victim; SL_NONE: the way is free at once */
    uint32_t asked;          /* of a miss: granules that were requested below */
    sl_cache_access *access; /* as policies see it; apart, so that the rest stays in registers of the host */
} sl_lookup;

/* What makes a request bypass a level. */
typedef enum sl_bypass_cause {
    SL_BYPASS_ON_MISS,    /* its cache operator, the plan, a hint or the policy */
    SL_BYPASS_ON_STALL,   /* a reservation failure: the policy may prefer a bypass */
    SL_BYPASS_FORWARDING, /* a store or an atomic that the level forwards: the answer is not filled here */
} sl_bypass_cause;

/* Decides whether a request bypasses the level of a bank, and stores the decision in the request. Nothing else writes
 * sl_request.bypass. `reason`: of a stall. */
bool sl_decide_bypass(sl_sim *sim, sl_bank *bank, sl_lookup *lookup, sl_bypass_cause cause, sl_stall reason);

/* The request has to wait at the head of its queue. */
static inline sl_bank_outcome sl_stall_for(sl_bank *b, sl_stall reason)
{
    b->stall = reason;
    return SL_BANK_STALL;
}
static inline bool sl_miss_queue_is_full(const sl_bank *b)
{
    return b->out.count >= b->level->miss_queue;
}
/* The line was requested by a load that bypassed the level above. */
static inline bool sl_bypassed_above(const sl_bank *b, const sl_request *r)
{
    return b->number && r->kind == SL_REQUEST_LOAD && r->bypass >> (b->number - 1) & 1;
}

/* Loads, and atomics at the level that executes them. */
sl_bank_outcome sl_lookup_read(sl_sim *sim, sl_bank *bank, sl_lookup *lookup);
/* Stores, and atomics at other levels. */
sl_bank_outcome sl_lookup_write(sl_sim *sim, sl_bank *bank, sl_lookup *lookup);

/* A reservation failure: the request stalls, unless the policy makes it bypass the level. */
sl_bank_outcome sl_lookup_fail(sl_sim *sim, sl_bank *bank, sl_lookup *lookup, sl_stall reason);
/* Requests from below what the line lacks. Below it is a load, whatever it is here. */
sl_bank_outcome sl_lookup_miss(sl_sim *sim, sl_bank *bank, sl_lookup *lookup);
/* Gives the line a way, and evicts the victim. `queue_entries`: of the miss queue that the access needs itself.
 * SL_STALLS: done. */
sl_stall sl_lookup_reserve(sl_sim *sim, sl_bank *bank, sl_lookup *lookup, uint32_t queue_entries);
/* Allocates an MSHR for granules of the line. `alone`: of a store that writes the whole line. False: out of memory. */
bool sl_lookup_alloc_mshr(sl_sim *sim, sl_bank *bank, const sl_lookup *lookup, uint32_t asked, bool alone);
/* Marks the line as reused, and notifies the policies of a hit. */
void sl_lookup_hit(sl_sim *sim, sl_bank *bank, sl_lookup *lookup);
void sl_lookup_invalidate(sl_bank *bank, const sl_lookup *lookup);

#endif
