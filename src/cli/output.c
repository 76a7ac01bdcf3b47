/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/folders.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "report/findings.h"
#include "report/page.h"

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

sl_status sl_output_write(sl_file_form *form, const char *path, const void *result, sl_error *error)
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

/* A line, without its end, in `width` columns. What follows the first continues below its text: behind the gap of a
 * line such as "  name      text", where that leaves room, else behind the blanks that it begins with. */
static void write_line(FILE *file, const char *line, size_t width)
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

static sl_status write_lines(FILE *file, char *text, size_t width, sl_error *error)
{
    char *fitted = NULL, *rest = text;
    size_t bytes = 0;
    FILE *memory = open_memstream(&fitted, &bytes);
    for (char *line; memory && (line = strsep(&rest, "\n"));) {
        write_line(memory, line, width);
        fputs(rest ? "\n" : "", memory);
    }
    bool good = memory && !fclose(memory) && fitted;
    if (good)
        sl_text_append(file, fitted, sl_terminal_is_plain(file), sl_terminal_has_colors(file));
    free(fitted);
    return good ? SL_OK : sl_fail_memory(error);
}

/* Text is laid out in memory first: what would control a terminal is taken out of the whole of it. */
static sl_status write_text(const sl_document *document, const sl_page *page, FILE *file, sl_error *error)
{
    char *text = NULL;
    size_t bytes = 0, width = sl_terminal_width(file);
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return sl_fail_memory(error);
    sl_status status = document ? sl_document_write(document, SL_FORM_TEXT, memory, width, error)
                                : sl_page_annotate(memory, page, width, error);
    if ((fclose(memory) || !text) && !status)
        status = sl_fail_memory(error);
    if (!status)
        status = write_lines(file, text, !document || sl_document_verbatim(document) ? 0 : width, error);
    free(text);
    return status;
}

static bool named_stdout(const char *path)
{
    return path && is_stdout(path);
}

bool sl_output_takes_stdout(const sl_common *common)
{
    return named_stdout(common->json) || named_stdout(common->csv) || named_stdout(common->loads) ||
           named_stdout(common->notes) || named_stdout(common->sarif) || named_stdout(common->markdown) ||
           named_stdout(common->annotate);
}

/* Whether text goes to the default stream. */
static bool prints_text(const sl_common *common)
{
    return !common->output && !sl_output_takes_stdout(common) && !common->quiet;
}

unsigned sl_forms_wanted(const sl_common *common)
{
    return (common->json ? SL_FORM_JSON : 0) | (common->csv ? SL_FORM_CSV : 0) | (common->loads ? SL_FORM_LOADS : 0) |
           (common->output || common->markdown || prints_text(common) ? SL_FORM_TEXT : 0);
}

static sl_status write_data(const sl_document *document, unsigned form, const char *path, sl_error *error)
{
    sl_output output;
    if (!path || !sl_document_has(document, form))
        return SL_OK;
    sl_status status = sl_output_open(&output, path, error);
    if (status)
        return status;
    status = sl_document_write(document, form, output.file, 0, error);
    if (!status)
        return sl_output_close(&output, error);
    sl_output_abandon(&output);
    return status;
}

/* Findings for other tools: as notes of a compiler, or as SARIF. Lines of PTX are those of the operand, if that is a
 * PTX file. */
static sl_status write_findings(const sl_invocation *inv, const sl_findings *findings, bool sarif, const char *path,
                                sl_error *error)
{
    const char *ptx = inv->args.operands ? inv->args.operand[0] : "";
    size_t length = strlen(ptx);
    char folder[4096];
    const sl_findings_files files = {.ptx = length > 4 && !strcmp(ptx + length - 4, ".ptx") ? ptx : NULL,
                                     .root = getcwd(folder, sizeof folder)};
    sl_output output;
    sl_status status = sl_output_open(&output, path, error);
    if (status)
        return status;
    if (sarif)
        status = sl_findings_sarif(output.file, findings, &files, error);
    else if (findings)
        sl_findings_notes(output.file, findings, &files);
    if (!status)
        return sl_output_close(&output, error);
    sl_output_abandon(&output);
    return status;
}

/* Of a document, or of a page its annotated sources. */
static sl_status write_to_file(const sl_document *document, const sl_page *page, const char *path, sl_error *error)
{
    sl_output output;
    sl_status status = sl_output_open(&output, path, error);
    if (status)
        return status;
    status = write_text(document, page, output.bare, error);
    if (!status)
        return sl_output_close(&output, error);
    sl_output_abandon(&output);
    return status;
}

sl_status sl_document_print(const sl_document *document, FILE *stream, sl_error *error)
{
    sl_status status = write_text(document, NULL, stream, error);
    if (!status && (fflush(stream) || ferror(stream)))
        status = sl_fail_io(error, "write", stream == stderr ? "standard error" : "standard output");
    return status;
}

static sl_status write_all(const sl_invocation *inv, const sl_document *document, const sl_page_input *page,
                           FILE *text_default, sl_error *error)
{
    const sl_common *common = inv->common;
    sl_status status = write_data(document, SL_FORM_JSON, common->json, error);
    if (!status)
        status = write_data(document, SL_FORM_CSV, common->csv, error);
    if (!status)
        status = write_data(document, SL_FORM_LOADS, common->loads, error);
    if (!status)
        status = write_data(document, SL_FORM_MARKDOWN, common->markdown, error);
    if (!status && common->notes)
        status = write_findings(inv, sl_document_info(document)->findings, false, common->notes, error);
    if (!status && common->sarif)
        status = write_findings(inv, sl_document_info(document)->findings, true, common->sarif, error);
    const sl_page_files files = {common->html, common->callgrind, common->annotate, common->roofline};
    if (!status && page && (files.html || files.callgrind || files.annotate || files.roofline))
        status = sl_page_write(inv, page, &files, error);
    if (status || !sl_document_has(document, SL_FORM_TEXT))
        return status;
    if (common->output)
        return write_to_file(document, NULL, common->output, error);
    return prints_text(common) ? sl_document_print(document, text_default, error) : SL_OK;
}

