/* SPDX-License-Identifier: MIT */
/* Which levels a load looks up and allocates in: decided once, from its cache operator, and carried along with its
 * requests. */
#ifndef SL_ACCESS_CACHE_OPS_H
#define SL_ACCESS_CACHE_OPS_H

#include "access/request.h"

/* See cache_ops.def. */
typedef struct sl_cache_decision {
    bool lookup, allocate, evict_first;
    const char *reason;
} sl_cache_decision;

extern const sl_cache_decision sl_cache_decisions[SL_CACHE_OPS];

/* How a load is handled in L1 and in the last level. Other accesses have no such operators. */
static inline const sl_cache_decision *sl_cache_decide(const sl_inst *inst)
{
    return &sl_cache_decisions[sl_inst_loads(inst) ? (sl_cache_op)inst->cache_op : SL_CACHE_DEFAULT];
}

#endif
