/* SPDX-License-Identifier: MIT */
/* Validations: launches (or kernels, where launches are many), means, the worst, and the other counters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/results.h"

enum { MAX_LAUNCH_LINES = 40, MAX_WORST = 5 };

/* ---- cells ---- */

static void cell_kernel(sl_table *t, const sl_validated *l)
{
    if (*l->workload && strcmp(l->workload, l->name))
        sl_table_cellf(t, "%s: %s", l->workload, l->name);
    else
        sl_table_cell(t, l->name);
}

static void cell_value(sl_table *t, sl_quantity q, const sl_counts *counts)
{
    double value;
    if (!sl_quantity_value(q, counts, &value))
        sl_table_cell(t, "-");
    else if (sl_quantity_is_share(q))
        sl_table_number(t, value, 1, "%");
    else
        sl_table_count(t, (uint64_t)value);
}

static void cell_difference(sl_table *t, sl_quantity q, bool known, double difference, bool sign)
{
    char text[SL_HUMAN_BYTES];
    if (!known)
        sl_table_cell(t, "-");
    else
        sl_table_cellf(t, "%s%s%s", sign && difference >= 0 ? "+" : "", sl_human_ratio(difference, 1, text),
                       sl_quantity_is_share(q) ? "" : "%");
}

/* A table with the given columns before those of the known quantities. */
static sl_table *quantity_table(sl_document *d, const sl_validation *v, const sl_column *first, size_t firsts)
{
    sl_column columns[8 + 3 * SL_QUANTITIES];
    memcpy(columns, first, firsts * sizeof *first);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, q)) {
            columns[firsts++] = (sl_column)SL_NUMBERS(sl_metric_infos[sl_quantity_infos[q].metric].heading);
            columns[firsts++] = (sl_column)SL_NUMBERS(v->variant[0]);
            columns[firsts++] = (sl_column)SL_NUMBERS("error");
        }
    return sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, firsts);
}

/* ---- launches ---- */

/* A row per launch with its error, or per kernel with the mean absolute error. */
static void add_launches(sl_document *d, const sl_validation *v)
{
    bool many = v->launches > MAX_LAUNCH_LINES;
    const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS(many ? "launches" : "#"), SL_NUMBERS("ld sectors")};
    size_t count;
    sl_validated_group *groups = sl_validation_groups(v, true, many, &count);
    sl_table *t = quantity_table(d, v, columns, sizeof columns / sizeof *columns);
    if (!groups)
        sl_document_fail(d);
    for (size_t i = 0; groups && i < count; i++) {
        const sl_validated_group *g = &groups[i];
        const sl_counts *c = sl_counts_has(&g->measured, SL_COUNTER_ld_sectors) ? &g->measured : &g->model;
        cell_kernel(t, g->first);
        sl_table_exact(t, many ? g->launches : g->first->index);
        sl_table_count(t, c->value[SL_COUNTER_ld_sectors]);
        for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
            double difference = many && g->compared[q] ? g->error[q] / (double)g->compared[q] : 0;
            bool known = many ? g->compared[q] : sl_quantity_error(q, &g->measured, &g->model, &difference);
            if (!sl_validation_has(v, q))
                continue;
            cell_value(t, q, &g->measured);
            cell_value(t, q, &g->model);
            cell_difference(t, q, known, difference, !many);
        }
    }
    free(groups);
    if (many)
        sl_document_line(d, "\n%zu launches by kernel, with mean absolute errors; --json and --csv show each\n",
                         v->launches);
}

/* ---- means ---- */

/* Of absolute errors: the mean, and what so many percent of the launches have at most. */
typedef struct error_kind {
    const char *name;
    unsigned percent; /* 0: the mean */
} error_kind;
static const error_kind errors[] = {{"mean", 0}, {"median", 50}, {"90th percentile", 90}};

static void error_row(sl_table *t, const sl_validation *v, size_t variant, const error_kind *kind)
{
    sl_table_cellf(t, kind->percent ? "  %s" : "%s", kind->percent ? kind->name : v->variant[variant]);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        if (!sl_validation_has(v, q))
            continue;
        sl_mean_error mean = sl_validation_mean(v, variant, q);
        double value = mean.mean;
        bool known = kind->percent ? sl_validation_percentile(v, variant, q, kind->percent, &value) : mean.launches;
        if (known)
            sl_table_number(t, value, 2, sl_quantity_is_share(q) ? " points" : " %");
        else
            sl_table_cell(t, "-");
    }
}

