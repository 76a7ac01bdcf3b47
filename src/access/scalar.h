/* SPDX-License-Identifier: MIT */
/* The scalar data cache of a compute unit: where AMD's GPUs have the loads whose address is one for all lanes. They are
 * not requests to the first level. A line that misses is read from the level behind it.
 *
 * Compute units that share such a cache have one each here, of its whole size. */
#ifndef SL_ACCESS_SCALAR_H
#define SL_ACCESS_SCALAR_H

#include "machine/machine.h"
#include "sluice/trace.h"

/* Whether the machine has one, and the access goes there: the compiler sees that its address is one for all lanes
 * (sl_inst.uniform), and it is. */
bool sl_access_is_scalar(const sl_machine *machine, const sl_inst *inst, const sl_access *access);

/* Its tags: sets of the lines used last. Zeroes are a cache that is not there yet. */
typedef struct sl_scalar_cache {
    uint32_t sets, ways;
    uint64_t *line; /* [sets * ways]: number + 1, the one used last first; 0: none */
} sl_scalar_cache;

/* Empty, for the machine; keeps the memory it has. */
sl_status sl_scalar_cache_start(sl_scalar_cache *cache, const sl_machine *machine, sl_error *error);
void sl_scalar_cache_fini(sl_scalar_cache *cache);
/* Whether the line is there; then it is. */
bool sl_scalar_cache_access(sl_scalar_cache *cache, uint64_t line);

#endif
