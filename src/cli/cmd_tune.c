/* SPDX-License-Identifier: MIT */
/* sluice tune: chooses by timing which loads should bypass which caches. */
#include <stdlib.h>
#include <string.h>

#include "analysis/input_plan.h"
#include "analysis/tune_input.h"
#include "cli/folders.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/show_results.h"
#include "exec/tune_program.h"
#include "report/svg.h"
#include "tune/plan.h"
#include "tune/program_results.h"

typedef struct tune_options {
    sl_input_options input;
    const char *output, *graph, *cache, *code;
    const char *select; /* names, separated by commas; the first makes the plan */
    const char *thresh1, *thresh2, *weight, *sigmas, *seconds;
    const char *replay;   /* a plan of another timer */
    const char *controls; /* names, separated by commas */
    uint64_t rounds, search, max, kernels;
    bool cold, no_cache, rank_only;
    int on;
    const char *gpu; /* machine to simulate */
    sl_option_list set;
} tune_options;

enum { ON_SIM, ON_GPU, GPU_TIMINGS = 96, PROGRAM_SECONDS = 60 };
static const char *const timer_choices[] = {"sim", "gpu", NULL};

#define AT(field) offsetof(tune_options, field)
// clang-format off
static const sl_option options[] = {
    {"output", 'o', SL_OPTION_STRING, "FILE", "Plan to write, as JSON", AT(output), 0, 0, NULL},
    {"on", 0, SL_OPTION_CHOICE, "TIMER", "Timer of the kernels: the simulator or a real GPU (default: sim)", AT(on), 0, 0, timer_choices},
    SL_GPU_OPTIONS(AT(gpu), AT(set)),
    {"select", 0, SL_OPTION_STRING, "NAMES", "Selection strategy: ours, paper, CacheAll, PassL2, PassL0/1, SelectL2, SelectL0/1, Liang or bound. Several, separated by commas, are compared, and the first makes the plan (default: ours)", AT(select), 0, 0, NULL},
    {"controls", 0, SL_OPTION_STRING, "NAMES", "Cache controls to try, separated by commas; the list is above (default: all that the timer knows)", AT(controls), 0, 0, NULL},
    {"thresh1", 0, SL_OPTION_STRING, "PERCENT", "Algorithm 1: minimum gain of a group, per load (default: 1.5)", AT(thresh1), 0, 0, NULL},
    {"thresh2", 0, SL_OPTION_STRING, "PERCENT", "Algorithm 1: minimum gain of a load (default: 1)", AT(thresh2), 0, 0, NULL},
    {"weight", 0, SL_OPTION_STRING, "SHARE", "Algorithm 1: share of its group's loss that counts against a load (default: 0.1)", AT(weight), 0, 0, NULL},
    {"sigmas", 0, SL_OPTION_STRING, "K", "Treat gains below K standard errors of the original as noise (default: 3)", AT(sigmas), 0, 0, NULL},
    {"rounds", 0, SL_OPTION_NUMBER, "N", "Time each choice N times. GPU: 5 to 11 by default, as many as fit into a few seconds. Simulator: at most 5, with a memory latency that is 0, 1, … cycles longer; by default 1, and 3 for the final timing of a plan", AT(rounds), 1, 1000, NULL},
    {"search", 0, SL_OPTION_NUMBER, "N", "Maximum number of plans that 'bound' times (default: 256)", AT(search), 1, 1000000, NULL},
    {"max-timings", 0, SL_OPTION_NUMBER, "N", "Time about N loads and groups per kernel: groups first, in the order of the ranking, then single loads of the groups with the largest effect (default: 96 on a GPU, all on the simulator)", AT(max), 1, 1000000, NULL},
    {"seconds", 0, SL_OPTION_STRING, "S", "Spend about S seconds on the kernels of a program on a GPU, or on each kernel of other inputs: single loads and groups first, in the order of the ranking, then combinations, as far as they fit; 0: as many as it takes (default: 60 for a program on a GPU, else 0)", AT(seconds), 0, 0, NULL},
    {"kernels", 0, SL_OPTION_NUMBER, "N", "CUDA program: tune at most N kernels, those that take most time, on the simulator those with most warp instructions (default: 20, or as many as make 95 % of it)", AT(kernels), 1, 1000, NULL},
    {"replay", 0, SL_OPTION_STRING, "PLAN", "Choose nothing: time the changes that mattered in another plan for the same code, to compare its timer with this one; with --controls L1,L2,neutral also neutral hints instead of those to L2", AT(replay), 0, 0, NULL},
    {"rank-only", 0, SL_OPTION_FLAG, NULL, "Time nothing: write into the plan the gain that the model expects of each cache control, which orders timings", AT(rank_only), 0, 0, NULL},
    {"cold", 0, SL_OPTION_FLAG, NULL, "Flush L2 before each timed run (default: one untimed warm-up run)", AT(cold), 0, 0, NULL},
    {"graph", 0, SL_OPTION_STRING, "FILE", "Draw the loads and their groups as SVG", AT(graph), 0, 0, NULL},
    {"cache", 0, SL_OPTION_STRING, "FOLDER", "Folder in which timings are kept (default: sluice in $XDG_CACHE_HOME or ~/.cache)", AT(cache), 0, 0, NULL},
    {"code", 0, SL_OPTION_STRING, "FILE", "Trace: the PTX it was recorded from, or the program that contains it; without it, the plan fits only the trace", AT(code), 0, 0, NULL},
    {"no-cache", 0, SL_OPTION_FLAG, NULL, "Neither read nor keep timings", AT(no_cache), 0, 0, NULL},
    {0},
};
// clang-format on