static void add_means(sl_document *d, const sl_validation *v)
{
    sl_column columns[SL_QUANTITIES + 1] = {SL_TEXTS("mean absolute error")};
    size_t count = 1;
    char text[SL_HUMAN_BYTES];
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, q))
            columns[count++] = (sl_column)SL_NUMBERS(sl_quantity_title(q));
    sl_document_line(d, "\n%zu of %zu launches have more than %s load sectors\n", sl_validation_counted(v), v->launches,
                     sl_human_count(v->min_sectors, text));
    sl_table *t = sl_document_table(d, NULL, NULL, SL_FORM_TEXT, columns, count);
    for (size_t i = 0; i < v->variants; i++)
        for (unsigned row = 0; row < (v->variants > 2 ? 1 : sizeof errors / sizeof *errors); row++)
            error_row(t, v, i, &errors[row]);
}

/* ---- the worst ---- */

static void add_worst(sl_document *d, const sl_validation *v)
{
    const sl_column columns[] = {SL_TEXTS("worst"),      SL_NAMES("kernel"),        SL_NUMBERS("#"),
                                 SL_NUMBERS("measured"), SL_NUMBERS(v->variant[0]), SL_NUMBERS("error")};
    size_t count;
    sl_validated_group *groups = sl_validation_groups(v, false, true, &count);
    if (!groups)
        sl_document_fail(d);
    sl_table *t = sl_document_table(d, NULL, "", SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (sl_quantity q = 0; q < SL_QUANTITIES && groups; q++) {
        const sl_validated_group *g = NULL;
        for (int i = 0; i < MAX_WORST && (g = sl_validation_next_worst(groups, count, q, g)); i++) {
            double difference = 0;
            const sl_validated *l = g->at[q];
            bool known = sl_quantity_error(q, &l->measured, &l->model[0], &difference);
            sl_table_cell(t, i ? "" : sl_quantity_title(q));
            cell_kernel(t, l);
            sl_table_exact(t, l->index);
            cell_value(t, q, &l->measured);
            cell_value(t, q, &l->model[0]);
            cell_difference(t, q, known, difference, true);
        }
    }
    free(groups);
}

/* ---- counters ---- */

static void add_counters(sl_document *d, const sl_validation *v)
{
    static const sl_column columns[] = {SL_TEXTS("counter"), SL_NUMBERS("launches"), SL_NUMBERS("mean absolute error"),
                                        SL_NUMBERS("worst"), SL_NAMES("kernel"),     SL_NUMBERS("#")};
    sl_table *t = sl_document_table(d, NULL, "", SL_FORM_TEXT, columns, sizeof columns / sizeof *columns);
    for (int c = 0; c < SL_COUNTERS; c++) {
        char text[SL_HUMAN_BYTES];
        sl_mean_error mean = sl_validation_counter_mean(v, (sl_counter)c);
        if (!mean.launches)
            continue;
        double worst = 0;
        sl_counter_error((sl_counter)c, &mean.worst->measured, &mean.worst->model[0], &worst);
        sl_table_cell(t, sl_counter_infos[c].name);
        sl_table_exact(t, mean.launches);
        sl_table_number(t, mean.mean, 2, " %");
        sl_table_cellf(t, "%s%s %%", worst >= 0 ? "+" : "", sl_human_ratio(worst, 1, text));
        cell_kernel(t, mean.worst);
        sl_table_exact(t, mean.worst->index);
    }
}

/* ---- for programs ---- */

static void write_double(sl_json *j, const char *key, bool known, double value)
{
    if (known)
        sl_json_double_member(j, key, value);
}

static void write_quantities(sl_json *j, const void *of)
{
    const sl_validated *l = of;
    sl_json_object(j, false);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        double value = 0;
        sl_json_object_member(j, sl_quantity_infos[q].name, false);
        bool known = sl_quantity_value(q, &l->measured, &value);
        write_double(j, "measured", known, value);
        known = sl_quantity_value(q, &l->model[0], &value);
        write_double(j, "model", known, value);
        known = sl_quantity_error(q, &l->measured, &l->model[0], &value);
        write_double(j, "error", known, value);
        sl_json_close(j, '}');
    }
    sl_json_close(j, '}');
}

/* Mean errors of the counters that both sides have, by name. */
static void write_counters(sl_json *j, const void *of)
{
    const sl_validation *v = of;
    sl_json_object(j, true);
    for (int c = 0; c < SL_COUNTERS; c++) {
        sl_mean_error mean = sl_validation_counter_mean(v, (sl_counter)c);
        if (!mean.launches)
            continue;
        sl_json_object_member(j, sl_counter_infos[c].name, false);
        sl_json_u64_member(j, "launches", mean.launches);
        sl_json_double_member(j, "mean_absolute_error", mean.mean);
        sl_json_close(j, '}');
    }
    sl_json_close(j, '}');
}

static void add_mean_data(sl_document *d, const sl_validation *v)
{
    sl_column columns[SL_QUANTITIES + 1] = {SL_DATA("variant")};
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        columns[q + 1] = (sl_column)SL_DATA(sl_quantity_infos[q].name);
    sl_table *t = sl_document_table(d, "mean_absolute_errors", NULL, SL_FORM_JSON, columns, SL_QUANTITIES + 1);
    for (size_t i = 0; i < v->variants; i++) {
        sl_table_cell(t, v->variant[i]);
        for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
            sl_mean_error mean = sl_validation_mean(v, i, q);
            sl_table_number(t, mean.launches ? mean.mean : NAN, 2, "");
        }
    }
}

