/* SPDX-License-Identifier: MIT */
/* sluice sim: cycle-by-cycle simulation, with any policy. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/input_plan.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/show_results.h"
#include "cli/terminal.h"
#include "report/timeline.h"

typedef struct sim_options {
    sl_input_options input;
    const char *gpu;
    sl_option_list set;
    const char *l1, *l2, *scheduling;
    uint64_t frc; /* entries; 0: as in the machine */
    bool cold, bound, confirm;
    const char *timeline, *plan, *code, *what_if, *sample;
    sl_option_range window;
} sim_options;

enum { DEFAULT_WINDOW = 20000 }; /* last cycle of a timeline */

/* The last level gets a Fetch and Replacement Cache. */
static sl_status add_frc(sl_machine *machine, uint32_t entries, sl_error *error)
{
    sl_level *last = &machine->level[machine->levels - 1];
    last->miss_handling = SL_MISS_FRC;
    last->frc_entries = entries;
    last->frc_ways = 0;
    return sl_machine_check(machine, error);
}

static sl_status load_machine(const sl_invocation *inv, sl_machine *machine, sl_error *error)
{
    const sim_options *o = inv->values;
    const sl_machine_choice choice = {.policies = inv->policies,
                                      .gpu = o->gpu,
                                      .set = o->set.item,
                                      .sets = o->set.count,
                                      .l1 = o->l1,
                                      .l2 = o->l2,
                                      .scheduler = o->scheduling};
    sl_status status = sl_machine_choose(&choice, machine, error);
    return !status && o->frc ? add_frc(machine, (uint32_t)o->frc, error) : status;
}

/* ---- a run ---- */

typedef struct run {
    const sim_options *options;
    sl_analyzed_input all;
    sl_timeline *timeline; /* NULL: no --timeline */
    sl_output timeline_file;
    FILE *packed; /* what is written to it, before its compression */
} run;

static sl_status open_timeline(run *r, sl_error *error)
{
    const sim_options *o = r->options;
    if (!o->timeline)
        return SL_OK;
    sl_status status = sl_output_open(&r->timeline_file, o->timeline, error);
    if (status)
        return status;
    r->packed = sl_gzip_open(r->timeline_file.file);
    if (r->packed)
        r->timeline = sl_timeline_create(r->packed, o->window.given ? o->window.first : 0,
                                         o->window.given ? o->window.last : DEFAULT_WINDOW);
    if (!r->timeline) {
        if (r->packed)
            fclose(r->packed);
        sl_output_abandon(&r->timeline_file);
        return sl_fail_memory(error);
    }
    return SL_OK;
}

static sl_status close_timeline(run *r, sl_status status, sl_error *error)
{
    uint64_t first, last;
    if (!r->timeline)
        return status;
    if (!status)
        status = sl_timeline_finish(r->timeline, error);
    if (!status && sl_timeline_is_empty(r->timeline, &first, &last))
        sl_cli_warn(r->all.inv,
                    "%s is empty: kernels run in cycles %" PRIu64 " to %" PRIu64 "; choose them with --window",
                    r->options->timeline, first, last);
    if (fclose(r->packed) && !status)
        status = sl_fail_io(error, "write", r->options->timeline);
    if (status)
        sl_output_abandon(&r->timeline_file);
    else
        status = sl_output_close(&r->timeline_file, error);
    sl_timeline_destroy(r->timeline);
    return status;
}

static sl_status simulate_all(run *r, sl_error *error)
{
    sl_status status = open_timeline(r, error);
    if (r->timeline)
        r->all.analysis.observer = sl_timeline_observer(r->timeline);
    if (!status)
        status = sl_analyze_input(&r->all, error);
    if (r->all.set.measured.stuck)
        sl_terminal_write(stderr, r->all.set.measured.stuck, strlen(r->all.set.measured.stuck));
    return close_timeline(r, status, error);
}

/* What the plan says of each launch. */
static sl_status read_plan(run *r, sl_cli_input *input, sl_arena *arena, sl_error *error)
{
    sl_plan plan;
    if (!r->options->plan)
        return SL_OK;
    sl_status status = sl_cli_input_find_code(input, r->options->code, error);
    if (!status)
        status = sl_input_plan(&input->input, r->options->plan, &input->recording, arena, &plan, error);
    return status ? status
                  : sl_plan_launches(&plan, &input->recording, r->all.analysis.machine, arena, &r->all.analysis.plan,
                                     error);
}

static int run_launches(const sl_invocation *inv, const sl_machine *machine, const sl_sampling *sampling,
                        sl_cli_input *input)
{
    const sim_options *o = inv->values;
    run r = {.options = o,
             .all = {.inv = inv,
                     .confirm = o->confirm,
                     .input = input,
                     .analysis = {.kind = SL_ANALYSIS_SIM,
                                  .machine = machine,
                                  .seed = o->input.seed,
                                  .sampling = *sampling,
                                  .cold = o->cold,
                                  .bound = o->bound}}};
    sl_error error;
    sl_arena plans;
    int code;
    sl_arena_init(&plans);
    sl_status status = read_plan(&r, input, &plans, &error);
    if (!status && !o->what_if)
        status = simulate_all(&r, &error);
    if (status)
        code = sl_cli_fail(inv, &error);
    else
        code = o->what_if ? sl_cli_what_if(inv, o->what_if, &r.all.analysis, input) : sl_show_analyzed(&r.all);
    sl_result_set_fini(&r.all.set);
    sl_arena_fini(&plans);
    return code;
}

