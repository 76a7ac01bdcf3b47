/* SPDX-License-Identifier: MIT */
#include "cli/page_output.h"

#include "cli/output.h"
#include "report/page.h"
#include "report/sources.h"

sl_status sl_page_find_sources(const sl_invocation *inv, sl_page_input *input, sl_arena *arena, sl_error *error)
{
    const sl_args *args = &inv->args;
    const sl_source_paths paths = {.code = args->program    ? args->program[0]
                                           : args->operands ? args->operand[0]
                                                            : NULL,
                                   .here = args->program,
                                   .count = inv->common->source.count,
                                   .path = inv->common->source.item};
    return sl_page_sources(&paths, input, arena, error);
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

sl_status sl_page_save(const sl_page *page, const char *html, const char *callgrind, sl_error *error)
{
    sl_status status = html ? write_form(sl_page_html, html, page, error) : SL_OK;
    if (!status && callgrind)
        status = write_form(sl_page_callgrind, callgrind, page, error);
    return status;
}

sl_status sl_page_write(const sl_invocation *inv, const sl_page_input *input, const char *html, const char *callgrind,
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
        status = sl_page_save(page, html, callgrind, error);
    sl_page_destroy(page);
    sl_arena_fini(&arena);
    return status;
}
