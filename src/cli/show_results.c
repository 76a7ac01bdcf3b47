/* SPDX-License-Identifier: MIT */
#include "cli/show_results.h"

#include <string.h>

#include "base/text.h"
#include "cli/folders.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "exec/planned.h"
#include "report/results.h"

/* Whether launches are asked for by a label that none of them has. */
static void warn_unlabeled(const sl_invocation *inv, const sl_launch_log *log)
{
    static const char *const why[SL_LABELS] = {
        "no launch lies in an NVTX range; --by caller groups by functions of the program",
        "no launch has callers: only 'sluice run' and 'sluice trace' of a CUDA program record them",
        "no launch comes after an NVTX mark"};
    for (size_t i = 0; log && i < log->launches.count; i++)
        if (log->launches.items[i].label[log->by])
            return;
    if (log && log->launches.count)
        sl_cli_warn(inv, "%s", why[log->by]);
}

sl_status sl_group_launches(const sl_invocation *inv, sl_launch_log *log, sl_error *error)
{
    if (!inv->common->by)
        return SL_OK;
    sl_status status = sl_launch_log_group(log, (sl_label)(inv->common->by - 1), error);
    if (!status)
        warn_unlabeled(inv, log);
    return status;
}

sl_status sl_group_results(const sl_invocation *inv, sl_result_set *set, sl_error *error)
{
    sl_status status = sl_group_launches(inv, set->measured.log, error);
    return status || !inv->common->by ? status : sl_result_set_group(set, (sl_label)(inv->common->by - 1), error);
}

static const char *subject_of(const sl_invocation *inv, const sl_shown_launches *shown)
{
    const sl_args *args = &inv->args;
    return shown->subject ? shown->subject : args->program ? args->program[0] : args->operand[0];
}

static sl_document *make_document(const sl_invocation *inv, const sl_shown_launches *shown, const sl_report_info *info)
{
    sl_document *d = sl_document_create(info, sl_forms_wanted(inv->common));
    if (shown->sampled)
        sl_document_sample(d, shown->sampled);
    sl_document_launches(d, shown->log, shown->sim);
    if (shown->sim)
        sl_document_simulated(d, shown->sim);
    else if (shown->modeled)
        sl_document_modeled(d, shown->log);
    else
        sl_document_counted(d, shown->log);
    sl_document_findings_text(d);
    if (shown->note && *shown->note)
        sl_document_line(d, "\n%s\n", shown->note);
    return d;
}

static sl_page_input page_of(const sl_invocation *inv, const sl_shown_launches *shown, const sl_report_info *info)
{
    return (sl_page_input){.subject = subject_of(inv, shown),
                           .note = shown->note,
                           .info = *info,
                           .machine = shown->find.machine,
                           .results.modeled = shown->machine ? shown->log : NULL,
                           .results.counted = shown->machine ? shown->find.counted : shown->log,
                           .results.sources = shown->sources,
                           .results.source = shown->source};
}

/* Whether something is written that findings are shown in. */
static bool findings_wanted(const sl_invocation *inv)
{
    const sl_common *c = inv->common;
    bool text = !c->quiet && !(c->csv && !strcmp(c->csv, "-")) && !(c->loads && !strcmp(c->loads, "-"));
    return text || c->output || c->json || c->html || c->notes || c->sarif || c->markdown;
}

/* The first line says where not every launch was analyzed. */
static bool add_sample(const sl_shown_launches *shown, sl_arena *arena, sl_report_info *info)
{
    char text[160];
    const sl_result *result = shown->sampled;
    sl_sample_heading(&result->sample, result->launches, shown->sim ? "simulated" : "modeled", text, sizeof text);
    if (*text)
        info->heading =
            sl_arena_printf(arena, "%s%s%s", info->heading ? info->heading : "", info->heading ? ": " : "", text);
    return info->heading || !*text;
}

int sl_show_launches(const sl_invocation *inv, const sl_shown_launches *shown, FILE *text_default)
{
    sl_error error;
    sl_arena arena;
    sl_findings findings = {0};
    sl_arena_init(&arena);
    sl_report_info info = {
        .command = inv->command->name, .machine = shown->machine, .seed = shown->seed, .trace = shown->trace};
    const char *gpu = shown->machine ? shown->machine : shown->find.machine ? shown->find.machine->name : NULL;
    sl_status status =
        sl_given_options(inv, shown->fact, shown->facts, subject_of(inv, shown), gpu, &arena, &info, &error);
    if (!status && shown->find.machine && findings_wanted(inv)) {
        status = sl_findings_find(&shown->find, &findings, &error);
        info.findings = &findings;
    }
    if (!status && shown->sampled && !add_sample(shown, &arena, &info))
        status = sl_fail_memory(&error);
    const sl_page_input page = page_of(inv, shown, &info);
    int code = status ? sl_cli_fail(inv, &error)
                      : sl_document_show(inv, make_document(inv, shown, &info), &page, text_default);
    sl_findings_fini(&findings);
    sl_arena_fini(&arena);
    return code;
}

