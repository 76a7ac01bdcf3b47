/* SPDX-License-Identifier: MIT */
/* Comparisons: for people what changed most, for programs every metric. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/results.h"

enum { MAX_ROWS = 12 };

void sl_compared_load_cells(sl_table *t, const sl_compared_load *l)
{
    if (l->moved)
        sl_table_cellf(t, "%s, now %s", l->source, l->moved);
    else
        sl_table_cell(t, l->source);
    sl_table_cell(t, l->opcode);
    sl_table_cell(t, l->array_text);
}

static void change_cell(sl_table *t, const sl_compared_sides *of, sl_metric metric)
{
    char text[SL_METRIC_BYTES];
    int better = sl_compared_better(of, metric);
    sl_change_text(of, metric, text);
    if (better)
        sl_table_cellf(t, "%s%s" SL_STYLE_END, better > 0 ? SL_STYLE_GOOD : SL_STYLE_BAD, text);
    else
        sl_table_cell(t, text);
}

static void value_cells(sl_table *t, const sl_compared_sides *of, sl_metric metric)
{
    for (int side = 0; side < 2; side++)
        if (of->there[side])
            sl_table_metric(t, metric, &(sl_metric_row){.counts = &of->counts[side]});
        else
            sl_table_cell(t, "-");
    change_cell(t, of, metric);
}

/* ---- for people ---- */

static void add_total(sl_document *d, const sl_comparison *c)
{
    static const sl_column columns[] = {SL_NAMES("all launches"), SL_NUMBERS("A"), SL_NUMBERS("B"),
                                        SL_NUMBERS("change")};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++)
        if (sl_compared_differs(&c->total, (sl_metric)i)) {
            sl_table_cell(t, sl_metric_infos[i].name);
            value_cells(t, &c->total, (sl_metric)i);
        }
    if (!sl_table_rows(t))
        sl_document_line(d, "no counter that both sides know differs\n");
}

static void add_kernels(sl_document *d, const sl_comparison *c)
{
    static const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("A"), SL_NUMBERS("B"),
                                        SL_NUMBERS("change")};
    char title[128];
    snprintf(title, sizeof title, "Kernels by change of %s", sl_metric_infos[c->effect].long_heading);
    sl_table *t = sl_document_table(d, NULL, title, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->kernels.count && sl_table_rows(t) < MAX_ROWS; i++) {
        const sl_compared_kernel *k = &c->kernels.items[i];
        if (!sl_compared_differs(&k->of, c->effect))
            continue;
        if (k->renamed)
            sl_table_cellf(t, "%s, now %s", k->name, k->renamed);
        else
            sl_table_cell(t, k->name);
        if (k->of.launches[0] == k->of.launches[1])
            sl_table_exact(t, k->of.launches[0]);
        else
            sl_table_cellf(t, "%llu, %llu", (unsigned long long)k->of.launches[0],
                           (unsigned long long)k->of.launches[1]);
        value_cells(t, &k->of, c->effect);
    }
}

static void add_loads(sl_document *d, const sl_comparison *c)
{
    static const sl_column columns[] = {SL_NAMES("kernel"),  SL_NAMES("location"), SL_NAMES("instruction"),
                                        SL_NAMES("array"),   SL_NUMBERS("A"),      SL_NUMBERS("B"),
                                        SL_NUMBERS("change")};
    char title[128];
    snprintf(title, sizeof title, "Memory instructions by change of %s", sl_metric_infos[c->load_effect].long_heading);
    sl_table *t = sl_document_table(d, NULL, title, SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < c->loads.count && sl_table_rows(t) < MAX_ROWS; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        if (!sl_compared_differs(&l->of, c->load_effect))
            continue;
        sl_table_cell(t, c->kernels.items[l->kernel].name);
        sl_compared_load_cells(t, l);
        value_cells(t, &l->of, c->load_effect);
    }
}

