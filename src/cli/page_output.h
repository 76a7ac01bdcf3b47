/* SPDX-License-Identifier: MIT */
/* Pages on their way to files: finds the sources of the kernels, and writes the forms of a page. */
#ifndef SL_CLI_PAGE_OUTPUT_H
#define SL_CLI_PAGE_OUTPUT_H

#include "base/arena.h"
#include "cli/command.h"
#include "report/page.h"

/* Sources: those of the input; PTX of the operand, of the program that ran, and of files and programs of --source; and
 * what is found of the files that the kernels name in the folders of --source. Paths of a trace are not trusted: files
 * are looked for below these folders alone, by the ends of their paths. All in the arena. */
sl_status sl_page_sources(const sl_invocation *inv, sl_page_input *input, sl_arena *arena, sl_error *error);

/* Writes a page to the paths that are not NULL. */
sl_status sl_page_save(const sl_page *page, const char *html, const char *callgrind, sl_error *error);
/* Makes the page with its sources and writes it. */
sl_status sl_page_write(const sl_invocation *inv, const sl_page_input *input, const char *html, const char *callgrind,
                        sl_error *error);

#endif
