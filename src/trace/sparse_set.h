/* SPDX-License-Identifier: MIT */
/* The set of sectors that were accessed: bitmaps of 2048 sectors each, found by hashing. */
#ifndef SL_TRACE_SPARSE_SET_H
#define SL_TRACE_SPARSE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/index.h"

enum { SL_LEAF_LOG2 = 11, SL_LEAF_WORDS = (1 << SL_LEAF_LOG2) / 64 };

typedef struct sl_sparse_set_leaf {
    uint64_t number; /* sector >> SL_LEAF_LOG2 */
    uint64_t bits[SL_LEAF_WORDS];
} sl_sparse_set_leaf;

typedef struct sl_sparse_set {
    SL_ARRAY(sl_sparse_set_leaf *) leaves;
    sl_index by_number;
    sl_sparse_set_leaf *latest; /* the leaf used last, which is likely next */
} sl_sparse_set;

void sl_sparse_set_fini(sl_sparse_set *set); /* an all-zero set is empty */
bool sl_sparse_set_add_slowly(sl_sparse_set *set, uint64_t first, uint64_t last);

/* Adds sectors first … last; false when memory runs out. */
static inline bool sl_sparse_set_add(sl_sparse_set *set, uint64_t first, uint64_t last)
{
    if (!set->latest || first / 64 != last / 64 || set->latest->number != first >> SL_LEAF_LOG2)
        return sl_sparse_set_add_slowly(set, first, last);
    set->latest->bits[first / 64 % SL_LEAF_WORDS] |= UINT64_MAX >> (63 - (last - first)) << (first & 63);
    return true;
}
/* Adds those of sectors 64 * word … 64 * word + 63 whose bit is set; false when memory runs out. */
bool sl_sparse_set_add_word(sl_sparse_set *set, uint64_t word, uint64_t bits);
bool sl_sparse_set_has(const sl_sparse_set *set, uint64_t sector);
bool sl_sparse_set_merge(sl_sparse_set *into, const sl_sparse_set *from);
uint64_t sl_sparse_set_count(const sl_sparse_set *set);
uint64_t sl_sparse_set_first(const sl_sparse_set *set); /* the lowest sector; UINT64_MAX: none */

#endif
