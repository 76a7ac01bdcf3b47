/* SPDX-License-Identifier: MIT */
/* Temporary files, which are removed also when a signal that can be caught ends the program. */
#ifndef SL_CLI_TEMPORARY_H
#define SL_CLI_TEMPORARY_H

#include <stddef.h>

#include "sluice/error.h"

/* Where temporary files go: TMPDIR, or /tmp. */
const char *sl_temporary_base(void);
/* Makes a folder under it; its name goes to `folder`. */
sl_status sl_temporary_folder(char *folder, size_t size, sl_error *error);
/* Removes it with the files in it. */
void sl_temporary_folder_remove(const char *folder);

/* Registers a file for removal when a signal ends the program, and unregisters it. Safe to call from any thread. */
void sl_temporary_note(const char *path);
void sl_temporary_forget(const char *path);

/* Registers a folder, or the folder of a file (NULL: none), from which unfinished temporary files of the library are
 * removed when a signal ends the program. */
void sl_temporary_in(const char *folder);
void sl_temporary_next_to(const char *path);

#endif
