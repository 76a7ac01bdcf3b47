/* sluice model: miss rates by class, from reuse distances. */
#include <string.h>

#include "cli/command.h"
#include "cli/compat_hpca14.h"
#include "cli/show_launches.h"
#include "cli/trace_input.h"
#include "model/model.h"
#include "report/model.h"

typedef struct model_options {
    sl_trace_input_options input;
    const char *gpu;
    bool no_latency, no_associativity, no_mshr, no_divergence;
    int compat; /* index into compat_choices */
} model_options;

enum { COMPAT_NONE, COMPAT_HPCA14 };
static const char *const compat_choices[] = {"none", "hpca14", NULL};

static sl_status model_launch(const sl_invocation *inv, const sl_machine *machine, const sl_trace *trace, uint32_t n,
                              sl_pool *pool, sl_launch_log *log, sl_error *error)
{
    const model_options *options = inv->values;
    const sl_model_options wishes = {options->no_latency, options->no_associativity, options->no_mshr,
                                     options->no_divergence, options->input.seed};
    sl_loaded *loaded = NULL;
    sl_model_result result = {0};
    sl_status status = sl_loaded_create(trace, n, pool, &loaded, error);
    if (!status)
        status = sl_model_launch(machine, loaded, &wishes, pool, &result, error);
    if (!status) {
        const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
        sl_launch_result logged = {
            .index = launch->index,
            .kernel = sl_trace_kernel_at(trace, launch->kernel),
            .launch = launch,
            .counts = &result.counts,
        };
        status = sl_launch_log_add(log, &logged, error);
    }
    sl_model_result_fini(&result);
    sl_loaded_destroy(loaded);
    return status;
}

static sl_status model_all(const sl_invocation *inv, const sl_machine *machine, const sl_trace_input *input,
                           sl_launch_log *log, sl_error *error)
{
    sl_pool *pool = NULL;
    sl_status status = sl_pool_create((unsigned)inv->common->threads, &pool, error);
    for (uint32_t n = 0; n < input->launches && !status; n++) {
        status = model_launch(inv, machine, input->trace, input->launch[n], pool, log, error);
        sl_progress_update(inv->progress, "launches", n + 1, input->launches);
    }
    sl_pool_destroy(pool);
    return status;
}

/* A workload runs with the warps of the machine. */
static int run_model(const sl_invocation *inv)
{
    model_options options = *(const model_options *)inv->values;
    sl_invocation fitted = *inv;
    fitted.values = &options;
    sl_error error;
    sl_machine machine;
    sl_trace_input input = {0};
    sl_launch_log *log = NULL;
    if (options.compat == COMPAT_HPCA14)
        return sl_run_compat_hpca14(inv);
    sl_status status = sl_machine_load(options.gpu, &machine, &error);
    if (!status) {
        options.input.lanes = machine.lanes;
        status = sl_trace_input_open(&input, &fitted, &error);
    }
    if (status)
        return sl_cli_fail(inv, &error);
    if (input.damage.status) {
        status = input.damage.status;
        error = input.damage;
    }
    if (!status)
        status = sl_launch_log_create(&log, &error);
    if (!status)
        status = model_all(&fitted, &machine, &input, log, &error);
    sl_shown_launches shown = {.log = log,
                               .text = sl_model_report_text,
                               .machine = machine.name,
                               .seed = &options.input.seed,
                               .trace = *input.workload ? NULL : &input.about};
    int code = status ? sl_cli_fail(inv, &error) : sl_show_launches(inv, &shown, stdout);
    sl_launch_log_destroy(log);
    sl_trace_input_close(&input);
    return code;
}

#define AT(field) offsetof(model_options, field)
static const sl_option options[] = {
    {"gpu", 'g', SL_OPTION_STRING, "MACHINE", "The machine: a name of 'sluice machines' or a YAML file (default: h200)",
     AT(gpu), 0, 0, NULL},
    {"no-latency", 0, SL_OPTION_FLAG, NULL, "Loads take effect at once", AT(no_latency), 0, 0, NULL},
    {"no-associativity", 0, SL_OPTION_FLAG, NULL, "L1 is fully associative", AT(no_associativity), 0, 0, NULL},
    {"no-mshr", 0, SL_OPTION_FLAG, NULL, "Any number of lines can be in flight", AT(no_mshr), 0, 0, NULL},
    {"no-divergence", 0, SL_OPTION_FLAG, NULL, "Warps take turns whether their data is there or not", AT(no_divergence),
     0, 0, NULL},
    {"compat", 0, SL_OPTION_CHOICE, "PROGRAM",
     "Do as another program does: that of the HPCA 2014 paper, on one of its thread traces", AT(compat), 0, 0,
     compat_choices},
    {0},
};

static const model_options defaults = {.input = SL_TRACE_INPUT_DEFAULTS, .gpu = "h200"};

static const sl_example examples[] = {
    {"sluice model matmul --gpu fermi-gtx470", "Shows what a workload would miss in a Fermi's caches, by class"},
    {"sluice model app.slt --gpu h200 --json", "Models a recorded program on an H200, as JSON"},
    {"sluice model --compat hpca14 kernel.trc", "Counts the misses of a thread trace as the authors of the model do"},
    {"sluice model app.slt --gpu my.yaml --no-associativity", "Models a machine of one's own, as if without conflicts"},
    {0},
};

const sl_command sl_cmd_model = {
    .name = "model",
    .summary = "predict cache misses by class from reuse distances, in seconds",
    .usage = "[options] " SL_TRACE_INPUT_USAGE,
    .description =
        "Predicts what each launch of a trace does to the caches of a machine: hits and misses of L1 by class "
        "(compulsory, capacity, conflict, MSHR; of the hits, those on data still in flight), reads and hits of the "
        "next level, and reads of memory, for the launch and for each load.\n\n"
        "The model orders the accesses of warps as a GPU would, with latencies and limits but without simulating "
        "cycles, and applies reuse-distance theory to each set of the cache. Traces of other programs are taken as "
        "'sluice import' takes them; a workload is run and recorded first.\n\n"
        "With --compat hpca14 the program is the one that the authors of the model published, on thread traces: one "
        "core of a Fermi with a 16 KiB L1, its way of counting and its mistakes included, without the random part of "
        "its latencies. It takes no other option of the model.",
    .options = options,
    .more_options = sl_trace_input_table,
    .common = SL_COMMON_REPORT | SL_COMMON_JOBS,
    .values_bytes = sizeof(model_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = SL_TRACE_INPUT_MOST_OPERANDS,
    .operand = SL_TRACE_INPUT_OPERAND,
    .examples = examples,
    .run = run_model,
};
