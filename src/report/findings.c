/* SPDX-License-Identifier: MIT */
#include "report/findings.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/results.h"

/* "norms, slow.cu:9 (x4), ld.global.f32 of param_0". Returns `buffer`. */
static char *finding_location(const sl_finding *f, char *buffer, size_t size)
{
    char location[256], array[256], inner[256];
    if (!f->inst) {
        snprintf(buffer, size, "%s", f->kernel);
        return buffer;
    }
    sl_inst_location(f->inst, location, sizeof location);
    char copies[16] = "";
    if (f->copies > 1)
        snprintf(copies, sizeof copies, " (x%u)", f->copies);
    sl_inst_name named = *f->inst;
    named.array = f->parameter ? f->parameter : named.array;
    snprintf(buffer, size, "%s, %s%s%s, %s%s%s", f->kernel, location, copies,
             sl_inst_library(f->inst, inner, sizeof inner), f->inst->opcode, *f->inst->array ? " of " : "",
             sl_inst_array(&named, array, sizeof array));
    return buffer;
}

char *sl_finding_cost(const sl_finding *f, char *buffer, size_t size)
{
    char effect[SL_HUMAN_BYTES], share[SL_HUMAN_BYTES];
    int used = snprintf(buffer, size, "%s %s, about %s%% of the time", sl_human_count((uint64_t)f->effect, effect),
                        f->rule->unit, sl_human_ratio(100 * f->share, f->share < 0.2 ? 1 : 0, share));
    if (!isnan(f->simulated_share) && used > 0 && (size_t)used < size)
        snprintf(buffer + used, size - (size_t)used, " (%s%% by simulation)",
                 sl_human_ratio(100 * f->simulated_share, fabs(f->simulated_share) < 0.2 ? 1 : 0, share));
    return buffer;
}

static void write_evidence(sl_json *j, const void *of)
{
    const sl_finding *f = of;
    sl_json_object(j, false);
    for (size_t n = 0; n < f->numbers; n++)
        sl_json_double_member(j, f->number[n].name, f->number[n].value);
    sl_json_close(j, '}');
}

void sl_document_findings(sl_document *d)
{
    static const sl_column columns[] = {SL_DATA("rule"),
                                        SL_DATA("kernel"),
                                        SL_DATA("name"),
                                        SL_INST_ID,
                                        SL_DATA("effect"),
                                        SL_DATA("unit"),
                                        SL_DATA("estimated_cycles"),
                                        SL_DATA("share"),
                                        SL_DATA("cost_is"),
                                        SL_DATA("simulated_share"),
                                        SL_DATA("evidence"),
                                        SL_DATA("text"),
                                        SL_DATA("fix")};
    const sl_findings *findings = d ? sl_document_info(d)->findings : NULL;
    if (!findings)
        return;
    sl_table *t = sl_document_table(d, "findings", NULL, SL_FORM_JSON, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < findings->list.count; i++) {
        const sl_finding *f = &findings->list.items[i];
        sl_table_cell(t, f->rule->name);
        sl_table_cell(t, f->symbol);
        sl_table_cell(t, f->kernel);
        if (f->inst)
            sl_inst_id_cells(t, f->inst);
        for (int c = 0; c < SL_INST_ID_COLUMNS && !f->inst; c++)
            sl_table_none(t);
        sl_table_number(t, f->effect, 0, "");
        sl_table_cell(t, f->rule->unit);
        sl_table_number(t, f->cycles, 0, "");
        sl_table_number(t, f->share, 3, "");
        sl_table_cell(t, f->estimated ? "estimated without the cause" : "share of work");
        if (isnan(f->simulated_share))
            sl_table_none(t);
        else
            sl_table_number(t, f->simulated_share, 3, "");
        sl_table_json_value(t, write_evidence, f);
        sl_table_cell(t, f->text);
        sl_table_cell(t, f->fix);
    }
}

sl_finding_line sl_finding_line_of(const sl_inst_name *inst, const char *ptx)
{
    if (inst && inst->source_line && *inst->source_file)
        return (sl_finding_line){inst->source_file, inst->source_line};
    if (inst && inst->ptx_line && ptx)
        return (sl_finding_line){ptx, inst->ptx_line};
    return (sl_finding_line){0};
}

