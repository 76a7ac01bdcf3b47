/* SPDX-License-Identifier: MIT */
#include "cli/show_launches.h"

#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/terminal.h"

typedef struct result {
    const sl_invocation *inv;
    const sl_shown_launches *shown;
    sl_report_info info;
    sl_findings findings;
} result;

static const char *subject_of(const sl_invocation *inv, const sl_shown_launches *shown)
{
    const sl_args *args = &inv->args;
    return shown->subject ? shown->subject : args->program ? args->program[0] : args->operand[0];
}

static sl_status show_text(FILE *file, const void *data, sl_error *error)
{
    const result *r = data;
    sl_status status = SL_OK;
    sl_put_heading(file, r->info.heading);
    if (r->shown->sim)
        status = sl_sim_report_text(file, r->shown->sim, sl_terminal_width(file), error);
    else
        status = (r->shown->text ? r->shown->text : sl_launch_report_text)(file, r->shown->log, sl_terminal_width(file),
                                                                           error);
    if (!status && r->info.findings)
        sl_findings_text(file, r->info.findings, sl_terminal_width(file));
    if (!status && r->shown->note && *r->shown->note)
        fprintf(file, "\n%s\n", r->shown->note);
    return status;
}

static sl_status show_json(FILE *file, const void *data, sl_error *error)
{
    const result *r = data;
    if (r->shown->sim)
        return sl_sim_report_json(file, r->shown->sim, &r->info, error);
    return sl_launch_report_json(file, r->shown->log, &r->info, error);
}

static sl_status show_page(const void *data, sl_page_input *input, sl_error *error)
{
    (void)error;
    const result *r = data;
    *input = (sl_page_input){.subject = subject_of(r->inv, r->shown),
                             .note = r->shown->note,
                             .info = r->info,
                             .machine = r->shown->find.machine,
                             .sources = r->shown->sources,
                             .source = r->shown->source};
    if (r->shown->machine)
        input->modelled = r->shown->log;
    input->counted = r->shown->machine ? r->shown->find.counted : r->shown->log;
    return SL_OK;
}

static sl_status show_csv(FILE *file, const void *data, sl_error *error)
{
    const result *r = data;
    if (r->shown->sim)
        return sl_sim_report_csv(file, r->shown->sim, error);
    return sl_launch_report_csv(file, r->shown->log, error);
}

static sl_status show_loads(FILE *file, const void *data, sl_error *error)
{
    return sl_launch_report_loads(file, ((const result *)data)->shown->log, error);
}

sl_status sl_put_notes(FILE *file, const sl_invocation *inv, const sl_findings *findings, sl_error *error)
{
    const char *ptx = inv->args.operands ? inv->args.operand[0] : "";
    size_t length = strlen(ptx);
    bool is_ptx = length > 4 && !strcmp(ptx + length - 4, ".ptx");
    sl_findings_notes(file, findings, is_ptx ? ptx : NULL);
    return sl_text_finish(file, "the notes", error);
}

static sl_status show_notes(FILE *file, const void *data, sl_error *error)
{
    const result *r = data;
    return r->info.findings ? sl_put_notes(file, r->inv, r->info.findings, error) : SL_OK;
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

int sl_show_launches(const sl_invocation *inv, const sl_shown_launches *shown, FILE *text_default)
{
    static const sl_report_forms forms = {
        .text = show_text, .json = show_json, .csv = show_csv, .loads = show_loads, .notes = show_notes};
    sl_error error;
    sl_arena arena;
    sl_arena_init(&arena);
    result r = {
        .inv = inv,
        .shown = shown,
        .info = {.command = inv->command->name, .machine = shown->machine, .seed = shown->seed, .trace = shown->trace}};
    const char *gpu = shown->machine ? shown->machine : shown->find.machine ? shown->find.machine->name : NULL;
    sl_status status =
        sl_given_options(inv, shown->fact, shown->facts, subject_of(inv, shown), gpu, &arena, &r.info, &error);
    if (!status && shown->find.machine && sl_findings_wanted(inv)) {
        status = sl_findings_find(&shown->find, &r.findings, &error);
        r.info.findings = &r.findings;
    }
    int code = status ? sl_cli_fail(inv, &error) : sl_report_write_page(inv, &forms, show_page, &r, text_default);
    sl_findings_fini(&r.findings);
    sl_arena_fini(&arena);
    return code;
}
