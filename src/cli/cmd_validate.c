/* SPDX-License-Identifier: MIT */
/* sluice validate: the model or the simulator compared with hardware counters. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/folders.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/terminal.h"

typedef struct validate_options {
    sl_input_options input;
    sl_model_settings model;
    const char *counters, *counters_of, *plot, *sample;
    uint64_t min_sectors;
    bool ablation;
    int with; /* predictor */
    bool command;
} validate_options;

typedef enum predictor { WITH_MODEL, WITH_SIM, WITH_BOTH } predictor;
static const char *const predictors[] = {"model", "sim", "both", NULL};

/* ---- points ---- */

enum { MAX_VARIANTS = 6 };
static const char *const variant_names[MAX_VARIANTS] = {"model",         "no latency",    "no associativity",
                                                        "no MSHR limit", "no divergence", "none of these four"};

typedef struct validator {
    const sl_invocation *inv;
    const validate_options *options;
    sl_machine machine;
    sl_sampling sampling;
    sl_ncu ncu;
    const char **workloads; /* of ncu, for 'all' */
    size_t variants;
    sl_point variant[MAX_VARIANTS];
    char without[MAX_VARIANTS][SL_WITHOUT_BYTES];
    /* progress, updated by any thread */
    pthread_mutex_t lock;
    uint64_t done, total;
} validator;

/* The extensions of the paper are disabled one by one, and all together. Hardware counters are collected with empty
 * caches before each launch; the simulator does the same. */
static void make_variants(validator *v)
{
    const validate_options *o = v->options;
    v->variants = o->ablation ? MAX_VARIANTS : o->with == WITH_BOTH ? 2 : 1;
    for (size_t i = 0; i < v->variants; i++) {
        sl_model_options model = sl_model_options_of(&o->model, o->input.seed);
        model.no_latency |= o->ablation && (i == 1 || i == 5);
        model.no_associativity |= o->ablation && (i == 2 || i == 5);
        model.no_mshr |= o->ablation && (i == 3 || i == 5);
        model.no_divergence |= o->ablation && (i == 4 || i == 5);
        v->variant[i] = (sl_point)SL_POINT_START;
        bool simulates = o->with == WITH_SIM || (o->with == WITH_BOTH && i);
        v->variant[i].kind = simulates ? SL_ANALYSIS_SIM : SL_ANALYSIS_MODEL;
        v->variant[i].cold = v->variant[i].isolated = true;
        v->variant[i].sampling = v->sampling;
        v->variant[i].seed = o->input.seed;
        v->variant[i].resolved = &v->machine;
        v->variant[i].without = sl_model_without(&model, v->without[i]);
    }
}

/* ---- one input ---- */

typedef struct subject {
    const char *name; /* a workload of 'all'; NULL: the input of the command line */
    sl_cli_input opened;
    sl_predictions compared;
    sl_validated *launch; /* [compared.pairs.count] */
    sl_arena names;       /* of `launch` */
} subject;

static sl_status compare(const validator *v, subject *s, const sl_progress *progress, sl_error *error)
{
    const sl_input_options *o = &v->options->input;
    const char *name = s->opened.input.spec.name;
    const sl_ncu_wanted wanted = {.owner = name,
                                  .workload = v->options->counters_of                     ? v->options->counters_of
                                              : s->opened.input.kind == SL_INPUT_WORKLOAD ? name
                                                                                          : NULL,
                                  .kernel_regex = o->kernel_regex,
                                  .launches = o->launch};
    sl_status status = sl_predictions_run(&s->opened.recording, &v->ncu, &wanted, v->variant, v->variants,
                                          s->opened.pool, progress, &s->compared, error);
    if (status)
        return status;
    return sl_validated_rows(&s->compared, &s->opened.recording,
                             s->opened.input.kind == SL_INPUT_WORKLOAD ? name : NULL, &s->names, &s->launch, error);
}

