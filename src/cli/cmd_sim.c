/* sluice sim: cycles, stalls and traffic, cycle by cycle, with any policy. */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/show_launches.h"
#include "cli/trace_input.h"
#include "machine/level_policies.h"
#include "report/sim.h"
#include "sim/sim.h"

typedef struct sim_options {
    sl_trace_input_options input;
    const char *gpu;
    sl_option_list set;
    const char *l1, *l2, *scheduling;
    bool cold;
} sim_options;

static sl_status load_machine(const sim_options *o, sl_machine *machine, sl_error *error)
{
    size_t count = o->set.count;
    const char **settings = malloc((count + 1) * sizeof *settings);
    char scheduling[64];
    if (!settings)
        return sl_fail_memory(error);
    for (size_t i = 0; i < count; i++)
        settings[i] = o->set.item[i];
    if (o->scheduling) {
        snprintf(scheduling, sizeof scheduling, "core.scheduling=%.40s", o->scheduling);
        settings[count++] = scheduling;
    }
    sl_status status = sl_machine_load_with(o->gpu, settings, count, machine, error);
    free(settings);
    if (!status && o->l1)
        status = sl_level_set_policies(machine, 0, o->l1, error);
    if (!status && o->l2 && machine->levels < 2)
        status = sl_fail(error, SL_INVALID, "%s has one level only", machine->name);
    if (!status && o->l2)
        status = sl_level_set_policies(machine, 1, o->l2, error);
    return status;
}

static sl_status simulate(sl_sim *sim, const sl_trace *trace, uint32_t n, sl_pool *pool, sl_launch_log *log,
                          sl_error *error)
{
    const sl_trace_launch *launch = sl_trace_launch_at(trace, n);
    sl_loaded *loaded = NULL;
    sl_sim_result result = {0};
    sl_status status = sl_loaded_create(trace, n, pool, &loaded, error);
    if (!status)
        status = sl_sim_launch(sim, loaded, NULL, &result, error);
    if (!status) {
        sl_launch_result logged = {.index = launch->index,
                                   .kernel = sl_trace_kernel_at(trace, launch->kernel),
                                   .launch = launch,
                                   .counts = &result.counts};
        status = sl_launch_log_add(log, &logged, error);
    }
    sl_sim_result_fini(&result);
    sl_loaded_destroy(loaded);
    return status;
}

static sl_status simulate_all(const sl_invocation *inv, const sl_machine *machine, const sl_trace_input *input,
                              sl_launch_log *log, sl_error *error)
{
    const sim_options *o = inv->values;
    const sl_sim_options options = {.seed = o->input.seed, .cold = o->cold};
    sl_sim *sim = NULL;
    sl_pool *pool = NULL;
    sl_status status = sl_pool_create((unsigned)inv->common->threads, &pool, error);
    if (!status)
        status = sl_sim_create(machine, &options, &sim, error);
    for (uint32_t n = 0; n < input->launches && !status; n++) {
        status = simulate(sim, input->trace, input->launch[n], pool, log, error);
        sl_progress_update(inv->progress, "launches", n + 1, input->launches);
    }
    if (sim && sl_sim_state_text(sim))
        fputs(sl_sim_state_text(sim), stderr);
    sl_sim_destroy(sim);
    sl_pool_destroy(pool);
    return status;
}

static int run_launches(const sl_invocation *inv, const sl_machine *machine, const sl_trace_input *input)
{
    const sim_options *o = inv->values;
    const sl_report_option workload = {"workload", input->workload};
    sl_launch_log *log = NULL;
    sl_error error;
    sl_status status = sl_launch_log_create(&log, &error);
    if (!status)
        status = simulate_all(inv, machine, input, log, &error);
    sl_shown_launches shown = {.log = log,
                               .text = sl_sim_report_text,
                               .machine = machine->name,
                               .fact = &workload,
                               .facts = *input->workload != 0,
                               .seed = &o->input.seed,
                               .trace = *input->workload ? NULL : &input->about,
                               .subject = *input->workload ? input->workload : NULL,
                               .sources = input->texts,
                               .source = input->text};
    int code = status ? sl_cli_fail(inv, &error) : sl_show_launches(inv, &shown, stdout);
    sl_launch_log_destroy(log);
    return code;
}

