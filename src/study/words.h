/* SPDX-License-Identifier: MIT */
/* Words separated by spaces. Those in parentheses belong together: "all decoupled(threshold=2, ways=8)" are two. */
#ifndef SL_EXPERIMENT_WORDS_H
#define SL_EXPERIMENT_WORDS_H

#include <stddef.h>

#include "sluice/error.h"

enum { SL_MAX_WORDS = 32 };

typedef struct sl_words {
    char *text; /* a copy, which the words are parts of */
    size_t count;
    const char *word[SL_MAX_WORDS];
} sl_words;

sl_status sl_words_split(const char *text, sl_words *words, sl_error *error);
void sl_words_free(sl_words *words);

#endif
