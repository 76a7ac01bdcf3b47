/* SPDX-License-Identifier: MIT */
/* sluice validate: the model or the simulator beside what hardware counted. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/given_options.h"
#include "cli/model_wishes.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/trace_input.h"
#include "report/validate.h"
#include "sim/sim.h"
#include "trace/count_trace.h"
#include "trace/ncu_match.h"

typedef struct validate_options {
    sl_trace_input_options input;
    sl_model_wishes wishes;
    const char *counters, *workload, *plot;
    uint64_t least_sectors;
    bool ablation;
    int with; /* predictor */
} validate_options;

typedef enum predictor { WITH_MODEL, WITH_SIM } predictor;
static const char *const predictors[] = {"model", "sim", NULL};

/* ---- variants of the model ---- */

enum { MOST_VARIANTS = 6 };
static const char *const variant_names[MOST_VARIANTS] = {"model",         "no latency",    "no associativity",
                                                         "no MSHR limit", "no divergence", "none of these four"};

/* The extensions of the paper are switched off one by one, and all together. */
static size_t make_variants(const validate_options *o, sl_model_options variant[MOST_VARIANTS])
{
    for (size_t i = 0; i < MOST_VARIANTS; i++)
        variant[i] = sl_model_wishes_options(&o->wishes, o->input.seed);
    variant[1].no_latency = variant[5].no_latency = true;
    variant[2].no_associativity = variant[5].no_associativity = true;
    variant[3].no_mshr = variant[5].no_mshr = true;
    variant[4].no_divergence = variant[5].no_divergence = true;
    return o->ablation ? MOST_VARIANTS : 1;
}

/* ---- what is known to all ---- */

typedef struct validator {
    const sl_invocation *inv;
    const validate_options *options;
    sl_machine machine;
    sl_ncu ncu;
    const char **workloads; /* of ncu, for 'all' */
    size_t variants;
    sl_model_options variant[MOST_VARIANTS];
    sl_sim_options sim;
    /* progress, told by any thread */
    pthread_mutex_t lock;
    const char *unit;
    uint64_t done, total;
} validator;

static void tell_done(validator *v, const char *unit)
{
    pthread_mutex_lock(&v->lock);
    if (v->unit == unit)
        sl_progress_update(v->inv->progress, unit, ++v->done, v->total);
    pthread_mutex_unlock(&v->lock);
}

static void expect(validator *v, const char *unit, uint64_t total)
{
    v->unit = unit;
    v->done = 0;
    v->total = total;
}

static const char unit_launches[] = "launches", unit_workloads[] = "workloads";

/* ---- one trace or workload ---- */

typedef struct subject {
    const char **operand; /* the workload with its parameters, or the trace */
    size_t operands;
    sl_trace_input input;
    sl_ncu_pairs pairs;
    sl_validated *launch; /* [pairs.count] */
    sl_counts *model;     /* [pairs.count * variants] */
    sl_arena names;
    char workload[320]; /* with its parameters, as it ran */
    sl_report_trace about;
} subject;

/* What the trace itself says, without any model. */
static sl_status count_facts(const sl_trace *trace, uint32_t launch, sl_pool *pool, sl_counts *facts, sl_error *error)
{
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error damage;
    sl_status status = sl_trace_count_launch(trace, launch, &(sl_count_options){0}, pool, &counter, &damage, error);
    if (status)
        return status;
    status = sl_launch_counter_result(counter, &counts, error);
    if (!status)
        *facts = counts.total;
    sl_launch_counter_destroy(counter);
    return status;
}

/* Facts go where the model has no counter of its own. */
static void add_facts(sl_counts *to, const sl_counts *facts)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(facts, (sl_counter)i) && !sl_counts_has(to, (sl_counter)i))
            sl_counts_add(to, (sl_counter)i, facts->value[i]);
}

/* Hardware counters are those of a launch that finds its caches empty. */
static sl_status simulate(const validator *v, const sl_loaded *loaded, sl_counts *counts, sl_error *error)
{
    sl_sim *sim = NULL;
    sl_sim_result result = {0};
    sl_status status = sl_sim_create(&v->machine, &v->sim, &sim, error);
    if (!status)
        status = sl_sim_launch(sim, loaded, NULL, &result, error);
    if (!status)
        *counts = result.counts.total;
    sl_sim_result_fini(&result);
    sl_sim_destroy(sim);
    return status;
}

