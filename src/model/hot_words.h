/* SPDX-License-Identifier: MIT */
/* The word of memory that atomics access most: each lane is an access, and those of one word take turns.
 *
 * A table of words by hash. A word that finds another one in its place takes one off its count, and the place when
 * nothing is left of it: a word with more accesses than all others of its place together stays, with a count that is a
 * lower bound. */
#ifndef SL_MODEL_HOT_WORDS_H
#define SL_MODEL_HOT_WORDS_H

#include <stdint.h>

#include "sluice/trace.h"

enum { SL_HOT_WORDS = 256 };

typedef struct sl_hot_words {
    struct {
        uint64_t word, lanes;
    } entry[SL_HOT_WORDS];
} sl_hot_words;

/* The active lanes of an atomic or reduction by a warp of so many. Its addresses are expanded. */
void sl_hot_words_add(sl_hot_words *hot, const sl_inst *inst, sl_access *access, uint32_t lanes);
/* Adds the words of a table to another one. */
void sl_hot_words_merge(sl_hot_words *into, const sl_hot_words *from);
uint64_t sl_hot_words_max(const sl_hot_words *hot);

#endif