static const tune_options defaults = {
    .input = SL_INPUT_DEFAULTS, .select = "ours", .search = 256, .kernels = 20, .gpu = SL_DEFAULT_GPU};

enum { MAX_SELECTORS = 16 };

typedef struct tuning {
    const sl_invocation *inv;
    const tune_options *options;
    sl_cli_input input;
    const sl_machine *machine; /* to simulate; NULL: time on a GPU */
    sl_tuner_options tuner;
    size_t selectors;
    const sl_selector *selector[MAX_SELECTORS];
    sl_tuning_result result;
    sl_plan replay;        /* --replay */
    sl_point_store *store; /* of timings; NULL: they are not kept */
    sl_timing_store timings;
    sl_arena arena;
} tuning;

/* ---- options ---- */

static bool read_number(const char *text, double *value)
{
    char *end;
    if (!text)
        return true;
    double read = strtod(text, &end);
    if (end == text || *end || !(read >= 0 && read <= 1e6))
        return false;
    *value = read;
    return true;
}

static int read_numbers(tuning *t)
{
    const tune_options *o = t->options;
    const struct {
        const char *name, *text;
        double *value;
    } numbers[] = {{"thresh1", o->thresh1, &t->tuner.thresh1},
                   {"thresh2", o->thresh2, &t->tuner.thresh2},
                   {"weight", o->weight, &t->tuner.weight},
                   {"sigmas", o->sigmas, &t->tuner.sigmas},
                   {"seconds", o->seconds, &t->tuner.seconds}};
    t->tuner.seconds = o->on == ON_GPU && t->inv->args.program ? PROGRAM_SECONDS : 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!read_number(numbers[i].text, numbers[i].value))
            return sl_cli_usage(t->inv, "--%s: '%s' is not a number from 0 to 1000000", numbers[i].name,
                                numbers[i].text);
    if (o->on == ON_GPU && (o->rounds == 1 || o->rounds == 2))
        return sl_cli_usage(t->inv, "--rounds: a GPU needs at least 3 to estimate noise");
    t->tuner.rounds = (uint32_t)o->rounds;
    t->tuner.rank_only = o->rank_only;
    t->tuner.search = o->search;
    t->tuner.max = o->max || o->on == ON_SIM ? o->max : GPU_TIMINGS;
    t->tuner.progress = t->inv->progress;
    sl_error error = {0};
    if (o->controls && sl_bypass_parse_list(o->controls, &t->tuner.controls, &error))
        return sl_cli_usage(t->inv, "--controls: %s", error.text);
    return SL_EXIT_OK;
}

