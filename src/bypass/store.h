/* SPDX-License-Identifier: MIT */
/* Timings that were taken before, in a file: so that tuning goes on where it was stopped, and another way of choosing
 * costs nothing that was measured already.
 *
 * One line per timing, appended as soon as it is known; a line that was cut off by a crash is passed over. Two programs
 * may append to one file. */
#ifndef SL_BYPASS_STORE_H
#define SL_BYPASS_STORE_H

#include "bypass/clock.h"

typedef struct sl_store sl_store;

/* Reads what is there; `path` need not exist yet. NULL: timings are kept in memory alone. */
sl_status sl_store_open(const char *path, sl_store **store, sl_error *error);
void sl_store_close(sl_store *store); /* NULL is fine */
/* `key`: any text without line ends. False: not known. */
bool sl_store_find(const sl_store *store, const char *key, sl_timing *timing);
sl_status sl_store_add(sl_store *store, const char *key, const sl_timing *timing, sl_error *error);

#endif