/* Records all launches: rows are matched by their order in the whole run. */
static int validate_one(validator *v, subject *s)
{
    sl_error error;
    int code = sl_cli_input_open(&s->opened, v->inv, SL_TAKES_ALL, v->machine.lanes, false);
    if (code)
        return code;
    s->opened.record.filter.launches = NULL;
    code = sl_cli_input_run(&s->opened, v->inv, false);
    if (code)
        return code;
    sl_progress_phase(v->inv->progress, "modeling");
    return compare(v, s, v->inv->progress, &error) ? sl_cli_fail(v->inv, &error) : SL_EXIT_OK;
}

/* ---- all workloads of the file ---- */

static sl_status record_workload(const validator *v, subject *s, sl_error *error)
{
    const sl_input_options *o = &v->options->input;
    sl_input_spec spec = SL_INPUT_SPEC_START;
    sl_record_options record = {.filter = {.kernel_regex = o->kernel_regex},
                                .settings = {.lanes = v->machine.lanes, .threads = 1},
                                .producer = v->inv->line,
                                .scratch = s->opened.scratch};
    spec.name = s->name;
    spec.size = sl_size_names[o->size];
    spec.seed = o->seed;
    spec.cubin = o->cubin ? o->cubin : "";
    sl_status status = sl_input_open(&spec, &s->opened.input, error);
    if (!status && (status = sl_temporary_folder(s->opened.scratch, sizeof s->opened.scratch, error)))
        *s->opened.scratch = 0;
    return status ? status : sl_record(&s->opened.input, &record, &s->opened.recording, error);
}

typedef struct work {
    validator *v;
    subject *subject;
} work;

static sl_status subject_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    const work *w = context;
    subject *s = &w->subject[index];
    (void)worker;
    sl_status status = record_workload(w->v, s, error);
    if (!status)
        status = compare(w->v, s, NULL, error);
    sl_recording_close(&s->opened.recording);
    pthread_mutex_lock(&w->v->lock);
    sl_progress_update(w->v->inv->progress, "workloads", ++w->v->done, w->v->total);
    pthread_mutex_unlock(&w->v->lock);
    return status;
}

static int validate_all(validator *v, subject *subjects, size_t count)
{
    sl_error error;
    sl_pool *pool = NULL;
    work w = {v, subjects};
    v->total = count;
    sl_progress_phase(v->inv->progress, "recording and modeling");
    sl_status status = sl_pool_create((unsigned)v->inv->common->threads, &pool, &error);
    if (!status)
        status = sl_pool_run(pool, count, subject_job, &w, &error);
    sl_pool_destroy(pool);
    return status ? sl_cli_fail(v->inv, &error) : SL_EXIT_OK;
}

/* ---- the report ---- */