static int read_selectors(tuning *t)
{
    sl_error error = {0};
    for (const char *at = t->options->select; *at;) {
        size_t length = strcspn(at, ",");
        char *name = sl_arena_strndup(&t->arena, at, length);
        if (t->selectors == MAX_SELECTORS)
            return sl_cli_usage(t->inv, "--select: more than %d names", MAX_SELECTORS);
        if (!name || sl_selector_find(name, &t->selector[t->selectors++], &error))
            return sl_cli_usage(t->inv, "--select: %s", name ? error.text : "out of memory");
        at += length + (at[length] == ',');
    }
    return t->selectors ? SL_EXIT_OK : sl_cli_usage(t->inv, "--select: the list is empty");
}

static sl_status open_store(tuning *t, sl_error *error)
{
    if (t->options->no_cache || !t->input.input.ptx || t->inv->policies)
        return SL_OK;
    sl_status status = sl_cache_store_open(t->options->cache, &t->store, error);
    t->timings = sl_point_store_timings(t->store);
    t->tuner.store = &t->timings;
    return status;
}

/* ---- output ---- */

static sl_status plan_form(FILE *file, const void *result, sl_error *error)
{
    return sl_plan_list_write(result, file, error);
}

static sl_status graph_form(FILE *file, const void *result, sl_error *error)
{
    return sl_graph_svg(file, result, error);
}

/* Warns of unreliable timings, once per kernel. */
static void warn(const tuning *t)
{
    for (size_t i = 0; i < t->result.kernels.count; i += t->selectors) {
        const sl_tuned_kernel *k = &t->result.kernels.items[i];
        if (!k->repeats)
            sl_cli_warn(
                t->inv,
                "%s is not deterministic: memory differs between runs of the original, so results are not compared",
                k->kernel);
        if (k->too_short)
            sl_cli_warn(t->inv, "%s is too short for the GPU's timer and cannot be repeated: its timings are noise",
                        k->kernel);
    }
}

/* Writes what was asked for. `shown` has kernels, unit and timer; the plans are joined for it. */
static sl_status write_all(tuning *t, sl_plan_list *plans, sl_tuning *shown, int *code, sl_error *error)
{
    for (uint32_t i = 0; i < plans->count; i++)
        plans->plan[i].made_by = t->inv->line;
    sl_status status = SL_OK;
    if (t->options->output)
        status = sl_output_write(plan_form, t->options->output, plans, error);
    if (!status && t->options->graph)
        status = sl_output_write(graph_form, t->options->graph, shown->plan, error);
    if (!status)
        *code = sl_show_tuning(t->inv, &t->input, shown);
    return status;
}

static sl_status show(tuning *t, int *code, sl_error *error)
{
    sl_plan joined;
    sl_status status = sl_plan_list_join(&t->result.plans, &t->arena, &joined, error);
    sl_tuning shown = {.timer = joined.timer ? joined.timer
                                : t->machine ? t->machine->name
                                             : "gpu",
                       .unit = joined.unit ? joined.unit : "ns",
                       .kernels = t->result.kernels.count,
                       .kernel = t->result.kernels.items,
                       .plan = &joined};
    return status ? status : write_all(t, &t->result.plans, &shown, code, error);
}

/* ---- programs on a GPU ---- */

/* Of the time of a program that the kernels to be tuned should have. */
static double share_of(const tuning *t)
{
    return sl_was_given(t->inv, "kernels") ? 1 : 0.95;
}

