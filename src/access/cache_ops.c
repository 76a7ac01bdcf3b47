/* SPDX-License-Identifier: MIT */
#include "access/cache_ops.h"

const sl_cache_decision sl_cache_decisions[SL_CACHE_OPS] = {
#define SL_CACHE_OP(op, lookup, allocate, evict_first, reason)                                                         \
    [SL_CACHE_##op] = {lookup, allocate, evict_first, reason},
#include "access/cache_ops.def"
#undef SL_CACHE_OP
};
