/* SPDX-License-Identifier: MIT */
/* The points of a sweep's file: what people look at first as text, everything in CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "report/results.h"

/* What a point is, and, as text, what it gave. */
static const sl_column facts[] = {SL_DATA("kind"),
                                  SL_NAMES_AS("program", "program"),
                                  SL_DATA("size"),
                                  SL_NAMES_AS("params", "params"),
                                  SL_DATA("seed"),
                                  SL_NUMBERS("seed"),
                                  SL_NAMES_AS("machine", "machine"),
                                  SL_NAMES_AS("set", "set"),
                                  SL_NAMES_AS("L1", "l1"),
                                  SL_NAMES_AS("L2", "l2"),
                                  SL_TEXTS_AS("scheduler", "scheduler"),
                                  SL_NAMES_AS("without", "without"),
                                  SL_NAMES_AS("plan", "plan"),
                                  SL_TEXTS_AS("part", "part"),
                                  SL_NAMES_AS("error", "error"),
                                  SL_DATA_IN("key", SL_FORM_JSON)};
static const sl_column shown[] = {SL_NUMBERS("cycles"),    SL_NUMBERS("est cycles"), SL_NUMBERS("IPC"),
                                  SL_NUMBERS("L1 hit"),    SL_NUMBERS("L2 reads"),   SL_NUMBERS("L2 hit"),
                                  SL_NUMBERS("DRAM reads")};
enum { FACTS = sizeof facts / sizeof *facts, SHOWN = sizeof shown / sizeof *shown };

static void fact_cells(sl_table *t, const sl_point *p, const sl_outcome *o, bool seeds)
{
    const char *before[] = {sl_analysis_names[p->kind], p->input.name, p->input.size, p->input.params};
    char part[64] = "";
    if (p->parts)
        snprintf(part, sizeof part, "%llu/%llu", (unsigned long long)p->part, (unsigned long long)p->parts);
    const char *after[] = {p->machine, p->settings, p->l1, p->l2,      p->scheduler,
                           p->without, p->plan,     part,  o->failure, o->key};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        sl_table_known(t, before[i]);
    sl_table_exact(t, p->seed);
    if (seeds)
        sl_table_exact(t, p->seed);
    else
        sl_table_none(t);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        sl_table_known(t, after[i]);
}

/* Counters that any point has, in the order of first sight. */
static bool gather_names(const sl_sweep_file *file, const sl_outcome *outcome, sl_map *names)
{
    sl_map_init(names);
    for (size_t i = 0; i < file->points; i++)
        for (size_t v = 0; v < outcome[i].values.count; v++) {
            const char *name = outcome[i].values.items[v].name;
            if (!sl_map_get(names, name, strlen(name)) && !sl_map_put(names, name, strlen(name), (void *)name))
                return false;
        }
    return true;
}

/* Counters are whole numbers, and written as such. */
static void value_cell(sl_table *t, const double *value)
{
    if (!value)
        sl_table_none(t);
    else if (*value >= 0 && *value < 9007199254740992.0 && *value == (double)(uint64_t)*value)
        sl_table_exact(t, (uint64_t)*value);
    else
        sl_table_number(t, *value, 2, "");
}

static double rate_of(const sl_values *v, const char *part, const char *whole, double scale)
{
    const double *a = sl_values_find(v, part), *b = sl_values_find(v, whole);
    return a && b && *b > 0 ? scale * *a / *b : NAN;
}

static void count_cell(sl_table *t, const sl_values *v, const char *name)
{
    const double *value = sl_values_find(v, name);
    if (value)
        sl_table_count(t, (uint64_t)*value);
    else
        sl_table_none(t);
}

static void shown_cells(sl_table *t, const sl_values *v)
{
    count_cell(t, v, "cycles");
    count_cell(t, v, "est_cycles");
    sl_table_number(t, rate_of(v, "warp_insts", "cycles", 1), 2, "");
    sl_table_number(t, rate_of(v, "ld_sector_hits", "ld_sectors", 100), 1, "%");
    count_cell(t, v, "l2_read_sectors");
    sl_table_number(t, rate_of(v, "l2_read_hits", "l2_read_sectors", 100), 1, "%");
    count_cell(t, v, "dram_read_sectors");
}

static sl_table *points_table(sl_document *d, const sl_map *names)
{
    size_t count = FACTS + SHOWN + 2 * names->count;
    sl_column *columns = sl_document_alloc(d, count * sizeof *columns);
    char(*key)[SL_VALUE_NAME + 16] = sl_document_alloc(d, (names->count + 1) * sizeof *key);
    if (!columns || !key)
        return NULL;
    memcpy(columns, facts, sizeof facts);
    memcpy(columns + FACTS, shown, sizeof shown);
    for (size_t n = 0; n < names->count; n++) {
        snprintf(key[n], sizeof *key, "counters.%s", names->entries[n].key);
        columns[FACTS + SHOWN + n] = (sl_column)SL_DATA_IN(key[n], SL_FORM_JSON);
        columns[FACTS + SHOWN + names->count + n] = (sl_column)SL_DATA_IN(key[n] + strlen("counters."), SL_FORM_CSV);
    }
    return sl_document_table(d, "points", NULL, SL_FORM_ALL, columns, count);
}

void sl_document_costs(sl_document *d, const sl_sweep_file *file, const double *seconds)
{
    static const sl_column columns[] = {SL_NUMBERS_AS("point", "point"), SL_NUMBERS_AS("CPU time", "seconds"),
                                        SL_TEXTS_AS("what", "what")};
    sl_table *t = sl_document_table(d, "points", NULL, SL_FORM_ALL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < file->points && t; i++) {
        char text[1024];
        sl_table_exact(t, i);
        sl_table_number(t, seconds[i], 2, " s");
        sl_table_cell(t, sl_point_text(&file->point[i], text, sizeof text));
    }
}

void sl_document_points(sl_document *d, const sl_sweep_file *file, const sl_outcome *outcome)
{
    sl_map names;
    if (!gather_names(file, outcome, &names))
        sl_document_fail(d);
    sl_table *t = points_table(d, &names);
    bool seeds = false; /* for people, where they differ */
    for (size_t i = 1; i < file->points; i++)
        seeds |= file->point[i].seed != file->point[0].seed;
    for (size_t i = 0; i < file->points && t; i++) {
        const sl_values *v = &outcome[i].values;
        if (outcome[i].state == SL_OUTCOME_NONE)
            continue;
        fact_cells(t, &file->point[i], &outcome[i], seeds);
        shown_cells(t, v);
        for (int form = 0; form < 2; form++)
            for (size_t n = 0; n < names.count; n++)
                value_cell(t, sl_values_find(v, names.entries[n].key));
    }
    sl_map_fini(&names);
}