static sl_status show_program(tuning *t, const sl_tune_job *job, sl_program_tuned *tuned, int *code, sl_error *error)
{
    sl_plan joined;
    sl_status status = sl_plan_list_join(&tuned->plans, &t->arena, &joined, error);
    sl_tuning shown = {.timer = joined.timer ? joined.timer : "gpu", .unit = "ns", .plan = &joined};
    const sl_program_results *before = &tuned->runs.results[SL_RUN_ORIGINAL],
                             *after = &tuned->runs.results[SL_RUN_PLANNED];
    if (tuned->compared)
        sl_plans_note_program(&tuned->plans, before, after, 1e9);
    else
        sl_plans_note_program(&tuned->plans, &tuned->survey, &tuned->survey, 1e9);
    sl_tuned_kernel *kernels = NULL;
    if (!status)
        status = sl_tune_job_kernels(job, &joined, &t->arena, &kernels, &shown.kernels, error);
    shown.kernel = kernels;
    if (!status)
        status = write_all(t, &tuned->plans, &shown, code, error);
    if (status)
        return status;
    for (size_t i = 0; i < tuned->tuning.untuned.count; i++)
        sl_cli_warn(t->inv, "not tuned: %s", tuned->tuning.untuned.items[i]);
    if (!t->inv->common->quiet && tuned->compared)
        fprintf(stderr,
                "kernels of the program: %.6f s, with the plan %.6f s; the program: %.3f s, with the plan %.3f s; %llu "
                "bytes copied to the host, %s\n",
                sl_program_results_time(before, NULL) / 1e9, sl_program_results_time(after, NULL) / 1e9,
                tuned->runs.seconds[SL_RUN_ORIGINAL], tuned->runs.seconds[SL_RUN_PLANNED],
                (unsigned long long)after->bytes, sl_planned_same(&tuned->runs));
    else if (!t->inv->common->quiet && !t->options->rank_only)
        fprintf(stderr, "nothing to gain: the program stays as it is\n");
    return SL_OK;
}

static int tune_program(tuning *t)
{
    const tune_options *o = t->options;
    char folder[512];
    sl_error error = {0};
    sl_program_tuned tuned = {0};
    int code = SL_EXIT_OK;
    sl_program_tuning how = {.argv = t->inv->args.program,
                             .folder = folder,
                             .kernel_regex = o->input.kernel_regex,
                             .max_kernels = (uint32_t)o->kernels,
                             .share = share_of(t),
                             .job = {.selector = t->selector[0],
                                     .options = t->tuner,
                                     .rounds = (uint32_t)o->rounds,
                                     .cold = o->cold,
                                     .quiet = t->inv->common->quiet}};
    if (t->selectors > 1 || o->replay)
        return sl_cli_usage(t->inv, o->replay ? "--replay: a program on a GPU is not timed as another plan was"
                                              : "--select: a program on a GPU is tuned with one strategy");
    sl_status status = sl_temporary_folder(folder, sizeof folder, &error);
    if (!status) {
        how.job.scratch = strdup(folder);
        status = sl_tune_program(&how, t->inv->progress, &tuned, &error);
        if (!status)
            status = show_program(t, &how.job, &tuned, &code, &error);
        sl_temporary_folder_remove(folder);
    }
    sl_program_tuned_fini(&tuned);
    sl_tune_job_fini(&how.job);
    return status ? sl_cli_fail(t->inv, &error) : code;
}

/* ---- on the simulator, and other inputs ---- */

static sl_status compare_on_sim(tuning *t, const sl_timed_kernels *kernels, sl_error *error)
{
    sl_progress_phase(t->inv->progress, "comparing");
    return sl_compare_on_sim(kernels, t->selector, t->selectors, &t->result, error);
}

static void say_program(const tuning *t)
{
    const sl_plan *plan = t->result.plans.plan;
    if (!t->inv->common->quiet && sl_plan_list_chosen(&t->result.plans))
        fprintf(stderr, "kernels of the program: %.0f cycles, with the plan %.0f; %u launches, one after the other\n",
                plan->program_before, plan->program_after, t->input.recording.launches);
    else if (!t->inv->common->quiet && !t->options->rank_only)
        fprintf(stderr, "nothing to gain: the program stays as it is\n");
}

