/* SPDX-License-Identifier: MIT */
/* sluice report: what is known of a trace or a workload, gathered in one page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/given_options.h"
#include "cli/model_log.h"
#include "cli/model_wishes.h"
#include "cli/output.h"
#include "cli/page_output.h"
#include "cli/report_sim.h"
#include "cli/sim_plan.h"
#include "cli/sweep_run.h"
#include "cli/trace_input.h"
#include "machine/vary.h"
#include "policy/policy.h"
#include "report/launch_log.h"
#include "trace/count_trace.h"
#include "trace/ncu_match.h"

typedef struct report_options {
    sl_trace_input_options input;
    sl_model_wishes wishes;
    const char *counters;
    uint64_t least_sectors;
    bool brief, sim;
    const char *plan, *code;
} report_options;

/* A sweep and what it is made of. */
typedef struct swept {
    SL_ARRAY(sl_model_variant) variants;
    SL_ARRAY(sl_sweep_point) points;
    sl_counts *counts;
    uint64_t *l1_bytes;
    char note[256];
    sl_sweep sweep;
} swept;

typedef struct report {
    const sl_invocation *inv;
    const report_options *options;
    sl_machine machine;
    sl_model_options wishes;
    sl_trace_input input;
    sl_arena arena;
    sl_launch_log *counted, *modelled;
    sl_profile_options profiled_as;
    sl_profile *profiles;
    sl_profile_report profile;
    swept sizes, policies;
    sl_sweep simulated;
    sl_plan plan;
    bool planned; /* there is a plan */
    sl_ncu ncu;
    sl_ncu_pairs pairs;
    sl_validated *validated;
    sl_counts *predicted; /* [pairs] */
    sl_validation validation;
} report;

/* ---- what the trace says ---- */

static sl_status count_launch(report *r, uint32_t n, sl_pool *pool, sl_error *error)
{
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error damage;
    const sl_trace_launch *launch = sl_trace_launch_at(r->input.trace, n);
    sl_status status = sl_trace_count_launch(r->input.trace, n, &(sl_count_options){.footprint = true}, pool, &counter,
                                             &damage, error);
    if (status)
        return status;
    status = sl_launch_counter_result(counter, &counts, error);
    if (!status) {
        sl_launch_result result = {.index = launch->index,
                                   .kernel = sl_trace_kernel_at(r->input.trace, launch->kernel),
                                   .launch = launch,
                                   .counts = &counts};
        status = sl_launch_log_add(r->counted, &result, error);
    }
    sl_launch_counter_destroy(counter);
    return status;
}

static sl_status profile_launch(report *r, uint32_t at, sl_pool *pool, sl_error *error)
{
    return sl_profile_launch(r->input.trace, r->input.launch[at], &r->profiled_as, pool, NULL, &r->profiles[at], error);
}

/* Lines, sectors, cores and size of the first level; how many blocks a core has at a time differs from launch to
 * launch, and the profile's usual number stands for it. */
static sl_profile_options profile_as(const sl_machine *machine)
{
    const sl_level *first = &machine->level[0];
    return (sl_profile_options){.line_bytes = first->line_bytes,
                                .sector_bytes = first->sector_bytes,
                                .cores = machine->cores,
                                .blocks_per_core = machine->core.blocks < 8 ? machine->core.blocks : 8,
                                .cache_bytes = first->size_bytes,
                                .windows = 16};
}

static sl_status look_at_trace(report *r, sl_error *error)
{
    sl_pool *pool = NULL;
    r->profiled_as = profile_as(&r->machine);
    r->profiles = calloc((size_t)r->input.launches + 1, sizeof *r->profiles);
    sl_status status = r->profiles ? sl_launch_log_create(&r->counted, error) : sl_fail_memory(error);
    if (!status)
        status = sl_profile_check(&r->profiled_as, error);
    if (!status)
        status = sl_pool_create((unsigned)r->inv->common->threads, &pool, error);
    for (uint32_t i = 0; i < r->input.launches && !status; i++) {
        status = count_launch(r, r->input.launch[i], pool, error);
        if (!status)
            status = profile_launch(r, i, pool, error);
        sl_progress_update(r->inv->progress, "launches profiled", i + 1, r->input.launches);
    }
    sl_pool_destroy(pool);
    r->profile = (sl_profile_report){.options = &r->profiled_as, .profiles = r->input.launches, .profile = r->profiles};
    return status ? status : sl_profile_sums_init(&r->profile.sums, r->profiles, r->input.launches, error);
}

