/* SPDX-License-Identifier: MIT */
/* The points of a sweep's file as charts: one for each program and quantity, a line for each combination of what else
 * differs. */
#include <math.h>
#include <stdlib.h>

#include "report/plot.h"
#include "report/results.h"
#include "study/point_grid.h"

typedef enum shown { CYCLES, ESTIMATED, HIT_RATE, SHOWN } shown;

static double shown_value(const sl_grid_cell *c, shown what)
{
    double value = what == CYCLES ? c->cycles : what == ESTIMATED ? c->est_cycles : 0;
    if (what == HIT_RATE)
        return c->sectors > 0 ? 100 * c->hits / c->sectors : NAN;
    return value > 0 ? value : NAN;
}

static int by_x(const void *left, const void *right)
{
    const sl_plot_dot *a = left, *b = right;
    return (a->x > b->x) - (a->x < b->x);
}

static sl_plot_axis axis_of(const sl_point_grid *g)
{
    double min = INFINITY, max = 0;
    for (size_t i = 0; i < g->values; i++) {
        min = g->number[i] < min ? g->number[i] : min;
        max = g->number[i] > max ? g->number[i] : max;
    }
    bool doubles = min > 0 && (max >= 4 * min || g->bytes);
    return (sl_plot_axis){.title = g->axis,
                          .tick = g->bytes ? sl_tick_bytes : NULL,
                          .name = g->value,
                          .scale = !g->numeric ? SL_PLOT_NAMES
                                   : doubles   ? SL_PLOT_LOG2
                                               : SL_PLOT_LINEAR,
                          .max = (double)g->values - 1};
}

/* A line of a chart; without dots where nothing is known, or when memory runs out. */
static sl_plot_series series_of(sl_point_grid *g, size_t program, size_t line, shown what)
{
    sl_plot_dot *dot = sl_arena_array(&g->arena, sl_plot_dot, g->values + 1);
    const char *name = g->lines.entries[line].key;
    size_t dots = 0;
    for (size_t v = 0; dot && v < g->values; v++) {
        double y = shown_value(&g->cell[(program * SL_GRID_LINES + line) * SL_GRID_VALUES + v], what);
        if (!isnan(y))
            dot[dots++] = (sl_plot_dot){.x = g->number[v], .y = y, .title = g->value[v]};
    }
    if (dots)
        qsort(dot, dots, sizeof *dot, by_x);
    return (sl_plot_series){.name = *name ? name : NULL,
                            .color = (unsigned)line,
                            .line = g->numeric,
                            .dots = true,
                            .count = dots,
                            .dot = dot};
}

/* False: there is nothing to draw, or no memory. */
static bool make_chart(sl_point_grid *g, size_t program, shown what, sl_plot *chart)
{
    static const char *const titles[SHOWN] = {"simulated cycles", "estimated cycles", "L1 hit rate, load sectors"};
    const char *name = g->programs.entries[program].key;
    sl_plot_series *series = sl_arena_array(&g->arena, sl_plot_series, SL_GRID_LINES);
    *chart = (sl_plot){.title = *name ? name : "all programs",
                       .note = titles[what],
                       .x = axis_of(g),
                       .y = {.title = titles[what], .tick = what == HIT_RATE ? sl_tick_percent : NULL},
                       .series = series};
    for (size_t l = 0; series && l < g->lines.count && l < SL_GRID_LINES; l++) {
        series[chart->count] = series_of(g, program, l, what);
        chart->count += series[chart->count].count > 0;
    }
    if (g->numeric)
        sl_plot_fit(chart, true, false, &chart->x);
    sl_plot_fit(chart, false, what != HIT_RATE, &chart->y);
    return chart->count;
}

static sl_status draw(sl_point_grid *g, FILE *file, sl_error *error)
{
    sl_plot *chart = sl_arena_array(&g->arena, sl_plot, SL_GRID_PROGRAMS * SHOWN);
    size_t charts = 0;
    if (!chart)
        return sl_fail_memory(error);
    for (size_t program = 0; program < g->programs.count && program < SL_GRID_PROGRAMS; program++)
        for (int what = 0; what < SHOWN; what++)
            charts += make_chart(g, program, (shown)what, &chart[charts]);
    if (!charts)
        return sl_fail(error, SL_UNSUPPORTED, "the points have neither cycles nor hit rates to draw");
    if (g->beyond)
        chart[charts - 1].note = "not all points are drawn; --csv has them";
    return sl_plots_svg(file, chart, charts, error);
}

sl_status sl_points_svg(FILE *file, const void *of, sl_error *error)
{
    const sl_points_drawn *points = of;
    sl_point_grid grid;
    sl_status status = sl_point_grid_init(&grid, points->file, points->outcome, error);
    if (!status)
        status = draw(&grid, file, error);
    sl_point_grid_fini(&grid);
    return status;
}