static sl_status validate_launch(validator *v, subject *s, size_t at, sl_pool *pool, sl_error *error)
{
    uint32_t launch = s->pairs.pair[at].launch;
    sl_counts facts;
    sl_loaded *loaded = NULL;
    sl_status status = count_facts(s->input.trace, launch, pool, &facts, error);
    if (!status)
        status = sl_loaded_create(s->input.trace, launch, pool, &loaded, error);
    if (!status && v->options->with == WITH_SIM) {
        status = simulate(v, loaded, &s->launch[at].model[0], error);
        add_facts(&s->launch[at].model[0], &facts);
    }
    for (size_t i = 0; v->options->with == WITH_MODEL && i < v->variants && !status; i++) {
        sl_model_result result = {0};
        status = sl_model_launch(&v->machine, loaded, &v->variant[i], pool, &result, error);
        s->launch[at].model[i] = result.counts.total;
        add_facts(&s->launch[at].model[i], &facts);
        sl_model_result_fini(&result);
    }
    sl_loaded_destroy(loaded);
    tell_done(v, unit_launches);
    return status;
}

static sl_status describe_launch(const validator *v, subject *s, size_t at, sl_error *error)
{
    const sl_trace_launch *launch = sl_trace_launch_at(s->input.trace, s->pairs.pair[at].launch);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(s->input.trace, launch->kernel);
    sl_validated *to = &s->launch[at];
    if (launch->failed)
        return sl_fail(error, SL_INVALID, "%s, launch %llu failed: %s", s->input.name,
                       (unsigned long long)launch->index,
                       launch->failure ? launch->failure : "it was not recorded why");
    if (launch->blocks_recorded != sl_launch_blocks(launch))
        return sl_fail(error, SL_INVALID, "%s, launch %llu: only a part of it was recorded", s->input.name,
                       (unsigned long long)launch->index);
    to->workload =
        sl_arena_strdup(&s->names, *s->input.workload ? s->input.name : s->pairs.pair[at].measured->workload);
    to->symbol = sl_arena_strdup(&s->names, kernel->symbol);
    to->name = sl_arena_strdup(&s->names, kernel->name);
    to->index = launch->index;
    memcpy(to->grid, launch->grid, sizeof to->grid);
    memcpy(to->block, launch->block, sizeof to->block);
    to->measured = s->pairs.pair[at].measured->counts;
    to->model = &s->model[at * v->variants];
    return to->workload && to->symbol && to->name ? SL_OK : sl_fail_memory(error);
}

/* All launches are opened: which of them rows belong to is seen only from the whole. */
static sl_status open_subject(validator *v, subject *s, uint64_t threads, sl_error *error)
{
    validate_options options = *v->options;
    options.input.common.threads = threads;
    options.input.lanes = v->machine.lanes;
    options.input.launch = (sl_option_range){0};
    sl_invocation inv = *v->inv;
    inv.values = &options;
    inv.common = &options.input.common;
    inv.args.operand = s->operand;
    inv.args.operands = s->operands;
    inv.progress = threads == 1 ? NULL : v->inv->progress;
    sl_status status = sl_trace_input_open(&s->input, &inv, error);
    if (status)
        return status;
    if (s->input.damage.status) {
        *error = s->input.damage;
        return error->status;
    }
    memcpy(s->workload, s->input.workload, sizeof s->workload);
    s->about = s->input.about;
    const sl_trace_input_options *o = &v->options->input;
    sl_ncu_wanted wanted = {
        .owner = s->input.name,
        .workload = v->options->workload ? v->options->workload
                    : *s->input.workload ? s->input.name
                                         : NULL,
        .kernel_regex = o->kernel_regex,
        .ranged = o->launch.given,
        .first = o->launch.first,
        .last = o->launch.last,
    };
    return sl_ncu_match(&v->ncu, &wanted, s->input.trace, s->input.launch, s->input.launches, &s->pairs, error);
}

