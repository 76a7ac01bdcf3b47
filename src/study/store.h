/* SPDX-License-Identifier: MIT */
/* Results of points in an SQLite database, by their keys. Several programs may use one database at once: each result
 * is written in one transaction, and a busy database is waited for.
 *
 *   points(key, kind, program, params, seed, machine, settings, l1, l2, scheduler, without, error, checksum)
 *   counters(key, name, value)
 *   times(key, cpu_seconds)       of a point, or of the trace of a workload
 *   timings(key, gain, spread, base, time, runs, checksum)      of bypass choices (tune/tuner.h)
 *
 * `error` is NULL if the point completed. What does not fit its checksum, over key and values, is not there; a database
 * whose pages are damaged is renamed to NAME.damaged, and a new one begun. */
#ifndef SL_STUDY_STORE_H
#define SL_STUDY_STORE_H

#include "study/point.h"
#include "tune/tuner.h"

typedef struct sl_point_store sl_point_store;

/* Creates the database, and its folder, where there is none. A file that is no database of ours, damaged or not, is
 * refused: the user may have named it by mistake. */
sl_status sl_point_store_open(const char *path, sl_point_store **store, sl_error *error);
/* The same for a name in our cache folder: whatever is there and cannot be read is damaged. */
sl_status sl_point_store_open_cache(const char *path, sl_point_store **store, sl_error *error);
void sl_point_store_close(sl_point_store *store); /* NULL is fine */

/* The counters of a completed point; *found says whether there is one. Safe to call from any thread, as
 * sl_point_store_put. */
sl_status sl_point_store_get(sl_point_store *store, const char *key, sl_values *values, bool *found, sl_error *error);
/* `failure` NULL: it completed. A failure never replaces a result. */
sl_status sl_point_store_put(sl_point_store *store, const char *key, const sl_point *point, const sl_values *values,
                             const char *failure, sl_error *error);
/* Whether something in it, or a recording that belongs to it, was damaged and was computed again. */
bool sl_point_store_damaged(sl_point_store *store);
void sl_point_store_set_damaged(sl_point_store *store);
/* CPU time of a point. */
sl_status sl_point_store_time(sl_point_store *store, const char *key, double cpu_seconds, sl_error *error);
/* The same database as a store of timings. It is good as long as the database is open. */
sl_timing_store sl_point_store_timings(sl_point_store *store);
/* Adds the results of another database. */
sl_status sl_point_store_merge(sl_point_store *store, const char *path, sl_error *error);

/* Makes a folder and those it lies in. */
sl_status sl_make_folders(const char *path, sl_error *error);

#endif
