/* SPDX-License-Identifier: MIT */
/* Validations as tables: launches (or kernels, where launches are many), means, the worst, and the other counters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/validate.h"

enum { MAX_LAUNCH_LINES = 40, MAX_WORST = 5 };

/* ---- kernels ---- */

/* Launches of one kernel, or a single one. */
typedef struct group {
    const sl_validated *first;
    size_t launches;
    sl_counts measured, model;      /* sums */
    size_t compared[SL_QUANTITIES]; /* launches with an error */
    double error[SL_QUANTITIES];    /* sum of absolute errors */
    double max[SL_QUANTITIES];
    const sl_validated *at[SL_QUANTITIES]; /* the launch with that error */
} group;

static bool same_kernel(const sl_validated *a, const sl_validated *b)
{
    return !strcmp(a->workload, b->workload) && !strcmp(a->symbol, b->symbol);
}

static void add_launch(group *g, const sl_validated *l)
{
    if (!g->launches++)
        g->first = l;
    sl_counts_merge(&g->measured, &l->measured);
    sl_counts_merge(&g->model, &l->model[0]);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        double difference;
        if (!sl_quantity_error(q, &l->measured, &l->model[0], &difference))
            continue;
        g->compared[q]++;
        g->error[q] += fabs(difference);
        if (!g->at[q] || fabs(difference) > g->max[q]) {
            g->max[q] = fabs(difference);
            g->at[q] = l;
        }
    }
}

/* The launches that count (or all of them), by kernel (or one by one); *count of them. NULL when memory runs out. */
static group *group_launches(const sl_validation *v, bool all, bool by_kernel, size_t *count)
{
    group *groups = calloc(v->launches ? v->launches : 1, sizeof *groups);
    *count = 0;
    for (size_t i = 0; groups && i < v->launches; i++) {
        const sl_validated *l = &v->launch[i];
        if (!all && !sl_validation_counts(v, l))
            continue;
        size_t g = by_kernel ? *count : 0; /* launches of a workload are adjacent: search from the last */
        while (g && !same_kernel(groups[g - 1].first, l))
            g--;
        add_launch(&groups[g ? g - 1 : (*count)++], l);
    }
    return groups;
}

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
    char text[SL_HUMAN_BYTES];
    double value;
    if (!sl_quantity_value(q, counts, &value))
        sl_table_cell(t, "-");
    else if (sl_quantity_is_share(q))
        sl_table_cellf(t, "%s%%", sl_human_ratio(value, 1, text));
    else
        sl_table_cell(t, sl_human_count((uint64_t)value, text));
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
static sl_table *quantity_table(const sl_validation *v, const sl_column *first, size_t firsts)
{
    sl_column columns[8 + 3 * SL_QUANTITIES];
    memcpy(columns, first, firsts * sizeof *first);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, q)) {
            columns[firsts++] = (sl_column)SL_NUMBERS(sl_metric_infos[sl_quantity_infos[q].metric].heading);
            columns[firsts++] = (sl_column){v->variant[0], true, false};
            columns[firsts++] = (sl_column){"error", true, false};
        }
    return sl_table_create(columns, firsts);
}

/* ---- launches ---- */

/* A row per launch with its error, or per kernel with the mean absolute error. */
static sl_status print_launches(FILE *file, const sl_validation *v, size_t width, sl_error *error)
{
    bool many = v->launches > MAX_LAUNCH_LINES;
    const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS(many ? "launches" : "#"), SL_NUMBERS("ld sectors")};
    size_t count;
    group *groups = group_launches(v, true, many, &count);
    sl_table *t = groups ? quantity_table(v, columns, sizeof columns / sizeof *columns) : NULL;
    for (size_t i = 0; groups && i < count; i++) {
        const group *g = &groups[i];
        const sl_counts *c = sl_counts_has(&g->measured, SL_COUNTER_ld_sectors) ? &g->measured : &g->model;
        cell_kernel(t, g->first);
        sl_table_cellf(t, "%llu", many ? (unsigned long long)g->launches : (unsigned long long)g->first->index);
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
    sl_status status = sl_table_finish(t, file, width, error);
    if (!status && many)
        fprintf(file, "\n%zu launches by kernel, with mean absolute errors; --json and --csv show each\n", v->launches);
    return status;
}

/* ---- means ---- */

static size_t counted(const sl_validation *v)
{
    size_t count = 0;
    for (size_t i = 0; i < v->launches; i++)
        count += sl_validation_counts(v, &v->launch[i]);
    return count;
}

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
        char text[SL_HUMAN_BYTES];
        if (!sl_validation_has(v, q))
            continue;
        sl_mean_error mean = sl_validation_mean(v, variant, q);
        double value = mean.mean;
        bool known = kind->percent ? sl_validation_percentile(v, variant, q, kind->percent, &value) : mean.launches;
        if (known)
            sl_table_cellf(t, "%s %s", sl_human_ratio(value, 2, text), sl_quantity_is_share(q) ? "points" : "%");
        else
            sl_table_cell(t, "-");
    }
}