static sl_status prepare_subject(validator *v, subject *s, uint64_t threads, sl_error *error)
{
    sl_arena_init(&s->names);
    sl_status status = open_subject(v, s, threads, error);
    size_t count = s->pairs.count ? s->pairs.count : 1;
    if (status)
        return status;
    s->launch = calloc(count, sizeof *s->launch);
    s->model = calloc(count * v->variants, sizeof *s->model);
    if (!s->launch || !s->model)
        return sl_fail_memory(error);
    for (size_t i = 0; i < s->pairs.count && !status; i++)
        status = describe_launch(v, s, i, error);
    return status;
}

static void close_subject(subject *s)
{
    sl_trace_input_close(&s->input);
    free(s->launch);
    free(s->model);
    sl_ncu_pairs_fini(&s->pairs);
    sl_arena_fini(&s->names);
}

/* ---- in parallel ---- */

typedef struct work {
    validator *v;
    subject *subject;
} work;

static sl_status launch_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    const work *w = context;
    return validate_launch(w->v, w->subject, index, NULL, error);
}

/* Many launches run side by side, few of them one after the other with all threads. */
static sl_status validate_one(validator *v, subject *s, sl_error *error)
{
    sl_pool *pool;
    sl_status status = sl_pool_create((unsigned)v->inv->common->threads, &pool, error);
    if (status)
        return status;
    status = prepare_subject(v, s, v->inv->common->threads, error);
    expect(v, unit_launches, s->pairs.count);
    work w = {v, s};
    if (!status && s->pairs.count >= 2 * sl_pool_threads(pool))
        status = sl_pool_run(pool, s->pairs.count, launch_job, &w, error);
    else
        for (size_t i = 0; i < s->pairs.count && !status; i++)
            status = validate_launch(v, s, i, pool, error);
    sl_pool_destroy(pool);
    return status;
}

static sl_status subject_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    const work *w = context;
    subject *s = &w->subject[index];
    sl_status status = prepare_subject(w->v, s, 1, error);
    for (size_t i = 0; i < s->pairs.count && !status; i++)
        status = validate_launch(w->v, s, i, NULL, error);
    sl_trace_input_close(&s->input);
    tell_done(w->v, unit_workloads);
    return status;
}

static sl_status validate_many(validator *v, subject *subjects, size_t count, sl_error *error)
{
    sl_pool *pool;
    sl_status status = sl_pool_create((unsigned)v->inv->common->threads, &pool, error);
    if (status)
        return status;
    expect(v, unit_workloads, count);
    work w = {v, subjects};
    status = sl_pool_run(pool, count, subject_job, &w, error);
    sl_pool_destroy(pool);
    return status;
}

/* ---- the report ---- */

static sl_status write_text(FILE *file, const void *result, sl_error *error)
{
    return sl_validation_text(file, result, sl_terminal_width(file), error);
}

static sl_status write_json(FILE *file, const void *result, sl_error *error)
{
    return sl_validation_json(file, result, error);
}

static sl_status write_csv(FILE *file, const void *result, sl_error *error)
{
    return sl_validation_csv(file, result, error);
}

static sl_status make_page(const void *result, sl_page_input *input, sl_error *error)
{
    (void)error;
    const sl_validation *v = result;
    const char *about = v->info.trace ? v->info.trace->path : "all workloads";
    for (size_t i = 0; i < v->info.options; i++)
        if (!strcmp(v->info.option[i].name, "workload"))
            about = v->info.option[i].value;
    *input = (sl_page_input){.subject = about, .info = v->info, .validation = v};
    return SL_OK;
}

static sl_status plot_form(FILE *file, const void *result, sl_error *error)
{
    return sl_validation_plot(file, result, error);
}

static int write_plot(const validator *v, const sl_validation *validation)
{
    sl_error error;
    sl_status status = sl_output_write(plot_form, v->options->plot, validation, &error);
    return status ? sl_cli_fail(v->inv, &error) : SL_EXIT_OK;
}

static sl_status describe(const validator *v, const subject *s, size_t subjects, sl_arena *arena, sl_report_info *info,
                          sl_error *error)
{
    const sl_report_option workload = {"workload", s->workload};
    bool named = subjects == 1 && *s->workload;
    *info = (sl_report_info){
        .command = "validate",
        .machine = v->machine.name,
        .seed = &v->options->input.seed,
        .trace = subjects == 1 && !named ? &s->about : NULL,
    };
    info->option = sl_given_options(v->inv, &workload, named, arena, &info->options);
    return info->option ? SL_OK : sl_fail_memory(error);
}

