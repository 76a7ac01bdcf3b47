/* SPDX-License-Identifier: MIT */
#include "cli/model_options.h"

#include <string.h>

#include "cli/output.h"
#include "report/results.h"
#include "trace/import.h"

static sl_status run_file(const char *path, sl_hpca14_result *result, sl_error *error)
{
    sl_trace_format format;
    sl_status status = sl_trace_detect(path, &format, error);
    if (status)
        return status;
    if (format != SL_FORMAT_THREADS)
        return sl_fail_at(error, SL_INVALID, path, 0, 0,
                          "the authors' program reads thread traces, whose first line is 'blocksize: X Y Z'");
    return sl_hpca14_run(path, result, error);
}

int sl_run_compat_hpca14(const sl_invocation *inv)
{
    for (size_t i = 0; i < inv->args.sets; i++) {
        const sl_option *given = inv->args.set[i];
        if (given->offset >= sizeof(sl_common) && strcmp(given->name, "compat") != 0)
            return sl_cli_usage(inv, "--%s cannot be combined with --compat hpca14, whose GPU and model are fixed",
                                given->name);
    }
    if (inv->args.program)
        return sl_cli_usage(inv, "--compat hpca14 takes a thread trace, not a program");
    const char *path = inv->args.operand[0];
    if (inv->args.operands > 1)
        return sl_cli_usage(inv, "--compat hpca14 takes one thread trace; remove '%s'", inv->args.operand[1]);
    const sl_report_option option = {"compat", "hpca14"};
    const sl_report_trace trace = {.path = path, .format = sl_trace_format_name(SL_FORMAT_THREADS)};
    sl_hpca14_result result;
    const sl_report_info info = {.command = "model", .option = &option, .options = 1, .trace = &trace};
    sl_error error;
    if (run_file(path, &result, &error))
        return sl_cli_fail(inv, &error);
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_document_hpca14(d, &result);
    return sl_document_show(inv, d, NULL, stdout);
}