/* ---- first levels and policies ---- */

static sl_status add_point(swept *s, const sl_machine *machine, const sl_model_options *options, sl_sweep_point point,
                           sl_error *error)
{
    sl_model_variant variant;
    memset(&variant, 0, sizeof variant); /* variants are compared byte by byte */
    memcpy(&variant.machine, machine, sizeof variant.machine);
    variant.options = *options;
    const sl_level *first = &machine->level[0];
    point.ways = first->ways;
    point.line_bytes = first->line_bytes;
    point.mshrs = first->mshrs;
    point.seed = options->seed;
    if (!sl_array_push(&s->variants, variant) || !sl_array_push(&s->points, point))
        return sl_fail_memory(error);
    return SL_OK;
}

/* The first level alone, from an eighth of its size to eight times; what cannot be is left out. */
static sl_status add_sizes(report *r, sl_error *error)
{
    static const char *const factors[] = {"0.125x", "0.25x", "0.5x", "1x", "2x", "4x", "8x"};
    sl_status status = SL_OK;
    for (int f = 0; f < 7 && !status; f++) {
        sl_machine machine;
        sl_error reason;
        memcpy(&machine, &r->machine, sizeof machine);
        machine.levels = 1;
        sl_first_level wish = {.size_bytes = (machine.level[0].size_bytes << f) / 8, .mshrs = SL_MSHRS_AS_THEY_ARE};
        if (f != 3 && sl_machine_vary(&machine, &wish, &reason)) {
            if (!*r->sizes.note)
                snprintf(r->sizes.note, sizeof r->sizes.note, "Left out, with what else cannot be: %s (%s)", factors[f],
                         reason.text);
            continue;
        }
        status =
            add_point(&r->sizes, &machine, &r->wishes, (sl_sweep_point){.varied = "size", .factor = factors[f]}, error);
    }
    return status;
}

/* All levels, the first with each policy that only replaces: the model lets nothing go past a cache. */
static sl_status add_policies(report *r, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < sl_policy_count() && !status; i++) {
        const sl_policy_ops *policy = sl_policy_at(i);
        sl_machine machine;
        sl_error reason;
        if (!sl_policy_replaces(policy) || sl_policy_bypasses(policy))
            continue;
        memcpy(&machine, &r->machine, sizeof machine);
        memset(machine.level[0].replacement, 0, sizeof machine.level[0].replacement);
        snprintf(machine.level[0].replacement, sizeof machine.level[0].replacement, "%s", policy->name);
        if (sl_machine_check(&machine, &reason)) {
            if (!*r->policies.note)
                snprintf(r->policies.note, sizeof r->policies.note, "Left out: %s (%s)", policy->name, reason.text);
            continue;
        }
        status = add_point(&r->policies, &machine, &r->wishes, (sl_sweep_point){.replacement = policy->name}, error);
    }
    return status;
}

static sl_status run_swept(report *r, swept *s, sl_error *error)
{
    s->counts = calloc((size_t)r->input.launches * s->points.count + 1, sizeof *s->counts);
    s->l1_bytes = calloc((size_t)r->input.launches * s->points.count + 1, sizeof *s->l1_bytes);
    sl_status status = s->counts && s->l1_bytes ? SL_OK : sl_fail_memory(error);
    if (!status)
        status =
            sl_sweep_launches(r->inv, &r->input, s->variants.items, s->variants.count, s->counts, s->l1_bytes, error);
    if (status)
        return status;
    s->sweep = (sl_sweep){.points = s->points.count,
                          .point = s->points.items,
                          .launches = r->input.launches,
                          .launch = sl_swept_launches(&r->input, s->counts, s->l1_bytes, s->points.count, &r->arena),
                          .passes = sl_model_variants_passes(s->variants.items, s->variants.count),
                          .note = *s->note ? s->note : NULL};
    return s->sweep.launch ? SL_OK : sl_fail_memory(error);
}