static int report(const validator *v, const subject *subjects, size_t count)
{
    static const sl_report_forms forms = {write_text, write_json, write_csv};
    sl_validation all = {.variants = v->variants,
                         .variant = v->options->with == WITH_SIM ? &predictors[WITH_SIM] : variant_names,
                         .least_sectors = v->options->least_sectors};
    SL_ARRAY(sl_validated) launches = {0};
    sl_error error;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = describe(v, subjects, count, &arena, &all.info, &error);
    for (size_t i = 0; i < count && !status; i++) {
        all.unmeasured += subjects[i].pairs.unmeasured;
        for (size_t k = 0; k < subjects[i].pairs.count && !status; k++)
            if (!sl_array_push(&launches, subjects[i].launch[k]))
                status = sl_fail_memory(&error);
    }
    all.launches = launches.count;
    all.launch = launches.items;
    int code = status ? sl_cli_fail(v->inv, &error) : SL_EXIT_OK;
    if (!code && v->options->plot)
        code = write_plot(v, &all);
    if (!code)
        code = sl_report_write_page(v->inv, &forms, make_page, &all, stdout);
    sl_array_free(&launches);
    sl_arena_fini(&arena);
    return code;
}

/* ---- the command ---- */

/* The workloads of the file, in its order; they are operands of one word each. */
static sl_status list_workloads(validator *v, subject **subjects, size_t *count, sl_error *error)
{
    if (!v->ncu.by_workload)
        return sl_fail_at(error, SL_INVALID, v->ncu.path, 0, 0,
                          "'all' stands for the workloads of the file, which has no column 'workload'");
    sl_status status = sl_ncu_workloads(&v->ncu, &v->workloads, count, error);
    if (status)
        return status;
    *subjects = calloc(*count, sizeof **subjects);
    if (!*subjects) {
        *count = 0;
        return sl_fail_memory(error);
    }
    for (size_t i = 0; i < *count; i++)
        (*subjects)[i] = (subject){.operand = &v->workloads[i], .operands = 1};
    return SL_OK;
}

static sl_status prepare(validator *v, subject **subjects, size_t *count, sl_error *error)
{
    const sl_args *args = &v->inv->args;
    sl_status status = sl_model_wishes_machine(&v->options->wishes, &v->machine, error);
    if (!status && v->options->plot)
        status = sl_output_probe(v->options->plot, error);
    if (!status)
        status = sl_ncu_read(v->options->counters, &v->ncu, error);
    if (status)
        return status;
    if (v->options->workload && !v->ncu.by_workload)
        return sl_fail_at(error, SL_INVALID, v->ncu.path, 0, 0, "--workload: the file has no column 'workload'");
    if (args->operands == 1 && !strcmp(args->operand[0], "all"))
        return list_workloads(v, subjects, count, error);
    *subjects = calloc(1, sizeof **subjects);
    if (!*subjects)
        return sl_fail_memory(error);
    **subjects = (subject){.operand = args->operand, .operands = args->operands};
    *count = 1;
    return SL_OK;
}

static int run_validate(const sl_invocation *inv)
{
    validator v = {.inv = inv, .options = inv->values, .lock = PTHREAD_MUTEX_INITIALIZER};
    subject *subjects = NULL;
    size_t count = 0;
    sl_error error;
    if (!v.options->counters)
        return sl_cli_usage(inv, "--counters is needed: a file that 'ncu --csv' wrote");
    if (v.options->workload && !strcmp(inv->args.operand[0], "all"))
        return sl_cli_usage(inv, "'all' and --workload do not go together");
    if (v.options->with == WITH_SIM &&
        (v.options->ablation || v.options->wishes.no_latency || v.options->wishes.no_associativity ||
         v.options->wishes.no_mshr || v.options->wishes.no_divergence))
        return sl_cli_usage(inv, "--ablation and --no-... are of the model: they do not go with --with sim");
    v.sim = (sl_sim_options){.seed = v.options->input.seed, .cold = true};
    v.variants = make_variants(v.options, v.variant);
    sl_status status = prepare(&v, &subjects, &count, &error);
    if (!status)
        status = count == 1 ? validate_one(&v, subjects, &error) : validate_many(&v, subjects, count, &error);
    int code = status ? sl_cli_fail(inv, &error) : report(&v, subjects, count);
    for (size_t i = 0; i < count; i++)
        close_subject(&subjects[i]);
    free(subjects);
    free(v.workloads);
    sl_ncu_fini(&v.ncu);
    return code;
}