static sl_status print_means(FILE *file, const sl_validation *v, size_t width, sl_error *error)
{
    sl_column columns[SL_QUANTITIES + 1] = {{"mean absolute error", false, false}};
    size_t count = 1;
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++)
        if (sl_validation_has(v, q))
            columns[count++] = (sl_column)SL_NUMBERS(sl_quantity_title(q));
    sl_table *t = sl_table_create(columns, count);
    for (size_t i = 0; i < v->variants; i++)
        for (unsigned row = 0; row < (v->variants > 2 ? 1 : sizeof errors / sizeof *errors); row++)
            error_row(t, v, i, &errors[row]);
    char text[SL_HUMAN_BYTES];
    fprintf(file, "\n%zu of %zu launches have more than %s load sectors\n", counted(v), v->launches,
            sl_human_count(v->min_sectors, text));
    return sl_table_finish(t, file, width, error);
}

/* ---- the worst ---- */

/* The kernel with the next largest error; NULL: there is none with any. */
static const group *next_worst(const group *groups, size_t count, int q, const group *after)
{
    const group *next = NULL;
    for (const group *g = groups; g < groups + count; g++) {
        bool behind = !after || g->max[q] < after->max[q] || (g->max[q] == after->max[q] && g > after);
        if (g->at[q] && g->max[q] > 0 && behind && (!next || g->max[q] > next->max[q]))
            next = g;
    }
    return next;
}

static sl_status print_worst(FILE *file, const sl_validation *v, size_t width, sl_error *error)
{
    const sl_column columns[] = {{"worst", false, false},   {"kernel", false, true},      {"#", true, false},
                                 {"measured", true, false}, {v->variant[0], true, false}, {"error", true, false}};
    size_t count;
    group *groups = group_launches(v, false, true, &count);
    sl_table *t = groups ? sl_table_create(columns, sizeof columns / sizeof *columns) : NULL;
    sl_status status = t ? SL_OK : sl_fail_memory(error);
    bool any = false;
    for (sl_quantity q = 0; q < SL_QUANTITIES && !status; q++) {
        const group *g = NULL;
        for (int i = 0; i < MAX_WORST && (g = next_worst(groups, count, q, g)); i++) {
            double difference = 0;
            const sl_validated *l = g->at[q];
            bool known = sl_quantity_error(q, &l->measured, &l->model[0], &difference);
            sl_table_cell(t, i ? "" : sl_quantity_title(q));
            cell_kernel(t, l);
            sl_table_cellf(t, "%llu", (unsigned long long)l->index);
            cell_value(t, q, &l->measured);
            cell_value(t, q, &l->model[0]);
            cell_difference(t, q, known, difference, true);
            any = true;
        }
    }
    if (!status && any) {
        fputc('\n', file);
        status = sl_table_print(t, file, width, error);
    }
    sl_table_destroy(t);
    free(groups);
    return status;
}

/* ---- counters ---- */

static sl_status print_counters(FILE *file, const sl_validation *v, size_t width, sl_error *error)
{
    static const sl_column columns[] = {
        {"counter", false, false}, {"launches", true, false}, {"mean absolute error", true, false},
        {"worst", true, false},    {"kernel", false, true},   {"#", true, false}};
    sl_table *t = SL_TABLE(columns);
    bool any = false;
    for (int c = 0; c < SL_COUNTERS; c++) {
        char text[SL_HUMAN_BYTES];
        sl_mean_error mean = sl_validation_counter_mean(v, (sl_counter)c);
        if (!mean.launches)
            continue;
        double worst = 0;
        sl_counter_error((sl_counter)c, &mean.worst->measured, &mean.worst->model[0], &worst);
        sl_table_cell(t, sl_counter_infos[c].name);
        sl_table_cellf(t, "%zu", mean.launches);
        sl_table_cellf(t, "%s %%", sl_human_ratio(mean.mean, 2, text));
        sl_table_cellf(t, "%s%s %%", worst >= 0 ? "+" : "", sl_human_ratio(worst, 1, text));
        cell_kernel(t, mean.worst);
        sl_table_cellf(t, "%llu", (unsigned long long)mean.worst->index);
        any = true;
    }
    if (any)
        fputc('\n', file);
    sl_status status = any ? sl_table_print(t, file, width, error) : SL_OK;
    sl_table_destroy(t);
    return status;
}

sl_status sl_validation_text(FILE *file, const sl_validation *v, size_t width, sl_error *error)
{
    if (!v->launches) {
        fputs("no launch has counters\n", file);
        return SL_OK;
    }
    sl_status status = print_launches(file, v, width, error);
    if (!status && v->unmeasured)
        fprintf(file, "\n%llu more launches have no counters\n", (unsigned long long)v->unmeasured);
    if (!status)
        status = print_means(file, v, width, error);
    if (!status)
        status = print_worst(file, v, width, error);
    return status ? status : print_counters(file, v, width, error);
}