static sl_status compare(report *r, sl_error *error)
{
    sl_status status = add_sizes(r, error);
    if (!status)
        status = run_swept(r, &r->sizes, error);
    if (!status)
        status = add_policies(r, error);
    return status ? status : run_swept(r, &r->policies, error);
}

static void swept_fini(swept *s)
{
    sl_array_free(&s->variants);
    sl_array_free(&s->points);
    free(s->counts);
    free(s->l1_bytes);
}

/* ---- hardware ---- */

/* Counts of the trace go where the model has none of its own. */
static sl_counts prediction(const report *r, size_t at)
{
    sl_counts counts = sl_unpack_counts(&r->modelled->launches.items[at].counts);
    sl_counts facts = sl_unpack_counts(&r->counted->launches.items[at].counts);
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(&facts, (sl_counter)i) && !sl_counts_has(&counts, (sl_counter)i))
            sl_counts_add(&counts, (sl_counter)i, facts.value[i]);
    return counts;
}

static sl_status describe_pair(report *r, size_t at, sl_error *error)
{
    const sl_trace_launch *launch = sl_trace_launch_at(r->input.trace, r->pairs.pair[at].launch);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(r->input.trace, launch->kernel);
    sl_validated *to = &r->validated[at];
    size_t logged = 0;
    while (r->input.launch[logged] != r->pairs.pair[at].launch)
        logged++;
    if (launch->failed)
        return sl_fail(error, SL_INVALID, "%s, launch %llu failed: %s", r->input.name,
                       (unsigned long long)launch->index,
                       launch->failure ? launch->failure : "it was not recorded why");
    if (launch->blocks_recorded != sl_launch_blocks(launch))
        return sl_fail(error, SL_INVALID, "%s, launch %llu: only a part of it was recorded", r->input.name,
                       (unsigned long long)launch->index);
    r->predicted[at] = prediction(r, logged);
    *to = (sl_validated){.workload = *r->input.workload ? r->input.name : "",
                         .symbol = kernel->symbol,
                         .name = kernel->name,
                         .index = launch->index,
                         .measured = r->pairs.pair[at].measured->counts,
                         .model = &r->predicted[at]};
    memcpy(to->grid, launch->grid, sizeof to->grid);
    memcpy(to->block, launch->block, sizeof to->block);
    return SL_OK;
}

static sl_status validate(report *r, sl_error *error)
{
    static const char *const variants[] = {"model"};
    const sl_trace_input_options *o = &r->options->input;
    sl_ncu_wanted wanted = {.owner = r->input.name,
                            .workload = *r->input.workload ? r->input.name : NULL,
                            .kernel_regex = o->kernel_regex,
                            .ranged = o->launch.given,
                            .first = o->launch.first,
                            .last = o->launch.last};
    sl_status status =
        sl_ncu_match(&r->ncu, &wanted, r->input.trace, r->input.launch, r->input.launches, &r->pairs, error);
    if (status)
        return status;
    r->validated = calloc(r->pairs.count + 1, sizeof *r->validated);
    r->predicted = calloc(r->pairs.count + 1, sizeof *r->predicted);
    if (!r->validated || !r->predicted)
        return sl_fail_memory(error);
    for (size_t i = 0; i < r->pairs.count && !status; i++)
        status = describe_pair(r, i, error);
    r->validation = (sl_validation){.launches = r->pairs.count,
                                    .launch = r->validated,
                                    .variants = 1,
                                    .variant = variants,
                                    .least_sectors = r->options->least_sectors,
                                    .unmeasured = r->pairs.unmeasured};
    return status;
}

/* ---- all together ---- */

static sl_status gather(report *r, sl_error *error)
{
    sl_status status = look_at_trace(r, error);
    if (!status)
        status = sl_launch_log_create(&r->modelled, error);
    if (!status)
        status = sl_model_log(r->inv, &r->machine, &r->wishes, &r->input, r->modelled, error);
    if (!status && !r->options->brief)
        status = compare(r, error);
    if (!status && r->options->sim)
        status =
            sl_report_simulate(r->inv, &r->machine, r->options->input.seed, &r->input, &r->arena, &r->simulated, error);
    if (!status && r->options->counters)
        status = validate(r, error);
    return status;
}

