/* SPDX-License-Identifier: MIT */
/* Lower bound of misses of any cache of a size on a stream of accesses: Belady's MIN, "A study of replacement
 * algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966, with bypassing. A line whose next use is
 * later than those of all lines of its set bypasses.
 *
 * It is a bound on misses, not on time: the stream is that of a run under another policy, and a request that has to
 * wait is no miss. Data is there at once, and nothing invalidates lines. */
#ifndef SL_CACHE_BELADY_H
#define SL_CACHE_BELADY_H

#include <stddef.h>
#include <stdint.h>

#include "sluice/error.h"

/* Accesses to lines, in order, each to a set below `sets`; set NULL: the line modulo `sets`. O(n log ways), and memory
 * for n. */
sl_status sl_belady_misses(const uint64_t *line, const uint32_t *set, size_t count, uint32_t sets, uint32_t ways,
                           uint64_t *misses, sl_error *error);

#endif
