/* SPDX-License-Identifier: MIT */
/* sluice run, sluice trace and sluice import: run an input on the emulated GPU, or read another program's trace; show
 * what it did, or record it. They share their options and differ in what they take and where the trace goes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/output.h"
#include "cli/show_launches.h"
#include "cli/show_planned.h"
#include "cli/temporary.h"

typedef struct run_options {
    sl_input_options input;
    const char *trace;   /* where to record to; NULL: nothing is recorded (run) */
    uint64_t zstd_level; /* of the trace */
    sl_option_list dump; /* arguments of a PTX kernel to show after the launch */
    bool no_check;       /* of workloads */
    const char *plan;    /* programs: a bypass plan to run with; NULL: none */
    int on;              /* index into device_choices */
} run_options;

static const char *const device_choices[] = {"emu", "gpu", NULL}; /* as sl_device_kinds */
enum { ON_EMULATOR, ON_GPU };

/* What the launches did. */
typedef struct launch_run {
    const sl_invocation *inv;
    const run_options *options;
    sl_cli_input input;
    sl_device *device; /* a real GPU */
    sl_launch_log *log;
    sl_status late; /* of a callback that cannot fail itself */
    sl_run_end end;
} launch_run;

/* What kernels print belongs to the program's output. */
static void print_text(void *context, const char *text, size_t length)
{
    (void)context;
    fwrite(text, 1, length, stdout);
}

/* ---- --dump ---- */

/* "2" prints argument 2, "2:FILE" writes its bytes. */
static sl_status dump_one(const char *wanted, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error)
{
    char *end;
    unsigned long index = strtoul(wanted, &end, 10);
    void *data = NULL;
    if (end == wanted || (*end && *end != ':') || index >= args || !arg[index].buffer)
        return sl_fail(error, SL_INVALID, "--dump %s: write the number of an argument that is a buffer, from 0%s",
                       wanted, *end == ':' ? "" : "; a FILE may follow after a colon");
    sl_status status = sl_kernel_arg_fetch(&arg[index], device, &data, error);
    if (status)
        return status;
    sl_output output;
    status = sl_output_open(&output, *end ? end + 1 : NULL, error);
    if (!status) {
        if (*end) {
            fwrite(data, arg[index].bytes, arg[index].count, output.file);
        } else {
            printf("argument %lu, %s\n", index, arg[index].text);
            sl_kernel_arg_print(&arg[index], data, stdout);
        }
        status = sl_output_close(&output, error);
    }
    free(data);
    return status;
}

static sl_status dump_all(void *context, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error)
{
    const sl_option_list *dump = context;
    sl_status status = SL_OK;
    for (size_t i = 0; i < dump->count && !status; i++)
        status = dump_one(dump->item[i], arg, args, device, error);
    return status;
}

/* ---- running ---- */

/* A launch of a real GPU: all that is known of it is how long it took. */
static void log_timed(void *context, const sl_device_kernel *kernel, const sl_device_launch *launch, double nanoseconds)
{
    launch_run *run = context;
    const sl_ptx_func *func = sl_device_kernel_func(kernel);
    sl_trace_kernel named = {.symbol = func->name, .name = func->name};
    sl_trace_launch shape = {.lanes = sl_device_info_of(run->device)->lanes};
    sl_launch_stats stats = {0};
    sl_launch_counts counts = {0};
    memcpy(shape.grid, launch->grid, sizeof shape.grid);
    memcpy(shape.block, launch->block, sizeof shape.block);
    shape.blocks_recorded = stats.blocks = counts.blocks = sl_launch_blocks(&shape);
    sl_counts_add(&counts.total, SL_COUNTER_time_ns, (uint64_t)llround(nanoseconds));
    sl_launch_result result = {
        .index = sl_launch_log_count(run->log),
        .kernel = &named,
        .launch = &shape,
        .counts = &counts,
        .stats = &stats,
    };
    if (!run->late)
        run->late = sl_launch_log_add(run->log, &result, NULL);
}

