/* SPDX-License-Identifier: MIT */
/* sluice info: the contents of a trace, ours or of another tool. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/output.h"
#include "report/results.h"

typedef struct info_options {
    sl_input_options input;
    bool brief;
} info_options;

typedef struct trace_info {
    const sl_invocation *inv;
    sl_cli_input input;
    const sl_trace *trace; /* NULL: not a Sluice trace */
    sl_result result;      /* of our traces */
    sl_launch_log *log;
    sl_error damage; /* status SL_OK: none */
} trace_info;

/* ---- the report ---- */

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

static void add_file(sl_document *d, const trace_info *info)
{
    char bytes[SL_HUMAN_BYTES];
    const sl_report_trace *about = &info->input.about;
    size_t launches = sl_launch_log_count(info->log);
    sl_document_line(d, "%s: ", info->input.subject);
    if (info->trace)
        sl_document_line(d, "%s, %u %s, ", sl_human_bytes(about->bytes, bytes), sl_trace_kernels(info->trace),
                         plural(sl_trace_kernels(info->trace), "kernel", "kernels"));
    else if (info->input.trace)
        sl_document_line(d, "%s trace, ", about->format);
    sl_document_line(d, "%zu %s\n", launches, plural(launches, "launch", "launches"));
    if (about->producer && *about->producer)
        sl_document_line(d, "made by: %s\n", about->producer);
    if (about->damage)
        sl_document_line(d, "damaged: %s\n", about->damage);
    sl_document_line(d, "\n");
}

static uint64_t launches_of(const sl_trace *trace, uint32_t kernel)
{
    uint64_t count = 0;
    for (uint32_t n = 0; n < sl_trace_launches(trace); n++)
        count += sl_trace_launch_at(trace, n)->kernel == kernel;
    return count;
}

static void bytes_cell(sl_table *t, uint64_t bytes)
{
    if (bytes)
        sl_table_bytes(t, bytes);
    else
        sl_table_none(t);
}

static void kernel_row(sl_table *t, const sl_trace *trace, uint32_t index)
{
    const sl_trace_kernel *k = sl_trace_kernel_at(trace, index);
    uint32_t by_access[SL_MEM_ACCESSES] = {0};
    for (uint32_t s = 0; s < k->mem_slots; s++) {
        const sl_inst *inst = &k->inst[k->mem_inst[s]];
        if (inst->space != SL_MEM_CONST) /* parameters and constants */
            by_access[inst->access]++;
    }
    uint32_t loads = by_access[SL_ACCESS_LOAD] + by_access[SL_ACCESS_ASYNC_COPY] + by_access[SL_ACCESS_BULK_LOAD];
    uint32_t stores = by_access[SL_ACCESS_STORE] + by_access[SL_ACCESS_BULK_STORE];
    sl_table_cell(t, k->name);
    sl_table_count(t, launches_of(trace, index));
    sl_table_exact(t, k->insts);
    sl_table_exact(t, loads);
    sl_table_exact(t, stores);
    sl_table_exact(t,
                   by_access[SL_ACCESS_ATOMIC] + by_access[SL_ACCESS_REDUCTION] + by_access[SL_ACCESS_BULK_REDUCTION]);
    if (k->regs_per_thread)
        sl_table_cellf(t, "%s%u", k->regs_estimated ? "~" : "", k->regs_per_thread);
    else
        sl_table_none(t);
    bytes_cell(t, k->static_shared_bytes);
    bytes_cell(t, k->local_bytes);
}

