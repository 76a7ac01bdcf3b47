/* SPDX-License-Identifier: MIT */
/* sluice measure: the original and the planned kernels side by side on a real GPU. */
#include <stdlib.h>
#include <string.h>

#include "analysis/tune_input.h"
#include "base/array.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/show_results.h"
#include "tune/ptx_loads.h"

typedef struct measure_options {
    sl_input_options input;
    const char *plan;
    uint64_t rounds, launches;
    bool cold;
} measure_options;

#define AT(field) offsetof(measure_options, field)
// clang-format off
static const sl_option options[] = {
    {"plan", 0, SL_OPTION_STRING, "FILE", "Bypass plan of 'sluice tune' for this code", AT(plan), 0, 0, NULL},
    {"rounds", 0, SL_OPTION_NUMBER, "N", "Time each kernel N times (default: 31)", AT(rounds), 3, 1000, NULL},
    {"launches", 0, SL_OPTION_NUMBER, "N", "Time the N longest launches of each kernel (default: 8)", AT(launches), 1, 1000000, NULL},
    {"cold", 0, SL_OPTION_FLAG, NULL, "Flush L2 before each timed run (default: one untimed warm-up run)", AT(cold), 0, 0, NULL},
    {0},
};
// clang-format on

static const measure_options defaults = {.input = SL_INPUT_DEFAULTS, .rounds = 31, .launches = 8};

typedef struct measuring {
    const sl_invocation *inv;
    const measure_options *options;
    const sl_cli_input *input;
    const sl_plan *plan;
    sl_arena arena;
    char timer[160];
    SL_ARRAY(sl_tuned_kernel) rows;
} measuring;

static sl_status check_plan(const measuring *m, const sl_timed_launch *launch, sl_error *error)
{
    sl_load_graph all;
    uint64_t hash;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = sl_ptx_code_hash(launch->module, &hash, error);
    if (!status)
        status = sl_ptx_loads(launch->module, NULL, SL_PTX_L2_SM, &arena, &all, error);
    if (!status)
        status = sl_plan_check(m->plan, "ptx", hash, m->input->input.spec.name, &all, error);
    sl_arena_fini(&arena);
    return status;
}

static sl_status visit(void *context, const sl_timed_launch *launch, sl_error *error)
{
    measuring *m = context;
    sl_timing timing = {0};
    uint8_t *mode = sl_arena_array(&m->arena, uint8_t, launch->graph->nodes + 1);
    const uint8_t *choice[1] = {mode};
    sl_tuned_kernel row = {.kernel = sl_arena_strdup(&m->arena, launch->kernel),
                           .launch = launch->launch,
                           .launches = launch->launches,
                           .loads = launch->graph->loads,
                           .groups = sl_load_groups_of_loads(launch->graph),
                           .select = m->plan->select ? m->plan->select : "plan"};
    if (!mode || !row.kernel)
        return sl_fail_memory(error);
    snprintf(m->timer, sizeof m->timer, "%s", launch->timer->name);
    sl_status status = check_plan(m, launch, error);
    for (uint32_t i = 0; i < launch->graph->nodes && !status; i++) {
        mode[i] = (uint8_t)sl_plan_mode(m->plan, launch->kernel, launch->graph->load[i].inst);
        row.chosen += mode[i] != SL_BYPASS_NONE;
    }
    if (!status)
        status =
            launch->timer->time(launch->timer->context, choice, 1, (uint32_t)m->options->rounds, true, &timing, error);
    row.base = timing.base;
    row.time = timing.time;
    row.gain = timing.gain;
    row.gain_spread = timing.spread;
    row.verdict = !launch->repeats ? "not compared: memory differs between runs of the original" : "identical memory";
    if (!status && !sl_array_push(&m->rows, row))
        status = sl_fail_memory(error);
    return status;
}

static int measure(measuring *m)
{
    sl_error error = {0};
    const sl_timed_kernels kernels = {.input = &m->input->input,
                                      .kernel_regex = m->options->input.kernel_regex,
                                      .max_launches = (uint32_t)m->options->launches,
                                      .cold = m->options->cold,
                                      .check = true,
                                      .visit = visit,
                                      .context = m};
    sl_status status = sl_time_on_gpu(&kernels, &error);
    sl_tuning shown = {.timer = m->timer, .unit = "ns", .kernels = m->rows.count, .kernel = m->rows.items};
    return status ? sl_cli_fail(m->inv, &error) : sl_show_tuning(m->inv, m->input, &shown);
}

static int run(const sl_invocation *inv)
{
    measuring m = {.inv = inv, .options = inv->values};
    sl_cli_input input;
    sl_plan plan;
    sl_error error = {0};
    if (!m.options->plan)
        return sl_cli_usage(inv, "--plan FILE is missing; 'sluice tune' writes one");
    static const char *const of_kernels[] = {"rounds", "launches", "cold", "json", "csv"};
    for (size_t i = 0; inv->args.program && i < sizeof of_kernels / sizeof *of_kernels; i++)
        if (sl_was_given(inv, of_kernels[i]))
            return sl_cli_usage(inv, "--%s does not apply to programs", of_kernels[i]);
    if (inv->args.program)
        return sl_run_planned(inv, m.options->plan, true);
    if (sl_plan_read(m.options->plan, &plan, &error))
        return sl_cli_fail(inv, &error);
    sl_arena_init(&m.arena);
    int code = sl_cli_input_open(&input, inv, SL_TAKES_CODE, 0, true);
    if (!code) {
        m.input = &input;
        m.plan = &plan;
        code = measure(&m);
        sl_cli_input_close(&input);
    }
    sl_array_free(&m.rows);
    sl_arena_fini(&m.arena);
    sl_plan_fini(&plan);
    return code;
}

static const sl_example examples[] = {
    {"sluice measure spmv --plan plan.json", "Time the kernels of a workload, original and planned"},
    {"sluice measure k.ptx --grid 512 --block 256 --arg 'f32[64M]:random' --plan plan.json",
     "Time the kernel of a PTX file"},
    {"sluice measure --plan plan.json -- ./app",
     "Time the kernels of a CUDA program, as 'sluice run --on gpu --plan' does"},
    {0},
};

const sl_command sl_cmd_measure = {
    .name = "measure",
    .summary = "time the original and the planned kernels on a real GPU",
    .usage = "--plan FILE [options] (WORKLOAD [NAME=VALUE...] | FILE.ptx | -- PROGRAM [ARG...])",
    .description =
        "Run each kernel unchanged and with the bypass plan applied, alternating, from the same memory "
        "state, and compare the resulting memory: different bytes are an error. Report medians, the speedup "
        "and its standard error. A CUDA program is run twice, and the data that it copies to the host compared.",
    .often = "plan rounds launches cold kernel size grid block arg json",
    .inputs = SL_TAKES_CODE | SL_TAKES_PROGRAMS | SL_USES_SEED,
    .common = SL_COMMON_REPORT,
    .operand = "a workload, a PTX file or '-- ./app'",
    SL_OF_INPUTS(measure_options, options, defaults, examples),
    .run = run,
};