static sl_status run_on_gpu(launch_run *run, sl_error *error)
{
    const sl_device_config config = {.timed = log_timed, .timed_context = run};
    sl_status status = sl_device_open(device_choices[ON_GPU], &config, &run->device, error);
    if (!status)
        status = sl_input_run(&run->input.input, run->device, !run->options->no_check, &run->end.workload, error);
    sl_device_close(run->device);
    return !status && run->late ? sl_fail_memory(error) : status;
}

static sl_status emulate(launch_run *run, sl_error *error)
{
    sl_record_options o = run->input.record;
    o.print = print_text;
    o.check = !run->options->no_check;
    o.trace_path = run->options->trace;
    o.zstd_level = (int)run->options->zstd_level;
    o.count = true;
    o.launch_done = sl_launch_log_done;
    o.launch_context = run->log;
    sl_temporary_beside(o.trace_path);
    sl_status status = sl_input_emulate(&run->input.input, &o, &run->end, error);
    sl_cli_input_warn(run->inv, &run->end, o.trace_path);
    return status;
}

/* ---- the report ---- */

static void note_check(const launch_run *run, char *note, size_t size)
{
    const sl_input *input = &run->input.input;
    const sl_workload_result *result = &run->end.workload;
    *note = 0;
    if (input->kind == SL_INPUT_LLVM && input->workload)
        snprintf(note, size, "%s with the host of %s %s, seed %" PRIu64 ": %s", input->spec.name, input->workload->name,
                 result->params, input->spec.seed,
                 !result->compared   ? "not checked"
                 : result->worst > 0 ? "checked against the CPU, all within the error allowed"
                                     : "checked against the CPU, all equal");
    else if (input->workload && result->compared)
        snprintf(note, size, "%s %s, seed %" PRIu64 ": %" PRIu64 " values checked against the CPU%s",
                 input->workload->name, result->params, input->spec.seed, result->compared,
                 result->worst > 0 ? ", all within the error allowed" : ", all equal");
    else if (input->workload)
        snprintf(note, size, "%s %s, seed %" PRIu64 ": not checked", input->workload->name, result->params,
                 input->spec.seed);
}

static int show(const launch_run *run)
{
    const sl_input *input = &run->input.input;
    const sl_workload_result *result = &run->end.workload;
    const char *check = run->options->no_check ? "skipped" : result->worst > 0 ? "near" : "equal";
    bool program = input->kind == SL_INPUT_PROGRAM, foreign = input->kind == SL_INPUT_FOREIGN;
    const sl_report_option of_code[] = {{"device", device_choices[run->options->on]},
                                        {"workload", input->spec.name},
                                        {"parameters", result->params},
                                        {"check", check}};
    char note[512], subject[600];
    note_check(run, note, sizeof note);
    snprintf(subject, sizeof subject, "%s %s", input->spec.name, result->params);
    const sl_shown_launches shown = {.log = run->log,
                                     .note = note,
                                     .fact = program ? &run->input.fact : of_code,
                                     .facts = foreign                            ? 0
                                              : input->kind != SL_INPUT_WORKLOAD ? 1
                                                                                 : 4,
                                     .seed = program || foreign ? NULL : &run->options->input.seed,
                                     .trace = run->input.trace,
                                     .subject = input->kind == SL_INPUT_WORKLOAD ? subject : NULL,
                                     .sources = run->input.texts,
                                     .source = run->input.text};
    return sl_show_launches(run->inv, &shown, sl_cli_input_stream(&run->input));
}

/* A program's own failure counts before that of a launch, which it may not have noticed. */
static int exit_code(const launch_run *run, int shown)
{
    if (run->end.exit_code)
        return run->end.exit_code;
    if (run->end.failed && !shown)
        sl_cli_warn(run->inv, "%" PRIu64 " launch%s failed", run->end.failed, run->end.failed == 1 ? "" : "es");
    return shown ? shown : run->end.failed ? SL_EXIT_FAILURE : SL_EXIT_OK;
}