sl_status sl_analyze_input(sl_analyzed_input *of, sl_error *error)
{
    const sl_recording *recording = &of->input->recording;
    of->analysis.stop = recording->launches > 1 ? sl_stop_catch() : NULL;
    sl_status status = sl_result_set_make(recording, &of->analysis, findings_wanted(of->inv), of->input->pool,
                                          of->inv->progress, &of->set, error);
    of->stopped = sl_stop_release();
    return status ? status : sl_group_results(of->inv, &of->set, error);
}

int sl_show_analyzed(const sl_analyzed_input *of)
{
    const sl_cli_input *input = of->input;
    bool simulated = of->analysis.kind == SL_ANALYSIS_SIM;
    sl_shown_launches shown = {.log = of->set.measured.log,
                               .sim = simulated ? &of->set.measured : NULL,
                               .modeled = !simulated,
                               .sampled = &of->set.measured,
                               .machine = of->analysis.machine->name,
                               .find = sl_findings_input_of(&of->set, &input->recording, &of->analysis, input->pool),
                               .fact = &input->fact,
                               .facts = !input->trace,
                               .seed = &of->analysis.seed,
                               .trace = input->trace,
                               .subject = input->subject,
                               .sources = input->texts,
                               .source = input->text};
    shown.find.confirm = of->confirm;
    int code = sl_show_launches(of->inv, &shown, sl_cli_input_stream(input));
    return code ? code : of->stopped ? SL_EXIT_STOPPED : SL_EXIT_OK;
}

int sl_show_tuning(const sl_invocation *inv, const sl_cli_input *input, sl_tuning *shown)
{
    char text[512];
    const sl_report_option fact = {"subject", sl_input_text(&input->input, text, sizeof text)};
    sl_arena arena;
    sl_error error = {0};
    sl_arena_init(&arena);
    shown->subject = input->input.spec.name;
    shown->info.command = inv->command->name;
    shown->info.seed = &input->input.spec.seed;
    int code = SL_EXIT_OK;
    if (sl_given_options(inv, &fact, 1, input->subject, shown->timer, &arena, &shown->info, &error)) {
        code = sl_cli_fail(inv, &error);
    } else {
        sl_document *d = sl_document_create(&shown->info, sl_forms_wanted(inv->common));
        sl_document_tuning(d, shown);
        code = sl_document_show(inv, d, NULL, sl_cli_input_stream(input));
    }
    sl_arena_fini(&arena);
    return code;
}

static const sl_timed_program_kernel *same_kernel(const sl_program_results *results, const char *name)
{
    for (size_t i = 0; i < results->kernels.count; i++)
        if (!strcmp(results->kernels.items[i].name, name))
            return &results->kernels.items[i];
    return NULL;
}

/* Times of kernels where a GPU took them: those of the emulator know no caches. */
static sl_status show(const sl_planned_runs *run, bool gpu, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("original"),
                                        SL_NUMBERS("planned"), SL_NUMBERS("speedup")};
    const sl_program_results *a = &run->results[SL_RUN_ORIGINAL], *b = &run->results[SL_RUN_PLANNED];
    sl_document *d = sl_document_create(&(sl_report_info){.command = "run"}, SL_FORM_TEXT);
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, gpu ? sizeof columns / sizeof *columns : 2);
    for (size_t i = 0; i < a->kernels.count; i++) {
        const sl_timed_program_kernel *before = &a->kernels.items[i], *after = same_kernel(b, before->name);
        double planned = after ? after->ns : 0;
        sl_table_function(t, before->name);
        sl_table_exact(t, before->launches);
        if (!gpu)
            continue;
        sl_table_number(t, before->ns / 1e3, 2, " us");
        sl_table_number(t, planned / 1e3, 2, " us");
        sl_table_number(t, planned > 0 ? before->ns / planned : 1, 3, "");
    }
    if (a->untimed || b->untimed) /* launches that are not in the table */
        sl_document_line(
            d, "\n%llu launches of the original and %llu with the plan are not timed: graphs, or failed events\n",
            (unsigned long long)a->untimed, (unsigned long long)b->untimed);
    else if (!a->kernels.count)
        sl_document_line(d, "\nthe program launched no kernel\n");
    sl_document_line(d, "\n%llu accesses and settings are changed; %llu bytes in %llu copies to the host, %s\n",
                     (unsigned long long)b->applied, (unsigned long long)b->bytes, (unsigned long long)b->copies,
                     sl_planned_same(run));
    sl_status status = sl_document_print(d, stderr, error);
    sl_document_destroy(d);
    return status;
}

int sl_run_planned(const sl_invocation *inv, const char *plan, bool gpu)
{
    char folder[512];
    sl_planned_runs runs = {0};
    sl_error error = {0};
    sl_status status = sl_temporary_folder(folder, sizeof folder, &error);
    if (status)
        return sl_cli_fail(inv, &error);
    const sl_planned_program program = {.argv = inv->args.program,
                                        .plan = plan,
                                        .gpu = gpu,
                                        .threads = (uint32_t)inv->common->threads,
                                        .folder = folder};
    status = sl_planned_run(&program, &runs, &error);
    sl_temporary_folder_remove(folder);
    if (!status && !inv->common->quiet)
        status = show(&runs, gpu, &error);
    int code = status ? sl_cli_fail(inv, &error) : runs.exit_code[SL_RUN_PLANNED];
    sl_planned_runs_fini(&runs);
    return code;
}
