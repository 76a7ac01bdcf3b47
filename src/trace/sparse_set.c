/* SPDX-License-Identifier: MIT */
#include "trace/sparse_set.h"

#include <stdlib.h>

static size_t index_of(uint64_t number, size_t slot_count)
{
    return (size_t)((number * 0x9e3779b97f4a7c15u) >> 20) & (slot_count - 1);
}

void sl_sparse_set_fini(sl_sparse_set *set)
{
    for (size_t i = 0; i < set->slot_count; i++)
        free(set->slots[i]);
    free(set->slots);
    *set = (sl_sparse_set){0};
}

static bool grow(sl_sparse_set *set)
{
    size_t slot_count = set->slot_count ? set->slot_count * 2 : 16;
    sl_sparse_set_leaf **slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < set->slot_count; i++) {
        if (!set->slots[i])
            continue;
        size_t at = index_of(set->slots[i]->number, slot_count);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = set->slots[i];
    }
    free(set->slots);
    set->slots = slots;
    set->slot_count = slot_count;
    return true;
}

/* The leaf of that number, made when it is not there; NULL when memory runs out. */
static sl_sparse_set_leaf *leaf_of(sl_sparse_set *set, uint64_t number)
{
    if (set->latest && set->latest->number == number)
        return set->latest;
    if (set->leaves * 2 >= set->slot_count && !grow(set))
        return NULL;
    size_t at = index_of(number, set->slot_count);
    while (set->slots[at] && set->slots[at]->number != number)
        at = (at + 1) & (set->slot_count - 1);
    if (!set->slots[at]) {
        set->slots[at] = calloc(1, sizeof **set->slots);
        if (!set->slots[at])
            return NULL;
        set->slots[at]->number = number;
        set->leaves++;
    }
    return set->latest = set->slots[at];
}

bool sl_sparse_set_add_slowly(sl_sparse_set *set, uint64_t first, uint64_t last)
{
    for (uint64_t sector = first;;) {
        sl_sparse_set_leaf *leaf = leaf_of(set, sector >> SL_LEAF_LOG2);
        if (!leaf)
            return false;
        uint64_t word_end = sector | 63; /* the last sector of this word */
        uint64_t upto = word_end < last ? word_end : last;
        uint64_t bits = UINT64_MAX >> (63 - (upto - sector)) << (sector & 63);
        leaf->bits[sector / 64 % SL_LEAF_WORDS] |= bits;
        if (upto == last)
            return true;
        sector = upto + 1;
    }
}

bool sl_sparse_set_has(const sl_sparse_set *set, uint64_t sector)
{
    if (!set->slot_count)
        return false;
    size_t at = index_of(sector >> SL_LEAF_LOG2, set->slot_count);
    while (set->slots[at] && set->slots[at]->number != sector >> SL_LEAF_LOG2)
        at = (at + 1) & (set->slot_count - 1);
    return set->slots[at] && set->slots[at]->bits[sector / 64 % SL_LEAF_WORDS] >> (sector & 63) & 1;
}

bool sl_sparse_set_merge(sl_sparse_set *into, const sl_sparse_set *from)
{
    for (size_t i = 0; i < from->slot_count; i++) {
        if (!from->slots[i])
            continue;
        sl_sparse_set_leaf *leaf = leaf_of(into, from->slots[i]->number);
        if (!leaf)
            return false;
        for (int w = 0; w < SL_LEAF_WORDS; w++)
            leaf->bits[w] |= from->slots[i]->bits[w];
    }
    return true;
}

uint64_t sl_sparse_set_count(const sl_sparse_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->slot_count; i++)
        for (int w = 0; set->slots[i] && w < SL_LEAF_WORDS; w++)
            count += (uint64_t)__builtin_popcountll(set->slots[i]->bits[w]);
    return count;
}
