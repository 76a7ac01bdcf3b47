/* SPDX-License-Identifier: MIT */
/* Reproductions of papers: the paper's numbers next to ours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/states.h"
#include "report/results.h"

char *sl_measure_text(const sl_paper_measure *m, double value, char buffer[SL_MEASURE_BYTES])
{
    char number[SL_HUMAN_BYTES];
    if (isnan(value))
        *buffer = 0;
    else
        snprintf(buffer, SL_MEASURE_BYTES, "%s%s", sl_human_ratio(value, m->digits, number), m->unit);
    return buffer;
}

/* ---- text ---- */

static bool states(const sl_paper_column *column)
{
    return column->numbers > 0;
}

static const char *verdict_style(sl_verdict verdict)
{
    static const char *const styles[SL_VERDICTS] = {[SL_VERDICT_AGREES] = SL_STYLE_GOOD,
                                                    [SL_VERDICT_DIRECTION] = SL_STYLE_WARN,
                                                    [SL_VERDICT_DIFFERS] = SL_STYLE_BAD};
    return styles[verdict] ? styles[verdict] : "";
}

static void cells(sl_table *t, const sl_paper_figure *figure, const sl_compared *row)
{
    char text[SL_MEASURE_BYTES];
    for (size_t c = 0; c < figure->columns; c++) {
        const sl_paper_column *column = &figure->column[c];
        sl_table_cell(t, isnan(row[c].ours) ? "-" : sl_measure_text(&column->measure, row[c].ours, text));
        if (!states(column))
            continue;
        sl_table_cell(t, sl_measure_text(&column->measure, row[c].paper, text));
        sl_table_cellf(t, "%s%s%s", verdict_style(row[c].verdict), sl_verdict_names[row[c].verdict],
                       *verdict_style(row[c].verdict) ? SL_STYLE_END : "");
    }
}

static void group_rows(sl_table *t, const sl_reproduction *r, const sl_paper_figure *figure, int group,
                       sl_compared *row)
{
    const sl_paper_group *g = &r->group[group];
    bool means = false;
    for (size_t i = 0; i < g->count; i++) {
        sl_table_cell(t, g->name);
        sl_table_cell(t, r->paper->program[g->program[i]].name);
        for (size_t c = 0; c < figure->columns; c++)
            row[c] = sl_compare_program(r, &figure->column[c], g->program[i]);
        cells(t, figure, row);
    }
    for (size_t c = 0; c < figure->columns; c++) {
        bool mean = figure->column[c].mean != SL_MEAN_NONE;
        row[c] = mean ? sl_compare_group(r, &figure->column[c], group) : (sl_compared){.ours = NAN, .paper = NAN};
        means |= mean;
    }
    if (!means || !g->count)
        return;
    sl_table_cell(t, g->name);
    sl_table_cell(t, "mean");
    cells(t, figure, row);
}

static void add_table(sl_document *d, const sl_reproduction *r, const sl_paper_figure *figure)
{
    sl_column *columns = sl_document_alloc(d, (2 + 3 * figure->columns) * sizeof *columns);
    sl_compared *row = sl_document_alloc(d, (figure->columns + 1) * sizeof *row);
    size_t count = 0;
    if (!columns || !row)
        return;
    columns[count++] = (sl_column)SL_TEXTS("class");
    columns[count++] = (sl_column)SL_TEXTS("program");
    for (size_t c = 0; c < figure->columns; c++) {
        columns[count++] = (sl_column)SL_NUMBERS(figure->column[c].name);
        if (!states(&figure->column[c]))
            continue;
        columns[count++] = (sl_column)SL_NUMBERS("(paper)");
        columns[count++] = (sl_column)SL_TEXTS("");
    }
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, count);
    for (size_t g = 0; g < figure->groups; g++)
        group_rows(t, r, figure, figure->group[g], row);
}

