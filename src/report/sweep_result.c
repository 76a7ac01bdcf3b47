/* SPDX-License-Identifier: MIT */
/* The points of a sweep as a table, in CSV and in JSON. */
#include <string.h>

#include "base/json_write.h"
#include "base/map.h"
#include "base/text.h"
#include "report/sweep_result.h"
#include "report/table.h"

enum { FACTS = 13 };
static const char *const fact_names[FACTS] = {"kind", "program", "size",      "params",  "seed", "machine", "set",
                                              "l1",   "l2",      "scheduler", "without", "plan", "error"};

static void facts_of(const sl_point *p, const sl_outcome *o, char seed[24], const char *fact[FACTS])
{
    const char *all[FACTS] = {sl_analysis_names[p->kind],
                              p->input.name,
                              p->input.size,
                              p->input.params,
                              seed,
                              p->machine,
                              p->settings,
                              p->l1,
                              p->l2,
                              p->scheduler,
                              p->without,
                              p->plan,
                              o->failure ? o->failure : ""};
    snprintf(seed, 24, "%llu", (unsigned long long)p->seed);
    memcpy(fact, all, sizeof all);
}

/* Counters that any point has, in the order of first sight. */
static bool gather_names(const sl_sweep_result *r, sl_map *names)
{
    sl_map_init(names);
    for (size_t i = 0; i < r->spec->points; i++)
        for (size_t v = 0; v < r->outcome[i].values.count; v++) {
            const char *name = r->outcome[i].values.items[v].name;
            if (!sl_map_get(names, name, strlen(name)) && !sl_map_put(names, name, strlen(name), (void *)name))
                return false;
        }
    return true;
}

/* Counters are whole numbers, and written as such. */
static bool is_whole(double value)
{
    return value >= 0 && value < 9007199254740992.0 && value == (double)(uint64_t)value;
}

static const char *number_text(double value, char text[SL_DOUBLE_BYTES])
{
    if (!is_whole(value))
        return sl_double_text(value, text);
    snprintf(text, SL_DOUBLE_BYTES, "%llu", (unsigned long long)value);
    return text;
}

static void csv_row(FILE *file, const sl_sweep_result *r, size_t i, const sl_map *names)
{
    const char *fact[FACTS];
    char seed[24], number[SL_DOUBLE_BYTES];
    facts_of(&r->spec->point[i], &r->outcome[i], seed, fact);
    for (int f = 0; f < FACTS; f++) {
        if (f)
            fputc(',', file);
        sl_csv_field(file, fact[f]);
    }
    for (size_t n = 0; n < names->count; n++) {
        const double *value = sl_values_find(&r->outcome[i].values, names->entries[n].key);
        fprintf(file, ",%s", value ? number_text(*value, number) : "");
    }
    fputc('\n', file);
}

sl_status sl_sweep_result_csv(FILE *file, const void *result, sl_error *error)
{
    const sl_sweep_result *r = result;
    sl_map names;
    if (!gather_names(r, &names)) {
        sl_map_fini(&names);
        return sl_fail_memory(error);
    }
    for (int f = 0; f < FACTS; f++)
        fprintf(file, "%s%s", f ? "," : "", fact_names[f]);
    for (size_t n = 0; n < names.count; n++)
        fprintf(file, ",%s", names.entries[n].key);
    fputc('\n', file);
    for (size_t i = 0; i < r->spec->points; i++)
        if (r->outcome[i].state != SL_OUTCOME_NONE)
            csv_row(file, r, i, &names);
    sl_map_fini(&names);
    return ferror(file) ? sl_fail_io(error, "write", "the CSV") : SL_OK;
}

