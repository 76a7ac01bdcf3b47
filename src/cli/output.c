/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/page_output.h"
#include "cli/temporary.h"
#include "cli/terminal.h"

/* A path of the user; it is written to standard output where there is none. */
static bool is_stdout(const char *path)
{
    return !path || !strcmp(path, "-");
}

sl_status sl_output_open(sl_output *output, const char *path, sl_error *error)
{
    *output = (sl_output){.bare = stdout, .made.fd = -1};
    sl_status status = is_stdout(path) ? SL_OK : sl_new_file_print(path, &output->made, &output->bare, error);
    if (status)
        return status;
    if (output->made.temporary)
        sl_temporary_note(output->made.temporary);
    output->file = isatty(fileno(output->bare)) ? sl_terminal_filter(output->bare) : output->bare;
    if (output->file)
        return SL_OK;
    sl_output_abandon(output);
    return sl_fail_memory(error);
}

static bool close_filter(sl_output *output)
{
    return !output->file || output->file == output->bare || !fclose(output->file);
}

static void forget(const sl_output *output)
{
    if (output->made.temporary)
        sl_temporary_forget(output->made.temporary);
}

sl_status sl_output_close(sl_output *output, sl_error *error)
{
    sl_status status = SL_OK;
    bool filtered = close_filter(output);
    if (output->made.fd >= 0) {
        forget(output);
        status = sl_new_file_finish(&output->made, output->bare, error);
    } else {
        status = sl_text_finish(output->bare, "standard output", error);
    }
    if (!status && !filtered)
        status = sl_fail_io(error, "write", "the terminal");
    *output = (sl_output){.made.fd = -1};
    return status;
}

void sl_output_abandon(sl_output *output)
{
    close_filter(output);
    if (output->made.fd >= 0) {
        fclose(output->bare);
        forget(output);
        sl_new_file_discard(&output->made);
    }
    *output = (sl_output){.made.fd = -1};
}

sl_status sl_output_probe(const char *path, sl_error *error)
{
    return is_stdout(path) ? SL_OK : sl_new_file_probe(path, error);
}

sl_status sl_output_write(sl_report_form *form, const char *path, const void *result, sl_error *error)
{
    sl_output output;
    sl_status status = sl_output_open(&output, path, error);
    if (status)
        return status;
    status = form(output.file, result, error);
    if (!status)
        return sl_output_close(&output, error);
    sl_output_abandon(&output);
    return status;
}

/* A line, without its end, in `width` columns. What follows the first goes on below its text: behind the gap of a line
 * such as "  name      text", where that leaves room, else behind the blanks that it begins with. */
static void put_line(FILE *file, const char *line, size_t width)
{
    size_t blanks = strspn(line, " "), indent = blanks;
    const char *gap = strstr(line + blanks, "  ");
    if (gap && (size_t)(gap - line) < width / 2)
        indent = (size_t)(gap - line) + strspn(gap, " ");
    if (!width || sl_utf8_columns(line) <= width) {
        fputs(line, file);
        return;
    }
    fwrite(line, 1, indent, file);
    sl_text_wrap(file, line + indent, indent, indent, width);
}

static sl_status put_lines(FILE *file, char *text, size_t width, sl_error *error)
{
    char *fitted = NULL, *rest = text;
    size_t bytes = 0;
    FILE *memory = open_memstream(&fitted, &bytes);
    for (char *line; memory && (line = strsep(&rest, "\n"));) {
        put_line(memory, line, width);
        fputs(rest ? "\n" : "", memory);
    }
    bool good = memory && !fclose(memory) && fitted;
    if (good)
        sl_text_put(file, fitted, sl_terminal_is_plain(file), sl_terminal_has_colours(file));
    free(fitted);
    return good ? SL_OK : sl_fail_memory(error);
}

sl_status sl_text_write(FILE *file, sl_report_form *form, bool verbatim, const void *result, sl_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return sl_fail_memory(error);
    sl_status status = form(memory, result, error);
    if ((fclose(memory) || !text) && !status)
        status = sl_fail_memory(error);
    if (!status)
        status = put_lines(file, text, verbatim ? 0 : sl_terminal_width(file), error);
    free(text);
    return status;
}

int sl_report_write(const sl_invocation *inv, const sl_report_forms *forms, const void *result, FILE *text_default)
{
    return sl_report_write_page(inv, forms, NULL, result, text_default);
}

static bool named_stdout(const char *path)
{
    return path && is_stdout(path);
}

bool sl_output_takes_stdout(const sl_common *common)
{
    return named_stdout(common->json) || named_stdout(common->csv) || named_stdout(common->loads) ||
           named_stdout(common->notes);
}

int sl_report_write_page(const sl_invocation *inv, const sl_report_forms *forms, sl_page_of *page, const void *result,
                         FILE *text_default)
{
    const sl_common *common = inv->common;
    const struct {
        sl_report_form *form;
        const char *path;
    } parts[] = {{forms->json, common->json},
                 {forms->csv, common->csv},
                 {forms->loads, common->loads},
                 {forms->notes, common->notes}};
    sl_error error = {0};
    sl_status status = SL_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
        if (parts[i].form && parts[i].path)
            status = sl_output_write(parts[i].form, parts[i].path, result, &error);
    if (!status && page && (common->html || common->callgrind)) {
        sl_page_input input = {0};
        status = page(result, &input, &error);
        if (!status)
            status = sl_page_write(inv, &input, common->html, common->callgrind, &error);
    }
    if (!status && forms->text && common->output) {
        sl_output output;
        status = sl_output_open(&output, common->output, &error);
        if (!status && (status = sl_text_write(output.bare, forms->text, forms->verbatim, result, &error)))
            sl_output_abandon(&output);
        else if (!status)
            status = sl_output_close(&output, &error);
    } else if (!status && forms->text && !sl_output_takes_stdout(common) && !common->quiet) {
        status = sl_text_write(text_default, forms->text, forms->verbatim, result, &error);
        if (!status && (fflush(text_default) || ferror(text_default)))
            status = sl_fail_io(&error, "write", text_default == stderr ? "standard error" : "standard output");
    }
    return status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
}
