/* SPDX-License-Identifier: MIT */
#include "cli/apply.h"

#include <string.h>

#include "cli/output.h"

static bool report_to_stdout(const sl_common *c)
{
    return (c->json && !strcmp(c->json, "-")) || (c->csv && !strcmp(c->csv, "-"));
}

static bool code_to_stdout(const sl_common *c)
{
    return !c->output || !strcmp(c->output, "-");
}

bool sl_apply_prints_summary(const sl_invocation *inv)
{
    return !inv->common->quiet && !code_to_stdout(inv->common) && !report_to_stdout(inv->common);
}

bool sl_apply_outputs_differ(const sl_invocation *inv)
{
    if (!report_to_stdout(inv->common) || !code_to_stdout(inv->common))
        return true;
    sl_cli_usage(inv, "the code goes to standard output, too; give a FILE to -o, or to --json and --csv");
    return false;
}

static void known(sl_table *t, uint32_t number)
{
    if (number)
        sl_table_exact(t, number);
    else
        sl_table_none(t);
}

static void add_loads(sl_document *d, const sl_applied *applied)
{
    static const sl_column columns[] = {SL_DATA("function"),    SL_DATA("instruction"), SL_DATA("line"),
                                        SL_DATA("source"),      SL_DATA("source_line"), SL_DATA("opcode"),
                                        SL_DATA("array"),       SL_DATA("mode"),        SL_DATA("assembly"),
                                        SL_DATA("wanted_bits"), SL_DATA("bits"),        SL_DATA("trouble")};
    sl_table *t = sl_document_table(d, "loads", NULL, SL_FORM_DATA, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < applied->loads; i++) {
        const sl_applied_load *l = &applied->load[i];
        sl_table_cell(t, l->function);
        sl_table_exact(t, l->inst);
        known(t, l->line);
        sl_table_cell(t, l->source);
        known(t, l->source_line);
        sl_table_cell(t, l->opcode);
        sl_table_cell(t, l->array);
        sl_table_cell(t, sl_bypass_name(l->mode));
        sl_table_cell(t, l->instruction);
        sl_table_cell(t, l->wanted);
        sl_table_cell(t, l->got);
        sl_table_cell(t, l->trouble);
    }
}

/* Settings that the host has to make. */
static void add_settings(sl_document *d, const sl_plan *plan)
{
    static const sl_column columns[] = {SL_DATA("function"), SL_DATA("setting"), SL_DATA("mode"), SL_DATA("host")};
    sl_table *t = NULL;
    char text[512];
    for (uint32_t i = 0; plan && i < plan->loads; i++) {
        const sl_plan_load *setting = &plan->load[i];
        if (setting->node != SL_NODE_KERNEL || !setting->mode)
            continue;
        t = t ? t : sl_document_table(d, "settings", NULL, SL_FORM_JSON, columns, 4);
        sl_table_cell(t, setting->function);
        sl_table_cell(t, sl_setting_text(setting->inst, text, sizeof text));
        sl_table_cell(t, sl_bypass_name(setting->mode));
        sl_table_cell(t, sl_setting_call(setting, text, sizeof text));
    }
}

sl_status sl_apply_report(const sl_invocation *inv, const sl_applied *applied, sl_error *error)
{
    static const sl_report_info info = {.command = "apply"};
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common) & SL_FORM_DATA);
    sl_document_string(d, "plan", applied->plan);
    sl_document_string(d, "code", applied->code);
    add_loads(d, applied);
    add_settings(d, applied->settings);
    return sl_document_save(inv, d, NULL, stdout, error);
}
