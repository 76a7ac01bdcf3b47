/* SPDX-License-Identifier: MIT */
#include "cli/cache_folder.h"

#include <stdio.h>
#include <stdlib.h>

sl_status sl_cache_folder(const char *wish, char *path, size_t size, sl_error *error)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wish)
        snprintf(path, size, "%s", wish);
    else if (cache && *cache == '/')
        snprintf(path, size, "%s/sluice", cache);
    else if (home && *home == '/')
        snprintf(path, size, "%s/.cache/sluice", home);
    else
        return sl_fail(error, SL_INVALID, "neither XDG_CACHE_HOME nor HOME says where to keep results: use --cache");
    return SL_OK;
}
