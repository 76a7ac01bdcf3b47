/* SPDX-License-Identifier: MIT */
/* The points of a sweep's file as charts. A parameter is a part of a point, or a key of its settings; those that differ
 * between points are an axis, a chart (programs) or a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "report/plot.h"
#include "report/results.h"

enum { MAX_PARAMETERS = 32, MAX_PROGRAMS = 12, MAX_LINES = 16, MAX_VALUES = 64, NAME = 160 };
enum { PROGRAM, SIZE, SEED, MACHINE, L1, L2, SCHEDULER, WITHOUT, PLAN, KIND, SETTINGS };

static const char *const names[SETTINGS] = {"program",   "size",      "seed",    "GPU",  "L1 policy",
                                            "L2 policy", "scheduler", "without", "plan", "kind"};

typedef struct parameter {
    const char *name;
    sl_map values; /* in order of first sight */
    bool numeric;
} parameter;

/* What was summed at one place: of parts of a program, all of them. */
typedef struct cell {
    double cycles, est_cycles, hits, sectors;
} cell;

typedef struct plot {
    sl_arena arena;
    const sl_points_drawn *of;
    size_t parameters, x; /* `x`: the parameter along the axis */
    parameter parameter[MAX_PARAMETERS];
    sl_map programs, lines;
    cell *cell; /* [MAX_PROGRAMS][MAX_LINES][MAX_VALUES] */
    bool beyond;
} plot;

/* ---- parameters of points ---- */

/* "L1.size=16K cores=1": the value of a key; NULL: it is not there. */
static const char *setting(plot *p, const char *settings, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = settings; *at; at += strcspn(at, " "), at += *at == ' ')
        if (!strncmp(at, key, length) && at[length] == '=')
            return sl_arena_printf(&p->arena, "%.*s", (int)strcspn(at + length + 1, " "), at + length + 1);
    return NULL;
}

static const char *value_of(plot *p, const sl_point *point, size_t k)
{
    const char *given[SETTINGS] = {[MACHINE] = point->machine, [L1] = point->l1,
                                   [L2] = point->l2,           [SCHEDULER] = point->scheduler,
                                   [WITHOUT] = point->without, [PLAN] = point->plan,
                                   [SIZE] = point->input.size, [KIND] = sl_analysis_names[point->kind]};
    const char *text = k >= SETTINGS  ? setting(p, point->settings, p->parameter[k].name)
                       : k == SEED    ? sl_arena_printf(&p->arena, "%llu", (unsigned long long)point->seed)
                       : k == PROGRAM ? sl_arena_printf(&p->arena, "%s%s%s", point->input.name,
                                                        *point->input.params ? " " : "", point->input.params)
                                      : given[k];
    return text && *text ? text : "default";
}

static bool add_keys(plot *p, const char *settings)
{
    for (const char *at = settings; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t length = strcspn(at, "= "), i = SETTINGS;
        while (i < p->parameters && (strncmp(p->parameter[i].name, at, length) || p->parameter[i].name[length]))
            i++;
        if (i < p->parameters || i == MAX_PARAMETERS)
            continue;
        p->parameter[i].name = sl_arena_printf(&p->arena, "%.*s", (int)length, at);
        if (!p->parameter[i].name)
            return false;
        sl_map_init(&p->parameter[i].values);
        p->parameters++;
    }
    return true;
}

/* Sizes are in powers of 1024. */
static bool is_bytes(const char *name)
{
    return strstr(name, "size") || strstr(name, "bytes") || strstr(name, "line");
}

static bool number_of(const char *name, const char *text, double *number)
{
    uint64_t value;
    bool good = sl_parse_count(text, is_bytes(name) ? 1024 : 1000, &value);
    *number = good ? (double)value : 0;
    return good;
}

/* What a map has for a name is its number, from 1. */
static size_t index_in(const sl_map *map, const char *name)
{
    return (uintptr_t)sl_map_get(map, name, strlen(name)) - 1;
}

static bool add_value(sl_map *map, const char *value)
{
    return index_in(map, value) < map->count ||
           sl_map_put(map, value, strlen(value), (void *)(uintptr_t)(map->count + 1));
}

