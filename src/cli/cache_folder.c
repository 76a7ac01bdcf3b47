/* SPDX-License-Identifier: MIT */
#include "cli/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/new_file.h"
#include "cli/temporary.h"

sl_status sl_cache_folder(const char *wanted, char *path, size_t size, sl_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wanted)
        snprintf(path, size, "%s", wanted);
    else if (cache && *cache == '/')
        snprintf(path, size, "%s/sluice", cache);
    else if (home && *home == '/')
        snprintf(path, size, "%s/.cache/sluice", home);
    else
        return sl_fail(error, SL_INVALID, "neither XDG_CACHE_HOME nor HOME is set: give a folder with --cache");
    return SL_OK;
}

sl_status sl_cache_store_open(const char *wanted, sl_point_store **store, sl_error *error)
{
    char cache[900], path[1000];
    sl_status status = sl_cache_folder(wanted, cache, sizeof cache, error);
    snprintf(path, sizeof path, "%s/points.sqlite", cache);
    return status ? status : sl_point_store_open_cache(path, store, error);
}

sl_status sl_cached_runner_open(sl_cached_runner *cached, const sl_invocation *inv, const char *wanted,
                                const char *database, sl_error *error)
{
    char cache[900];
    *cached = (sl_cached_runner){.runner = {.progress = inv->progress}};
    sl_status status = sl_cache_folder(wanted, cache, sizeof cache, error);
    if (status)
        return status;
    snprintf(cached->traces, sizeof cached->traces, "%s/traces", cache);
    cached->runner.traces = cached->traces;
    sl_leftovers_remove(cached->traces, NULL, 0);
    sl_temporary_in(cached->traces);
    status = database ? sl_point_store_open(database, &cached->runner.store, error)
                      : sl_cache_store_open(wanted, &cached->runner.store, error);
    if (!status)
        status = sl_pool_create((unsigned)inv->common->threads, &cached->runner.pool, error);
    if (status)
        sl_cached_runner_close(cached, inv);
    return status;
}

void sl_cache_store_close(sl_point_store *store, const sl_invocation *inv)
{
    if (store && sl_point_store_damaged(store))
        sl_cli_warn(inv, "some stored results or recordings were damaged; they were computed again");
    sl_point_store_close(store);
}

void sl_cached_runner_close(sl_cached_runner *cached, const sl_invocation *inv)
{
    sl_pool_destroy(cached->runner.pool);
    sl_cache_store_close(cached->runner.store, inv);
}
