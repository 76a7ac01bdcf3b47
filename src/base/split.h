/* SPDX-License-Identifier: MIT */
/* Words separated by spaces. Those in parentheses belong together: "all decoupled(threshold=2, ways=8)" are two. */
#ifndef SL_BASE_SPLIT_H
#define SL_BASE_SPLIT_H

#include <stddef.h>

#include "sluice/error.h"

enum { SL_MAX_WORDS = 32 };

typedef struct sl_split {
    char *text; /* a copy, which the words are parts of */
    size_t count;
    const char *word[SL_MAX_WORDS];
} sl_split;

sl_status sl_split_words(const char *text, sl_split *words, sl_error *error);
void sl_split_free(sl_split *words);

#endif
