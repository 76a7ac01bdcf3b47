/* SPDX-License-Identifier: MIT */
/* Where results and traces are kept from run to run. */
#ifndef SL_CLI_CACHE_FOLDER_H
#define SL_CLI_CACHE_FOLDER_H

#include <stddef.h>

#include "sluice/error.h"

/* `wish` where it is given, else "sluice" in XDG_CACHE_HOME or in ~/.cache. */
sl_status sl_cache_folder(const char *wish, char *path, size_t size, sl_error *error);

#endif