static sl_status make_page(report *r, sl_page **page, sl_error *error)
{
    const sl_report_option workload = {"workload", r->input.workload};
    bool named = *r->input.workload, compared = !r->options->brief;
    sl_page_input input = {
        .subject = named ? r->input.workload : r->input.name,
        .info = {.command = "report",
                 .machine = r->machine.name,
                 .seed = &r->options->input.seed,
                 .trace = named ? NULL : &r->input.about},
        .counted = r->counted,
        .modelled = r->modelled,
        .profile = &r->profile,
        .sizes = compared ? &r->sizes.sweep : NULL,
        .policies = compared ? &r->policies.sweep : NULL,
        .simulated = r->options->sim ? &r->simulated : NULL,
        .plan = r->planned ? &r->plan : NULL,
        .validation = r->options->counters ? &r->validation : NULL,
        .sources = r->input.texts,
        .source = r->input.text,
    };
    input.info.option = sl_given_options(r->inv, &workload, named, &r->arena, &input.info.options);
    if (!input.info.option)
        return sl_fail_memory(error);
    sl_status status = sl_page_sources(r->inv, &input, &r->arena, error);
    return status ? status : sl_page_create(&input, page, error);
}

static sl_status write_json(FILE *file, const void *page, sl_error *error)
{
    return sl_page_json(file, page, error);
}

static sl_status write_csv(FILE *file, const void *page, sl_error *error)
{
    return sl_page_csv(file, page, error);
}

static sl_status write_page(const report *r, const sl_page *page, sl_error *error)
{
    sl_status status = sl_page_save(page, r->inv->common->output, r->inv->common->callgrind, error);
    const char *path = r->inv->common->output;
    struct stat info;
    if (status || !path || r->inv->common->quiet || stat(path, &info) || !info.st_size)
        return status;
    char bytes[SL_HUMAN_BYTES];
    printf("%s: %" PRIu32 " launch%s, %s\n", path, r->input.launches, r->input.launches == 1 ? "" : "es",
           sl_human_bytes((uint64_t)info.st_size, bytes));
    return SL_OK;
}

static int show(report *r)
{
    static const sl_report_forms forms = {NULL, write_json, write_csv};
    sl_page *page = NULL;
    sl_error error;
    sl_status status = make_page(r, &page, &error);
    int code = status ? SL_EXIT_OK : sl_report_write(r->inv, &forms, page, stdout);
    if (!status && !code)
        status = write_page(r, page, &error);
    sl_page_destroy(page);
    return status ? sl_cli_fail(r->inv, &error) : code;
}

static void report_fini(report *r)
{
    for (uint32_t i = 0; r->profiles && i < r->input.launches; i++)
        sl_profile_fini(&r->profiles[i]);
    free(r->profiles);
    sl_profile_sums_fini(&r->profile.sums);
    sl_launch_log_destroy(r->counted);
    sl_launch_log_destroy(r->modelled);
    swept_fini(&r->sizes);
    swept_fini(&r->policies);
    if (r->planned)
        sl_plan_fini(&r->plan);
    free(r->validated);
    free(r->predicted);
    sl_ncu_pairs_fini(&r->pairs);
    sl_ncu_fini(&r->ncu);
    sl_trace_input_close(&r->input);
    sl_arena_fini(&r->arena);
}

/* A workload runs with the warps of the machine. */
static int run_report(const sl_invocation *inv)
{
    report_options options = *(const report_options *)inv->values;
    sl_invocation fitted = *inv;
    fitted.values = &options;
    report r = {.inv = &fitted, .options = &options};
    sl_error error;
    if (!inv->common->output && !inv->common->json && !inv->common->csv && !inv->common->callgrind)
        return sl_cli_usage(inv, "-o FILE is missing: where to write the page");
    if (options.code && !options.plan)
        return sl_cli_usage(inv, "--code is that of a --plan");
    sl_arena_init(&r.arena);
    sl_status status = sl_model_wishes_machine(&options.wishes, &r.machine, &error);
    if (!status && options.counters)
        status = sl_ncu_read(options.counters, &r.ncu, &error);
    options.input.lanes = r.machine.lanes;
    r.wishes = sl_model_wishes_options(&options.wishes, options.input.seed);
    if (!status)
        status = sl_trace_input_open(&r.input, &fitted, &error);
    if (!status && r.input.damage.status) {
        status = r.input.damage.status;
        error = r.input.damage;
    }
    if (!status && options.plan) {
        status = sl_input_plan(options.plan, options.code, &r.input, &r.plan, &error);
        r.planned = !status;
    }
    if (!status)
        status = gather(&r, &error);
    int code = status ? sl_cli_fail(inv, &error) : show(&r);
    report_fini(&r);
    return code;
}

