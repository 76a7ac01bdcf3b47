/* SPDX-License-Identifier: MIT */
/* sluice model: miss rates by class, from reuse distances. */
#include "analysis/analysis.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/show_results.h"
#include "model/model.h"
#include "report/results.h"

typedef struct model_options {
    sl_input_options input;
    sl_model_settings model;
    sl_sweep_settings sweep;
    const char *what_if, *sample;
    bool cold, confirm;
    int compat; /* index into compat_choices */
} model_options;

enum { COMPAT_NONE, COMPAT_HPCA14 };
static const char *const compat_choices[] = {"none", "hpca14", NULL};

static int run_launches(const sl_invocation *inv, const sl_machine *machine, const sl_sampling *sampling,
                        const sl_cli_input *input)
{
    const model_options *o = inv->values;
    sl_analyzed_input analyzed = {.inv = inv,
                                  .input = input,
                                  .confirm = o->confirm,
                                  .analysis = {.kind = SL_ANALYSIS_MODEL,
                                               .sampling = *sampling,
                                               .cold = o->cold,
                                               .machine = machine,
                                               .seed = o->input.seed,
                                               .model = sl_model_options_of(&o->model, o->input.seed)}};
    sl_error error;
    if (o->what_if)
        return sl_cli_what_if(inv, o->what_if, &analyzed.analysis, input);
    int code = sl_analyze_input(&analyzed, &error) ? sl_cli_fail(inv, &error) : sl_show_analyzed(&analyzed);
    sl_result_set_fini(&analyzed.set);
    return code;
}

static int run_sweep(const sl_invocation *inv, const sl_machine *machine, const sl_cli_input *input)
{
    const model_options *o = inv->values;
    const sl_model_options settings = sl_model_options_of(&o->model, o->input.seed);
    char without[SL_WITHOUT_BYTES];
    sl_point like = SL_POINT_START;
    like.kind = SL_ANALYSIS_MODEL;
    like.resolved = machine;
    like.seed = o->input.seed;
    like.cold = o->cold;
    like.without = sl_model_without(&settings, without);
    return sl_run_sweep(inv, &o->sweep, &like, input);
}

static int run_model(const sl_invocation *inv)
{
    const model_options *o = inv->values;
    sl_error error;
    sl_machine machine;
    sl_sampling sampling;
    sl_cli_input input;
    if (o->compat == COMPAT_HPCA14)
        return sl_run_compat_hpca14(inv);
    if (o->what_if && sl_sweep_wanted(&o->sweep))
        return sl_cli_usage(inv, "--what-if takes one L1, no lists");
    if (sl_sampling_of(o->sample, &sampling, &error))
        return sl_cli_usage(inv, "%s", error.text);
    if (sl_sweep_check(&o->sweep, &error))
        return sl_cli_usage(inv, "%s", error.text);
    if (sl_model_machine(inv, &o->model, &machine, &error))
        return sl_cli_fail(inv, &error);
    int code = sl_cli_input_record(&input, inv, SL_TAKES_ALL, machine.lanes, false);
    if (code)
        return code;
    code =
        sl_sweep_wanted(&o->sweep) ? run_sweep(inv, &machine, &input) : run_launches(inv, &machine, &sampling, &input);
    code = sl_cli_input_code(&input, code);
    sl_cli_input_close(&input);
    return code;
}

#define AT(field) offsetof(model_options, field)
static const sl_option options[] = {
    SL_MODEL_OPTIONS(model_options),
    SL_SWEEP_OPTIONS(model_options),
    SL_COLD_OPTION(AT(cold)),
    SL_WHAT_IF_OPTION(AT(what_if)),
    SL_CONFIRM_OPTION(AT(confirm)),
    SL_SAMPLE_OPTION(AT(sample)),
    {"compat", 0, SL_OPTION_CHOICE, "PROGRAM",
     "Reproduce another program: that of the HPCA 2014 paper, on one of its thread traces", AT(compat), 0, 0,
     compat_choices},
    {0},
};

static const model_options defaults = {.input = SL_INPUT_DEFAULTS, .model = SL_MODEL_SETTINGS_DEFAULTS};

static const sl_example examples[] = {
    {"sluice model matmul --gpu fermi-gtx470", "Predict the misses of a workload in the caches of a Fermi, by class"},
    {"sluice model app.slt --gpu h200 --json", "Model a recorded program on an H200, as JSON"},
    {"sluice model spmv --gpu fermi-gtx470 --l1-size 8K,16K,32K --l1-ways 2,4,8", "Model nine L1 configurations"},
    {"sluice model spmv --gpu fermi-gtx470 --figure12", "Vary ways, size, line size and MSHRs of L1 one at a time"},
    {"sluice model --compat hpca14 kernel.trc", "Count the misses of a thread trace as the authors' program does"},
    {"sluice model transpose --what-if strided-stores", "Estimate what coalesced stores would save"},
    {"sluice model app.slt --gpu my.yaml --no-associativity", "Model a custom GPU with a fully associative L1"},
    {0},
};

const sl_command sl_cmd_model = {
    .name = "model",
    .summary = "predict cache misses by class from reuse distances, in seconds",
    .usage = "[options] " SL_INPUT_USAGE,
    .description =
        "Predict the cache behavior of each launch on a GPU model, per launch and per load: L1 hits (and pending hits "
        "among them), L1 misses by class (compulsory, capacity, conflict, caused by stores or by waiting for an MSHR), "
        "reads and hits of the next level, and memory reads.\n\nThe model orders the accesses of the warps as a GPU "
        "would, with latencies and limits but without simulating cycles, and applies reuse-distance theory to each set "
        "of the cache.\n\nLists of L1 parameters (--l1-size, --l1-ways, --line, --mshrs) model L1 alone in all "
        "combinations; --figure12 changes one parameter at a time. With --no-latency, --no-mshr and --no-divergence "
        "the result depends on reuse distances only, and all points with the same line size come from one "
        "pass.\n\n--compat hpca14 reproduces the program that the authors of the model published: thread traces on one "
        "core of a Fermi with a 16 KiB L1, counted as that program counts, bugs included, but without the random part "
        "of its latencies. It cannot be combined with other options of the model." SL_SAMPLE_HELP "\n\n" SL_INPUT_HELP,
    .often = "gpu set l1-size kernel sample what-if annotate html notes json",
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_ROOFLINE | SL_COMMON_JOBS |
              SL_COMMON_TIMES | SL_COMMON_NOTES,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(model_options, options, defaults, examples),
    .run = run_model,
};
