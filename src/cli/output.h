/* SPDX-License-Identifier: MIT */
/* Where results go: standard output, or files that appear complete or not at all. */
#ifndef SL_CLI_OUTPUT_H
#define SL_CLI_OUTPUT_H

#include <stdio.h>

#include "base/new_file.h"
#include "cli/command.h"
#include "cli/given_options.h"
#include "report/page.h"

typedef struct sl_output {
    FILE *file;       /* on a terminal without control characters */
    FILE *bare;       /* for those who see to that themselves, as sl_text_write */
    sl_new_file made; /* none: standard output */
} sl_output;

/* `path` NULL or "-": standard output; otherwise as sl_new_file_open. */
sl_status sl_output_open(sl_output *output, const char *path, sl_error *error);
/* Flushes, checks and renames. On failure nothing is left behind. */
sl_status sl_output_close(sl_output *output, sl_error *error);
/* A result in one form. */
typedef sl_status sl_report_form(FILE *file, const void *result, sl_error *error);
/* Writes it to a file; "-" is standard output. */
sl_status sl_output_write(sl_report_form *form, const char *path, const void *result, sl_error *error);
/* Writes text as sl_text_put does. Lines that `file` has no room for go on below, unless it is `verbatim`. */
sl_status sl_text_write(FILE *file, sl_report_form *form, bool verbatim, const void *result, sl_error *error);
/* Whether sl_output_open would succeed: checked before long work. */
sl_status sl_output_probe(const char *path, sl_error *error);
/* Discards what was written. */
void sl_output_abandon(sl_output *output);

/* The forms in which a command can show its result. What a command does not offer is NULL. */
typedef struct sl_report_forms {
    sl_report_form *text, *json, *csv, *loads, *notes;
    bool verbatim; /* the text is a file of its own, whose lines stay as they are */
} sl_report_forms;

/* Forms of a result of one type, out of its functions: text, which fits the terminal, JSON and CSV. `heading` is an
 * expression of `shown`, the result; NULL: the text says itself what it is about. */
#define SL_REPORT_FORMS(forms, type, text_of, json_of, csv_of, heading)                                                \
    static sl_status forms##_text(FILE *file, const void *result, sl_error *error)                                     \
    {                                                                                                                  \
        const type *shown = result;                                                                                    \
        sl_put_heading(file, heading);                                                                                 \
        return text_of(file, shown, sl_terminal_width(file), error);                                                   \
    }                                                                                                                  \
    static sl_status forms##_json(FILE *file, const void *result, sl_error *error)                                     \
    {                                                                                                                  \
        return json_of(file, (const type *)result, error);                                                             \
    }                                                                                                                  \
    static sl_status forms##_csv(FILE *file, const void *result, sl_error *error)                                      \
    {                                                                                                                  \
        return csv_of(file, (const type *)result, error);                                                              \
    }                                                                                                                  \
    static const sl_report_forms forms = {.text = forms##_text, .json = forms##_json, .csv = forms##_csv}

/* Whether a report goes to standard output in a form for other programs: --json, --csv, --loads or --notes. */
bool sl_output_takes_stdout(const sl_common *common);
/* Writes what was asked for: --json and --csv to their files or standard output; the text to -o's
 * file, or to `text_default` (normally stdout) unless --json or --csv took standard output or --quiet was given.
 * Prints errors and returns the exit code. */
int sl_report_write(const sl_invocation *, const sl_report_forms *, const void *result, FILE *text_default);

/* What a page of a result shows, for --html and --callgrind; all but the sources that lie in folders. What `input`
 * points to must stay as long as the result. */
typedef sl_status sl_page_of(const void *result, sl_page_input *input, sl_error *error);
/* The same as sl_report_write, with pages. */
int sl_report_write_page(const sl_invocation *, const sl_report_forms *, sl_page_of *, const void *result,
                         FILE *text_default);

#endif
