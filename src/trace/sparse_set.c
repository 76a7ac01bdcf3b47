/* SPDX-License-Identifier: MIT */
#include "trace/sparse_set.h"

#include <stdlib.h>

void sl_sparse_set_fini(sl_sparse_set *set)
{
    for (size_t i = 0; i < set->leaves.count; i++)
        free(set->leaves.items[i]);
    sl_array_free(&set->leaves);
    sl_index_fini(&set->by_number);
    set->latest = NULL;
}

static uint64_t number_of(const void *leaves, uint32_t leaf)
{
    return ((sl_sparse_set_leaf *const *)leaves)[leaf]->number;
}

static sl_sparse_set_leaf *find_leaf(const sl_sparse_set *set, uint64_t number)
{
    sl_index_for(&set->by_number, number, at)
    {
        sl_sparse_set_leaf *leaf = set->leaves.items[sl_index_item(&set->by_number, at)];
        if (leaf->number == number)
            return leaf;
    }
    return NULL;
}

/* The leaf of that number, made when it is not there; NULL when memory runs out. */
static sl_sparse_set_leaf *leaf_of(sl_sparse_set *set, uint64_t number)
{
    if (set->latest && set->latest->number == number)
        return set->latest;
    sl_sparse_set_leaf *leaf = find_leaf(set, number);
    if (!leaf) {
        leaf = calloc(1, sizeof *leaf);
        if (!leaf || !sl_array_push(&set->leaves, leaf)) {
            free(leaf);
            return NULL;
        }
        leaf->number = number;
        if (!sl_index_add(&set->by_number, number, (uint32_t)set->leaves.count - 1, number_of, set->leaves.items))
            return NULL;
    }
    return set->latest = leaf;
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

bool sl_sparse_set_add_word(sl_sparse_set *set, uint64_t word, uint64_t bits)
{
    sl_sparse_set_leaf *leaf = leaf_of(set, word / SL_LEAF_WORDS);
    if (leaf)
        leaf->bits[word % SL_LEAF_WORDS] |= bits;
    return leaf != NULL;
}

bool sl_sparse_set_has(const sl_sparse_set *set, uint64_t sector)
{
    const sl_sparse_set_leaf *leaf = find_leaf(set, sector >> SL_LEAF_LOG2);
    return leaf && leaf->bits[sector / 64 % SL_LEAF_WORDS] >> (sector & 63) & 1;
}

bool sl_sparse_set_merge(sl_sparse_set *into, const sl_sparse_set *from)
{
    for (size_t i = 0; i < from->leaves.count; i++) {
        sl_sparse_set_leaf *leaf = leaf_of(into, from->leaves.items[i]->number);
        if (!leaf)
            return false;
        for (int w = 0; w < SL_LEAF_WORDS; w++)
            leaf->bits[w] |= from->leaves.items[i]->bits[w];
    }
    return true;
}

uint64_t sl_sparse_set_count(const sl_sparse_set *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->leaves.count; i++)
        for (int w = 0; w < SL_LEAF_WORDS; w++)
            count += (uint64_t)__builtin_popcountll(set->leaves.items[i]->bits[w]);
    return count;
}

uint64_t sl_sparse_set_first(const sl_sparse_set *set)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < set->leaves.count; i++) {
        const sl_sparse_set_leaf *leaf = set->leaves.items[i];
        for (unsigned w = 0; w < SL_LEAF_WORDS; w++) {
            uint64_t sector = (leaf->number << SL_LEAF_LOG2) + 64 * w;
            if (sector >= first)
                break;
            if (leaf->bits[w])
                first = sector + (unsigned)__builtin_ctzll(leaf->bits[w]);
        }
    }
    return first;
}
