/* SPDX-License-Identifier: MIT */
/* Charts made of block characters. */
#ifndef SL_REPORT_BARS_H
#define SL_REPORT_BARS_H

#include <stddef.h>
#include <stdint.h>

enum { SL_BAR_COLUMNS = 40, SL_BAR_BYTES = 3 * SL_BAR_COLUMNS + 1 };

/* A horizontal bar of `share` (0 to 1) of `columns` (at most SL_BAR_COLUMNS), in eighths; anything above 0 is seen.
 * Returns `buffer`. */
char *sl_bar(double share, unsigned columns, char buffer[SL_BAR_BYTES]);

/* A character of eight heights for `value` of `max`; a space for 0. */
const char *sl_spark(uint64_t value, uint64_t max);

#endif