static void add_kernels(sl_document *d, const sl_trace *trace)
{
    static const sl_column columns[] = {SL_NAMES("kernel"),  SL_NUMBERS("launches"),   SL_NUMBERS("insts"),
                                        SL_NUMBERS("loads"), SL_NUMBERS("stores"),     SL_NUMBERS("atomics"),
                                        SL_NUMBERS("regs"),  SL_NUMBERS("shared/blk"), SL_NUMBERS("local/thr")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (uint32_t k = 0; k < sl_trace_kernels(trace); k++)
        if (sl_trace_kernel_at(trace, k))
            kernel_row(t, trace, k);
    sl_document_line(d, "\n");
}

static int show(const trace_info *info)
{
    const sl_cli_input *input = &info->input;
    const sl_report_info head = {.command = "info",
                                 .trace = input->trace,
                                 .option = &input->fact,
                                 .options = !input->trace,
                                 .seed = input->trace ? NULL : &input->input.spec.seed};
    sl_document *d = sl_document_create(&head, sl_forms_wanted(info->inv->common));
    add_file(d, info);
    if (info->trace && sl_trace_kernels(info->trace))
        add_kernels(d, info->trace);
    sl_document_launches(d, info->log, NULL);
    sl_document_counted(d, info->log);
    return sl_document_show(info->inv, d, NULL, sl_cli_input_stream(input));
}

/* ---- collecting ---- */

static sl_status collect_ours(trace_info *info, sl_error *error)
{
    const sl_recording *recording = &info->input.recording;
    const sl_analysis count = {
        .kind = SL_ANALYSIS_COUNT, .details = true, .unread = ((const info_options *)info->inv->values)->brief};
    sl_status status = sl_analyze(recording, &count, info->input.pool, info->inv->progress, &info->result, error);
    sl_launch_log_destroy(info->log);
    info->log = info->result.log;
    info->result.log = NULL;
    if (!info->damage.status)
        info->damage = info->result.damage;
    if (info->damage.status)
        info->input.about.damage = info->damage.text;
    return status;
}

/* Other inputs are run or imported and counted on the fly: no trace is written. */
static sl_status collect_others(trace_info *info, sl_error *error)
{
    sl_record_options o = info->input.record;
    o.count = !((const info_options *)info->inv->values)->brief;
    o.launch_done = sl_launch_log_done;
    o.launch_context = info->log;
    sl_status status = sl_input_emulate(&info->input.input, &o, &info->input.recording.end, error);
    sl_cli_input_warn(info->inv, &info->input.recording.end, NULL);
    return status;
}

static sl_status collect(trace_info *info, sl_error *error)
{
    sl_status status = sl_launch_log_create(&info->log, error);
    if (status)
        return status;
    info->trace = info->input.recording.trace;
    info->damage = info->input.recording.damage;
    return info->trace ? collect_ours(info, error) : collect_others(info, error);
}

static int run_info(const sl_invocation *inv)
{
    trace_info info = {.inv = inv};
    sl_error error;
    int code = sl_cli_input_open(&info.input, inv, SL_TAKES_ALL, 0, false);
    if (!code && info.input.input.kind == SL_INPUT_TRACE)
        code = sl_cli_input_run(&info.input, inv, true);
    if (code)
        return code;
    sl_status status = collect(&info, &error);
    if (!status)
        status = sl_group_launches(inv, info.log, &error);
    code = status ? sl_cli_fail(inv, &error) : show(&info);
    code = sl_cli_input_code(&info.input, code);
    if (!status && info.damage.status) {
        sl_cli_warn(inv, "%s: %s", info.input.subject, info.damage.text);
        code = SL_EXIT_FAILURE;
    }
    sl_launch_log_destroy(info.log);
    sl_result_fini(&info.result);
    sl_cli_input_close(&info.input);
    return code;
}

static const info_options defaults = {.input = SL_INPUT_DEFAULTS};

static const sl_option options[] = {
    {"brief", 'b', SL_OPTION_FLAG, NULL, "Show only the file's index, without counting", offsetof(info_options, brief),
     0, 0, NULL},
    {0},
};

static const sl_example examples[] = {
    {"sluice info mm.slt", "Show the kernels, the launches and what each executed and accessed"},
    {"sluice info --brief big.slt", "Show only the index of a large trace"},
    {"sluice info --json info.json traces/", "Count an Accel-Sim trace without importing it"},
    {0},
};

const sl_command sl_cmd_info = {
    .name = "info",
    .summary = "show the kernels, launches, loads and sizes of a trace",
    .usage = "[options] " SL_INPUT_USAGE,
    .description = "Show the contents of a trace: its kernels with their loads and registers, and for each launch what "
                   "it executed and accessed and its size in the file.\n\nTraces of other tools are read as 'sluice "
                   "import' reads them. A damaged or unfinished Sluice trace is shown as far as it can be read; a "
                   "warning says what is lost, and the exit code is 1.\n\n" SL_INPUT_HELP,
    .often = "brief kernel launch grid block arg loads output json csv",
    .common = SL_COMMON_BY | SL_COMMON_REPORT | SL_COMMON_LOADS | SL_COMMON_JOBS,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(info_options, options, defaults, examples),
    .run = run_info,
};
