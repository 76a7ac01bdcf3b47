/* SPDX-License-Identifier: MIT */
/* The one place where files and folders with temporary names are made.
 *
 * A file that a command writes appears under its name complete or not at all: until then it is called
 * NAME.tmp-HOST-PID-RANDOM. It is created anew (a planted file or link is never opened) and locked as long as its
 * writer lives, so that leftovers of a killed process can be told from files in use: the next writer of the same name
 * removes them. */
#ifndef SL_BASE_NEW_FILE_H
#define SL_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sluice/error.h"

typedef struct sl_new_file {
    int fd; /* -1: there is none */
    char *path, *temporary;
} sl_new_file;

/* On failure there is nothing to discard. */
sl_status sl_new_file_open(const char *path, sl_new_file *file, sl_error *error);
/* Closes it and gives it its name, replacing what had it. On failure nothing is left. */
sl_status sl_new_file_keep(sl_new_file *file, sl_error *error);
/* Closes and removes it; fine for one that was kept. */
void sl_new_file_discard(sl_new_file *file);

/* Makes a private folder `prefix`.tmp-…, and removes those that killed processes left. It is in use until `lock` is
 * closed; sl_folder_remove removes it. */
sl_status sl_new_folder(const char *prefix, char *folder, size_t size, int *lock, sl_error *error);
/* Removes a folder and the files in it (not folders). No memory is allocated: signal handlers may call it. */
void sl_folder_remove(const char *folder);

/* A file without a name in a folder, open for reading and writing; -1: errno says why. */
int sl_unnamed_file(const char *folder);

/* Gives the file that a process which ended was writing for `path` its name. False: there is none. */
bool sl_new_file_rescue(const char *path, pid_t pid);
/* Removes the leftovers in a folder: temporary files of `name` (NULL: of any), or those of one process (0: of
 * processes that ended). Signal handlers may call it. */
void sl_leftovers_remove(const char *folder, const char *name, pid_t pid);

#endif