void sl_findings_notes(FILE *file, const sl_findings *findings, const sl_findings_files *files)
{
    for (size_t i = 0; i < findings->list.count; i++) {
        const sl_finding *f = &findings->list.items[i];
        char effect[128], inlined[1024];
        const sl_finding_line at = sl_finding_line_of(f->inst, files->ptx);
        if (at.path)
            fprintf(file, "%s:%u:1: ", at.path, at.line);
        fprintf(file, "note: %s in %s: %s Costs %s.", f->rule->title, f->kernel, f->text,
                sl_finding_cost(f, effect, sizeof effect));
        if (f->inst && *sl_inst_inlined(f->inst, false, inlined, sizeof inlined))
            fprintf(file, " Inlined: %s.", inlined);
        fprintf(file, " [%s]\n", f->rule->name);
    }
}

/* ---- text ---- */

enum { MAX_SHOWN = 5, INDENT = 3, MAX_ALSO = 6 };

/* A paragraph behind the number of the finding. */
static void write_paragraph(FILE *file, const char *text, size_t width)
{
    sl_text_wrap(file, text, INDENT, INDENT, width);
    fputc('\n', file);
}

/* The findings of one rule and kernel, of which `first` is the first; returns where they end. */
static size_t write_group(FILE *file, const sl_findings *findings, size_t first, size_t number, size_t width)
{
    const sl_finding *f = &findings->list.items[first];
    sl_finding all;
    size_t end = sl_finding_group(findings, first, &all);
    if (number > MAX_SHOWN)
        return end;
    char where[1024], text[2048], effect[128], also[512] = "";
    size_t used = 0, named = 0;
    for (size_t i = first + 1; i < end; i++) {
        const sl_finding *other = &findings->list.items[i];
        char location[256];
        if (!other->inst || ++named > MAX_ALSO || used >= sizeof also)
            continue;
        used += (size_t)snprintf(also + used, sizeof also - used, "%s%s%s%s", named > 1 ? ", " : " Also ",
                                 sl_inst_location(other->inst, location, sizeof location),
                                 *other->inst->array ? " of " : "",
                                 other->parameter ? other->parameter : other->inst->array);
    }
    if (named > MAX_ALSO && used < sizeof also)
        snprintf(also + used, sizeof also - used, " and %zu more", named - MAX_ALSO);
    const char *style = all.share >= 0.2 ? SL_STYLE_BAD : all.share >= 0.05 ? SL_STYLE_WARN : "";
    fprintf(file, "%s%zu. %s%s:", style, number, f->rule->name, *style ? SL_STYLE_END : "");
    sl_text_wrap(file, finding_location(f, where, sizeof where), INDENT + strlen(f->rule->name) + 1, INDENT, width);
    fputc('\n', file);
    snprintf(text, sizeof text, "%s Costs %s.%s%s", f->text, sl_finding_cost(&all, effect, sizeof effect), also,
             *also ? "." : "");
    fprintf(file, "%*s", INDENT, "");
    write_paragraph(file, text, width);
    fprintf(file, "%*s", INDENT, "");
    write_paragraph(file, f->fix, width);
    return end;
}

static void write_findings(FILE *file, const void *of, size_t width)
{
    const sl_findings *findings = of;
    size_t groups = 0;
    if (findings->list.count)
        fprintf(file, "\nFindings for %s, largest %s first (details: sluice explain RULE)\n", findings->machine,
                findings->estimated ? "estimated cost" : "part of the work");
    if (findings->list.count && findings->counted)
        fputs("(counted work, memory read once; 'sluice model' estimates times)\n", file);
    for (size_t i = 0; i < findings->list.count;)
        i = write_group(file, findings, i, ++groups, width ? width : 80);
    for (size_t i = 0; i < findings->quiet.count; i++) {
        const sl_quiet_kernel *k = &findings->quiet.items[i];
        char share[SL_HUMAN_BYTES];
        fprintf(file, "%sNothing found in %s (%s%% of the estimated time), which is limited by: %s\n", i ? "" : "\n",
                k->name, sl_human_ratio(100 * k->share, 0, share), k->limit);
    }
    if (groups > MAX_SHOWN)
        fprintf(file, "(%zu more; --json shows all)\n", groups - MAX_SHOWN);
}

void sl_document_findings_text(sl_document *d)
{
    if (d && sl_document_info(d)->findings)
        sl_document_prose(d, write_findings, sl_document_info(d)->findings);
}
