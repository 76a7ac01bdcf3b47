/* SPDX-License-Identifier: MIT */
#include "cli/show_results.h"

#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "report/sample.h"

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
                           .modeled = shown->machine ? shown->log : NULL,
                           .counted = shown->machine ? shown->find.counted : shown->log,
                           .sources = shown->sources,
                           .source = shown->source};
}

bool sl_findings_wanted(const sl_invocation *inv)
{
    const sl_common *c = inv->common;
    bool text = !c->quiet && !(c->csv && !strcmp(c->csv, "-")) && !(c->loads && !strcmp(c->loads, "-"));
    return text || c->output || c->json || c->html || c->notes;
}

void sl_shown_input(sl_shown_launches *shown, const sl_cli_input *input)
{
    shown->fact = &input->fact;
    shown->facts = !input->trace;
    shown->trace = input->trace;
    shown->subject = input->subject;
    shown->sources = input->texts;
    shown->source = input->text;
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
    if (!status && shown->find.machine && sl_findings_wanted(inv)) {
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

int sl_show_tuning(const sl_invocation *inv, const sl_cli_input *input, sl_tuning *shown)
{
    char text[512];
    const sl_report_option fact = {"subject", sl_input_text(&input->input, text, sizeof text)};
    sl_arena arena;
    sl_error error = {0};
    sl_arena_init(&arena);
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