static void json_point(sl_json *json, const sl_point *point, const sl_outcome *outcome)
{
    const char *fact[FACTS];
    char seed[24];
    facts_of(point, outcome, seed, fact);
    sl_json_object(json, false);
    for (int f = 0; f < FACTS; f++) {
        if (!*fact[f])
            continue;
        sl_json_string_member(json, fact_names[f], fact[f]);
    }
    sl_json_string_member(json, "key", outcome->key);
    sl_json_object_member(json, "counters", false);
    for (size_t v = 0; v < outcome->values.count; v++) {
        sl_json_key(json, outcome->values.items[v].name);
        if (is_whole(outcome->values.items[v].value))
            sl_json_u64(json, (uint64_t)outcome->values.items[v].value);
        else
            sl_json_double(json, outcome->values.items[v].value);
    }
    sl_json_close(json, '}');
    sl_json_close(json, '}');
}

sl_status sl_sweep_result_json(FILE *file, const void *result, sl_error *error)
{
    const sl_sweep_result *r = result;
    sl_json json;
    sl_json_start(&json, file);
    sl_json_object(&json, true);
    sl_json_string_member(&json, "version", SLUICE_VERSION);
    sl_json_array_member(&json, "points", true);
    for (size_t i = 0; i < r->spec->points; i++)
        if (r->outcome[i].state != SL_OUTCOME_NONE)
            json_point(&json, &r->spec->point[i], &r->outcome[i]);
    sl_json_close(&json, ']');
    sl_json_close(&json, '}');
    return sl_json_finish(&json, error);
}

/* ---- text: what people look at first ---- */

static void put_rate(sl_table *t, const sl_values *v, const char *part, const char *whole)
{
    const double *a = sl_values_find(v, part), *b = sl_values_find(v, whole);
    char text[SL_HUMAN_BYTES];
    if (a && b && *b > 0)
        sl_table_cellf(t, "%s%%", sl_human_ratio(100 * *a / *b, 1, text));
    else
        sl_table_cell(t, "");
}

static void put_count(sl_table *t, const sl_values *v, const char *name)
{
    const double *value = sl_values_find(v, name);
    char text[SL_HUMAN_BYTES];
    sl_table_cell(t, value ? sl_human_count((uint64_t)*value, text) : "");
}

sl_status sl_sweep_result_text(FILE *file, const void *result, sl_error *error)
{
    static const sl_column columns[] = {
        {"program", false, true}, {"params", false, true},   {"seed", true, false},   {"machine", false, true},
        {"set", false, true},     {"L1", false, true},       {"L2", false, true},     {"scheduler", false, false},
        {"without", false, true}, {"plan", false, true},     {"cycles", true, false}, {"IPC", true, false},
        {"L1 hit", true, false},  {"L2 reads", true, false}, {"L2 hit", true, false}, {"DRAM reads", true, false},
        {"error", false, true}};
    const sl_sweep_result *r = result;
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (size_t i = 0; i < r->spec->points; i++) {
        const sl_outcome *o = &r->outcome[i];
        const sl_values *v = &o->values;
        const char *fact[FACTS];
        char seed[24], text[SL_HUMAN_BYTES];
        if (o->state == SL_OUTCOME_NONE)
            continue;
        facts_of(&r->spec->point[i], o, seed, fact);
        static const int shown[] = {1, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        for (size_t f = 0; f < sizeof shown / sizeof *shown; f++)
            sl_table_cell(t, shown[f] == 4 && !strcmp(seed, "1") ? "" : fact[shown[f]]);
        const double *cycles = sl_values_find(v, "cycles"), *insts = sl_values_find(v, "warp_insts");
        put_count(t, v, "cycles");
        sl_table_cell(t, cycles && insts && *cycles > 0 ? sl_human_ratio(*insts / *cycles, 2, text) : "");
        put_rate(t, v, "ld_sector_hits", "ld_sectors");
        put_count(t, v, "l2_read_sectors");
        put_rate(t, v, "l2_read_hits", "l2_read_sectors");
        put_count(t, v, "dram_read_sectors");
        sl_table_cell(t, fact[FACTS - 1]);
    }
    sl_status status = sl_table_print(t, file, r->width, error);
    sl_table_destroy(t);
    return status;
}