/* A workload runs with the warps of the machine. */
static int run_sim(const sl_invocation *inv)
{
    sim_options options = *(const sim_options *)inv->values;
    sl_invocation fitted = *inv;
    fitted.values = &options;
    sl_error error;
    sl_machine machine;
    sl_trace_input input = {0};
    sl_status status = load_machine(&options, &machine, &error);
    if (!status) {
        options.input.lanes = machine.lanes;
        status = sl_trace_input_open(&input, &fitted, &error);
    }
    if (status)
        return sl_cli_fail(inv, &error);
    int code = input.damage.status ? sl_cli_fail(inv, &input.damage) : run_launches(&fitted, &machine, &input);
    sl_trace_input_close(&input);
    return code;
}

#define AT(field) offsetof(sim_options, field)
static const sl_option options[] = {
    {"gpu", 'g', SL_OPTION_STRING, "MACHINE",
     "The machine: a name of 'sluice machines' or a YAML file (default: fermi-gtx480)", AT(gpu), 0, 0, NULL},
    {"l1", 0, SL_OPTION_STRING, "POLICY",
     "Policies of the first level: one that replaces, one that bypasses, or both as decoupled+srrip", AT(l1), 0, 0,
     NULL},
    {"l2", 0, SL_OPTION_STRING, "POLICY", "The same of the second level", AT(l2), 0, 0, NULL},
    {"scheduler", 0, SL_OPTION_STRING, "WAY", "Which warp issues: lrr, gto, two-level or gty", AT(scheduling), 0, 0,
     NULL},
    {"set", 0, SL_OPTION_LIST, "KEY=VALUE",
     "Change a key of the machine, such as L1.ways=8 or cores=1; may be given several times", AT(set), 0, 0, NULL},
    {"cold", 0, SL_OPTION_FLAG, NULL, "Empty all caches before each launch, not the first level alone", AT(cold), 0, 0,
     NULL},
    {0},
};

static const sim_options defaults = {.input = SL_TRACE_INPUT_DEFAULTS, .gpu = "fermi-gtx480"};

static const sl_example examples[] = {
    {"sluice sim spmv --gpu fermi-gtx480", "Simulates a workload on a Fermi: cycles, hit rates, stalls"},
    {"sluice sim spmv --l1 decoupled", "The same with Decoupled L1D"},
    {"sluice sim app.slt --gpu h200 --cold --json", "Simulates a recorded program on an H200, as JSON"},
    {"sluice sim bfs --l1 'pdp(pd=32)' --scheduler lrr", "Protects lines of L1 for 32 accesses, warps in turn"},
    {0},
};

const sl_command sl_cmd_sim = {
    .name = "sim",
    .summary = "simulate caches, networks and memory cycle by cycle, with any policy",
    .usage = "[options] " SL_TRACE_INPUT_USAGE,
    .description =
        "Simulates the launches of a trace on a machine, cycle by cycle: cores that issue the instructions of their "
        "warps in order, the load/store unit, every level of cache with its MSHRs, queues and policies, networks and "
        "DRAM. Shows cycles, what schedulers did in them, hits, traffic and what requests waited for.\n\n"
        "Policies ('sluice policies') replace lines or let requests go past a level; any of the ones with any of the "
        "others. Caches behind the first keep their contents from launch to launch unless --cold is given.",
    .options = options,
    .more_options = sl_trace_input_table,
    .common = SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_JOBS,
    .values_bytes = sizeof(sim_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = SL_TRACE_INPUT_MOST_OPERANDS,
    .operand = SL_TRACE_INPUT_OPERAND,
    .examples = examples,
    .run = run_sim,
};
