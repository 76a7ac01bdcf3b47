/* SPDX-License-Identifier: MIT */
/* The nearest right name for a wrong one. */
#ifndef SL_BASE_SUGGEST_H
#define SL_BASE_SUGGEST_H

#include <stddef.h>

/* The candidate with the smallest edit distance to `word` if it is near enough to be a typing slip, else NULL. */
const char *sl_suggest(const char *word, const char *const *candidates, size_t count);
/* "; did you mean 'x'?" or nothing, into `buffer`; returns it. `prefix` goes before the name ("--"). */
const char *sl_did_you_mean(const char *word, const char *const *names, size_t count, const char *prefix, char *buffer,
                            size_t size);

#endif