static void add_claim(sl_document *d, const sl_reproduction *r, const sl_paper_claim *claim)
{
    char ours[SL_MEASURE_BYTES], paper[SL_MEASURE_BYTES];
    sl_compared c = sl_compare_claim(r, claim);
    if (c.verdict == SL_VERDICT_NONE)
        return;
    sl_document_line(d, "  %s%-14s" SL_STYLE_END "  %s", verdict_style(c.verdict), sl_verdict_names[c.verdict],
                     claim->says);
    if (claim->value && !isnan(c.ours)) {
        if (!isnan(claim->number))
            sl_document_line(d, ": paper %s,", sl_measure_text(&claim->measure, claim->number, paper));
        sl_document_line(d, "%s ours %s%s", isnan(claim->number) ? ":" : "",
                         sl_measure_text(&claim->measure, c.ours, ours), c.holes ? " (not all programs)" : "");
    }
    sl_document_line(d, "\n");
    if (c.why)
        sl_document_line(d, "  %-14s  because %s\n", "", c.why);
}

static void add_reasons(sl_document *d, const sl_reproduction *r, const sl_paper_figure *figure)
{
    for (size_t c = 0; c < figure->columns; c++)
        for (size_t i = 0; i < figure->column[c].reasons; i++) {
            const sl_paper_reason *why = &figure->column[c].reason[i];
            sl_compared compared = why->program >= 0 ? sl_compare_program(r, &figure->column[c], why->program)
                                                     : sl_compare_group(r, &figure->column[c], why->group);
            if (compared.verdict > SL_VERDICT_AGREES && compared.why)
                sl_document_line(d, "  %s: %s\n",
                                 why->program >= 0 ? r->paper->program[why->program].name
                                                   : r->paper->group[why->group].name,
                                 why->text);
        }
}

static void add_figure(sl_document *d, const sl_reproduction *r, const sl_paper_figure *figure)
{
    sl_document_line(d, "\n%s: %s%s%s%s\n", figure->id, figure->title, *figure->where ? " (" : "", figure->where,
                     *figure->where ? ")" : "");
    for (const sl_policy_transition *t = figure->states; t && t->from; t++)
        sl_document_line(d, "  %s -> %s: %s: %s\n", t->from, t->to, t->event, t->action);
    if (figure->columns)
        add_table(d, r, figure);
    add_reasons(d, r, figure);
    for (size_t c = 0; c < figure->claims; c++)
        add_claim(d, r, &figure->claim[c]);
    if (*figure->note)
        sl_document_line(d, "  %s\n", figure->note);
}

static void add_paper(sl_document *d, const sl_reproduction *r)
{
    size_t tally[SL_VERDICTS];
    sl_document_line(d, "%s: %s\n%s%s\n", r->paper->name, r->paper->title, r->paper->source,
                     r->quick ? "; quick run on few programs" : "");
    for (size_t f = 0; f < r->paper->figures; f++)
        if (r->wanted[f])
            add_figure(d, r, &r->paper->figure[f]);
    if (sl_reproduction_tally(r, tally)) {
        sl_document_line(d, "\n%s: %zu agree, %zu have the same direction, %zu differ", r->paper->name,
                         tally[SL_VERDICT_AGREES], tally[SL_VERDICT_DIRECTION], tally[SL_VERDICT_DIFFERS]);
        for (int v = SL_VERDICT_UNRESOLVED; v < SL_VERDICTS; v++)
            if (tally[v])
                sl_document_line(d, ", %zu %s", tally[v], sl_verdict_names[v]);
        sl_document_line(d, "\n");
    }
    for (size_t i = 0; i < r->points; i++) {
        char text[512];
        if (r->outcome[i].state == SL_OUTCOME_FAILED)
            sl_document_line(d, "failed: %s: %s\n", sl_point_text(&r->point[i], text, sizeof text),
                             r->outcome[i].failure);
    }
}

/* ---- for programs ---- */

/* Where the numbers of a paper go: JSON has a table in each paper, CSV one of all. */
typedef struct numbers {
    sl_table *json, *csv;
    const char *paper;
} numbers;