static sl_page_input page_of(const sl_report_info *info, const sl_validation *v)
{
    const char *about = info->trace ? info->trace->path : "all workloads";
    for (size_t i = 0; i < info->options; i++)
        if (!strcmp(info->option[i].name, "workload"))
            about = info->option[i].value;
    return (sl_page_input){.subject = about, .info = *info, .validation = v};
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

static sl_status describe(const validator *v, const subject *s, sl_arena *arena, sl_report_info *info, sl_error *error)
{
    bool one = !s->name;
    *info = (sl_report_info){.command = "validate",
                             .machine = v->machine.name,
                             .seed = &v->options->input.seed,
                             .trace = one ? s->opened.trace : NULL};
    return sl_given_options(v->inv, &s->opened.fact, one && !s->opened.trace, one ? s->opened.subject : "all workloads",
                            v->machine.name, arena, info, error);
}

static int report(const validator *v, const subject *subjects, size_t count)
{
    sl_validation all = {.variants = v->variants,
                         .variant = v->options->with == WITH_SIM    ? &predictors[WITH_SIM]
                                    : v->options->with == WITH_BOTH ? predictors
                                                                    : variant_names,
                         .min_sectors = v->options->min_sectors};
    SL_ARRAY(sl_validated) launches = {0};
    sl_report_info info;
    sl_error error;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = describe(v, subjects, &arena, &info, &error);
    for (size_t i = 0; i < count && !status; i++) {
        all.stood_for += subjects[i].compared.pairs.count - subjects[i].compared.analyzed;
        all.unmeasured += subjects[i].compared.pairs.unmeasured;
        for (size_t k = 0; k < subjects[i].compared.pairs.count && !status; k++)
            if (!sl_array_push(&launches, subjects[i].launch[k]))
                status = sl_fail_memory(&error);
    }
    all.launches = launches.count;
    all.launch = launches.items;
    int code = status ? sl_cli_fail(v->inv, &error) : SL_EXIT_OK;
    if (!code && v->options->plot)
        code = write_plot(v, &all);
    if (!code) {
        const sl_page_input page = page_of(&info, &all);
        sl_document *d = sl_document_create(&info, sl_forms_wanted(v->inv->common));
        sl_document_validation(d, &all);
        code = sl_document_show(v->inv, d, &page, sl_cli_input_stream(&subjects->opened));
    }
    sl_array_free(&launches);
    sl_arena_fini(&arena);
    return code;
}

/* ---- the command ---- */

/* The workloads of the file, in its order; or the one input of the command line. */
static sl_status list_subjects(validator *v, bool all, subject **subjects, size_t *count, sl_error *error)
{
    sl_status status = SL_OK;
    *count = 1;
    if (all && !v->ncu.by_workload)
        return sl_fail_at(error, SL_INVALID, v->ncu.path, 0, 0,
                          "the file has no column 'workload', which 'all' requires; name the input instead");
    if (all)
        status = sl_ncu_workloads(&v->ncu, &v->workloads, count, error);
    if (!status && !(*subjects = calloc(*count + 1, sizeof **subjects)))
        status = sl_fail_memory(error);
    for (size_t i = 0; i < *count && !status; i++) {
        (*subjects)[i].name = all ? v->workloads[i] : NULL;
        sl_arena_init(&(*subjects)[i].names);
    }
    return status;
}

static sl_status prepare(validator *v, sl_error *error)
{
    sl_status status = sl_model_machine(v->inv, &v->options->model, &v->machine, error);
    if (!status && v->options->plot)
        status = sl_output_probe(v->options->plot, error);
    if (!status)
        status = sl_ncu_read(v->options->counters, &v->ncu, error);
    if (!status && v->options->counters_of && !v->ncu.by_workload)
        status = sl_fail_at(error, SL_INVALID, v->ncu.path, 0, 0, "--counters-of: the file has no column 'workload'");
    return status;
}

/* ---- --command ---- */

static void print_word(const char *word)
{
    char *quoted = malloc(4 * strlen(word) + 4);
    if (quoted)
        sl_shell_word(quoted, word);
    putchar(' ');
    sl_terminal_write(stdout, quoted ? quoted : word, strlen(quoted ? quoted : word));
    free(quoted);
}

/* What ncu watches: the program, or Sluice itself, which runs anything else on the GPU; of a trace, what it was
 * recorded from. */
static void print_watched(const sl_invocation *inv, const sl_cli_input *input)
{
    const sl_args *args = &inv->args;
    const char *recorded = input->trace && input->trace->producer ? strstr(input->trace->producer, " -- ") : NULL;
    if (args->program || input->trace) {
        for (char **word = args->program; word && *word; word++)
            print_word(*word);
        recorded = recorded ? recorded + 4 : "PROGRAM";
        if (input->trace)
            putchar(' ');
        if (input->trace)
            sl_terminal_write(stdout, recorded, strlen(recorded));
        return;
    }
    printf(" sluice run --on gpu");
    for (size_t i = 0; i < args->operands; i++)
        print_word(args->operand[i]);
    for (size_t i = 0; i < args->sets; i++) {
        const sl_option *o = args->set[i];
        const sl_option_list *list = (const sl_option_list *)((const char *)inv->values + o->offset);
        char value[1024], name[64];
        if (!sl_is_input_option(o))
            continue;
        snprintf(name, sizeof name, "--%s", o->name);
        for (size_t n = 0; n < (o->kind == SL_OPTION_LIST ? list->count : 1); n++) {
            print_word(name);
            if (o->kind != SL_OPTION_FLAG)
                print_word(o->kind == SL_OPTION_LIST ? list->item[n]
                                                     : sl_option_text(o, inv->values, value, sizeof value));
        }
    }
}

static int print_command(const sl_invocation *inv)
{
    const char *kernels = ((const validate_options *)inv->values)->input.kernel_regex, *separator = "";
    sl_cli_input input;
    int code = sl_cli_input_open(&input, inv, SL_TAKES_ALL, 0, false);
    if (!code && input.input.kind == SL_INPUT_TRACE)
        code = sl_cli_input_run(&input, inv, true);
    if (code)
        return code;
    printf("ncu --csv --page raw --print-units base --cache-control all --clock-control none --log-file counters.csv");
    if (kernels) {
        char expression[512];
        snprintf(expression, sizeof expression, "regex:%s", kernels);
        printf(" --kernel-name");
        print_word(expression);
    }
    printf(" --metrics ");
    for (int i = 0; i < SL_COUNTERS; i++) {
        const char *metric = sl_counter_infos[i].metric;
        bool before = !*metric || strstr(metric, "tma") || strstr(metric, "gmma"); /* these only Hopper has */
        for (int k = 0; k < i && !before; k++)
            before = !strcmp(sl_counter_infos[k].metric, metric);
        if (!before) {
            printf("%s%s", separator, metric);
            separator = ",";
        }
    }
    print_watched(inv, &input);
    putchar('\n');
    sl_cli_input_close(&input);
    return SL_EXIT_OK;
}

static int run_validate(const sl_invocation *inv)
{
    validator v = {.inv = inv, .options = inv->values, .lock = PTHREAD_MUTEX_INITIALIZER};
    const validate_options *o = v.options;
    bool all = inv->args.operands == 1 && !strcmp(inv->args.operand[0], "all");
    subject *subjects = NULL;
    size_t count = 0;
    sl_error error;
    if (o->command)
        return print_command(inv);
    if (!o->counters)
        return sl_cli_usage(inv, "--counters FILE is missing: the output of the command that --command prints");
    if (o->counters_of && all)
        return sl_cli_usage(inv, "--counters-of requires one input, not 'all'");
    if (o->with != WITH_MODEL &&
        (o->ablation || o->model.no_latency || o->model.no_associativity || o->model.no_mshr || o->model.no_divergence))
        return sl_cli_usage(inv, "--ablation and --no-... require --with model");
    /* Launches that count alike may still touch other lines: each is compared with its own counters. */
    if (sl_sampling_of(o->sample ? o->sample : "off", &v.sampling, &error))
        return sl_cli_usage(inv, "%s", error.text);
    make_variants(&v);
    sl_status status = prepare(&v, &error);
    if (!status)
        status = list_subjects(&v, all, &subjects, &count, &error);
    int code = status ? sl_cli_fail(inv, &error) : all ? validate_all(&v, subjects, count) : validate_one(&v, subjects);
    if (!code)
        code = sl_cli_input_code(&subjects->opened, report(&v, subjects, count));
    for (size_t i = 0; subjects && i < count; i++) {
        sl_cli_input_close(&subjects[i].opened);
        sl_predictions_fini(&subjects[i].compared);
        sl_arena_fini(&subjects[i].names);
    }
    free(subjects);
    free(v.workloads);
    sl_ncu_fini(&v.ncu);
    return code;
}

#define AT(field) offsetof(validate_options, field)
// clang-format off
static const sl_option options[] = {
    {"counters", 'c', SL_OPTION_STRING, "FILE", "Hardware counters: CSV of ncu (raw or details page), of nvprof (events of L1) or of papers/measure-h200", AT(counters), 0, 0, NULL},
    {"command", 0, SL_OPTION_FLAG, NULL, "Print the ncu command that collects the counters of this input, to run where the GPU is", AT(command), 0, 0, NULL},
    {"counters-of", 0, SL_OPTION_STRING, "NAME", "Use the counters of this workload, in a file of several (default: those that match)", AT(counters_of), 0, 0, NULL},
    {"with", 0, SL_OPTION_CHOICE, "WHAT", "Predictor to compare: the model estimates cycles, sim simulates them; both shows them side by side (default: model)", AT(with), 0, 0, predictors},
    SL_MODEL_OPTIONS(validate_options),
    {"min-sectors", 0, SL_OPTION_NUMBER, "N", "Average errors over launches with more than N load sectors (default: 1000)", AT(min_sectors), 0, 0, NULL},
    {"ablation", 0, SL_OPTION_FLAG, NULL, "Also report the mean errors of the model without each extension of the HPCA 2014 paper", AT(ablation), 0, 0, NULL},
    SL_SAMPLE_OPTION_OF(AT(sample), "off"),
    {"plot", 0, SL_OPTION_STRING, "FILE", "Draw a scatter plot of each quantity as SVG", AT(plot), 0, 0, NULL},
    {0},
};
// clang-format on

static const validate_options defaults = {
    .input = SL_INPUT_DEFAULTS,
    .model = SL_MODEL_SETTINGS_DEFAULTS,
    .min_sectors = 1000,
};

static const sl_example examples[] = {
    {"sluice validate --command -- ./app 1024", "Print how to collect the counters, in counters.csv"},
    {"sluice validate app.slt --counters counters.csv", "Compare a recorded program with them"},
    {"sluice validate spmv --counters papers/h200-counters.csv", "Compare a workload with counters of an H200"},
    {"sluice validate all --counters papers/h200-counters.csv --plot h200.svg --ablation",
     "Compare all workloads of the file, draw a plot, and report the effect of each extension"},
    {"sluice validate bfs --counters papers/h200-counters.csv --with both",
     "Compare the simulator too: simulated cycles next to estimated ones"},
    {0},
};

const sl_command sl_cmd_validate = {
    .name = "validate",
    .summary = "compare the model or the simulator with hardware counters, launch by launch",
    .usage = "[options] --counters FILE (" SL_INPUT_NAMES " | all)",
    .description =
        "Compare predictions with hardware counters for every launch: L1 and L2 hit rates (errors in percentage "
        "points), L2 and memory reads (errors in percent of the measurement), the mean absolute errors, the worst "
        "kernels, and all counters that both sides have. By default the model predicts, and estimates cycles; with "
        "--with sim the simulator does, and with --with both each has its errors.\n\nCounters are read as Nsight "
        "Compute writes them with --csv and --page raw or "
        "details, or nvprof with --csv --print-gpu-trace --events l1_global_load_hit,l1_global_load_miss (Fermi and "
        "Kepler, whose L1 it counts in lines); other output in the file is skipped. Reports (.ncu-rep) are converted "
        "by 'ncu --import'. --command "
        "prints the call that collects them, with empty "
        "caches before each launch; predictions are of cold launches, too. Rows are matched with launches by order, or "
        "by the columns "
        "'workload' and 'launch' if the file has them; 'all' stands for all workloads of such a file, and a trace is "
        "matched with the workload that has the same launches. Counters of a different kernel, grid or block size than "
        "the launch are an error.\n\n" SL_INPUT_HELP,
    .often = "counters command with gpu kernel launch plot html json csv",
    .common = SL_COMMON_PLUGINS | SL_COMMON_REPORT | SL_COMMON_HTML | SL_COMMON_JOBS,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(validate_options, options, defaults, examples),
    .run = run_validate,
};