static void launch_row(sl_table *t, const sl_validation *v, const sl_validated *l)
{
    sl_table_known(t, l->workload);
    sl_launch_id_cells(t, l->index, l->symbol, l->name);
    sl_table_dims(t, l->grid);
    sl_table_dims(t, l->block);
    sl_table_bool(t, sl_validation_counts(v, l));
    sl_table_json_value(t, write_quantities, l);
    sl_table_all_counts(t, &l->measured);
    sl_table_all_counts(t, &l->model[0]);
}

static void value_start(sl_table *t, const sl_validation *v, const sl_validated *l, size_t variant, const char *what)
{
    sl_table_cell(t, l->workload);
    sl_launch_id_cells(t, l->index, l->symbol, l->name);
    sl_table_bool(t, sl_validation_counts(v, l));
    sl_table_cell(t, v->variant[variant]);
    sl_table_cell(t, what);
}

/* A row per quantity, then per counter that both sides have, then for what the estimate says of its limit. */
static void value_rows(sl_table *t, const sl_validation *v, const sl_validated *l, size_t variant)
{
    const sl_counts *measured = &l->measured, *model = &l->model[variant];
    for (sl_quantity q = 0; q < SL_QUANTITIES && t; q++) {
        double value = 0;
        value_start(t, v, l, variant, sl_quantity_infos[q].name);
        sl_table_number(t, sl_quantity_value(q, measured, &value) ? value : NAN, 2, "");
        sl_table_number(t, sl_quantity_value(q, model, &value) ? value : NAN, 2, "");
        sl_table_number(t, sl_quantity_error(q, measured, model, &value) ? value : NAN, 2, "");
    }
    for (int i = 0; i < SL_COUNTERS && t; i++) {
        double difference = 0;
        if (!sl_counts_has(measured, (sl_counter)i) || !sl_counts_has(model, (sl_counter)i))
            continue;
        value_start(t, v, l, variant, sl_counter_infos[i].name);
        sl_table_exact(t, measured->value[i]);
        sl_table_exact(t, model->value[i]);
        sl_table_number(t, sl_counter_error((sl_counter)i, measured, model, &difference) ? difference : NAN, 2, "");
    }
    if (t && sl_counts_has(model, SL_COUNTER_est_limit)) {
        value_start(t, v, l, variant, sl_counter_infos[SL_COUNTER_est_limit].name);
        sl_table_none(t);
        sl_table_cell(t, sl_counter_word(SL_COUNTER_est_limit, model->value[SL_COUNTER_est_limit]));
        sl_table_none(t);
    }
}

void sl_document_validation_data(sl_document *d, const sl_validation *v)
{
    static const sl_column launches[] = {SL_DATA("workload"),   SL_LAUNCH_SHAPE,     SL_DATA("counts_in_means"),
                                         SL_DATA("quantities"), SL_DATA("measured"), SL_DATA("model")};
    static const sl_column values[] = {SL_DATA("workload"), SL_DATA("launch"),  SL_DATA("kernel"), SL_DATA("name"),
                                       SL_DATA("counts"),   SL_DATA("variant"), SL_DATA("what"),   SL_DATA("measured"),
                                       SL_DATA("model"),    SL_DATA("error")};
    sl_document_count(d, "min_sectors", v->min_sectors);
    sl_document_count(d, "launches_counted", sl_validation_counted(v));
    sl_document_count(d, "launches_without_counters", v->unmeasured);
    if (v->stood_for)
        sl_document_count(d, "launches_stood_for", v->stood_for);
    add_mean_data(d, v);
    sl_document_json(d, "counters", write_counters, v);
    sl_table *json = sl_document_table(d, "launches", NULL, SL_FORM_JSON, launches, sizeof launches / sizeof *launches);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, values, sizeof values / sizeof *values);
    for (size_t i = 0; i < v->launches; i++) {
        launch_row(json, v, &v->launch[i]);
        for (size_t variant = 0; variant < v->variants; variant++)
            value_rows(csv, v, &v->launch[i], variant);
    }
}

void sl_document_validation(sl_document *d, const sl_validation *v)
{
    sl_document_validation_data(d, v);
    if (!v->launches) {
        sl_document_line(d, "no launch has counters\n");
        return;
    }
    add_launches(d, v);
    if (v->stood_for)
        sl_document_line(d, "\n%llu of %zu launches have the prediction of one that counts alike\n",
                         (unsigned long long)v->stood_for, v->launches);
    if (v->unmeasured)
        sl_document_line(d, "\n%llu more launches have no counters\n", (unsigned long long)v->unmeasured);
    add_means(d, v);
    add_worst(d, v);
    add_counters(d, v);
}
