/* SPDX-License-Identifier: MIT */
/* Reuse distances, exact and online: how many different keys were accessed since a key was last accessed. A fully
 * associative cache of n lines with LRU replacement hits exactly where the distance is below n.
 *
 * An access takes O(log M) for M different keys. Memory grows with M, not with the number of accesses: at most 70 bytes
 * per key. */
#ifndef SL_CACHE_REUSE_H
#define SL_CACHE_REUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sluice/profile.h"

#define SL_REUSE_NEVER UINT64_MAX /* the first access of a key */

typedef struct sl_reuse sl_reuse;

/* NULL when memory runs out. */
sl_reuse *sl_reuse_create(void);
void sl_reuse_destroy(sl_reuse *reuse); /* NULL is fine */
/* Forgets all accesses; memory is kept. */
void sl_reuse_reset(sl_reuse *reuse);

/* Accesses any key: how many different keys were accessed since its last access, or SL_REUSE_NEVER. */
uint64_t sl_reuse_access(sl_reuse *reuse, uint64_t key);
/* The same; *id is the key's rank in the order of first accesses, from 0, so that a caller may keep facts about keys in
 * an array. */
uint64_t sl_reuse_access_id(sl_reuse *reuse, uint64_t key, uint32_t *id);

/* The distance that an access would have, without accessing. *id as above; UINT32_MAX for a key that was never
 * accessed. */
uint64_t sl_reuse_look(const sl_reuse *reuse, uint64_t key, uint32_t *id);
/* Removes a key, as a line that is invalidated: its next access is like a first one (but for its id). It becomes a hole
 * of the stack until an access of an older or a new key fills it: caches of all sizes then allocate that key without an
 * eviction. Distances count holes. */
void sl_reuse_remove(sl_reuse *reuse, uint64_t key);

uint64_t sl_reuse_keys(const sl_reuse *reuse); /* different ones accessed so far */
/* Memory ran out, or there are more than 2^30 keys: accesses since then were not counted, and returned SL_REUSE_NEVER
 * (with id 0). */
bool sl_reuse_failed(const sl_reuse *reuse);

/* Filling histograms over powers of two. */

static inline void sl_distances_add(sl_distances *d, uint64_t distance)
{
    unsigned bin = distance ? 64 - (unsigned)__builtin_clzll(distance) : 0;
    if (distance == SL_REUSE_NEVER)
        d->never++;
    else
        d->bin[bin < SL_DISTANCE_BINS ? bin : SL_DISTANCE_BINS - 1]++;
}

/* Of the bins of line_reuses. */
static inline unsigned sl_reuse_bin(uint32_t reuses)
{
    return reuses < 3 ? reuses : 33 - (unsigned)__builtin_clz(reuses - 1);
}

#endif
