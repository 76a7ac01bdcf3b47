/* SPDX-License-Identifier: MIT */
/* Requests per line: a profiling run counts them, and policies of the second run look them up by the functions of
 * sluice/policy.h. */
#ifndef SL_POLICY_LINE_COUNTS_H
#define SL_POLICY_LINE_COUNTS_H

#include "sluice/policy.h"

/* NULL when memory runs out. */
sl_line_counts *sl_line_counts_create(uint32_t instances);
void sl_line_counts_destroy(sl_line_counts *counts); /* NULL is fine */
/* A request of a cache; false: memory ran out, and it was not counted. Counts stop at UINT32_MAX. */
bool sl_line_counts_add(sl_line_counts *counts, uint32_t instance, uint64_t line);
/* Whether a count may be in min ... max - 1: local ones, global ones, or with both their sum, where a cache that did
 * not ask for a line has a local count of 0. */
bool sl_line_counts_between(const sl_line_counts *counts, bool local, bool global, uint64_t min, uint64_t max);

#endif
