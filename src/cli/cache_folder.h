/* SPDX-License-Identifier: MIT */
/* The cache folder: results, recordings and timings that are kept between runs.
 *
 *   points.sqlite   results of 'reproduce' (a sweep has a separate database) and timings of 'tune'
 *   traces/         recordings of inputs that many points use, by key
 *
 * Commands that analyze an input once keep nothing. */
#ifndef SL_CLI_CACHE_FOLDER_H
#define SL_CLI_CACHE_FOLDER_H

#include "cli/command.h"
#include "study/runner.h"

/* `wanted` (--cache) if not NULL; else "sluice" in XDG_CACHE_HOME, if that is an absolute path, or in ~/.cache. */
sl_status sl_cache_folder(const char *wanted, char *path, size_t size, sl_error *error);

/* Its database. Closing it (NULL is fine) warns if something in it was damaged. */
sl_status sl_cache_store_open(const char *wanted, sl_point_store **store, sl_error *error);
void sl_cache_store_close(sl_point_store *store, const sl_invocation *inv);

/* A runner with the requested threads and its recordings in the cache. `database` NULL: that of the cache. On failure
 * there is nothing to close. */
typedef struct sl_cached_runner {
    sl_runner runner;
    char traces[1000];
} sl_cached_runner;
sl_status sl_cached_runner_open(sl_cached_runner *cached, const sl_invocation *inv, const char *wanted,
                                const char *database, sl_error *error);
void sl_cached_runner_close(sl_cached_runner *cached, const sl_invocation *inv);

#endif
