/* SPDX-License-Identifier: MIT */
/* What must not stay behind, whichever way the program ends: by itself, or by SIGINT, SIGTERM or SIGHUP. */
#ifndef SL_CLI_TEMPORARY_H
#define SL_CLI_TEMPORARY_H

#include <stddef.h>

#include "sluice/error.h"

/* Makes a folder under TMPDIR; its name goes to `folder`. */
sl_status sl_temporary_folder(char *folder, size_t size, sl_error *error);
/* Removes it with the files in it. */
void sl_temporary_folder_remove(const char *folder);

/* A file that has to go when a signal ends the program; and no longer. Safe to call from any thread. */
void sl_temporary_note(const char *path);
void sl_temporary_forget(const char *path);

/* What the library writes under a temporary name and has not finished has to go from a folder, or from beside a file
 * (NULL is fine), when a signal ends the program. */
void sl_temporary_in(const char *folder);
void sl_temporary_beside(const char *path);

#endif
