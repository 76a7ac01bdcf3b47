/* SPDX-License-Identifier: MIT */
/* Figures of papers as charts. Programs are the categories of a chart and columns its bars. Where columns name a
 * position on the axis (`at`), these positions are the categories, columns of one `series` are a line, and each program
 * has a panel, or a line where there is one series only. */
#include <math.h>
#include <string.h>

#include "report/chart.h"
#include "report/results.h"

/* A row of the figure: a program, or the mean of a group. */
typedef struct figure_row {
    const char *name;
    int program, group; /* program < 0: the mean */
} figure_row;

typedef struct drawing {
    sl_arena arena;
    const sl_reproduction *r;
    const sl_paper_figure *figure;
    size_t rows, columns, categories, lines;
    figure_row *row;
    const sl_paper_column **column; /* those that are drawn */
    const char **category, **line;  /* distinct `at`, distinct `series` */
    size_t charts;
    sl_chart *chart;
} drawing;

#define ROOM(d, type, count) ((type *)sl_arena_alloc(&(d)->arena, ((count) + 1) * sizeof(type)))

static size_t index_of(const char *const *name, size_t count, const char *wanted)
{
    size_t i = 0;
    while (i < count && strcmp(name[i], wanted))
        i++;
    return i;
}

static bool has_means(const drawing *d)
{
    for (size_t c = 0; c < d->columns; c++)
        if (d->column[c]->mean != SL_MEAN_NONE)
            return true;
    return false;
}

static bool list_columns(drawing *d)
{
    const sl_paper_figure *f = d->figure;
    d->column = ROOM(d, const sl_paper_column *, f->columns);
    d->category = ROOM(d, const char *, f->columns);
    d->line = ROOM(d, const char *, f->columns);
    if (!d->column || !d->category || !d->line)
        return false;
    for (size_t c = 0; c < f->columns; c++) {
        const sl_paper_column *column = &f->column[c];
        if (!column->drawn)
            continue;
        d->column[d->columns++] = column;
        if (*column->at && index_of(d->category, d->categories, column->at) == d->categories)
            d->category[d->categories++] = column->at;
        if (index_of(d->line, d->lines, column->series) == d->lines)
            d->line[d->lines++] = column->series;
    }
    return true;
}

static bool list_rows(drawing *d)
{
    const sl_paper_figure *f = d->figure;
    size_t count = 0;
    for (size_t g = 0; g < f->groups; g++)
        count += d->r->group[f->group[g]].count + 1;
    d->row = ROOM(d, figure_row, count);
    if (!d->row)
        return false;
    bool means = has_means(d);
    for (size_t g = 0; g < f->groups; g++) {
        const sl_paper_group *group = &d->r->group[f->group[g]];
        for (size_t i = 0; i < group->count && !f->means && !f->ranked; i++)
            d->row[d->rows++] = (figure_row){d->r->paper->program[group->program[i]].name, group->program[i], -1};
        if (means && group->count && (!f->ranked || !g))
            d->row[d->rows++] = (figure_row){group->name, -1, f->group[g]};
    }
    return true;
}

static sl_compared compared_at(const drawing *d, size_t row, const sl_paper_column *column)
{
    const figure_row *at = &d->row[row];
    if (at->program >= 0)
        return sl_compare_program(d->r, column, at->program);
    return column->mean == SL_MEAN_NONE ? (sl_compared){.ours = NAN, .paper = NAN}
                                        : sl_compare_group(d->r, column, at->group);
}

/* ---- charts ---- */

static double neutral_of(const drawing *d)
{
    double neutral = d->columns ? d->column[0]->measure.neutral : NAN;
    for (size_t c = 1; c < d->columns; c++)
        if (!(d->column[c]->measure.neutral == neutral))
            return NAN;
    return neutral;
}

/* A chart of categories and twice as many series as given: the paper's before each of ours. */
static sl_chart *add_chart(drawing *d, const char *title, size_t categories, size_t series)
{
    sl_chart_category *category = ROOM(d, sl_chart_category, categories);
    sl_chart_series *serie = ROOM(d, sl_chart_series, 2 * series);
    double *value = ROOM(d, double, 2 * series * categories);
    if (!category || !serie || !value)
        return NULL;
    for (size_t i = 0; i < 2 * series * categories; i++)
        value[i] = NAN;
    for (size_t i = 0; i < 2 * series; i++)
        serie[i] = (sl_chart_series){.name = "", .color = (unsigned)(i / 2), .paper = !(i % 2)};
    sl_chart *chart = &d->chart[d->charts++];
    *chart = (sl_chart){.kind = d->figure->chart,
                        .title = title,
                        .unit = d->columns ? d->column[0]->measure.unit : "",
                        .digits = d->columns ? d->column[0]->measure.digits : 2,
                        .neutral = neutral_of(d),
                        .categories = categories,
                        .series = 2 * series,
                        .category = category,
                        .serie = serie,
                        .value = value};
    return chart;
}