/* Which kernels were taken for the same although their names differ. */
static void add_matched(sl_document *d, const sl_comparison *c)
{
    for (size_t i = 0, shown = 0; i < c->kernels.count && shown < MAX_ROWS; i++) {
        const sl_compared_kernel *k = &c->kernels.items[i];
        if (!k->by_likeness)
            continue;
        sl_document_line(d,
                         "%s%s of B is compared with %s of A: their memory instructions are alike (--match sets it)\n",
                         shown++ ? "" : "\n", k->renamed, k->name);
    }
}

/* ---- for programs ---- */

static void write_cause(sl_json *j, const void *comparison)
{
    const sl_comparison *c = comparison;
    const sl_compared_load *l = c->verdict.cause;
    sl_json_object(j, false);
    sl_json_string_member(j, "kernel", c->kernels.items[l->kernel].symbol);
    sl_json_string_member(j, "source", l->source);
    sl_json_string_member(j, "opcode", l->opcode);
    sl_json_string_member(j, "array", l->array);
    sl_json_string_member(j, "counter", sl_metric_infos[c->verdict.cause_metric].name);
    for (int side = 0; side < 2; side++) {
        double value;
        if (l->of.there[side] && sl_counts_metric(c->verdict.cause_metric, &l->of.counts[side], &value))
            sl_json_double_member(j, side ? "b" : "a", value);
    }
    sl_json_close(j, '}');
}

static void add_verdict(sl_document *d, const sl_comparison *c)
{
    const sl_compared_verdict *v = &c->verdict;
    sl_document_open(d, "verdict");
    sl_document_string(d, "text", v->text);
    sl_document_string(d, "counter", sl_metric_infos[v->metric].name);
    if (v->kind)
        sl_document_string(d, "time", v->kind);
    if (isfinite(v->ratio))
        sl_document_number(d, "ratio", v->ratio);
    if (v->estimated > 0)
        sl_document_number(d, "estimated_ratio", v->estimated);
    if (v->cause)
        sl_document_json(d, "cause", write_cause, c);
    if (v->next)
        sl_document_string(d, "next", v->next);
    sl_document_close(d);
}

/* What changed: of metrics that both sides know. */
static void write_change(sl_json *j, const void *compared)
{
    const sl_compared_sides *of = compared;
    sl_json_object(j, false);
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        double v[2];
        if (of->there[0] && of->there[1] && sl_compared_metric(of, (sl_metric)i, v) && v[0] != v[1])
            sl_json_double_member(j, sl_metric_infos[i].name, v[1] - v[0]);
    }
    sl_json_close(j, '}');
}

#define COMPARED SL_DATA("a"), SL_DATA("b"), SL_DATA("change")
static void compared_cells(sl_table *t, const sl_compared_sides *of)
{
    for (int side = 0; side < 2; side++)
        if (of->there[side])
            sl_table_all_counts(t, &of->counts[side]);
        else
            sl_table_none(t);
    sl_table_json_value(t, write_change, of);
}

static void load_row(sl_table *t, const sl_compared_load *l)
{
    sl_table_cell(t, l->source);
    sl_table_cell(t, l->moved);
    sl_table_cell(t, l->opcode);
    sl_table_known(t, l->array);
    sl_table_known(t, l->allocation);
    compared_cells(t, &l->of);
}

