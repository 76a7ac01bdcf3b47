/* SPDX-License-Identifier: MIT */
/* A hash table of numbers: which of the items that the caller keeps (in an array, say) have a key. Items are numbered
 * from 0. Slots are probed one after the other; at most half of them are taken. A zeroed index is empty. */
#ifndef SL_BASE_INDEX_H
#define SL_BASE_INDEX_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"

typedef struct sl_index {
    uint32_t *slot; /* item + 1; 0: free */
    unsigned log2;  /* of the slots; 0: there are none */
    size_t count;
} sl_index;

/* The key of an item, to put it into a larger table. */
typedef uint64_t sl_index_key(const void *items, uint32_t item);

static inline void sl_index_fini(sl_index *index)
{
    free(index->slot);
    *index = (sl_index){0};
}

static inline size_t sl_index_next(const sl_index *index, size_t at)
{
    return (at + 1) & (((size_t)1 << index->log2) - 1);
}

/* Visits the slots of items that may have the key: sl_index_item(index, at) is one, and the caller compares. */
#define sl_index_for(index, key, at)                                                                                   \
    for (size_t at = (index)->log2 ? sl_hash_slot(key, (index)->log2) : 0; (index)->log2 && (index)->slot[at];         \
         at = sl_index_next(index, at))

static inline uint32_t sl_index_item(const sl_index *index, size_t at)
{
    return index->slot[at] - 1;
}

static inline void sl_index_insert(sl_index *index, uint64_t key, uint32_t item)
{
    size_t at = sl_hash_slot(key, index->log2);
    while (index->slot[at])
        at = sl_index_next(index, at);
    index->slot[at] = item + 1;
}

/* Adds an item that is not there yet; false when memory runs out. */
static inline bool sl_index_add(sl_index *index, uint64_t key, uint32_t item, sl_index_key *key_of, const void *items)
{
    if (!index->log2 || (index->count + 1) >> (index->log2 - 1)) {
        sl_index grown = {.log2 = index->log2 ? index->log2 + 1 : 5, .count = index->count};
        if (!(grown.slot = calloc((size_t)1 << grown.log2, sizeof *grown.slot)))
            return false;
        for (size_t i = 0; index->log2 && i < (size_t)1 << index->log2; i++)
            if (index->slot[i])
                sl_index_insert(&grown, key_of(items, sl_index_item(index, i)), sl_index_item(index, i));
        free(index->slot);
        *index = grown;
    }
    sl_index_insert(index, key, item);
    index->count++;
    return true;
}

#endif
