/* SPDX-License-Identifier: MIT */
/* Where results, recordings and timings are kept from run to run: one folder, by one rule.
 *
 *   points.sqlite   numbers of points ('reproduce'; a sweep has a database of its own), timings of choices ('tune')
 *   traces/         recordings of inputs that many points look at, by their keys
 *
 * Commands that look at an input once keep nothing. */
#ifndef SL_CLI_CACHE_FOLDER_H
#define SL_CLI_CACHE_FOLDER_H

#include "cli/command.h"
#include "study/runner.h"

/* `wanted`, from --cache, where it is given (not NULL); else "sluice" in XDG_CACHE_HOME, where that is an absolute
 * path, or in ~/.cache. */
sl_status sl_cache_folder(const char *wanted, char *path, size_t size, sl_error *error);

/* Its database. */
sl_status sl_cache_store_open(const char *wanted, sl_point_store **store, sl_error *error);

/* A runner with all threads that were asked for, and its recordings in the cache. `database` NULL: that of the cache.
 * On failure there is nothing to close. */
typedef struct sl_cached_runner {
    sl_runner runner;
    char traces[1000];
} sl_cached_runner;
sl_status sl_cached_runner_open(sl_cached_runner *cached, const sl_invocation *inv, const char *wanted,
                                const char *database, sl_error *error);
void sl_cached_runner_close(sl_cached_runner *cached);

#endif