/* The chart's arrays are ours while it is made. */
static void put(const sl_chart *chart, size_t category, size_t series, sl_compared value, bool paper)
{
    double *at = (double *)chart->value + category * chart->series + 2 * series;
    at[0] = paper ? value.paper : NAN;
    at[1] = value.ours;
}

static void name_series(const sl_chart *chart, size_t series, const char *name)
{
    sl_chart_series *of = (sl_chart_series *)chart->serie + 2 * series;
    of[0].name = of[1].name = name;
}

static void name_category(const sl_chart *chart, size_t category, const char *name, bool strong)
{
    ((sl_chart_category *)chart->category)[category] = (sl_chart_category){name, strong};
}

/* Programs are the categories. */
static bool chart_of_programs(drawing *d)
{
    const sl_chart *chart = add_chart(d, "", d->rows, d->columns);
    if (!chart)
        return false;
    for (size_t r = 0; r < d->rows; r++)
        name_category(chart, r, d->row[r].name, d->row[r].program < 0);
    for (size_t c = 0; c < d->columns; c++) {
        name_series(chart, c, d->column[c]->name);
        sl_chart_series *of = (sl_chart_series *)chart->serie + 2 * c;
        of[0].stack = of[1].stack = (unsigned)index_of(d->line, d->lines, d->column[c]->series);
        for (size_t r = 0; r < d->rows; r++)
            put(chart, r, c, compared_at(d, r, d->column[c]), chart->kind != SL_CHART_STACKS);
    }
    return true;
}

/* The categories are on the axis, and programs are series. */
static bool chart_of_places(drawing *d)
{
    const sl_chart *chart = add_chart(d, "", d->categories, d->rows);
    if (!chart)
        return false;
    for (size_t r = 0; r < d->rows; r++)
        name_series(chart, r, d->row[r].name);
    for (size_t c = 0; c < d->columns; c++) {
        size_t category = index_of(d->category, d->categories, d->column[c]->at);
        name_category(chart, category, d->column[c]->at, false);
        for (size_t r = 0; r < d->rows; r++)
            put(chart, category, r, compared_at(d, r, d->column[c]), true);
    }
    return true;
}

static bool chart_of_program(drawing *d, size_t row)
{
    const sl_chart *chart = add_chart(d, d->rows > 1 ? d->row[row].name : "", d->categories, d->lines);
    if (!chart)
        return false;
    for (size_t l = 0; l < d->lines; l++)
        name_series(chart, l, d->line[l]);
    for (size_t c = 0; c < d->columns; c++) {
        size_t category = index_of(d->category, d->categories, d->column[c]->at);
        name_category(chart, category, d->column[c]->at, false);
        put(chart, category, index_of(d->line, d->lines, d->column[c]->series), compared_at(d, row, d->column[c]),
            true);
    }
    return true;
}

/* A ranking: the means alone, each with the name of its column. */
static bool chart_of_means(drawing *d)
{
    const sl_chart *chart = add_chart(d, "", d->columns, 1);
    if (!chart)
        return false;
    for (size_t c = 0; c < d->columns && d->rows; c++) {
        name_category(chart, c, d->column[c]->name, false);
        put(chart, c, 0, compared_at(d, 0, d->column[c]), false);
    }
    return true;
}

static bool make_charts(drawing *d)
{
    if (!list_columns(d) || !list_rows(d))
        return false;
    d->chart = ROOM(d, sl_chart, d->rows);
    if (!d->chart)
        return false;
    if (d->figure->ranked)
        return chart_of_means(d);
    if (!d->categories)
        return chart_of_programs(d);
    if (d->lines == 1)
        return chart_of_places(d);
    for (size_t r = 0; r < d->rows; r++)
        if (!chart_of_program(d, r))
            return false;
    return true;
}

sl_status sl_reproduction_chart(FILE *file, const sl_reproduction *r, const sl_paper_figure *figure, bool alone,
                                bool *drawn, sl_error *error)
{
    drawing d = {.r = r, .figure = figure};
    *drawn = figure->states != NULL;
    if (*drawn && file)
        sl_states_write(file, figure->states, figure->title, alone);
    if (*drawn)
        return SL_OK;
    sl_arena_init(&d.arena);
    bool made = make_charts(&d);
    *drawn = false;
    for (size_t i = 0; made && i < d.charts; i++)
        *drawn |= !sl_chart_is_empty(&d.chart[i]);
    if (*drawn && file)
        sl_charts_write(file, d.chart, d.charts, figure->title, figure->axis, alone);
    sl_arena_fini(&d.arena);
    return made ? SL_OK : sl_fail_memory(error);
}
