/* SPDX-License-Identifier: MIT */
/* sluice run, sluice trace and sluice import: run an input on the emulator, or read a trace of another tool; report
 * its launches, or write a trace. They share their options and differ in the inputs they accept and in their output. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folders.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/show_results.h"
#include "cli/terminal.h"
#include "study/point.h"

typedef struct run_options {
    sl_input_options input;
    const char *trace;   /* trace to write; NULL: none (run) */
    uint64_t zstd_level; /* of the trace */
    sl_option_list dump; /* arguments of a PTX kernel to show after the launch */
    bool no_check;       /* of workloads */
    const char *plan;    /* programs: a bypass plan to run with; NULL: none */
    int on;              /* index into device_choices */
    const char *gpu;     /* run: machine that findings are for */
    sl_option_list set;
} run_options;

static const char *const device_choices[] = {"emu", "gpu", NULL}; /* as sl_device_kinds */
enum { ON_EMULATOR, ON_GPU };

typedef struct launch_run {
    const sl_invocation *inv;
    const run_options *options;
    sl_cli_input input;
    sl_device *device; /* a real GPU */
    sl_launch_log *log;
    sl_machine machine; /* that findings are for */
    bool judged;        /* there is one */
    sl_status deferred; /* error of a callback that cannot return one */
    sl_run_end end;
} launch_run;

/* Output of kernels goes where that of programs goes. */
static void print_text(void *context, const char *text, size_t length)
{
    (void)context;
    sl_terminal_write(stdout, text, length);
}
static void print_aside(void *context, const char *text, size_t length)
{
    (void)context;
    sl_terminal_write(stderr, text, length);
}

/* ---- --dump ---- */