static void item_cells(sl_table *t, const sl_compared_item *item)
{
    const char *texts[] = {item->figure->id, item->within, item->mean ? "mean" : item->row,
                           item->column ? item->column->name : item->claim->says,
                           item->column ? item->column->measure.unit : item->claim->measure.unit};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        sl_table_known(t, texts[i]);
    sl_table_number(t, item->compared.paper, 2, "");
    sl_table_number(t, item->compared.ours, 2, "");
    sl_table_known(t, sl_verdict_names[item->compared.verdict]);
    sl_table_known(t, item->compared.why);
}

static void add_item(void *context, const sl_compared_item *item)
{
    const numbers *n = context;
    item_cells(n->json, item);
    sl_table_cell(n->csv, n->paper);
    item_cells(n->csv, item);
}

/* How many statements there are of each verdict. */
static void write_tally(sl_json *j, const void *of)
{
    size_t tally[SL_VERDICTS];
    sl_reproduction_tally(of, tally);
    sl_json_object(j, false);
    for (int v = SL_VERDICT_AGREES; v < SL_VERDICTS; v++)
        sl_json_u64_member(j, sl_verdict_names[v], tally[v]);
    sl_json_close(j, '}');
}

static void add_failures(sl_table *t, const sl_reproduction *r)
{
    for (size_t i = 0; i < r->points; i++) {
        char text[512];
        if (r->outcome[i].state != SL_OUTCOME_FAILED)
            continue;
        sl_table_cell(t, sl_point_text(&r->point[i], text, sizeof text));
        sl_table_cell(t, r->outcome[i].failure);
    }
}

#define NUMBER                                                                                                         \
    SL_DATA("figure"), SL_DATA("class"), SL_DATA("program"), SL_DATA("what"), SL_DATA("unit"), SL_DATA("stated"),      \
        SL_DATA("ours"), SL_DATA("verdict"), SL_DATA("why")

typedef struct one_figure {
    sl_table *table;
    const sl_paper_figure *figure;
} one_figure;

static void add_own_item(void *context, const sl_compared_item *item)
{
    const one_figure *one = context;
    if (item->figure == one->figure)
        item_cells(one->table, item);
}

sl_status sl_reproduction_csv(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, sl_error *error)
{
    static const sl_column columns[] = {NUMBER};
    one_figure one = {SL_TABLE(columns), figure};
    if (!one.table)
        return sl_fail_memory(error);
    sl_reproduction_each(r, add_own_item, &one);
    sl_status status =
        sl_table_failed(one.table) ? sl_fail_memory(error) : sl_table_csv(one.table, SL_FORM_CSV, file, error);
    sl_table_destroy(one.table);
    return status;
}

void sl_document_reproductions(sl_document *d, const sl_reproduction *item, size_t count)
{
    static const sl_column papers[] = {SL_DATA("name"), SL_DATA("title"), SL_DATA("quick"), SL_DATA("statements")},
                           of_paper[] = {NUMBER}, of_all[] = {SL_DATA("paper"), NUMBER},
                           failed[] = {SL_DATA("point"), SL_DATA("error")};
    sl_table *t = sl_document_table(d, "papers", NULL, SL_FORM_JSON, papers, sizeof papers / sizeof *papers);
    numbers n = {.json = sl_table_child(t, "numbers", SL_FORM_JSON | SL_FORM_EMPTY, of_paper,
                                        sizeof of_paper / sizeof *of_paper),
                 .csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, of_all, sizeof of_all / sizeof *of_all)};
    sl_table *failures = sl_table_child(t, "failed_points", SL_FORM_JSON | SL_FORM_EMPTY, failed, 2);
    for (size_t i = 0; i < count; i++) {
        sl_table_cell(t, item[i].paper->name);
        sl_table_cell(t, item[i].paper->title);
        sl_table_bool(t, item[i].quick);
        sl_table_json_value(t, write_tally, &item[i]);
        n.paper = item[i].paper->name;
        sl_reproduction_each(&item[i], add_item, &n);
        add_failures(failures, &item[i]);
        if (i)
            sl_document_line(d, "\n");
        add_paper(d, &item[i]);
    }
}
