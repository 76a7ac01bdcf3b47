/* SPDX-License-Identifier: MIT */
/* sluice report: counts, profile, model and sources of an input in one page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/analysis.h"
#include "analysis/input_plan.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/show_results.h"
#include "report/findings.h"
#include "report/results.h"

typedef struct report_options {
    sl_input_options input;
    sl_model_settings model;
    const char *counters, *sample;
    uint64_t min_sectors;
    bool brief, sim, cold;
    const char *plan, *code;
} report_options;

typedef struct report {
    const sl_invocation *inv;
    const report_options *options;
    sl_machine machine;
    sl_model_options settings;
    sl_sampling sampling;
    char without[SL_WITHOUT_BYTES];
    sl_cli_input input;
    sl_arena arena;
    sl_result_set set; /* modeled and counted */
    sl_result profile;
    sl_sweep sizes, policies, simulated;
    sl_plan plan;
    bool planned; /* there is a plan */
    sl_ncu ncu;
    sl_predictions compared;
    sl_findings findings;
    sl_validation validation;
} report;

/* ---- L1 sizes and policies ---- */

static sl_status run_sweep(report *r, sl_analysis_kind kind, sl_status (*points)(sl_sweep *, sl_error *),
                           sl_sweep *sweep, sl_error *error)
{
    sl_point like = SL_POINT_START;
    like.kind = kind;
    like.resolved = &r->machine;
    like.seed = r->options->input.seed;
    like.without = r->without;
    like.cold = r->options->cold;
    like.sampling.stand_in = r->set.measured.sample.stand_in;
    sl_progress_phase(r->inv->progress, points == sl_sweep_sizes ? "trying sizes of L1" : "trying policies");
    sl_status status = sl_sweep_init(sweep, &like, points == sl_sweep_sizes, error);
    if (!status)
        status = points(sweep, error);
    return status ? status : sl_sweep_run(sweep, &r->input.recording, r->input.pool, r->inv->progress, error);
}

/* ---- hardware ---- */

static sl_status validate(report *r, sl_error *error)
{
    static const char *const variants[] = {"model"};
    const sl_input_options *o = &r->options->input;
    const sl_input *input = &r->input.input;
    const sl_ncu_wanted wanted = {.owner = input->spec.name,
                                  .workload = input->kind == SL_INPUT_WORKLOAD ? input->spec.name : NULL,
                                  .kernel_regex = o->kernel_regex,
                                  .launches = o->launch};
    sl_point point = SL_POINT_START;
    point.kind = SL_ANALYSIS_MODEL;
    point.resolved = &r->machine;
    point.seed = o->seed;
    point.without = r->without;
    point.sampling = r->sampling;
    point.cold = true; /* as ncu counts with --cache-control all */
    sl_status status = sl_predictions_run(&r->input.recording, &r->ncu, &wanted, &point, 1, r->input.pool,
                                          r->inv->progress, &r->compared, error);
    if (status)
        return status;
    sl_validated *rows;
    status = sl_validated_rows(&r->compared, &r->input.recording, wanted.workload ? wanted.workload : "", &r->arena,
                               &rows, error);
    r->validation = (sl_validation){.launches = r->compared.pairs.count,
                                    .launch = rows,
                                    .variants = 1,
                                    .variant = variants,
                                    .min_sectors = r->options->min_sectors,
                                    .stood_for = r->compared.pairs.count - r->compared.analyzed,
                                    .unmeasured = r->compared.pairs.unmeasured};
    return status;
}

/* ---- all together ---- */

static sl_status gather(report *r, sl_error *error)
{
    const sl_recording *recording = &r->input.recording;
    sl_pool *pool = r->input.pool;
    const sl_analysis model = {.kind = SL_ANALYSIS_MODEL,
                               .cold = r->options->cold,
                               .machine = &r->machine,
                               .sampling = r->sampling,
                               .seed = r->settings.seed,
                               .model = r->settings};
    sl_status status = sl_result_set_make(recording, &model, true, pool, r->inv->progress, &r->set, error);
    const sl_analysis profile = {
        .kind = SL_ANALYSIS_PROFILE, .machine = &r->machine, .sampling.stand_in = r->set.measured.sample.stand_in};
    if (!status)
        status = sl_group_results(r->inv, &r->set, error);
    if (!status)
        status = sl_analyze(recording, &profile, pool, r->inv->progress, &r->profile, error);
    const sl_findings_input find = sl_findings_input_of(&r->set, recording, &model, pool);
    if (!status)
        status = sl_findings_find(&find, &r->findings, error);
    if (!status && !r->options->brief)
        status = run_sweep(r, SL_ANALYSIS_MODEL, sl_sweep_sizes, &r->sizes, error);
    if (!status && !r->options->brief)
        status = run_sweep(r, SL_ANALYSIS_MODEL, sl_sweep_policies, &r->policies, error);
    if (!status && r->options->sim)
        status = run_sweep(r, SL_ANALYSIS_SIM, sl_sweep_policies, &r->simulated, error);
    if (!status && r->options->counters)
        status = validate(r, error);
    return status;
}

