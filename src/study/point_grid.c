/* SPDX-License-Identifier: MIT */
#include "study/point_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_PARAMETERS = 32, NAME = 160 };
enum { PROGRAM, SIZE, SEED, MACHINE, L1, L2, SCHEDULER, WITHOUT, PLAN, KIND, SETTINGS };

static const char *const names[SETTINGS] = {"program",   "size",      "seed",    "GPU",  "L1 policy",
                                            "L2 policy", "scheduler", "without", "plan", "kind"};

typedef struct parameter {
    const char *name;
    sl_map values; /* in order of first sight */
    bool numeric;
} parameter;

typedef struct finder {
    sl_point_grid *grid;
    const sl_sweep_file *file;
    const sl_outcome *outcome;
    size_t parameters, x; /* `x`: the parameter along the axis */
    parameter parameter[MAX_PARAMETERS];
} finder;

/* ---- parameters of points ---- */

/* "L1.size=16K cores=1": the value of a key; NULL: it is not there. */
static const char *setting(finder *p, const char *settings, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = settings; *at; at += strcspn(at, " "), at += *at == ' ')
        if (!strncmp(at, key, length) && at[length] == '=')
            return sl_arena_printf(&p->grid->arena, "%.*s", (int)strcspn(at + length + 1, " "), at + length + 1);
    return NULL;
}

static const char *value_of(finder *p, const sl_point *point, size_t k)
{
    const char *given[SETTINGS] = {[MACHINE] = point->machine, [L1] = point->l1,
                                   [L2] = point->l2,           [SCHEDULER] = point->scheduler,
                                   [WITHOUT] = point->without, [PLAN] = point->plan,
                                   [SIZE] = point->input.size, [KIND] = sl_analysis_names[point->kind]};
    const char *text = k >= SETTINGS  ? setting(p, point->settings, p->parameter[k].name)
                       : k == SEED    ? sl_arena_printf(&p->grid->arena, "%llu", (unsigned long long)point->seed)
                       : k == PROGRAM ? sl_arena_printf(&p->grid->arena, "%s%s%s", point->input.name,
                                                        *point->input.params ? " " : "", point->input.params)
                                      : given[k];
    return text && *text ? text : "default";
}

static bool add_keys(finder *p, const char *settings)
{
    for (const char *at = settings; *at; at += strcspn(at, " "), at += *at == ' ') {
        size_t length = strcspn(at, "= "), i = SETTINGS;
        while (i < p->parameters && (strncmp(p->parameter[i].name, at, length) || p->parameter[i].name[length]))
            i++;
        if (i < p->parameters || i == MAX_PARAMETERS)
            continue;
        p->parameter[i].name = sl_arena_printf(&p->grid->arena, "%.*s", (int)length, at);
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

static bool find_values(finder *p)
{
    const sl_sweep_file *file = p->file;
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
            if (p->outcome[i].state != SL_OUTCOME_NONE)
                good = add_value(&of->values, value_of(p, &file->point[i], k));
        of->numeric = of->values.count > 1;
        for (size_t v = 0; v < of->values.count; v++)
            of->numeric &= number_of(of->name, of->values.entries[v].key, &number);
    }
    return good;
}

/* Numbers before names, then the one with most values; programs where nothing else differs. */
static size_t choose_axis(const finder *p)
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
static const char *line_of(finder *p, const sl_point *point)
{
    char text[NAME] = "";
    size_t used = 0;
    for (size_t k = PROGRAM + 1; k < p->parameters && used < sizeof text; k++)
        if (k != p->x && p->parameter[k].values.count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s", used ? ", " : "",
                                     k >= SETTINGS ? p->parameter[k].name : "", k >= SETTINGS ? "=" : "",
                                     value_of(p, point, k));
    return sl_arena_strdup(&p->grid->arena, text);
}

static double counted(const sl_values *v, const char *name)
{
    const double *value = sl_values_find(v, name);
    return value ? *value : 0;
}

static bool add_points(finder *p)
{
    const sl_sweep_file *file = p->file;
    for (size_t i = 0; i < file->points; i++) {
        const sl_point *point = &file->point[i];
        const sl_values *v = &p->outcome[i].values;
        if (p->outcome[i].state == SL_OUTCOME_NONE || p->outcome[i].state == SL_OUTCOME_FAILED)
            continue;
        const char *program = p->x == PROGRAM ? "" : value_of(p, point, PROGRAM), *line = line_of(p, point);
        if (!line || !add_value(&p->grid->programs, program) || !add_value(&p->grid->lines, line))
            return false;
        size_t chart = index_in(&p->grid->programs, program), at = index_in(&p->grid->lines, line);
        size_t x = index_in(&p->parameter[p->x].values, value_of(p, point, p->x));
        if (chart >= SL_GRID_PROGRAMS || at >= SL_GRID_LINES || x >= SL_GRID_VALUES) {
            p->grid->beyond = true;
            continue;
        }
        sl_grid_cell *c = &p->grid->cell[(chart * SL_GRID_LINES + at) * SL_GRID_VALUES + x];
        c->cycles += counted(v, "cycles");
        c->est_cycles += counted(v, "est_cycles");
        c->hits += counted(v, "ld_sector_hits");
        c->sectors += counted(v, "ld_sectors");
    }
    return true;
}

/* ---- the grid ---- */

static bool list_axis(finder *p)
{
    sl_point_grid *grid = p->grid;
    const parameter *of = &p->parameter[p->x];
    grid->axis = of->name;
    grid->numeric = of->numeric;
    grid->bytes = is_bytes(of->name);
    grid->values = of->values.count < SL_GRID_VALUES ? of->values.count : SL_GRID_VALUES;
    grid->value = sl_arena_array(&grid->arena, const char *, grid->values + 1);
    grid->number = sl_arena_array(&grid->arena, double, grid->values + 1);
    grid->cell = sl_arena_array(&grid->arena, sl_grid_cell, SL_GRID_PROGRAMS * SL_GRID_LINES * SL_GRID_VALUES);
    if (!grid->value || !grid->number || !grid->cell)
        return false;
    for (size_t i = 0; i < grid->values; i++) {
        grid->value[i] = sl_arena_strdup(&grid->arena, of->values.entries[i].key);
        if (!grid->value[i])
            return false;
        if (!of->numeric || !number_of(of->name, grid->value[i], &grid->number[i]))
            grid->number[i] = (double)i;
    }
    return true;
}

sl_status sl_point_grid_init(sl_point_grid *grid, const sl_sweep_file *file, const sl_outcome *outcome, sl_error *error)
{
    finder p = {.grid = grid, .file = file, .outcome = outcome};
    *grid = (sl_point_grid){0};
    sl_arena_init(&grid->arena);
    sl_map_init(&grid->programs);
    sl_map_init(&grid->lines);
    bool good = find_values(&p);
    p.x = choose_axis(&p);
    good = good && list_axis(&p) && add_points(&p);
    for (size_t k = 0; k < p.parameters; k++)
        sl_map_fini(&p.parameter[k].values);
    return good ? SL_OK : sl_fail_memory(error);
}

void sl_point_grid_fini(sl_point_grid *grid)
{
    sl_map_fini(&grid->programs);
    sl_map_fini(&grid->lines);
    sl_arena_fini(&grid->arena);
}