sl_status sl_document_save(const sl_invocation *inv, sl_document *document, const sl_page_input *page,
                           FILE *text_default, sl_error *error)
{
    if (inv->common->times && inv->common->json)
        sl_cli_times_add(inv, document);
    sl_status status = document ? write_all(inv, document, page, text_default, error) : sl_fail_memory(error);
    sl_document_destroy(document);
    return status;
}

int sl_document_show(const sl_invocation *inv, sl_document *document, const sl_page_input *page, FILE *text_default)
{
    sl_error error = {0};
    sl_status status = sl_document_save(inv, document, page, text_default, &error);
    return status ? sl_cli_fail(inv, &error) : SL_EXIT_OK;
}

/* Whether numbers change with an option, and the heading does not say so without it. Files
 * hold results, except plans. */
static bool is_setting(const sl_option *option)
{
    bool file = option->value && (!strcmp(option->value, "FILE") || !strcmp(option->value, "FOLDER"));
    return !sl_is_input_option(option) && strcmp(option->name, "gpu") && (!file || !strcmp(option->name, "plan"));
}

/* "spmv rows=2000 on h200, L1.ways=8, --l1 decoupled". */
static const char *heading_of(const char *subject, const char *gpu, const sl_report_option *option,
                              const sl_option *const *given, size_t count, sl_arena *arena)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s%s", subject, gpu ? " on " : "", gpu ? gpu : "");
    for (size_t i = 0; i < count && used < sizeof text; i++) {
        bool set = !strcmp(given[i]->name, "set"), flag = given[i]->kind == SL_OPTION_FLAG;
        if (is_setting(given[i]))
            used += (size_t)snprintf(text + used, sizeof text - used, ", %s%s%s%s", set ? "" : "--",
                                     set ? "" : given[i]->name, set || flag ? "" : " ", flag ? "" : option[i].value);
    }
    return sl_arena_strdup(arena, text);
}

bool sl_was_given(const sl_invocation *inv, const char *name)
{
    for (size_t i = 0; i < inv->args.sets; i++)
        if (!strcmp(inv->args.set[i]->name, name))
            return true;
    return false;
}

sl_status sl_given_options(const sl_invocation *inv, const sl_report_option *fact, size_t facts, const char *subject,
                           const char *gpu, sl_arena *arena, sl_report_info *info, sl_error *error)
{
    const sl_args *args = &inv->args;
    sl_report_option *option = sl_arena_array(arena, sl_report_option, facts + args->sets + 1);
    const sl_option **given = sl_arena_array(arena, const sl_option *, args->sets + 1);
    size_t count = 0;
    if (!option || !given)
        return sl_fail_memory(error);
    for (size_t i = 0; i < facts; i++)
        option[i] = fact[i];
    for (size_t i = 0; i < args->sets; i++) {
        char value[1024];
        if (args->set[i]->offset < sizeof(sl_common))
            continue;
        char *copy = sl_arena_strdup(arena, sl_option_text(args->set[i], inv->values, value, sizeof value));
        if (!copy)
            return sl_fail_memory(error);
        given[count] = args->set[i];
        option[facts + count++] = (sl_report_option){args->set[i]->name, copy};
    }
    info->option = option;
    info->options = facts + count;
    info->heading = subject ? heading_of(subject, gpu, option + facts, given, count, arena) : NULL;
    return subject && !info->heading ? sl_fail_memory(error) : SL_OK;
}

sl_status sl_page_find_sources(const sl_invocation *inv, sl_page_input *input, sl_arena *arena, sl_error *error)
{
    const sl_args *args = &inv->args;
    const sl_source_paths paths = {.code = args->program    ? args->program[0]
                                           : args->operands ? args->operand[0]
                                                            : NULL,
                                   .here = args->program,
                                   .count = inv->common->source.count,
                                   .path = inv->common->source.item};
    return sl_sources_find(&paths, &input->results, arena, error);
}

static sl_status write_form(sl_status (*form)(FILE *, const sl_page *, sl_error *), const char *path,
                            const sl_page *page, sl_error *error)
{
    sl_output output;
    sl_status status = sl_output_open(&output, path, error);
    if (status)
        return status;
    status = form(output.file, page, error);
    if (!status)
        return sl_output_close(&output, error);
    sl_output_abandon(&output);
    return status;
}

sl_status sl_page_save(const sl_page *page, const sl_page_files *files, sl_error *error)
{
    sl_status status = files->html ? write_form(sl_page_html, files->html, page, error) : SL_OK;
    if (!status && files->callgrind)
        status = write_form(sl_page_callgrind, files->callgrind, page, error);
    if (!status && files->roofline)
        status = write_form(sl_page_roofline, files->roofline, page, error);
    if (!status && files->annotate)
        status = write_to_file(NULL, page, files->annotate, error);
    return status;
}

sl_status sl_page_write(const sl_invocation *inv, const sl_page_input *input, const sl_page_files *files,
                        sl_error *error)
{
    sl_page_input whole = *input;
    sl_page *page = NULL;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_page_find_sources(inv, &whole, &arena, error);
    if (!status)
        status = sl_page_create(&whole, &page, error);
    if (!status)
        status = sl_page_save(page, files, error);
    sl_page_destroy(page);
    sl_arena_fini(&arena);
    return status;
}
