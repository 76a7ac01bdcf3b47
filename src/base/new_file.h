/* SPDX-License-Identifier: MIT */
/* The one place where output and temporary files are made; a test looks for others (tests/checks/common_calls.sh).
 *
 * An output file appears under its name complete or not at all: until then it is called NAME.tmp-HOST-PID-RANDOM. It is
 * newly created (a planted file or link is never opened) and locked as long as its writer lives, so that leftovers of a
 * killed process can be distinguished from files in use: the next writer of the same name removes them.
 *
 * A link is written through: its target is replaced, not the link. Only names of regular files are replaced. Devices,
 * terminals, FIFOs and open files (/dev/stdout, /dev/fd/3) are written in place, from beginning to end; folders and
 * sockets are refused. */
#ifndef SL_BASE_NEW_FILE_H
#define SL_BASE_NEW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "sluice/error.h"

typedef struct sl_new_file {
    int fd;          /* -1: there is none */
    char *path;      /* links are followed */
    char *temporary; /* NULL: it is written in place */
    bool durable;    /* for the caller to set: must survive a power cut (sl_new_file_keep) */
} sl_new_file;

/* On failure there is nothing to discard. Opening a FIFO waits for a reader. */
sl_status sl_new_file_open(const char *path, sl_new_file *file, sl_error *error);
/* Closes it and gives it its name, replacing what had it. On failure nothing is left.
 *
 * A file that replaces another, or is durable, is synced before it gets its name and its folder afterwards: after a
 * power cut there is either the old file or the whole new one. Others are not: without the sync a new file may be
 * empty after a power cut, but nothing that was there before is lost, and temporary files should not wait for a disk.
 */
sl_status sl_new_file_keep(sl_new_file *file, sl_error *error);
/* Closes and removes it; fine for one that was kept. */
void sl_new_file_discard(sl_new_file *file);

/* For those who print: the same as sl_new_file_open and sl_new_file_keep with a stream. `stream` is closed in any case;
 * if anything could not be written, the file is discarded. */
sl_status sl_new_file_print(const char *path, sl_new_file *file, FILE **stream, sl_error *error);
sl_status sl_new_file_finish(sl_new_file *file, FILE *stream, sl_error *error);

/* Whether sl_new_file_open would succeed; does not wait, and leaves no file. */
sl_status sl_new_file_probe(const char *path, sl_error *error);
/* How an output path is written. */
typedef enum sl_output_kind { SL_OUTPUT_REPLACED, SL_OUTPUT_DEVICE, SL_OUTPUT_PIPE } sl_output_kind;
/* `target`, malloc'ed, is where the path leads (may be NULL). Fails where nothing can be written. */
sl_status sl_output_decide(const char *path, sl_output_kind *kind, char **target, sl_error *error);
/* For files that are written with seeks, by others: fails for what is neither absent nor a regular file. `what`: "a
 * database". */
sl_status sl_output_must_be_file(const char *path, const char *what, sl_error *error);

/* Makes a private folder `prefix`.tmp-…, and removes those that killed processes left. It is in use until `lock` is
 * closed; sl_folder_remove removes it. */
sl_status sl_new_folder(const char *prefix, char *folder, size_t size, int *lock, sl_error *error);
/* Removes a folder and the files in it (not folders). No memory is allocated: signal handlers may call it. */
void sl_folder_remove(const char *folder);

/* A file without a name in a folder, open for reading and writing; -1: errno says why. */
int sl_unnamed_file(const char *folder);
/* The same in memory; its size is 0. */
int sl_memory_file(const char *name);

/* Opens a file for writing in a private folder (sl_new_folder), where processes of one run meet under fixed names; -1:
 * errno says why. Links are not followed. Only system calls are made: fine between fork and exec. */
typedef enum sl_scratch { SL_SCRATCH_NEW, SL_SCRATCH_EMPTY, SL_SCRATCH_APPEND } sl_scratch;
int sl_scratch_file(const char *path, sl_scratch how);

/* Gives the file that a process which ended was writing for `path` its name. False: there is none. */
bool sl_new_file_rescue(const char *path, pid_t pid);
/* Removes the leftovers in a folder: temporary files of `name` (NULL: of any), or those of one process (0: of
 * processes that ended). Signal handlers may call it. */
void sl_leftovers_remove(const char *folder, const char *name, pid_t pid);

#endif