static sl_status tune_on_sim(tuning *t, const sl_timed_kernels *kernels, sl_error *error)
{
    const sl_analysis_tuning wanted = {.input = kernels->input,
                                       .kernel_regex = kernels->kernel_regex,
                                       .max_kernels = kernels->max_kernels,
                                       .share = kernels->share,
                                       .selectors = t->selectors,
                                       .selector = t->selector,
                                       .options = &t->tuner};
    const sl_analysis analysis = {.kind = SL_ANALYSIS_TUNE,
                                  .machine = kernels->machine,
                                  .seed = kernels->seed,
                                  .cold = kernels->cold,
                                  .tuning = &wanted};
    sl_result result;
    sl_status status = sl_analyze(kernels->recording, &analysis, kernels->pool, t->inv->progress, &result, error);
    t->result = result.tuned;
    result.tuned = (sl_tuning_result){0};
    sl_result_fini(&result);
    return status;
}

static int tune_input(tuning *t)
{
    bool program = t->inv->args.program != NULL;
    if (!t->machine && program)
        return tune_program(t);
    const tune_options *o = t->options;
    sl_error error = {0};
    int code = SL_EXIT_OK;
    sl_status status = SL_OK;
    const sl_timed_kernels kernels = {.input = &t->input.input,
                                      .kernel_regex = o->input.kernel_regex,
                                      .cold = o->cold,
                                      .max_launches = 1,
                                      .scratch = t->input.scratch,
                                      .rounds = (uint32_t)o->rounds,
                                      .machine = t->machine,
                                      .recording = &t->input.recording,
                                      .seed = o->input.seed,
                                      .pool = t->input.pool,
                                      .max_kernels = program ? (uint32_t)o->kernels : 0,
                                      .share = share_of(t)};
    sl_progress_phase(t->inv->progress, "tuning");
    if (t->machine)
        status = tune_on_sim(t, &kernels, &error);
    else
        status = sl_tune_kernels(&kernels, &t->tuner, t->selector, t->selectors, &t->result, &error);
    if (!status && program && !o->replay)
        status = compare_on_sim(t, &kernels, &error);
    sl_progress_update(t->inv->progress, "choices", 1, 1);
    if (!status)
        warn(t);
    if (!status)
        status = show(t, &code, &error);
    if (!status && program && !o->replay)
        say_program(t);
    sl_tuning_result_fini(&t->result);
    return status ? sl_cli_fail(t->inv, &error) : code;
}

/* Checks everything before the first run. */
static int prepare(tuning *t, sl_machine *machine)
{
    const tune_options *o = t->options;
    sl_error error = {0};
    int code = read_numbers(t);
    if (!code)
        code = read_selectors(t);
    if (code)
        return code;
    sl_status status = o->output ? sl_output_probe(o->output, &error) : SL_OK;
    if (!status && o->replay && !(status = sl_plan_read(o->replay, &t->replay, &error)))
        t->tuner.replay = &t->replay;
    if (!status && o->graph)
        status = sl_output_probe(o->graph, &error);
    if (!status && o->on == ON_SIM) {
        status = sl_machine_load_among(o->gpu, o->set.item, o->set.count, t->inv->policies, machine, &error);
        t->machine = machine;
    }
    return status ? sl_cli_fail(t->inv, &error) : SL_EXIT_OK;
}

/* Timings are kept of code that Sluice launches itself, with its own policies: what programs, traces and plug-ins do is
 * not known before. */
static int open_input(tuning *t, uint32_t lanes)
{
    const tune_options *o = t->options;
    const char *code = o->code;
    sl_error error = {0};
    sl_status status = SL_OK;
    unsigned kinds = t->machine ? SL_TAKES_ALL : SL_TAKES_CODE | SL_TAKES_PROGRAMS;
    int failed = sl_cli_input_open(&t->input, t->inv, kinds, lanes, true);
    if (failed)
        return failed;
    if (code && t->input.input.ptx)
        failed = sl_cli_usage(t->inv, "--code requires a trace or a program");
    else
        status = open_store(t, &error);
    if (!failed && !status && t->machine) {
        failed = sl_cli_input_run(&t->input, t->inv, false);
        if (failed)
            return failed;
        status = sl_cli_input_find_code(&t->input, code, &error);
    }
    if (failed || status)
        sl_cli_input_close(&t->input);
    return status ? sl_cli_fail(t->inv, &error) : failed;
}

