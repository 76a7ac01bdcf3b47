/* SPDX-License-Identifier: MIT */
/* Which levels an access looks up and allocates in: decided once, from its cache operator, and carried along with its
 * requests. */
#ifndef SL_ACCESS_CACHE_OPS_H
#define SL_ACCESS_CACHE_OPS_H

#include "access/request.h"

typedef enum sl_evict_priority { SL_EVICT_NORMAL, SL_EVICT_FIRST, SL_EVICT_LAST } sl_evict_priority;

/* See cache_ops.def. */
typedef struct sl_cache_decision {
    bool lookup, allocate, half;
    uint8_t l1, l2; /* sl_evict_priority */
    uint8_t log2_fetch;
    const char *reason;
} sl_cache_decision;

extern const sl_cache_decision sl_cache_decisions[SL_CACHE_OPS];

/* Operators of stores that do what they do to loads (papers/h200-micro/retention.csv); .cg and .wt change nothing. */
static inline bool sl_cache_op_of_stores(uint8_t op)
{
    return op == SL_CACHE_CS || op == SL_CACHE_L1_NO_ALLOCATE || op == SL_CACHE_L1_EVICT_FIRST ||
           op >= SL_CACHE_L2_EVICT_FIRST;
}

/* How an access is handled in L1 and in the last level. Others than loads and stores have no such operators. */
static inline const sl_cache_decision *sl_cache_decide(const sl_inst *inst)
{
    bool decides = sl_inst_loads(inst) || (inst->access == SL_ACCESS_STORE && sl_cache_op_of_stores(inst->cache_op));
    return &sl_cache_decisions[decides ? (sl_cache_op)inst->cache_op : SL_CACHE_DEFAULT];
}

#endif
