/* What the caches of the first level are asked for, in order: the loads' requests for lines. From it follows the least
 * number of misses that any policy could have on the same requests, in the same order: a bound on misses, not on time
 * (cache/belady.h). Stores, and sectors that a line lacks, are left out of the bound: with them it would be higher. */
#ifndef SL_SIM_STREAM_H
#define SL_SIM_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

typedef struct sl_sim_stream sl_sim_stream;

/* NULL when memory runs out. */
sl_sim_stream *sl_sim_stream_create(void);
void sl_sim_stream_destroy(sl_sim_stream *stream); /* NULL is fine */

/* A launch starts on so many caches with so many sets and ways: what was recorded before is forgotten. */
sl_status sl_sim_stream_start(sl_sim_stream *stream, uint32_t caches, uint32_t sets, uint32_t ways, sl_error *error);
/* A request; `missed`: the data was not there, nor on its way. False: memory ran out. */
bool sl_sim_stream_add(sl_sim_stream *stream, uint32_t cache, uint64_t line, uint32_t set, bool missed);

typedef struct sl_sim_bound {
    uint64_t requests, misses; /* as they were simulated; requests that went past the cache are misses */
    uint64_t fewest;           /* misses that a policy with foresight would have had */
} sl_sim_bound;

/* Of what was recorded, all caches together. */
sl_status sl_sim_stream_bound(const sl_sim_stream *stream, sl_pool *pool, sl_sim_bound *bound, sl_error *error);

#endif
