/* SPDX-License-Identifier: MIT */
#include "cli/compat_hpca14.h"

#include <string.h>

#include "cli/output.h"
#include "cli/terminal.h"
#include "report/hpca14.h"
#include "trace/import.h"

SL_REPORT_FORMS(forms, sl_hpca14_report, sl_hpca14_report_text, sl_hpca14_report_json, sl_hpca14_report_csv, NULL);

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
    sl_hpca14_report report = {&result, {.command = "model", .option = &option, .options = 1, .trace = &trace}};
    sl_error error;
    if (run_file(path, &result, &error))
        return sl_cli_fail(inv, &error);
    return sl_report_write(inv, &forms, &report, stdout);
}
