/* SPDX-License-Identifier: MIT */
/* sluice explain: what findings, counters and classes of misses mean. */
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "findings/rules.h"
#include "report/findings.h"
#include "report/metrics.h"
#include "sim/sim.h"

enum { WIDTH = 80 };

static const struct {
    const char *name;
    double value;
    const char *what;
} limits[] =
    {
#define SL_FINDING_LIMIT(id, value, what) {#id, value, what},
#include "findings/rules.def"
},
  assumed[] = {
#define SL_COST(id, value, what) {#id, value, what},
#include "findings/rules.def"
};

/* ---- one ---- */

static void paragraph(FILE *file, const char *title, const char *text, const char *end)
{
    size_t column = (size_t)fprintf(file, "%s", title);
    sl_text_wrap(file, text, column, 0, WIDTH);
    fputs(end, file);
}

static void explain_rule(FILE *file, const sl_rule *rule)
{
    char measure[512];
    fprintf(file, "%s: %s\n\n", rule->name, rule->title);
    paragraph(file, "", rule->explanation, "\n\n");
    paragraph(file, "Found where", sl_rule_measure(rule, measure, sizeof measure), ".\n\n");
    paragraph(file, "Fix:", rule->fix, "\n");
}

static void explain_one(FILE *file, bool *any, const char *name, const char *what, const char *unit, const char *of,
                        const char *description)
{
    fprintf(file, "%s%s: %s, in %s%s\n\n", *any ? "\n" : "", name, what, !strcmp(unit, "%") ? "percent" : unit, of);
    paragraph(file, "", description, "\n");
    *any = true;
}

/* Counters and other metrics, by their name in JSON and CSV, or by the heading that tables have. */
static bool explain_metric(FILE *file, const char *name, bool heading)
{
    bool any = false;
    for (int i = 0; i < SL_METRICS; i++) {
        const sl_metric_info *m = &sl_metric_infos[i];
        if (strcmp(heading ? m->heading : m->name, name) != 0)
            continue;
        explain_one(file, &any, m->name, m->long_heading, m->unit,
                    i >= SL_METRICS_OF_REUSE ? ", of reuse profiles" : "", m->description);
        if (i < SL_COUNTERS && *sl_counter_infos[i].metric)
            fprintf(file, "Nsight Compute: %s\n", sl_counter_infos[i].metric);
    }
    for (int i = 0; i < SL_LEVEL_METRICS; i++) {
        const sl_level_metric *m = &sl_level_metrics[i];
        if (!strcmp(heading ? m->heading : m->info.name, name))
            explain_one(file, &any, m->info.name, m->heading, m->info.unit, ", of a cache level (simulator)",
                        m->info.meaning);
    }
    return any;
}

static bool explain_heading(FILE *file, const char *heading)
{
    const char *description = sl_heading_description(heading);
    if (description)
        fprintf(file, "%s: %s\n", heading, description);
    return description;
}

static int explain(const sl_invocation *inv, const char *name)
{
    const char *names[SL_RULES + SL_METRICS];
    char hint[128];
    size_t count = 0;
    for (int i = 0; i < SL_RULES; i++) {
        names[count++] = sl_rules[i].name;
        if (strcmp(sl_rules[i].name, name) != 0)
            continue;
        explain_rule(stdout, &sl_rules[i]);
        return SL_EXIT_OK;
    }
    for (int i = 0; i < SL_METRICS; i++)
        names[count++] = sl_metric_infos[i].name;
    if (explain_metric(stdout, name, false) || explain_metric(stdout, name, true) || explain_heading(stdout, name))
        return SL_EXIT_OK;
    sl_did_you_mean(name, names, count, "", hint, sizeof hint);
    return sl_cli_usage(inv, "'%s' is not a rule, a counter or a table heading%s", name, hint);
}

/* ---- all ---- */

/* Whether a rule is among the operands, if there are any. */
static bool wanted(const sl_args *args, const sl_rule *rule)
{
    for (size_t i = 0; i < args->operands; i++)
        if (!strcmp(args->operand[i], rule->name))
            return true;
    return !args->operands;
}

static void write_limits(sl_json *j, const void *of)
{
    (void)of;
    sl_json_object(j, true);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sl_json_double_member(j, limits[i].name, limits[i].value);
    sl_json_close(j, '}');
}

static void write_assumed(sl_json *j, const void *of)
{
    (void)of;
    sl_json_object(j, true);
    for (size_t i = 0; i < sizeof assumed / sizeof *assumed; i++)
        sl_json_double_member(j, assumed[i].name, assumed[i].value);
    sl_json_close(j, '}');
}

static int list_rules(const sl_invocation *inv)
{
    static const sl_column columns[] = {SL_TEXTS_AS("rule", "rule"), SL_DATA("title"),       SL_DATA("unit"),
                                        SL_DATA("threshold"),        SL_DATA("measure"),     SL_DATA("fix"),
                                        SL_DATA("explanation"),      SL_PROSE("found where")};
    static const sl_report_info info = {.command = "explain"};
    sl_document *d = sl_document_create(&info, sl_forms_wanted(inv->common));
    sl_table *t = sl_document_table(d, "rules", NULL, SL_FORM_ALL, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < SL_RULES; i++) {
        const sl_rule *r = &sl_rules[i];
        char measure[512];
        if (!wanted(&inv->args, r))
            continue;
        sl_rule_measure(r, measure, sizeof measure);
        sl_table_cell(t, r->name);
        sl_table_cell(t, r->title);
        sl_table_cell(t, r->unit);
        sl_table_number(t, r->threshold, 2, "");
        sl_table_cell(t, measure);
        sl_table_cell(t, r->fix);
        sl_table_cell(t, r->explanation);
        sl_table_cell(t, measure);
    }
    sl_document_json(d, "limits", write_limits, NULL);
    sl_document_json(d, "assumed", write_assumed, NULL);
    sl_document_line(d, "\nDetails: sluice explain RULE, or COUNTER for a counter\n");
    return sl_document_show(inv, d, NULL, stdout);
}

static int run(const sl_invocation *inv)
{
    int code = SL_EXIT_OK;
    if (!inv->args.operands || inv->common->json || inv->common->csv)
        return list_rules(inv);
    for (size_t i = 0; i < inv->args.operands && !code; i++) {
        if (i)
            fputs("\n", stdout);
        code = explain(inv, inv->args.operand[i]);
    }
    return code;
}

static const sl_example examples[] = {
    {"sluice explain", "List the rules by which reports find what costs time"},
    {"sluice explain uncoalesced-loads", "Explain one, with its threshold and the fix"},
    {"sluice explain ld_sector_misses capacity", "Explain counters and classes of misses"},
    {"sluice explain 'L1 hit' sect/req", "Explain headings of tables"},
    {0},
};

const sl_command sl_cmd_explain = {
    .name = "explain",
    .summary = "explain a finding or a counter of a report",
    .usage = "[options] [RULE | COUNTER | HEADING]...",
    .description = "Explain the findings of 'sluice run', 'model', 'sim' and 'report': when a rule applies, what it "
                   "means, and the fix. Without operands, list the rules. The names of counters and other metrics, "
                   "as JSON and CSV have them, and the headings of tables are explained as well.\n\nThresholds, and "
                   "what estimates of effects "
                   "assume, are in one table, which --json writes; docs/findings.md shows it.",
    .common = SL_COMMON_REPORT,
    .values_bytes = sizeof(sl_common),
    .max_operands = 16,
    .operand = "a rule, a counter or a heading",
    .examples = examples,
    .run = run,
};
