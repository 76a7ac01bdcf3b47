/* SPDX-License-Identifier: MIT */
/* sluice info: what is in a trace, ours or another program's. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/launches.h"
#include "report/table.h"
#include "trace/count_trace.h"
#include "trace/import.h"

typedef struct info_options {
    sl_common common;
    bool brief;
} info_options;

typedef struct trace_info {
    const sl_invocation *inv;
    sl_trace *trace; /* NULL: a foreign one */
    sl_launch_log *log;
    sl_report_trace about;
    sl_error damage; /* status SL_OK: none */
} trace_info;

/* ---- text ---- */

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static void text_file(FILE *file, const trace_info *info)
{
    char bytes[SL_HUMAN_BYTES];
    const sl_report_trace *about = &info->about;
    fprintf(file, "%s: ", about->path);
    if (!info->trace) {
        size_t launches = sl_launch_log_count(info->log);
        fprintf(file, "%s trace, %zu %s\n", about->format, launches, plural(launches, "launch", "launches"));
        return;
    }
    uint32_t kernels = sl_trace_kernels(info->trace), launches = sl_trace_launches(info->trace);
    fprintf(file, "%s, %u %s, %u %s\n", sl_human_bytes(about->bytes, bytes), kernels,
            plural(kernels, "kernel", "kernels"), launches, plural(launches, "launch", "launches"));
    if (about->producer && *about->producer)
        fprintf(file, "made by: %s\n", about->producer);
    if (about->damage)
        fprintf(file, "damaged: %s\n", about->damage);
}

static uint64_t launches_of(const sl_trace *trace, uint32_t kernel)
{
    uint64_t count = 0;
    for (uint32_t n = 0; n < sl_trace_launches(trace); n++)
        count += sl_trace_launch_at(trace, n)->kernel == kernel;
    return count;
}

static void kernel_row(sl_table *t, const sl_trace *trace, uint32_t index)
{
    char text[SL_HUMAN_BYTES];
    const sl_trace_kernel *k = sl_trace_kernel_at(trace, index);
    uint32_t by_access[SL_ACCESS_ASYNC_COPY + 1] = {0};
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        const sl_inst *inst = &k->inst[k->mem_inst[s]];
        if (inst->space != SL_MEM_CONST) /* parameters and constants */
            by_access[inst->access]++;
    }
    uint32_t loads = by_access[SL_ACCESS_LOAD] + by_access[SL_ACCESS_ASYNC_COPY], stores = by_access[SL_ACCESS_STORE];
    sl_table_cell(t, k->name);
    sl_table_cell(t, sl_human_count(launches_of(trace, index), text));
    sl_table_cellf(t, "%u", k->insts);
    sl_table_cellf(t, "%u", loads);
    sl_table_cellf(t, "%u", stores);
    sl_table_cellf(t, "%u", by_access[SL_ACCESS_ATOMIC] + by_access[SL_ACCESS_REDUCTION]);
    if (k->regs_per_thread)
        sl_table_cellf(t, "%s%u", k->regs_estimated ? "~" : "", k->regs_per_thread);
    else
        sl_table_cell(t, "");
    sl_table_cell(t, k->static_shared_bytes ? sl_human_bytes(k->static_shared_bytes, text) : "");
    sl_table_cell(t, k->local_bytes ? sl_human_bytes(k->local_bytes, text) : "");
}

static sl_status text_kernels(FILE *file, const sl_trace *trace, sl_error *error)
{
    static const sl_column columns[] = {
        {"kernel", false, true}, {"launches", true, false},   {"insts", true, false},
        {"loads", true, false},  {"stores", true, false},     {"atomics", true, false},
        {"regs", true, false},   {"shared/blk", true, false}, {"local/thr", true, false}};
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (uint32_t k = 0; k < sl_trace_kernels(trace); k++)
        if (sl_trace_kernel_at(trace, k))
            kernel_row(t, trace, k);
    fputc('\n', file);
    sl_status status = sl_table_print(t, file, sl_terminal_width(file), error);
    sl_table_destroy(t);
    return status;
}

static sl_status write_text(FILE *file, const void *result, sl_error *error)
{
    const trace_info *info = result;
    text_file(file, info);
    sl_status status = info->trace && sl_trace_kernels(info->trace) ? text_kernels(file, info->trace, error) : SL_OK;
    fputc('\n', file);
    return status ? status : sl_launch_report_text(file, info->log, sl_terminal_width(file), error);
}

static sl_status write_json(FILE *file, const void *result, sl_error *error)
{
    const trace_info *info = result;
    return sl_launch_report_json(file, info->log, &(sl_report_info){.command = "info", .trace = &info->about}, error);
}

static sl_status write_csv(FILE *file, const void *result, sl_error *error)
{
    return sl_launch_report_csv(file, ((const trace_info *)result)->log, error);
}

/* ---- collecting ---- */