#define AT(field) offsetof(validate_options, field)
// clang-format off
static const sl_option options[] = {
    {"counters", 'c', SL_OPTION_STRING, "FILE", "What hardware counted: CSV of ncu, raw or details, or of papers/measure-h200", AT(counters), 0, 0, NULL},
    {"workload", 'w', SL_OPTION_STRING, "NAME", "Take the counters of this workload, in a file of several (default: those that fit)", AT(workload), 0, 0, NULL},
    {"with", 0, SL_OPTION_CHOICE, "WHAT", "What is compared: model, or sim, which knows cycles, too (default: model)", AT(with), 0, 0, predictors},
    SL_MODEL_WISHES_TABLE(validate_options),
    {"least-sectors", 0, SL_OPTION_NUMBER, "N", "Launches with more than N load sectors count in the means (default: 1000)", AT(least_sectors), 0, 0, NULL},
    {"ablation", 0, SL_OPTION_FLAG, NULL, "Also give the means of the model with each of the paper's extensions off", AT(ablation), 0, 0, NULL},
    {"plot", 0, SL_OPTION_STRING, "FILE", "Draw a scatter plot of each quantity into an SVG file", AT(plot), 0, 0, NULL},
    {0},
};
// clang-format on

static const validate_options defaults = {
    .input = SL_TRACE_INPUT_DEFAULTS,
    .wishes = SL_MODEL_WISHES_DEFAULTS,
    .least_sectors = 1000,
};

static const sl_example examples[] = {
    {"sluice validate app.slt --counters app.csv", "Compares a traced program with counters that 'ncu --csv' wrote"},
    {"sluice validate spmv --counters papers/h200-counters.csv", "Compares a workload with what an H200 counted"},
    {"sluice validate all --counters papers/h200-counters.csv --plot h200.svg --ablation",
     "Compares all workloads of the file, draws a plot, and shows what each extension is worth"},
    {"sluice validate bfs --counters papers/h200-counters.csv --with sim", "Compares the simulator, cycles included"},
    {0},
};

const sl_command sl_cmd_validate = {
    .name = "validate",
    .summary = "compare the model or the simulator with hardware counters, per launch and counter",
    .usage = "[options] --counters FILE (TRACE | WORKLOAD [NAME=VALUE...] | all)",
    .description =
        "Models every launch of a trace or a workload and puts what the model says beside what hardware counted: the "
        "hit rates of L1 and L2, whose errors are in points of a hundred, and the reads of L2 and of memory, whose "
        "errors are in percent of what was measured; then the means of the absolute errors, the worst kernels, and all "
        "counters that both sides know. With --with sim it is the simulator that is compared, and cycles are, too.\n\n"
        "Counters are taken as Nsight Compute writes them, with --csv and --page raw or details, talk and all; collect "
        "them with --cache-control all, so that each launch starts with empty caches as the model does. Rows belong to "
        "launches by their order, or by their columns 'workload' and 'launch' where they have these; 'all' stands for "
        "all workloads of such a file, and a trace is compared with the one whose launches it has. Counters of another "
        "kernel, grid or block size than the launch's are an error.",
    .options = options,
    .more_options = sl_trace_input_table,
    .common = SL_COMMON_REPORT | SL_COMMON_HTML | SL_COMMON_JOBS,
    .values_bytes = sizeof(validate_options),
    .defaults = &defaults,
    .least_operands = 1,
    .most_operands = SL_TRACE_INPUT_MOST_OPERANDS,
    .operand = SL_TRACE_INPUT_OPERAND,
    .examples = examples,
    .run = run_validate,
};