static int run_input(launch_run *run)
{
    sl_error error = {0};
    sl_status status = sl_launch_log_create(&run->log, &error);
    if (!status)
        status = run->options->on == ON_GPU ? run_on_gpu(run, &error) : emulate(run, &error);
    int code = status ? sl_cli_fail(run->inv, &error) : SL_EXIT_OK;
    bool ran = status == SL_FAULT || status == SL_LIMIT; /* up to a launch that failed: it is shown, too */
    if (!status)
        code = exit_code(run, show(run));
    else if (ran && sl_launch_log_count(run->log))
        show(run);
    sl_launch_log_destroy(run->log);
    return code;
}

static int run_kinds(const sl_invocation *inv, unsigned kinds)
{
    const run_options *o = inv->values;
    launch_run run = {.inv = inv, .options = o};
    if (o->plan && (!inv->args.program || o->trace))
        return sl_cli_usage(inv, "--plan is for 'sluice run -- PROGRAM'; for workloads and PTX files there is 'sluice "
                                 "measure'");
    if (o->plan)
        return sl_run_planned(inv, o->plan, o->on == ON_GPU);
    if (inv->args.program && o->on == ON_GPU)
        return sl_cli_usage(inv, "a program after '--' runs on the emulator; to use a GPU, start it by itself, or give "
                                 "a --plan");
    int code = sl_cli_input_open(&run.input, inv, kinds, 0, false);
    if (code)
        return code;
    if (o->dump.count && (run.input.input.workload || !run.input.input.ptx)) {
        code = sl_cli_usage(inv, "--dump shows arguments of --arg, and %s is %s", run.input.input.spec.name,
                            sl_input_kind_name(run.input.input.kind));
    } else {
        run.input.input.spec.launch.after = dump_all;
        run.input.input.spec.launch.after_context = (void *)(uintptr_t)&o->dump;
        code = run_input(&run);
    }
    sl_cli_input_close(&run.input);
    return code;
}

static int run_any(const sl_invocation *inv)
{
    return run_kinds(inv, SL_TAKES_CODE | SL_TAKES_PROGRAMS);
}

static int trace_any(const sl_invocation *inv)
{
    const run_options *o = inv->values;
    return o->trace ? run_any(inv) : sl_cli_usage(inv, "-o FILE is missing: where to record to");
}

static int import_any(const sl_invocation *inv)
{
    const run_options *o = inv->values;
    return o->trace ? run_kinds(inv, 1 << SL_INPUT_FOREIGN)
                    : sl_cli_usage(inv, "-o FILE is missing: where to write the trace");
}

#define AT(field) offsetof(run_options, field)
// clang-format off
static const sl_option run_table[] = {
    {"dump", 0, SL_OPTION_LIST, "ARG[:FILE]", "PTX, LLVM IR: after the launch print the buffer that argument ARG (from 0) stands for, or write its bytes to FILE", AT(dump), 0, 0, NULL},
    {"no-check", 0, SL_OPTION_FLAG, NULL, "Workload: do not check its result against the CPU", AT(no_check), 0, 0, NULL},
    {"plan", 0, SL_OPTION_STRING, "FILE", "Program: run it as it is and with the loads of a plan bypassing, time each kernel and compare what is copied to the host; with --on gpu on the real GPU", AT(plan), 0, 0, NULL},
    {"on", 0, SL_OPTION_CHOICE, "DEVICE", "Workload, PTX, LLVM IR, program with a plan: where to run, the emulator or a real GPU; on a GPU the report has times instead of counts", AT(on), 0, 0, device_choices},
    {0},
};
#define TRACE_OPTIONS \
    {"output", 'o', SL_OPTION_STRING, "FILE", "The trace to write", AT(trace), 0, 0, NULL}, \
    {"level", 0, SL_OPTION_NUMBER, "N", "Compression level of zstd (default: 3)", AT(zstd_level), 1, 19, NULL}