static int run(const sl_invocation *inv)
{
    tuning t = {.inv = inv, .options = inv->values, .tuner = sl_tuner_defaults};
    sl_machine machine;
    sl_arena_init(&t.arena);
    int code = prepare(&t, &machine);
    if (!code)
        code = open_input(&t, t.machine ? machine.lanes : 0);
    if (!code) {
        code = sl_cli_input_code(&t.input, tune_input(&t));
        sl_cli_input_close(&t.input);
    }
    sl_cache_store_close(t.store, inv);
    if (t.tuner.replay)
        sl_plan_fini(&t.replay);
    sl_arena_fini(&t.arena);
    return code;
}

static const sl_example examples[] = {
    {"sluice tune spmv --on gpu -o plan.json", "Tune the kernels of a workload on the local GPU and write a plan"},
    {"sluice tune spmv --gpu rx6900xt --blocks 64 -o plan.json", "Tune them on a simulated GPU"},
    {"sluice tune -o plan.json -- ./app", "Tune the kernels of a CUDA program on the default GPU, simulated"},
    {"sluice tune --on gpu -o plan.json -- ./app", "Tune the hot kernels of a CUDA program on the local GPU"},
    {"sluice tune app.slt --code app.ptx -o plan.json", "Tune the kernels of a trace"},
    {"sluice tune k.ptx --on gpu --grid 512 --block 256 --arg 'f32[64M]:random' -o plan.json",
     "Tune the kernel of a PTX file"},
    {"sluice tune k.ll --workload spmv_jds --gpu rx6900xt -o plan.json",
     "Tune LLVM IR for an AMD GPU, launched by the host code of a workload"},
    {"sluice tune spmv --on gpu --select paper,ours,bound --csv table.csv", "Compare selection strategies"},
    {"sluice tune spmv --graph loads.svg -o plan.json", "Also draw the loads and their groups"},
    {0},
};

const sl_command sl_cmd_tune = {
    .name = "tune",
    .summary = "choose cache controls of loads, stores and kernels by timing, and write a plan",
    .usage = "[options] " SL_INPUT_USAGE,
    .description = "Time each kernel with every load bypassing L1, L2 or both, alone and together with the other loads "
                   "of its group, then with other cache controls of groups of loads, of stores and of the kernel, and "
                   "choose what is faster. A plan with hints to L2 or prefetches is also timed with neutral ones, to "
                   "separate gains by caches from accidental changes in instruction order. Before anything is timed, "
                   "the model ranks what can be: the most promising is timed first, and --seconds and --max-timings "
                   "leave out the rest. The timer is the simulator, or with --on gpu a real GPU, on which the longest "
                   "launch of each kernel is timed from the same memory state every time, alternating with the "
                   "original. The plan is a JSON file: 'sluice apply' writes it into PTX or LLVM IR, 'sluice measure' "
                   "times it again. Of a program the kernels that take most of its time are tuned, each in the PTX "
                   "module it comes from: on a GPU inside of it, on the arguments and memory they really have. All of "
                   "its launches are then run with and without the plan, and kernels that are not faster there keep "
                   "their original; 'sluice run --plan' applies the plan to the program. The plan of a trace is for "
                   "'sluice sim --plan', unless --code names its PTX.\n\nTimings are cached (except of programs and "
                   "traces), so that an interrupted run resumes where it stopped.\n\nCache controls (--controls): "
// clang-format off
#define SL_CONTROL(mode, name, node, summary, ...) name " (" summary "); "
#include "tune/controls.def"
#undef SL_CONTROL
                   // clang-format on
                   "all (every one).\n\n" SL_INPUT_HELP,
    .often = "output on gpu select controls seconds kernels kernel graph json",
    .common = SL_COMMON_PLUGINS | SL_COMMON_JSON | SL_COMMON_CSV | SL_COMMON_QUIET | SL_COMMON_JOBS,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(tune_options, options, defaults, examples),
    .run = run,
};
