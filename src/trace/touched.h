/* SPDX-License-Identifier: MIT */
/* The set of sectors that were touched: bitmaps of 2048 sectors each, found by hashing. */
#ifndef SL_TRACE_TOUCHED_H
#define SL_TRACE_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_LEAF_LOG2 = 11, SL_LEAF_WORDS = (1 << SL_LEAF_LOG2) / 64 };

typedef struct sl_touched_leaf {
    uint64_t number; /* sector >> SL_LEAF_LOG2 */
    uint64_t bits[SL_LEAF_WORDS];
} sl_touched_leaf;

typedef struct sl_touched {
    sl_touched_leaf **slots; /* open addressing; a power of two of them */
    size_t slot_count, leaves;
    sl_touched_leaf *latest; /* the leaf used last, which is likely next */
} sl_touched;

void sl_touched_fini(sl_touched *set); /* an all-zero set is empty */
bool sl_touched_add_slowly(sl_touched *set, uint64_t first, uint64_t last);

/* Adds sectors first … last; false when memory runs out. */
static inline bool sl_touched_add(sl_touched *set, uint64_t first, uint64_t last)
{
    if (!set->latest || first / 64 != last / 64 || set->latest->number != first >> SL_LEAF_LOG2)
        return sl_touched_add_slowly(set, first, last);
    set->latest->bits[first / 64 % SL_LEAF_WORDS] |= UINT64_MAX >> (63 - (last - first)) << (first & 63);
    return true;
}
bool sl_touched_has(const sl_touched *set, uint64_t sector);
bool sl_touched_merge(sl_touched *into, const sl_touched *from);
uint64_t sl_touched_count(const sl_touched *set);

#endif