static const sl_option import_table[] = {
    TRACE_OPTIONS,
    {0},
};
static const sl_option trace_table[] = {
    TRACE_OPTIONS,
    {"no-check", 0, SL_OPTION_FLAG, NULL, "Workload: do not check its result against the CPU", AT(no_check), 0, 0, NULL},
    {0},
};
// clang-format on

static const run_options defaults = {.input = SL_INPUT_DEFAULTS, .zstd_level = 3};

#define SL_RUN_HELP                                                                                                    \
    "What runs is a CUDA program given after '--', a built-in workload (see 'sluice workloads'), or a PTX file or "    \
    "LLVM IR (.ll, .bc; for NVIDIA or AMD GPUs) with a launch. A CUDA program must be linked with -cudart shared and " \
    "carry PTX; its standard output and its exit code are its own, and the report goes to standard error. The exit "   \
    "code is 1 where a launch failed although the program ended well.\n\n" SL_KERNEL_ARGS_HELP

static const sl_example run_examples[] = {
    {"sluice run matmul", "Runs a built-in workload and shows what each launch executed and touched"},
    {"sluice run --size small spmv rows=500", "Runs another one at its small size with a parameter changed"},
    {"sluice run k.ptx --grid 4 --block 256 --arg 'f32[1K]:random' --arg u32:1024 --dump 0",
     "Launches the kernel of a PTX file and prints the buffer it was given"},
    {"sluice run kernels.ll --workload spmv_jds", "Runs LLVM IR, also for AMD GPUs, with the host of a workload"},
    {"sluice run -- ./app 1024", "Runs a CUDA program, built with nvcc -cudart shared, without a GPU"},
    {"sluice run --json report.json -- ./app", "Writes the report as JSON too"},
    {"sluice run --check=uninit --max-instructions 10M -- ./app",
     "Looks for reads of memory never written and for endless loops"},
    {0},
};
static const sl_example trace_examples[] = {
    {"sluice trace -o app.slt -- ./app 1024", "Records every launch of a CUDA program"},
    {"sluice trace -o mm.slt --blocks 64 matmul", "Records the first 64 blocks of each launch of a workload"},
    {"sluice trace -o k.slt --kernel '^spmv' --launch 0-9 -- ./app",
     "Records the launches of some kernels among the first ten"},
    {0},
};

const sl_command sl_cmd_run = {
    .name = "run",
    .summary = "run a GPU program here, without a GPU, and show what each launch did",
    .usage = "[options] " SL_INPUT_USAGE,
    .description = "Runs a GPU program on the CPU and shows, for each kernel launch, what it executed and "
                   "touched.\n\n" SL_RUN_HELP,
    .options = run_table,
    .more_options = sl_input_table,
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS,
    .values_bytes = sizeof(run_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = SL_INPUT_MAX_OPERANDS,
    .operand = "something to run (a workload, a PTX file, LLVM IR, or '-- ./app')",
    .takes_program = true,
    .examples = run_examples,
    .run = run_any,
};

const sl_command sl_cmd_trace = {
    .name = "trace",
    .summary = "record what the warps of a GPU program did",
    .usage = "-o FILE [options] " SL_INPUT_USAGE,
    .description =
        "Runs a GPU program as 'sluice run' does and records what each warp executed and touched, for every later "
        "analysis.\n\n" SL_RUN_HELP,
    .options = trace_table,
    .more_options = sl_input_table,
    .common = (SL_COMMON_REPORT & ~SL_COMMON_OUTPUT) | SL_COMMON_JOBS,
    .values_bytes = sizeof(run_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = SL_INPUT_MAX_OPERANDS,
    .operand = "something to run (a workload, a PTX file, LLVM IR, or '-- ./app')",
    .takes_program = true,
    .examples = trace_examples,
    .run = trace_any,
};

static const sl_example import_examples[] = {
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
    .options = import_table,
    .more_options = sl_input_table,
    .common = (SL_COMMON_REPORT & ~SL_COMMON_OUTPUT) | SL_COMMON_JOBS,
    .values_bytes = sizeof(run_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operand = "a trace to import",
    .examples = import_examples,
    .run = import_any,
};
