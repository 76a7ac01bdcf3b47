/* SPDX-License-Identifier: MIT */
/* Writes pages to files, with the sources of the kernels. */
#ifndef SL_CLI_PAGE_OUTPUT_H
#define SL_CLI_PAGE_OUTPUT_H

#include "base/arena.h"
#include "cli/command.h"
#include "report/page.h"

/* Adds the sources of the operand, of the program that ran, and of --source to those of the input (page/sources.h). */
sl_status sl_page_find_sources(const sl_invocation *inv, sl_page_input *input, sl_arena *arena, sl_error *error);

/* Writes a page to the paths that are not NULL. */
sl_status sl_page_save(const sl_page *page, const char *html, const char *callgrind, sl_error *error);
/* Makes the page with its sources and writes it. */
sl_status sl_page_write(const sl_invocation *inv, const sl_page_input *input, const char *html, const char *callgrind,
                        sl_error *error);

#endif