/* "2" prints argument 2, "2:FILE" writes its bytes. */
static sl_status dump_one(const char *wanted, const sl_kernel_arg *arg, size_t args, sl_device *device, sl_error *error)
{
    char *end;
    unsigned long index = strtoul(wanted, &end, 10);
    void *data = NULL;
    if (end == wanted || (*end && *end != ':') || index >= args || !arg[index].buffer)
        return sl_fail(error, SL_INVALID, "--dump %s: give the number of a buffer argument, counted from 0%s", wanted,
                       *end == ':' ? "" : ", or NUMBER:FILE");
    sl_status status = sl_kernel_arg_fetch(&arg[index], device, &data, error);
    if (status)
        return status;
    sl_output output;
    status = sl_output_open(&output, *end ? end + 1 : NULL, error);
    if (!status) {
        if (*end) {
            fwrite(data, arg[index].bytes, arg[index].count, output.file);
        } else {
            fprintf(output.file, "argument %lu, %s\n", index, arg[index].text);
            sl_kernel_arg_print(&arg[index], data, output.file);
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

/* A launch on a real GPU: only its time is known. */
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
    if (!run->deferred)
        run->deferred = sl_launch_log_add(run->log, &result, NULL);
}

static sl_status run_on_gpu(launch_run *run, sl_error *error)
{
    const sl_device_config config = {.timed = log_timed, .timed_context = run};
    sl_status status = sl_device_open(device_choices[ON_GPU], &config, &run->device, error);
    if (!status)
        status = sl_input_run(&run->input.input, run->device, !run->options->no_check, &run->end.workload, error);
    sl_device_close(run->device);
    return !status && run->deferred ? sl_fail_memory(error) : status;
}

static sl_status emulate(launch_run *run, sl_error *error)
{
    sl_record_options o = run->input.record;
    o.print = sl_output_takes_stdout(run->inv->common) ? print_aside : print_text;
    o.check = !run->options->no_check;
    o.trace_path = run->options->trace;
    o.zstd_level = (int)run->options->zstd_level;
    /* Only what is shown is counted: the text has no accesses to shared memory. */
    const sl_common *shown = run->inv->common;
    bool all = shown->json || shown->csv || shown->loads || shown->html || shown->callgrind || shown->annotate;
    bool some = shown->notes || shown->sarif || shown->markdown || shown->output;
    o.count = all || some || !shown->quiet;
    o.no_shared = !all;
    o.launch_done = sl_launch_log_done;
    o.launch_context = run->log;
    sl_temporary_next_to(o.trace_path);
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
    else if (input->kind == SL_INPUT_PROGRAM)
        snprintf(note, size, "%s", run->end.note);
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
    char note[1024], subject[600];
    note_check(run, note, sizeof note);
    snprintf(subject, sizeof subject, "%s %s", input->spec.name, result->params);
    const sl_report_option of_program[] = {run->input.fact, {"note", run->end.note}};
    const sl_shown_launches shown = {.log = run->log,
                                     .find = {.counted = run->log, .machine = run->judged ? &run->machine : NULL},
                                     .note = note,
                                     .fact = program ? of_program : of_code,
                                     .facts = foreign                            ? 0
                                              : program                          ? 1 + (*run->end.note != 0)
                                              : input->kind != SL_INPUT_WORKLOAD ? 1
                                                                                 : 4,
                                     .seed = program || foreign ? NULL : &run->options->input.seed,
                                     .trace = run->input.trace,
                                     .subject = input->kind == SL_INPUT_WORKLOAD ? subject : NULL,
                                     .sources = run->input.texts,
                                     .source = run->input.text};
    return sl_show_launches(run->inv, &shown, sl_cli_input_stream(&run->input));
}

/* The exit code of a program takes precedence over failed launches, which it may not have noticed. */
static int exit_code(const launch_run *run, int shown)
{
    if (run->end.exit_code)
        return run->end.exit_code;
    if (run->end.failed && !shown)
        sl_cli_warn(run->inv, "%" PRIu64 " launch%s failed", run->end.failed, run->end.failed == 1 ? "" : "es");
    return shown ? shown : run->end.failed || run->end.problems ? SL_EXIT_FAILURE : SL_EXIT_OK;
}

static int run_input(launch_run *run)
{
    sl_error error = {0};
    sl_status status = sl_launch_log_create(&run->log, &error);
    if (!status)
        status = run->options->on == ON_GPU ? run_on_gpu(run, &error) : emulate(run, &error);
    int code = status ? sl_cli_fail(run->inv, &error) : SL_EXIT_OK;
    if (run->log && sl_group_launches(run->inv, run->log, &error))
        code = sl_cli_fail(run->inv, &error);
    bool ran = status == SL_FAULT || status == SL_LIMIT; /* up to the launch that failed, which is shown as well */
    if (!status)
        code = exit_code(run, show(run));
    else if (ran && sl_launch_log_count(run->log))
        show(run);
    sl_launch_log_destroy(run->log);
    return code;
}

static int run_any(const sl_invocation *inv)
{
    const run_options *o = inv->values;
    launch_run run = {.inv = inv, .options = o};
    if (o->plan && (!inv->args.program || o->trace))
        return sl_cli_usage(inv,
                            "--plan requires a program after '--'; use 'sluice measure' for workloads and PTX files");
    if (o->plan)
        return sl_run_planned(inv, o->plan, o->on == ON_GPU);
    if (inv->args.program && o->on == ON_GPU)
        return sl_cli_usage(inv,
                            "--on gpu with a program requires --plan; without one, start the program without sluice");
    sl_error error;
    run.judged = o->gpu && o->on == ON_EMULATOR;
    if (o->on == ON_GPU && (sl_was_given(inv, "gpu") || sl_was_given(inv, "set")))
        return sl_cli_usage(inv, "--gpu and --set describe a GPU model: they do not apply to the real GPU of --on gpu");
    if (run.judged && sl_machine_load_with(o->gpu, o->set.item, o->set.count, &run.machine, &error))
        return sl_cli_fail(inv, &error);
    int code = sl_cli_input_open(&run.input, inv, inv->command->inputs,
                                 sl_was_given(inv, "gpu") ? run.machine.lanes : 0, false);
    if (code)
        return code;
    if (o->dump.count && (run.input.input.workload || !run.input.input.ptx)) {
        code = sl_cli_usage(inv, "--dump requires a PTX file or LLVM IR with --arg; %s is %s",
                            run.input.input.spec.name, sl_input_kind_name(run.input.input.kind));
    } else {
        run.input.input.spec.launch.after = dump_all;
        run.input.input.spec.launch.after_context = (void *)(uintptr_t)&o->dump;
        code = run_input(&run);
    }
    sl_cli_input_close(&run.input);
    return code;
}

/* trace, import */
static int write_trace(const sl_invocation *inv)
{
    const run_options *o = inv->values;
    return o->trace ? run_any(inv) : sl_cli_usage(inv, "-o FILE is missing: the trace to write");
}

#define AT(field) offsetof(run_options, field)
// clang-format off
static const sl_option run_table[] = {
    SL_GPU_OPTIONS(AT(gpu), AT(set)),
    {"dump", 0, SL_OPTION_LIST, "ARG[:FILE]", "PTX, LLVM IR: after the launch, print the buffer of argument ARG (counted from 0), or write its bytes to FILE", AT(dump), 0, 0, NULL},
    {"no-check", 0, SL_OPTION_FLAG, NULL, "Workload: do not check the result against the CPU", AT(no_check), 0, 0, NULL},
    {"plan", 0, SL_OPTION_STRING, "FILE", "Program: run it twice, unchanged and with the plan applied, and compare the data copied to the host; with --on gpu on a real GPU, where each kernel is timed, too", AT(plan), 0, 0, NULL},
    {"on", 0, SL_OPTION_CHOICE, "DEVICE", "Workload, PTX, LLVM IR, or program with --plan: run on the emulator or on a real GPU, where the report has times instead of counts (default: emu)", AT(on), 0, 0, device_choices},
    {0},
};
#define TRACE_OPTIONS \
    {"output", 'o', SL_OPTION_STRING, "FILE", "Trace file to write", AT(trace), 0, 0, NULL}, \
    {"level", 0, SL_OPTION_NUMBER, "N", "zstd compression level (default: 3)", AT(zstd_level), 1, 19, NULL}
static const sl_option import_table[] = {
    TRACE_OPTIONS,
    {0},
};
static const sl_option trace_table[] = {
    TRACE_OPTIONS,
    {"no-check", 0, SL_OPTION_FLAG, NULL, "Workload: do not check the result against the CPU", AT(no_check), 0, 0, NULL},
    {0},
};
// clang-format on

static const run_options defaults = {.input = SL_INPUT_DEFAULTS, .zstd_level = 3}; /* trace, import */
static const run_options run_defaults = {.input = SL_INPUT_DEFAULTS, .gpu = SL_DEFAULT_GPU};

#define SL_RUN_HELP                                                                                                    \
    "The input is a CUDA program after '--', a built-in workload (see 'sluice workloads'), or a PTX file or LLVM IR "  \
    "(.ll, .bc; for NVIDIA or AMD GPUs) with a launch (--grid, --block, --arg). A CUDA program must contain PTX; it "  \
    "may use the runtime, static or shared, or the driver. It keeps its standard output and its exit code, and the "   \
    "report goes to standard error; where --json, --csv, --loads or --notes go to standard output, what the program "  \
    "writes there goes to standard error. If a launch failed, or something it needed was missing, although the "       \
    "program "                                                                                                         \
    "exited with 0, the exit code is 1.\n\n" SL_KERNEL_ARGS_HELP

static const sl_example run_examples[] = {
    {"sluice run matmul", "Run a built-in workload and report what each launch executed and accessed"},
    {"sluice run --size small spmv rows=500", "Run another workload at its small size with one parameter changed"},
    {"sluice run k.ptx --grid 4 --block 256 --arg 'f32[1K]:random' --arg u32:1024 --dump 0",
     "Launch the kernel of a PTX file and print its first buffer afterwards"},
    {"sluice run kernels.ll --workload spmv_jds",
     "Run LLVM IR, also for AMD GPUs, launched by the host code of a workload"},
    {"sluice run -- ./app 1024", "Run a CUDA program without a GPU"},
    {"sluice run --json report.json -- ./app", "Also write the report as JSON"},
    {"sluice run --check=uninit --max-instructions 10M -- ./app",
     "Find reads of uninitialized memory and endless loops"},
    {0},
};
static const sl_example trace_examples[] = {
    {"sluice trace -o app.slt -- ./app 1024", "Record every launch of a CUDA program"},
    {"sluice trace -o mm.slt --blocks 64 matmul", "Record the first 64 blocks of each launch of a workload"},
    {"sluice trace -o k.slt --kernel '^spmv' --launch 0-9 -- ./app",
     "Record those of the first ten launches whose kernel matches"},
    {0},
};

const sl_command sl_cmd_run = {
    .name = "run",
    .summary = "run a GPU program on the CPU and report each kernel launch",
    .usage = "[options] " SL_INPUT_USAGE,
    .description = "Run a GPU program on the CPU, without a GPU, and report what each kernel launch executed and "
                   "accessed.\n\n" SL_RUN_HELP,
    .often = "kernel check size grid block arg annotate html notes json",
    .inputs = SL_TAKES_EMULATED | SL_USES_ALL,
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS | SL_COMMON_NOTES | SL_COMMON_TIMES,
    .operand = "an input (a workload, a PTX file, LLVM IR, or '-- ./app')",
    SL_OF_INPUTS(run_options, run_table, run_defaults, run_examples),
    .run = run_any,
};

const sl_command sl_cmd_trace = {
    .name = "trace",
    .summary = "record what each warp of a GPU program executes and accesses",
    .usage = "-o FILE [options] " SL_INPUT_USAGE,
    .description = "Run a GPU program as 'sluice run' does and record what each warp executes and accesses. Every "
                   "other command analyzes the trace without running the program again.\n\n" SL_RUN_HELP,
    .often = "output kernel launch blocks size grid block arg check quiet",
    .inputs = SL_TAKES_EMULATED | SL_USES_ALL,
    .common = (SL_COMMON_REPORT & ~SL_COMMON_OUTPUT) | SL_COMMON_LOADS | SL_COMMON_JOBS | SL_COMMON_TIMES,
    .operand = "an input (a workload, a PTX file, LLVM IR, or '-- ./app')",
    SL_OF_INPUTS(run_options, trace_table, defaults, trace_examples),
    .run = write_trace,
};

static const sl_example import_examples[] = {
    {"sluice import traces/kernelslist.g -o app.slt", "Import all kernels of an Accel-Sim trace"},
    {"sluice import kernel-3.traceg.xz -o k3.slt", "Import a single kernel, compressed by xz"},
    {"sluice import mm.trc -o mm.slt", "Import a thread trace"},
    {0},
};

const sl_command sl_cmd_import = {
    .name = "import",
    .summary = "convert an Accel-Sim trace or a thread trace",
    .usage = "-o FILE [options] TRACE",
    .description = "Convert a trace of another tool into a Sluice trace, which every other command takes. The format "
                   "is detected from the first lines.\n\nAccel-Sim: kernelslist.g, a folder that contains one, or a "
                   "single kernel-N.traceg, plain or compressed by xz, of any version of the tracer. Instructions that "
                   "always executed together under one mask form a basic block.\n\nThread traces: 'blocksize: X Y Z', "
                   "then a line 'thread direction address bytes' per access. They name no instructions; the n-th "
                   "accesses of the threads of a warp are taken as one instruction.",
    .options = import_table,
    .more_options = sl_input_table,
    .inputs = 1 << SL_INPUT_FOREIGN,
    .common = (SL_COMMON_REPORT & ~SL_COMMON_OUTPUT) | SL_COMMON_LOADS | SL_COMMON_JOBS,
    .values_bytes = sizeof(run_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = 1,
    .operand = "a trace to import",
    .examples = import_examples,
    .run = write_trace,
};