static sl_status make_page(report *r, sl_report_info *info, sl_page **page, sl_error *error)
{
    bool compared = !r->options->brief;
    char sample[160];
    const sl_result *modeled = &r->set.measured;
    sl_sample_heading(&modeled->sample, modeled->launches, "analyzed", sample, sizeof sample);
    sl_page_input input = {
        .subject = r->input.subject,
        .note = *sample ? sl_arena_strdup(&r->arena, sample) : NULL,
        .info = {.command = "report",
                 .machine = r->machine.name,
                 .seed = &r->options->input.seed,
                 .trace = r->input.trace,
                 .findings = &r->findings},
        .results.counted = r->set.counted.log,
        .results.modeled = r->set.measured.log,
        .results.profile = &r->profile,
        .sizes = compared ? &r->sizes : NULL,
        .policies = compared ? &r->policies : NULL,
        .simulated = r->options->sim ? &r->simulated : NULL,
        .machine = &r->machine,
        .results.plan = r->planned ? &r->plan : NULL,
        .validation = r->options->counters ? &r->validation : NULL,
        .results.sources = r->input.texts,
        .results.source = r->input.text,
    };
    sl_status status = sl_given_options(r->inv, &r->input.fact, !r->input.trace, r->input.subject, r->machine.name,
                                        &r->arena, &input.info, error);
    *info = input.info;
    if (!status)
        status = sl_page_find_sources(r->inv, &input, &r->arena, error);
    return status ? status : sl_page_create(&input, page, error);
}

/* Messages on the terminal after the page was written. */
static sl_status print_summary(const report *r, const sl_report_info *info, sl_error *error)
{
    const char *path = r->inv->common->output;
    char bytes[SL_HUMAN_BYTES], sample[160];
    struct stat file;
    if (stat(path, &file) || !file.st_size)
        return SL_OK;
    sl_document *d = sl_document_create(info, SL_FORM_TEXT);
    sl_document_line(d, "%s: %" PRIu32 " launch%s, %s\n", path, r->input.recording.launches,
                     r->input.recording.launches == 1 ? "" : "es", sl_human_bytes((uint64_t)file.st_size, bytes));
    sl_sample_heading(&r->set.measured.sample, r->set.measured.launches, "analyzed", sample, sizeof sample);
    if (*sample)
        sl_document_line(d, "%s\n", sample);
    sl_document_sample(d, &r->set.measured);
    sl_document_findings_text(d);
    sl_status status = sl_document_print(d, sl_cli_input_stream(&r->input), error);
    sl_document_destroy(d);
    return status;
}

static int show(report *r)
{
    const sl_common *common = r->inv->common;
    sl_page *page = NULL;
    sl_report_info info;
    sl_error error;
    sl_status status = make_page(r, &info, &page, &error);
    if (!status) {
        sl_document *d = sl_document_create(&info, sl_forms_wanted(common) & ~(unsigned)SL_FORM_TEXT);
        sl_document_sample(d, &r->set.measured);
        sl_document_page(d, page, true);
        status = sl_document_save(r->inv, d, NULL, stdout, &error);
    }
    if (!status)
        status =
            sl_page_save(page, &(sl_page_files){common->output, common->callgrind, NULL, common->roofline}, &error);
    if (!status && common->output && !common->quiet)
        status = print_summary(r, &info, &error);
    sl_page_destroy(page);
    return status ? sl_cli_fail(r->inv, &error) : SL_EXIT_OK;
}

static void report_fini(report *r)
{
    sl_findings_fini(&r->findings);
    sl_result_fini(&r->profile);
    sl_result_set_fini(&r->set);
    sl_sweep_fini(&r->sizes);
    sl_sweep_fini(&r->policies);
    sl_sweep_fini(&r->simulated);
    sl_predictions_fini(&r->compared);
    sl_ncu_fini(&r->ncu);
    sl_cli_input_close(&r->input);
    sl_arena_fini(&r->arena);
}

static sl_status read_plan(report *r, sl_error *error)
{
    if (!r->options->plan)
        return SL_OK;
    sl_status status = sl_cli_input_find_code(&r->input, r->options->code, error);
    if (!status)
        status = sl_input_plan(&r->input.input, r->options->plan, &r->input.recording, &r->arena, &r->plan, error);
    r->planned = !status;
    return status;
}