static sl_status add_launch(trace_info *info, uint32_t n, sl_pool *pool, sl_error *error)
{
    bool brief = ((const info_options *)info->inv->values)->brief;
    const sl_trace_launch *launch = sl_trace_launch_at(info->trace, n);
    sl_launch_result result = {
        .index = launch->index,
        .kernel = sl_trace_kernel_at(info->trace, launch->kernel),
        .launch = launch,
        .trace_bytes = sl_trace_launch_bytes(info->trace, n),
    };
    if (brief)
        return sl_launch_log_add(info->log, &result, error);
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error damage;
    sl_status status =
        sl_trace_count_launch(info->trace, n, &(sl_count_options){.footprint = true}, pool, &counter, &damage, error);
    if (status)
        return status;
    if (damage.status && !info->damage.status)
        info->damage = damage;
    status = sl_launch_counter_result(counter, &counts, error);
    result.counts = &counts;
    if (!status)
        status = sl_launch_log_add(info->log, &result, error);
    sl_launch_counter_destroy(counter);
    return status;
}

static sl_status collect_ours(trace_info *info, sl_error *error)
{
    sl_pool *pool = NULL;
    sl_status status = sl_trace_open(info->about.path, &info->trace, &info->damage, error);
    if (status)
        return status;
    info->about.bytes = sl_trace_bytes(info->trace);
    info->about.producer = sl_trace_producer(info->trace);
    status = sl_pool_create((unsigned)info->inv->common->threads, &pool, error);
    uint32_t launches = sl_trace_launches(info->trace);
    for (uint32_t n = 0; n < launches && !status; n++) {
        status = add_launch(info, n, pool, error);
        sl_progress_update(info->inv->progress, "launches", n + 1, launches);
    }
    sl_pool_destroy(pool);
    if (info->damage.status)
        info->about.damage = info->damage.text;
    return status;
}

static sl_status collect_foreign(trace_info *info, sl_error *error)
{
    bool brief = ((const info_options *)info->inv->values)->brief;
    sl_recorder_config config = {
        .count = !brief,
        .count_options = {.footprint = true},
        .launch_done = sl_launch_log_done,
        .context = info->log,
    };
    sl_recorder *recorder;
    sl_status status = sl_recorder_create(&config, &recorder, error);
    if (status)
        return status;
    status = sl_import(info->about.path, sl_recorder_sink(recorder), info->inv->progress, error);
    sl_recorder_abandon(recorder);
    return status;
}

static int run_info(const sl_invocation *inv)
{
    static const sl_report_forms forms = {write_text, write_json, write_csv};
    trace_info info = {.inv = inv, .about = {.path = inv->args.operand[0]}};
    sl_error error;
    sl_trace_format format;
    sl_status status = sl_trace_detect(info.about.path, &format, &error);
    if (!status && format == SL_FORMAT_UNKNOWN)
        status = sl_fail_at(&error, SL_INVALID, info.about.path, 0, 0, "this is no trace that Sluice can read");
    if (!status)
        status = sl_launch_log_create(&info.log, &error);
    if (!status) {
        info.about.format = sl_trace_format_name(format);
        status = format == SL_FORMAT_SLUICE ? collect_ours(&info, &error) : collect_foreign(&info, &error);
    }
    int code = status ? sl_cli_fail(inv, &error) : sl_report_write(inv, &forms, &info, stdout);
    if (!status && info.damage.status) {
        sl_cli_warn(inv, "%s: %s", info.about.path, info.damage.text);
        code = SL_EXIT_FAILURE;
    }
    sl_launch_log_destroy(info.log);
    sl_trace_close(info.trace);
    return code;
}

static const sl_option options[] = {
    {"brief", 'b', SL_OPTION_FLAG, NULL, "Show what the file's index says, without counting",
     offsetof(info_options, brief), 0, 0, NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice info mm.slt", "Shows the kernels, the launches and what each executed and touched"},
    {"sluice info --brief big.slt", "Shows only what takes no time"},
    {"sluice info --json info.json traces/", "Counts an Accel-Sim trace without importing it"},
    {0},
};

const sl_command sl_cmd_info = {
    .name = "info",
    .summary = "show the kernels, launches, loads and sizes of a trace",
    .usage = "[options] TRACE",
    .description =
        "Shows what is in a trace: its kernels with their loads and registers, and for each launch what it "
        "executed and touched and how much room it takes in the file.\n\n"
        "Besides Sluice traces it takes the traces that 'sluice import' takes. A damaged or unfinished Sluice "
        "trace is shown as far as it can be read; what is lost is said, and the exit code is 1.",
    .options = options,
    .common = SL_COMMON_REPORT | SL_COMMON_JOBS,
    .values_bytes = sizeof(info_options),
    .least_operands = 1,
    .most_operands = 1,
    .operand = "a trace",
    .examples = examples,
    .run = run_info,
};
