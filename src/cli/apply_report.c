/* SPDX-License-Identifier: MIT */
#include "cli/apply_report.h"

#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "report/parts.h"

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

static void put_text(sl_json *j, const char *key, const char *text)
{
    if (!text)
        return;
    sl_json_key(j, key);
    sl_json_string(j, text);
}

static void put_number(sl_json *j, const char *key, uint32_t number)
{
    if (!number)
        return;
    sl_json_key(j, key);
    sl_json_u64(j, number);
}

/* Settings that the host has to make. */
static void put_settings(sl_json *j, const sl_plan *plan)
{
    char text[512];
    bool any = false;
    for (uint32_t i = 0; plan && i < plan->loads; i++) {
        const sl_plan_load *setting = &plan->load[i];
        if (setting->node != SL_NODE_KERNEL || !setting->mode)
            continue;
        if (!any)
            sl_json_array_member(j, "settings", true);
        any = true;
        sl_json_object(j, false);
        put_text(j, "function", setting->function);
        put_text(j, "setting", sl_setting_text(setting->inst, text, sizeof text));
        put_text(j, "mode", sl_bypass_name(setting->mode));
        put_text(j, "host", sl_setting_call(setting, text, sizeof text));
        sl_json_close(j, '}');
    }
    if (any)
        sl_json_close(j, ']');
}

static sl_status write_json(FILE *file, const void *result, sl_error *error)
{
    const sl_applied *applied = result;
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "apply");
    put_text(&j, "plan", applied->plan);
    put_text(&j, "code", applied->code);
    sl_json_key(&j, "loads");
    sl_json_array(&j, true);
    for (size_t i = 0; i < applied->loads; i++) {
        const sl_applied_load *l = &applied->load[i];
        sl_json_object(&j, false);
        put_text(&j, "function", l->function);
        sl_json_key(&j, "instruction");
        sl_json_u64(&j, l->inst);
        put_number(&j, "line", l->line);
        put_text(&j, "source", l->source);
        put_number(&j, "source_line", l->source_line);
        put_text(&j, "opcode", l->opcode);
        put_text(&j, "array", l->array);
        put_text(&j, "mode", sl_bypass_name(l->mode));
        put_text(&j, "assembly", l->instruction);
        put_text(&j, "wanted_bits", l->wanted);
        put_text(&j, "bits", l->got);
        put_text(&j, "trouble", l->trouble);
        sl_json_close(&j, '}');
    }
    sl_json_close(&j, ']');
    put_settings(&j, applied->settings);
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

static void number_field(FILE *file, uint32_t number)
{
    if (number)
        fprintf(file, "%u", number);
    fputc(',', file);
}

static sl_status write_csv(FILE *file, const void *result, sl_error *error)
{
    const sl_applied *applied = result;
    (void)error;
    fputs("function,instruction,line,source,source_line,opcode,array,mode,assembly,wanted_bits,bits,trouble\n", file);
    for (size_t i = 0; i < applied->loads; i++) {
        const sl_applied_load *l = &applied->load[i];
        const char *rest[] = {l->opcode, l->array,  sl_bypass_name(l->mode), l->instruction, l->wanted,
                              l->got,    l->trouble};
        sl_csv_field(file, l->function ? l->function : "");
        fprintf(file, ",%u,", l->inst);
        number_field(file, l->line);
        sl_csv_field(file, l->source ? l->source : "");
        fputc(',', file);
        number_field(file, l->source_line);
        for (size_t n = 0; n < sizeof rest / sizeof *rest; n++) {
            sl_csv_field(file, rest[n] ? rest[n] : "");
            fputc(n + 1 < sizeof rest / sizeof *rest ? ',' : '\n', file);
        }
    }
    return SL_OK;
}

sl_status sl_apply_report(const sl_invocation *inv, const sl_applied *applied, sl_error *error)
{
    sl_status status = inv->common->json ? sl_output_write(write_json, inv->common->json, applied, error) : SL_OK;
    if (!status && inv->common->csv)
        status = sl_output_write(write_csv, inv->common->csv, applied, error);
    return status;
}
