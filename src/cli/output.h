/* SPDX-License-Identifier: MIT */
/* Where results go: standard output, or files that appear complete or not at all. */
#ifndef SL_CLI_OUTPUT_H
#define SL_CLI_OUTPUT_H

#include <stdio.h>

#include "base/arena.h"
#include "base/new_file.h"
#include "cli/command.h"
#include "report/document.h"
#include "report/page.h"
#include "report/results.h"

typedef struct sl_output {
    FILE *file;       /* on a terminal without control characters */
    FILE *bare;       /* for those who see to that themselves, as sl_text_write */
    sl_new_file made; /* none: standard output */
} sl_output;

/* `path` NULL or "-": standard output; otherwise as sl_new_file_open. */
sl_status sl_output_open(sl_output *output, const char *path, sl_error *error);
/* Flushes, checks and renames. On failure nothing is left behind. */
sl_status sl_output_close(sl_output *output, sl_error *error);
/* Writes a file that is no report: a plot, a plan, a page. */
typedef sl_status sl_file_form(FILE *file, const void *result, sl_error *error);
sl_status sl_output_write(sl_file_form *form, const char *path, const void *result, sl_error *error);
/* Whether sl_output_open would succeed: checked before long work. */
sl_status sl_output_probe(const char *path, sl_error *error);
/* Discards what was written. */
void sl_output_abandon(sl_output *output);

/* Whether a report goes to standard output in a form for other programs: --json, --csv, --loads, --notes or --annotate.
 */
bool sl_output_takes_stdout(const sl_common *common);
/* The forms that were asked for, to make a document with. */
unsigned sl_forms_wanted(const sl_common *common);
/* Writes what was asked for: --json, --csv, --loads and --notes to their files or standard output, the page (NULL:
 * there is none) to those of --html and --callgrind; the text to -o's file, or to `text_default` (normally stdout)
 * unless another form took standard output or --quiet was given. Destroys the document, prints errors and returns the
 * exit code. */
int sl_document_show(const sl_invocation *, sl_document *document, const sl_page_input *page, FILE *text_default);
/* The same without printing errors. */
sl_status sl_document_save(const sl_invocation *, sl_document *document, const sl_page_input *page, FILE *text_default,
                           sl_error *error);
/* Prints the text, in lines that fit. */
sl_status sl_document_print(const sl_document *document, FILE *stream, sl_error *error);

/* How a report was made: its input, its GPU and the options that were given. */

/* Sets the options of `info`: the facts (which are borrowed), then the options that were given; those of sl_common
 * concern only the output and are omitted. Also its heading: the subject on the GPU, with what was changed. */
sl_status sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts, const char *subject,
                           const char *gpu, sl_arena *arena, sl_report_info *info, sl_error *error);

bool sl_was_given(const sl_invocation *inv, const char *name);

/* Writes pages to files, with the sources of the kernels. */

/* Adds the sources of the operand, of the program that ran, and of --source to those of the input (page.h). */
sl_status sl_page_find_sources(const sl_invocation *inv, sl_page_input *input, sl_arena *arena, sl_error *error);

/* Forms of a page; NULL: not wanted. */
typedef struct sl_page_files {
    const char *html, *callgrind, *annotate, *roofline;
} sl_page_files;
/* Writes a page to these paths. */
sl_status sl_page_save(const sl_page *page, const sl_page_files *files, sl_error *error);
/* Makes the page with its sources and writes it. */
sl_status sl_page_write(const sl_invocation *inv, const sl_page_input *input, const sl_page_files *files,
                        sl_error *error);

#endif
