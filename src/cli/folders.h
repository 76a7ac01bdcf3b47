/* SPDX-License-Identifier: MIT */
/* Temporary files and the cache folder. */
#ifndef SL_CLI_FOLDERS_H
#define SL_CLI_FOLDERS_H

#include <stddef.h>

#include "cli/command.h"
#include "sluice/error.h"
#include "study/runner.h"

/* ---- temporary files, removed also when a signal that can be caught ends the program ---- */

/* Where temporary files go: TMPDIR, or /tmp. */
const char *sl_temporary_base(void);
/* Makes a folder under it; its name goes to `folder`. */
sl_status sl_temporary_folder(char *folder, size_t size, sl_error *error);
/* Removes it with the files in it. */
void sl_temporary_folder_remove(const char *folder);

/* Registers a file for removal when a signal ends the program, and unregisters it. Safe to call from any thread. */
void sl_temporary_note(const char *path);
void sl_temporary_forget(const char *path);

/* Registers the folder of a file (NULL: none), from which unfinished temporary files of the library are removed when a
 * signal ends the program. */
void sl_temporary_next_to(const char *path);

/* The cache folder: results, recordings and timings that are kept between runs.
 *
 *   points.sqlite   results of 'reproduce' (a sweep has a separate database) and timings of 'tune'
 *   traces/         recordings of inputs that many points use, by key
 *
 * Commands that analyze an input once keep nothing. */

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
