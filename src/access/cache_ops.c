/* SPDX-License-Identifier: MIT */
#include "access/cache_ops.h"

const sl_cache_decision sl_cache_decisions[SL_CACHE_OPS] = {
#define SL_CACHE_OP(op, lookup, allocate, l1, l2, half, log2_fetch, reason)                                            \
    [SL_CACHE_##op] = {lookup, allocate, half, SL_EVICT_##l1, SL_EVICT_##l2, log2_fetch, reason},
#include "access/cache_ops.def"
#undef SL_CACHE_OP
};
