/* SPDX-License-Identifier: MIT */
/* sluice model: miss rates by class, from reuse distances. */
#include "cli/command.h"
#include "cli/compat_hpca14.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/model_sweep.h"
#include "cli/show_launches.h"
#include "model/model.h"
#include "report/launches.h"
#include "report/model_log.h"

typedef struct model_options {
    sl_input_options input;
    sl_model_settings model;
    sl_sweep_settings sweep;
    int compat; /* index into compat_choices */
} model_options;

enum { COMPAT_NONE, COMPAT_HPCA14 };
static const char *const compat_choices[] = {"none", "hpca14", NULL};

static int run_launches(const sl_invocation *inv, const sl_machine *machine, const sl_cli_input *input)
{
    const model_options *o = inv->values;
    const sl_model_options settings = sl_model_options_of(&o->model, o->input.seed);
    sl_launch_log *log = NULL;
    sl_pool *pool = NULL;
    sl_error error;
    sl_status status = sl_launch_log_create(&log, &error);
    if (!status)
        status = sl_pool_create((unsigned)inv->common->threads, &pool, &error);
    if (!status)
        status = sl_model_log(&input->recording, machine, &settings, pool, inv->progress, log, &error);
    sl_pool_destroy(pool);
    sl_shown_launches shown = {
        .log = log, .text = sl_model_report_text, .machine = machine->name, .seed = &o->input.seed};
    sl_shown_input(&shown, input);
    int code = status ? sl_cli_fail(inv, &error) : sl_show_launches(inv, &shown, sl_cli_input_stream(input));
    sl_launch_log_destroy(log);
    return code;
}

static int run_sweep(const sl_invocation *inv, const sl_machine *machine, const sl_cli_input *input)
{
    const model_options *o = inv->values;
    const sl_model_options settings = sl_model_options_of(&o->model, o->input.seed);
    char without[SL_WITHOUT_BYTES];
    sl_point like = SL_POINT_START;
    like.kind = SL_POINT_MODEL;
    like.resolved = machine;
    like.seed = o->input.seed;
    like.without = sl_model_without(&settings, without);
    return sl_run_sweep(inv, &o->sweep, &like, input);
}

static int run_model(const sl_invocation *inv)
{
    const model_options *o = inv->values;
    sl_error error;
    sl_machine machine;
    sl_cli_input input;
    if (o->compat == COMPAT_HPCA14)
        return sl_run_compat_hpca14(inv);
    if (sl_sweep_check(&o->sweep, &error))
        return sl_cli_usage(inv, "%s", error.text);
    if (sl_model_machine(&o->model, &machine, &error))
        return sl_cli_fail(inv, &error);
    int code = sl_cli_input_record(&input, inv, SL_TAKES_ALL, machine.lanes, false);
    if (code)
        return code;
    code = sl_sweep_wanted(&o->sweep) ? run_sweep(inv, &machine, &input) : run_launches(inv, &machine, &input);
    code = sl_cli_input_code(&input, code);
    sl_cli_input_close(&input);
    return code;
}

#define AT(field) offsetof(model_options, field)
static const sl_option options[] = {
    SL_MODEL_OPTIONS(model_options),
    SL_SWEEP_OPTIONS(model_options),
    {"compat", 0, SL_OPTION_CHOICE, "PROGRAM",
     "Do as another program does: that of the HPCA 2014 paper, on one of its thread traces", AT(compat), 0, 0,
     compat_choices},
    {0},
};

static const model_options defaults = {.input = SL_INPUT_DEFAULTS, .model = SL_MODEL_SETTINGS_DEFAULTS};

static const sl_example examples[] = {
    {"sluice model matmul --gpu fermi-gtx470", "Shows what a workload would miss in a Fermi's caches, by class"},
    {"sluice model app.slt --gpu h200 --json", "Models a recorded program on an H200, as JSON"},
    {"sluice model spmv --gpu fermi-gtx470 --l1-size 8K,16K,32K --l1-ways 2,4,8", "Models nine sizes and shapes of L1"},
    {"sluice model spmv --gpu fermi-gtx470 --figure12", "Varies ways, size, line and MSHRs of L1 one by one"},
    {"sluice model --compat hpca14 kernel.trc", "Counts the misses of a thread trace as the authors of the model do"},
    {"sluice model app.slt --gpu my.yaml --no-associativity", "Models a machine of one's own, as if without conflicts"},
    {0},
};

const sl_command sl_cmd_model = {
    .name = "model",
    .summary = "predict cache misses by class from reuse distances, in seconds",
    .usage = "[options] " SL_INPUT_USAGE,
    .description =
        "Predicts what each launch of a trace does to the caches of a machine: hits and misses of L1 by class "
        "(compulsory, capacity, conflict, caused by stores or by waiting for an MSHR; of the hits, those on data still "
        "in flight), reads and hits of the "
        "next level, and reads of memory, for the launch and for each load.\n\n"
        "The model orders the accesses of warps as a GPU would, with latencies and limits but without simulating "
        "cycles, and applies reuse-distance theory to each set of the cache. Traces of other programs are taken as "
        "'sluice import' takes them; a workload is run and recorded first.\n\n"
        "Lists of L1's parameters (--l1-size, --l1-ways, --line, --mshrs) and --figure12 model the first level alone, "
        "for all combinations and for one change at a time. With --no-latency, --no-mshr and --no-divergence reuse "
        "distances alone decide, and all points with the same line come from one pass.\n\n"
        "With --compat hpca14 the program is the one that the authors of the model published, on thread traces: one "
        "core of a Fermi with a 16 KiB L1, its way of counting and its mistakes included, without the random part of "
        "its latencies. It takes no other option of the model.\n\n" SL_INPUT_HELP,
    .options = options,
    .more_options = sl_input_table,
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS,
    .values_bytes = sizeof(model_options),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = SL_INPUT_MAX_OPERANDS,
    .operand = SL_INPUT_OPERAND,
    .takes_program = true,
    .examples = examples,
    .run = run_model,
};