static int run_sim(const sl_invocation *inv)
{
    const sim_options *o = inv->values;
    sl_error error;
    sl_machine machine;
    sl_sampling sampling;
    sl_cli_input input;
    if (o->window.given && !o->timeline)
        return sl_cli_usage(inv, "--window requires --timeline");
    if (o->what_if && (o->timeline || o->bound))
        return sl_cli_usage(inv, "--what-if goes with neither --timeline nor --bound");
    if (sl_sampling_of(o->sample, &sampling, &error))
        return sl_cli_usage(inv, "%s", error.text);
    if (o->code && !o->plan)
        return sl_cli_usage(inv, "--code requires --plan");
    sl_status status = load_machine(inv, &machine, &error);
    if (!status && o->timeline)
        status = sl_output_probe(o->timeline, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    int code = sl_cli_input_record(&input, inv, SL_TAKES_ALL, machine.lanes, false);
    if (code)
        return code;
    code = sl_cli_input_code(&input, run_launches(inv, &machine, &sampling, &input));
    sl_cli_input_close(&input);
    return code;
}

#define AT(field) offsetof(sim_options, field)
static const sl_option options[] = {
    SL_GPU_OPTIONS(AT(gpu), AT(set)),
    {"l1", 0, SL_OPTION_STRING, "POLICY",
     "L1 policies: one for replacement, one for bypassing, or both as decoupled+srrip", AT(l1), 0, 0, NULL},
    {"l2", 0, SL_OPTION_STRING, "POLICY", "L2 policies, in the same form", AT(l2), 0, 0, NULL},
    {"frc", 0, SL_OPTION_NUMBER, "N", "Add a Fetch and Replacement Cache of N entries to each bank of the last level",
     AT(frc), 1, 1 << 16, NULL},
    {"scheduler", 0, SL_OPTION_STRING, "NAME", "Warp scheduler: lrr, gto, two-level or gty", AT(scheduling), 0, 0,
     NULL},
    SL_COLD_OPTION(AT(cold)),
    {"plan", 0, SL_OPTION_STRING, "FILE", "Apply a bypass plan of 'sluice tune': its loads bypass the levels it names",
     AT(plan), 0, 0, NULL},
    {"code", 0, SL_OPTION_STRING, "FILE", "With --plan and a trace: the PTX that the trace was recorded from", AT(code),
     0, 0, NULL},
    {"bound", 0, SL_OPTION_FLAG, NULL,
     "Also report a lower bound on the L1 misses of any policy; it bounds misses, not time", AT(bound), 0, 0, NULL},
    SL_WHAT_IF_OPTION(AT(what_if)),
    SL_CONFIRM_OPTION(AT(confirm)),
    SL_SAMPLE_OPTION(AT(sample)),
    {"timeline", 0, SL_OPTION_STRING, "FILE",
     "Write the activity of cores, caches and DRAM in a window of cycles as a trace for Perfetto (JSON, compressed by "
     "gzip)",
     AT(timeline), 0, 0, NULL},
    {"window", 0, SL_OPTION_RANGE, "A-B", "Cycles of the timeline, counted over all launches (default: 0-20000)",
     AT(window), 0, 0, NULL},
    {0},
};

static const sim_options defaults = {.input = SL_INPUT_DEFAULTS, .gpu = SL_DEFAULT_GPU};

static const sl_example examples[] = {
    {"sluice sim spmv --gpu fermi-gtx480", "Simulate a workload on a Fermi: cycles, hit rates, stalls"},
    {"sluice sim spmv --l1 decoupled", "Simulate it with Decoupled L1D"},
    {"sluice sim app.slt --gpu h200 --cold --json", "Simulate a recorded program on an H200, as JSON"},
    {"sluice sim bfs --l1 'pdp(pd=best)' --scheduler lrr",
     "Search for the best protecting distance in L1, with round-robin warps"},
    {"sluice sim kmeans --l1 profiled --bound",
     "Bypass lines that a profiling run saw too rarely, and report the lower bound on misses"},
    {"sluice sim spmv --timeline spmv.json.gz --window 5000-9000", "Write 4,000 cycles for ui.perfetto.dev"},
    {"sluice sim fast_walsh --gpu hd7770 --frc 64", "Add a 64-entry Fetch and Replacement Cache to each L2 bank"},
    {0},
};

const sl_command sl_cmd_sim = {
    .name = "sim",
    .summary = "simulate caches, networks and DRAM cycle by cycle, with any policy",
    .usage = "[options] " SL_INPUT_USAGE,
    .description = "Simulate each launch on a GPU model cycle by cycle: cores that issue the instructions of their "
                   "warps in order, the load/store unit, every cache level with its MSHRs, queues and policies, the "
                   "networks and DRAM. Report cycles, what the schedulers did in them, hit rates, traffic and stall "
                   "reasons.\n\nAny replacement policy can be combined with any bypass policy ('sluice policies' lists "
                   "both). A parameter given as 'best' is searched for: the value that minimizes the cycles of all "
                   "launches together. Profile-guided policies get a profiling run first. Caches below L1 keep their "
                   "contents between launches unless --cold is given." SL_SAMPLE_HELP "\n\n" SL_INPUT_HELP,
    .often = "gpu set l1 l2 plan what-if kernel annotate html json",
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT | SL_COMMON_PAGE | SL_COMMON_ROOFLINE | SL_COMMON_JOBS |
              SL_COMMON_TIMES | SL_COMMON_NOTES,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(sim_options, options, defaults, examples),
    .run = run_sim,
};