static void add_json(sl_document *d, const sl_comparison *c)
{
    static const sl_column total[] = {COMPARED};
    static const sl_column kernels[] = {SL_DATA("kernel"), SL_DATA("name"), SL_DATA("renamed_to"),
                                        SL_DATA("by_likeness"), COMPARED};
    static const sl_column loads[] = {SL_DATA("source"), SL_DATA("moved_to"),   SL_DATA("opcode"),
                                      SL_DATA("array"),  SL_DATA("allocation"), COMPARED};
    sl_document_string(d, "a", c->label[0]);
    sl_document_string(d, "b", c->label[1]);
    sl_document_string(d, "sorted_by", sl_metric_infos[c->effect].name);
    add_verdict(d, c);
    sl_table *all = sl_document_table(d, "total", NULL, SL_FORM_JSON | SL_FORM_OBJECT, total, 3);
    compared_cells(all, &c->total);
    sl_table *t = sl_document_table(d, "kernels", NULL, SL_FORM_JSON, kernels, sizeof kernels / sizeof *kernels);
    sl_table *of = sl_table_child(t, "loads", SL_FORM_JSON | SL_FORM_EMPTY, loads, sizeof loads / sizeof *loads);
    size_t *first, *load;
    if (!t)
        return;
    if (!sl_comparison_by_kernel(c, &first, &load)) {
        sl_document_fail(d);
        return;
    }
    for (size_t k = 0; k < c->kernels.count; k++) {
        sl_table_cell(t, c->kernels.items[k].symbol);
        sl_table_cell(t, c->kernels.items[k].name);
        sl_table_cell(t, c->kernels.items[k].renamed);
        if (c->kernels.items[k].renamed)
            sl_table_bool(t, c->kernels.items[k].by_likeness);
        else
            sl_table_none(t);
        compared_cells(t, &c->kernels.items[k].of);
        for (size_t i = first[k]; i < first[k + 1]; i++)
            load_row(of, &c->loads.items[load[i]]);
    }
    free(first);
    free(load);
}

/* A row per metric that both sides know. */
static void metric_rows(sl_table *t, const sl_compared_sides *of, const char *const *field, int fields)
{
    for (int i = 0; i < SL_METRICS_OF_REUSE && t; i++) {
        double v[2];
        if (!of->there[0] || !of->there[1] || !sl_compared_metric(of, (sl_metric)i, v))
            continue;
        for (int f = 0; f < fields; f++)
            sl_table_cell(t, field[f]);
        sl_table_cell(t, sl_metric_infos[i].name);
        sl_table_number(t, v[0], 2, "");
        sl_table_number(t, v[1], 2, "");
        sl_table_number(t, v[1] - v[0], 2, "");
    }
}

#define METRIC SL_DATA("counter"), SL_DATA("a"), SL_DATA("b"), SL_DATA("change")
static void add_csv(sl_document *d, const sl_comparison *c)
{
    static const sl_column kernels[] = {SL_DATA("kernel"), SL_DATA("name"), METRIC};
    static const sl_column loads[] = {SL_DATA("kernel"), SL_DATA("name"),  SL_DATA("source"),
                                      SL_DATA("opcode"), SL_DATA("array"), METRIC};
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_CSV, kernels, sizeof kernels / sizeof *kernels);
    metric_rows(t, &c->total, (const char *const[]){"", ""}, 2);
    for (size_t k = 0; k < c->kernels.count; k++)
        metric_rows(t, &c->kernels.items[k].of,
                    (const char *const[]){c->kernels.items[k].symbol, c->kernels.items[k].name}, 2);
    t = sl_document_table(d, NULL, NULL, SL_FORM_LOADS, loads, sizeof loads / sizeof *loads);
    for (size_t i = 0; i < c->loads.count; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        const sl_compared_kernel *kernel = &c->kernels.items[l->kernel];
        metric_rows(t, &l->of, (const char *const[]){kernel->symbol, kernel->name, l->source, l->opcode, l->array}, 5);
    }
}

void sl_document_comparison(sl_document *d, const sl_comparison *c)
{
    add_json(d, c);
    add_csv(d, c);
    sl_document_line(d, "%s\n\nA: %s\nB: %s\n\n", c->verdict.text, c->label[0], c->label[1]);
    add_total(d, c);
    add_kernels(d, c);
    add_matched(d, c);
    add_loads(d, c);
    if (c->verdict.next)
        sl_document_line(d, "\nLook next at %s.\n", c->verdict.next);
}