static bool find_values(plot *p)
{
    const sl_sweep_file *file = p->of->file;
    bool good = true;
    for (; p->parameters < SETTINGS; p->parameters++) {
        p->parameter[p->parameters].name = names[p->parameters];
        sl_map_init(&p->parameter[p->parameters].values);
    }
    for (size_t i = 0; i < file->points && good; i++)
        good = add_keys(p, file->point[i].settings);
    for (size_t k = 0; k < p->parameters && good; k++) {
        parameter *of = &p->parameter[k];
        double number;
        for (size_t i = 0; i < file->points && good; i++)
            if (p->of->outcome[i].state != SL_OUTCOME_NONE)
                good = add_value(&of->values, value_of(p, &file->point[i], k));
        of->numeric = of->values.count > 1;
        for (size_t v = 0; v < of->values.count; v++)
            of->numeric &= number_of(of->name, of->values.entries[v].key, &number);
    }
    return good;
}

/* Numbers before names, then the one with most values; programs where nothing else differs. */
static size_t choose_axis(const plot *p)
{
    size_t best = PROGRAM;
    for (size_t k = PROGRAM + 1; k < p->parameters; k++) {
        const parameter *a = &p->parameter[k], *b = &p->parameter[best];
        if (a->values.count < 2 || k == SEED)
            continue;
        if (best == PROGRAM || a->numeric > b->numeric ||
            (a->numeric == b->numeric && a->values.count > b->values.count))
            best = k;
    }
    return best;
}

/* ---- values ---- */

/* "lru, gto": what tells the lines of a chart apart. */
static const char *line_of(plot *p, const sl_point *point)
{
    char text[NAME] = "";
    size_t used = 0;
    for (size_t k = PROGRAM + 1; k < p->parameters && used < sizeof text; k++)
        if (k != p->x && p->parameter[k].values.count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", used ? ", " : "",
                                     k >= SETTINGS ? p->parameter[k].name : "", k >= SETTINGS ? "=" : "",
                                     value_of(p, point, k));
    return sl_arena_strdup(&p->arena, text);
}

static double counted(const sl_values *v, const char *name)
{
    const double *value = sl_values_find(v, name);
    return value ? *value : 0;
}

static bool add_points(plot *p)
{
    const sl_sweep_file *file = p->of->file;
    for (size_t i = 0; i < file->points; i++) {
        const sl_point *point = &file->point[i];
        const sl_values *v = &p->of->outcome[i].values;
        if (p->of->outcome[i].state == SL_OUTCOME_NONE || p->of->outcome[i].state == SL_OUTCOME_FAILED)
            continue;
        const char *program = p->x == PROGRAM ? "" : value_of(p, point, PROGRAM), *line = line_of(p, point);
        if (!line || !add_value(&p->programs, program) || !add_value(&p->lines, line))
            return false;
        size_t chart = index_in(&p->programs, program), at = index_in(&p->lines, line);
        size_t x = index_in(&p->parameter[p->x].values, value_of(p, point, p->x));
        if (chart >= MAX_PROGRAMS || at >= MAX_LINES || x >= MAX_VALUES) {
            p->beyond = true;
            continue;
        }
        cell *c = &p->cell[(chart * MAX_LINES + at) * MAX_VALUES + x];
        c->cycles += counted(v, "cycles");
        c->est_cycles += counted(v, "est_cycles");
        c->hits += counted(v, "ld_sector_hits");
        c->sectors += counted(v, "ld_sectors");
    }
    return true;
}

/* ---- charts ---- */

typedef enum shown { CYCLES, ESTIMATED, HIT_RATE, SHOWN } shown;

static double shown_value(const cell *c, shown what)
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

static sl_plot_axis axis_of(const plot *p, const char *const *value)
{
    const parameter *x = &p->parameter[p->x];
    double min = INFINITY, max = 0, number;
    for (size_t i = 0; i < x->values.count; i++)
        if (number_of(x->name, x->values.entries[i].key, &number)) {
            min = number < min ? number : min;
            max = number > max ? number : max;
        }
    sl_plot_axis axis = {.title = x->name, .tick = is_bytes(x->name) ? sl_tick_bytes : NULL, .name = value};
    bool doubles = min > 0 && (max >= 4 * min || is_bytes(x->name));
    axis.scale = !x->numeric ? SL_PLOT_NAMES : doubles ? SL_PLOT_LOG2 : SL_PLOT_LINEAR;
    size_t count = x->values.count < MAX_VALUES ? x->values.count : MAX_VALUES;
    axis.max = (double)count - 1;
    return axis;
}

