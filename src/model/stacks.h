/* SPDX-License-Identifier: MIT */
/* The first cache of a core in many sizes at once, where reuse distances alone decide: loads that take effect at once,
 * any number of lines in flight, LRU.
 *
 * A line's position in the LRU stack of its set says which associativities hold it (the inclusion property), so one
 * stack per set does for all numbers of ways; the fully associative stack beside them tells capacity from conflict for
 * all sizes. Levels with another number of sets have other stacks, fed by the same accesses. A sector is there while
 * its line was not evicted since the sector was last used: it remembers the largest distance of its line since then. */
#ifndef SL_MODEL_STACKS_H
#define SL_MODEL_STACKS_H

#include "machine/machine.h"
#include "model/l1.h"

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

#endif