#define AT(field) offsetof(report_options, field)
// clang-format off
static const sl_option options[] = {
    {"output", 'o', SL_OPTION_STRING, "FILE", "The page to write", AT(input.common.output), 0, 0, NULL},
    SL_MODEL_WISHES_TABLE(report_options),
    {"counters", 'c', SL_OPTION_STRING, "FILE", "Put what hardware counted beside the model: CSV of ncu, or of papers/measure-h200", AT(counters), 0, 0, NULL},
    {"least-sectors", 0, SL_OPTION_NUMBER, "N", "Launches with more than N load sectors count in the means of errors (default: 1000)", AT(least_sectors), 0, 0, NULL},
    {"sim", 0, SL_OPTION_FLAG, NULL, "Also simulate every policy of L1, cycle by cycle", AT(sim), 0, 0, NULL},
    {"plan", 0, SL_OPTION_STRING, "FILE", "Show what this bypass plan of 'sluice tune' says of each load: its affinities and its mode", AT(plan), 0, 0, NULL},
    {"code", 0, SL_OPTION_STRING, "FILE", "With --plan, for a trace: the PTX that it was recorded from", AT(code), 0, 0, NULL},
    {"brief", 0, SL_OPTION_FLAG, NULL, "Leave out the comparison of cache sizes and of policies", AT(brief), 0, 0, NULL},
    {0},
};
// clang-format on

static const report_options defaults = {
    .input = SL_TRACE_INPUT_DEFAULTS,
    .wishes = SL_MODEL_WISHES_DEFAULTS,
    .least_sectors = 1000,
};

static const sl_example examples[] = {
    {"sluice report spmv --gpu fermi-gtx470 -o spmv.html", "Makes a page of a workload on a Fermi"},
    {"sluice report app.slt -o app.html --source src", "Makes a page of a recorded program, with its sources"},
    {"sluice report bfs -o bfs.html --counters papers/h200-counters.csv",
     "Also shows how far the model is from what an H200 counted"},
    {"sluice report spmv --gpu fermi-gtx480 --sim -o spmv.html", "Also simulates it with every policy of L1"},
    {"sluice report spmv --plan spmv.json -o spmv.html", "Also shows what each load gains by going past a cache"},
    {"sluice report app.slt --brief --callgrind app.callgrind", "Writes what each line did for KCachegrind instead"},
    {0},
};

const sl_command sl_cmd_report = {
    .name = "report",
    .summary = "gather what is known of a program in one HTML page",
    .usage = "-o FILE [options] " SL_TRACE_INPUT_USAGE,
    .description =
        "Counts, profiles and models the launches of a trace or a workload and writes one self-contained page for a "
        "browser: an overview, kernels and launches, the source line by line with what each line's loads hit, miss (by "
        "class) and come back to, reuse histograms, misses over the size of L1, replacement policies beside each "
        "other, and, with --counters, the model beside hardware. With --sim every policy of L1, those that bypass "
        "among "
        "them, is simulated; with --plan each line shows what its loads gain by going past L1, L2 or both.\n\n"
        "The page fetches nothing; without JavaScript its tables remain. --json writes the data that it shows.\n\n"
        "Built-in workloads bring their sources. Those of other programs are looked for below the current folder, or "
        "where --source says, by the names that the program was compiled with (nvcc -lineinfo); their PTX comes from "
        "the program or from a file (--source ./app, --source k.ptx).",
    .options = options,
    .more_options = sl_trace_input_table,
    .common =
        SL_COMMON_JSON | SL_COMMON_CSV | SL_COMMON_QUIET | SL_COMMON_SOURCE | SL_COMMON_CALLGRIND | SL_COMMON_JOBS,
    .values_bytes = sizeof(report_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = SL_TRACE_INPUT_MOST_OPERANDS,
    .operand = SL_TRACE_INPUT_OPERAND,
    .examples = examples,
    .run = run_report,
};