/* False: there is nothing to draw, or no memory. */
static bool make_chart(plot *p, size_t program, shown what, const char *const *value, sl_plot *chart)
{
    static const char *const titles[SHOWN] = {"simulated cycles", "estimated cycles", "L1 hit rate, load sectors"};
    const parameter *x = &p->parameter[p->x];
    size_t values = x->values.count < MAX_VALUES ? x->values.count : MAX_VALUES;
    sl_plot_series *series = sl_arena_array(&p->arena, sl_plot_series, MAX_LINES);
    *chart = (sl_plot){.title = *p->programs.entries[program].key ? p->programs.entries[program].key : "all programs",
                       .note = titles[what],
                       .x = axis_of(p, value),
                       .y = {.title = titles[what], .tick = what == HIT_RATE ? sl_tick_percent : NULL},
                       .series = series};
    for (size_t l = 0; series && l < p->lines.count && l < MAX_LINES; l++) {
        sl_plot_dot *dot = sl_arena_array(&p->arena, sl_plot_dot, MAX_VALUES);
        size_t dots = 0;
        for (size_t v = 0; dot && v < values; v++) {
            double y = shown_value(&p->cell[(program * MAX_LINES + l) * MAX_VALUES + v], what), at = (double)v;
            if (isnan(y))
                continue;
            if (x->numeric)
                number_of(x->name, value[v], &at);
            dot[dots++] = (sl_plot_dot){.x = at, .y = y, .title = value[v]};
        }
        if (dots)
            qsort(dot, dots, sizeof *dot, by_x);
        if (dots)
            series[chart->count++] = (sl_plot_series){.name = *p->lines.entries[l].key ? p->lines.entries[l].key : NULL,
                                                      .color = (unsigned)l,
                                                      .line = x->numeric,
                                                      .dots = true,
                                                      .count = dots,
                                                      .dot = dot};
    }
    if (x->numeric)
        sl_plot_fit(chart, true, false, &chart->x);
    sl_plot_fit(chart, false, what != HIT_RATE, &chart->y);
    return chart->count;
}

static sl_status draw(plot *p, FILE *file, sl_error *error)
{
    if (!find_values(p))
        return sl_fail_memory(error);
    p->x = choose_axis(p);
    if (!add_points(p))
        return sl_fail_memory(error);
    const sl_map *values = &p->parameter[p->x].values;
    const char **value = sl_arena_array(&p->arena, const char *, values->count + 1);
    sl_plot *chart = sl_arena_array(&p->arena, sl_plot, MAX_PROGRAMS * SHOWN);
    size_t charts = 0;
    if (!value || !chart)
        return sl_fail_memory(error);
    for (size_t i = 0; i < values->count; i++)
        value[i] = values->entries[i].key;
    for (size_t program = 0; program < p->programs.count && program < MAX_PROGRAMS; program++)
        for (int what = 0; what < SHOWN; what++)
            charts += make_chart(p, program, (shown)what, value, &chart[charts]);
    if (!charts)
        return sl_fail(error, SL_UNSUPPORTED, "the points have neither cycles nor hit rates to draw");
    if (p->beyond)
        chart[charts - 1].note = "not all points are drawn; --csv has them";
    return sl_plots_svg(file, chart, charts, error);
}

sl_status sl_points_svg(FILE *file, const void *points, sl_error *error)
{
    plot *p = calloc(1, sizeof *p);
    if (!p)
        return sl_fail_memory(error);
    p->of = points;
    sl_arena_init(&p->arena);
    sl_map_init(&p->programs);
    sl_map_init(&p->lines);
    p->cell = calloc((size_t)MAX_PROGRAMS * MAX_LINES * MAX_VALUES, sizeof *p->cell);
    sl_status status = p->cell ? draw(p, file, error) : sl_fail_memory(error);
    for (size_t k = 0; k < p->parameters; k++)
        sl_map_fini(&p->parameter[k].values);
    sl_map_fini(&p->programs);
    sl_map_fini(&p->lines);
    sl_arena_fini(&p->arena);
    free(p->cell);
    free(p);
    return status;
}
