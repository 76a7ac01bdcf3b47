/* SPDX-License-Identifier: MIT */
/* sluice import: makes a Sluice trace of another program's. */
#include "cli/command.h"
#include "cli/show_launches.h"
#include "cli/temporary.h"
#include "trace/import.h"

typedef struct import_options {
    sl_common common;
    const char *trace;
    uint64_t zstd_level;
    const char *kernel_regex;
    sl_option_range launch;
    uint64_t blocks;
} import_options;

static sl_status import(const sl_invocation *inv, const char *path, sl_launch_log *log, sl_error *error)
{
    const import_options *options = inv->values;
    sl_trace_filter filter = {
        .kernel_regex = options->kernel_regex,
        .first_launch = options->launch.first,
        .last_launch = options->launch.last,
        .ranged = options->launch.given,
        .blocks = options->blocks,
    };
    sl_recorder_config config = {
        .filter = &filter,
        .count = true,
        .count_options = {.footprint = true},
        .trace_path = options->trace,
        .producer = inv->line,
        .zstd_level = (int)options->zstd_level,
        .launch_done = sl_launch_log_done,
        .context = log,
    };
    sl_recorder *recorder;
    sl_temporary_beside(options->trace);
    sl_status status = sl_recorder_create(&config, &recorder, error);
    if (status)
        return status;
    status = sl_import(path, sl_recorder_sink(recorder), inv->progress, error);
    if (!status)
        return sl_recorder_finish(recorder, error);
    sl_recorder_abandon(recorder);
    return status;
}

static int run_import(const sl_invocation *inv)
{
    const import_options *options = inv->values;
    const char *path = inv->args.operand[0];
    sl_launch_log *log = NULL;
    sl_error error;
    sl_trace_format format = SL_FORMAT_UNKNOWN;
    if (!options->trace)
        return sl_cli_usage(inv, "-o FILE is missing: where to write the trace");
    sl_status status = sl_launch_log_create(&log, &error);
    if (!status)
        status = import(inv, path, log, &error);
    if (!status)
        status = sl_trace_detect(path, &format, &error);
    const sl_report_trace trace = {.path = path, .format = sl_trace_format_name(format)};
    const sl_shown_launches shown = {.log = log, .trace = &trace};
    int code = status ? sl_cli_fail(inv, &error) : sl_show_launches(inv, &shown, stdout);
    sl_launch_log_destroy(log);
    return code;
}

#define AT(field) offsetof(import_options, field)
// clang-format off
static const sl_option options[] = {
    {"output", 'o', SL_OPTION_STRING, "FILE", "The trace to write", AT(trace), 0, 0, NULL},
    {"level", 0, SL_OPTION_NUMBER, "N", "Compression level of zstd (default: 3)", AT(zstd_level), 1, 19, NULL},
    {"kernel", 'k', SL_OPTION_STRING, "REGEX", "Take only launches of kernels whose name matches", AT(kernel_regex), 0, 0, NULL},
    {"launch", 0, SL_OPTION_RANGE, "A-B", "Take only launches A to B, counted from 0", AT(launch), 0, 0, NULL},
    {"blocks", 0, SL_OPTION_NUMBER, "N", "Take only the first N blocks of each launch", AT(blocks), 1, 0, NULL},
    {0},
};
// clang-format on

static const import_options defaults = {.zstd_level = 3};

static const sl_example examples[] = {
    {"sluice import traces/kernelslist.g -o app.slt", "Imports all kernels of an Accel-Sim trace"},
    {"sluice import kernel-3.traceg.xz -o k3.slt", "Imports one of them, compressed"},
    {"sluice import mm.trc -o mm.slt", "Imports a thread trace"},
    {0},
};

const sl_command sl_cmd_import = {
    .name = "import",
    .summary = "make a trace of an Accel-Sim or thread trace",
    .usage = "-o FILE [options] TRACE",
    .description =
        "Reads a trace that another program has written and writes it as a Sluice trace, which every other command "
        "takes. "
        "What it is, is seen from its first lines.\n\n"
        "Accel-Sim: kernelslist.g, a folder that holds one, or a single kernel-N.traceg, plain or compressed by xz, of "
        "all "
        "versions of the tracer. Basic blocks are what always ran together under one mask.\n\n"
        "Thread traces: 'blocksize: X Y Z', then a line 'thread direction address bytes' per access. They name no "
        "instructions; the n-th accesses of a warp's threads are taken as executed together.",
    .options = options,
    .common = SL_COMMON_REPORT & ~SL_COMMON_OUTPUT,
    .values_bytes = sizeof(import_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = 1,
    .operand = "a trace to import",
    .examples = examples,
    .run = run_import,
};