static int run_report(const sl_invocation *inv)
{
    const report_options *o = inv->values;
    report r = {.inv = inv, .options = o};
    sl_error error;
    if (!inv->common->output && !inv->common->json && !inv->common->csv && !inv->common->loads &&
        !inv->common->callgrind && !inv->common->notes && !inv->common->sarif && !inv->common->roofline)
        return sl_cli_usage(inv, "-o FILE is missing: the page to write");
    if (o->code && !o->plan)
        return sl_cli_usage(inv, "--code requires --plan");
    if (sl_sampling_of(o->sample, &r.sampling, &error))
        return sl_cli_usage(inv, "%s", error.text);
    sl_arena_init(&r.arena);
    r.settings = sl_model_options_of(&o->model, o->input.seed);
    sl_model_without(&r.settings, r.without);
    sl_status status = sl_model_machine(inv, &o->model, &r.machine, &error);
    if (!status && o->counters)
        status = sl_ncu_read(o->counters, &r.ncu, &error);
    int code =
        status ? sl_cli_fail(inv, &error) : sl_cli_input_record(&r.input, inv, SL_TAKES_ALL, r.machine.lanes, false);
    if (!code) {
        status = read_plan(&r, &error);
        if (!status)
            status = gather(&r, &error);
        code = status ? sl_cli_fail(inv, &error) : sl_cli_input_code(&r.input, show(&r));
    }
    report_fini(&r);
    return code;
}

#define AT(field) offsetof(report_options, field)
// clang-format off
static const sl_option options[] = {
    {"output", 'o', SL_OPTION_STRING, "FILE", "HTML page to write", AT(input.common.output), 0, 0, NULL},
    SL_MODEL_OPTIONS(report_options),
    SL_COLD_OPTION(AT(cold)),
    {"counters", 'c', SL_OPTION_STRING, "FILE", "Compare the model with hardware counters: CSV of ncu or of papers/measure-h200", AT(counters), 0, 0, NULL},
    {"min-sectors", 0, SL_OPTION_NUMBER, "N", "Average errors over launches with more than N load sectors (default: 1000)", AT(min_sectors), 0, 0, NULL},
    {"sim", 0, SL_OPTION_FLAG, NULL, "Also simulate every L1 policy cycle by cycle", AT(sim), 0, 0, NULL},
    {"plan", 0, SL_OPTION_STRING, "FILE", "Show for each load its affinities and its mode in this bypass plan of 'sluice tune'", AT(plan), 0, 0, NULL},
    {"code", 0, SL_OPTION_STRING, "FILE", "With --plan and a trace: the PTX that the trace was recorded from", AT(code), 0, 0, NULL},
    SL_SAMPLE_OPTION(AT(sample)),
    {"brief", 0, SL_OPTION_FLAG, NULL, "Omit the comparisons of cache sizes and policies", AT(brief), 0, 0, NULL},
    {0},
};
// clang-format on

static const report_options defaults = {
    .input = SL_INPUT_DEFAULTS,
    .model = SL_MODEL_SETTINGS_DEFAULTS,
    .min_sectors = 1000,
};

static const sl_example examples[] = {
    {"sluice report spmv --gpu fermi-gtx470 -o spmv.html", "Write a page about a workload on a Fermi"},
    {"sluice report app.slt -o app.html --source src", "Write a page about a recorded program, with its sources"},
    {"sluice report bfs -o bfs.html --counters papers/h200-counters.csv",
     "Also compare the model with counters of an H200"},
    {"sluice report spmv --gpu fermi-gtx480 --sim -o spmv.html", "Also simulate it with every L1 policy"},
    {"sluice report spmv --plan spmv.json -o spmv.html", "Also show what each load gains by bypassing a cache"},
    {"sluice report app.slt --brief --callgrind app.callgrind",
     "Write the counts of each source line for KCachegrind instead"},
    {0},
};

const sl_command sl_cmd_report = {
    .name = "report",
    .summary = "write an HTML page with counts, profile, predictions and sources",
    .usage = "-o FILE [options] " SL_INPUT_USAGE,
    .description =
        "Count, profile and model every launch and write one self-contained HTML page: findings, an overview, kernels "
        "and launches, the heaviest loads and stores, CUDA and PTX side by side with the traffic, hits, misses by "
        "class and reuse of each line, reuse histograms, misses over L1 size, a comparison of replacement policies, "
        "and "
        "with --counters a comparison with hardware. With --sim, every L1 policy, including bypass policies, is "
        "simulated, and the page shows what the cycles were spent on and how much of the GPU's throughput was used. "
        "With --plan, each line shows what its loads "
        "gain by bypassing L1, L2 or both.\n\nThe page loads nothing from the network, and its tables work without "
        "JavaScript. --json writes the data of the page.\n\nThe sources of workloads are built in. Those of other "
        "programs are searched for where --source says (of a program that is run here: by default below the current "
        "folder), by the file names recorded at compilation (nvcc -lineinfo); their PTX is taken from the program or "
        "from a file (--source ./app, --source k.ptx).\n\n" SL_INPUT_HELP,
    .often = "output gpu counters sim brief kernel launch source notes json",
    .common = SL_COMMON_BY | SL_COMMON_PLUGINS | SL_COMMON_JSON | SL_COMMON_CSV | SL_COMMON_LOADS | SL_COMMON_NOTES |
              SL_COMMON_QUIET | SL_COMMON_SOURCE | SL_COMMON_CALLGRIND | SL_COMMON_ROOFLINE | SL_COMMON_JOBS |
              SL_COMMON_TIMES,
    .operand = SL_INPUT_OPERAND,
    SL_OF_INPUTS(report_options, options, defaults, examples),
    .run = run_report,
};
