/* SPDX-License-Identifier: MIT */
/* Finds the sources of the kernels that a page is about. */
#ifndef SL_PAGE_SOURCES_H
#define SL_PAGE_SOURCES_H

#include "base/arena.h"
#include "report/page.h"

/* Where to look. */
typedef struct sl_source_paths {
    const char *code; /* the PTX file or the program that ran; others, and NULL, are passed over */
    size_t count;
    const char *const *path; /* [count]: PTX files, CUDA programs, and folders that are searched */
    bool here; /* the current folder is searched if none is named: for programs, which could read it themselves */
} sl_source_paths;

/* Adds to the sources of the input: PTX of `code` and of files and programs among the paths, and what is found of the
 * files that the kernels name in the folders. Paths of a trace are not trusted: files are looked for below these
 * folders alone, by the ends of their paths, and links that lead out of them are not followed. All in the arena. */
sl_status sl_page_sources(const sl_source_paths *paths, sl_page_input *input, sl_arena *arena, sl_error *error);

#endif
