/* SPDX-License-Identifier: MIT */
/* A comparison as text, JSON and CSV. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/compare.h"
#include "report/parts.h"

enum { MAX_ROWS = 12 };

static char *value_text(const sl_compared_sides *of, int side, sl_metric metric, char buffer[SL_METRIC_BYTES])
{
    return sl_metric_text(metric, &(sl_metric_row){.counts = &of->counts[side]}, 1, buffer);
}

static void value_cells(sl_table *t, const sl_compared_sides *of, sl_metric metric)
{
    char text[SL_METRIC_BYTES];
    for (int side = 0; side < 2; side++)
        sl_table_cell(t, of->there[side] ? value_text(of, side, metric, text) : "-");
    sl_table_cell(t, sl_change_text(of, metric, text));
}

static bool differs(const sl_compared_sides *of, sl_metric metric)
{
    double v[2];
    return of->there[0] != of->there[1] || (sl_compared_metric(of, metric, v) && v[0] != v[1]);
}

/* ---- text ---- */

static sl_status put_total(FILE *file, const sl_comparison *c, size_t width, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("all launches"), SL_NUMBERS("A"), SL_NUMBERS("B"),
                                        SL_NUMBERS("change")};
    sl_table *t = SL_TABLE(columns);
    size_t rows = 0;
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        if (!differs(&c->total, (sl_metric)i))
            continue;
        sl_table_cell(t, sl_metric_infos[i].name);
        value_cells(t, &c->total, (sl_metric)i);
        rows++;
    }
    if (rows)
        return sl_table_finish(t, file, width, error);
    sl_table_destroy(t);
    fputs("no counter that both sides know differs\n", file);
    return SL_OK;
}

static sl_status put_kernels(FILE *file, const sl_comparison *c, size_t width, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("kernel"), SL_NUMBERS("launches"), SL_NUMBERS("A"), SL_NUMBERS("B"),
                                        SL_NUMBERS("change")};
    sl_table *t = SL_TABLE(columns);
    size_t rows = 0;
    for (size_t i = 0; i < c->kernels.count && rows < MAX_ROWS; i++) {
        const sl_compared_kernel *k = &c->kernels.items[i];
        if (!differs(&k->of, c->effect))
            continue;
        sl_table_cell(t, k->name);
        if (k->of.launches[0] == k->of.launches[1])
            sl_table_cellf(t, "%llu", (unsigned long long)k->of.launches[0]);
        else
            sl_table_cellf(t, "%llu, %llu", (unsigned long long)k->of.launches[0],
                           (unsigned long long)k->of.launches[1]);
        value_cells(t, &k->of, c->effect);
        rows++;
    }
    if (!rows) {
        sl_table_destroy(t);
        return SL_OK;
    }
    fprintf(file, "\nKernels by change of %s\n", sl_metric_infos[c->effect].long_heading);
    return sl_table_finish(t, file, width, error);
}

static void load_cells(sl_table *t, const sl_comparison *c, const sl_compared_load *l)
{
    sl_table_cell(t, c->kernels.items[l->kernel].name);
    if (l->moved)
        sl_table_cellf(t, "%s, now %s", l->source, l->moved);
    else
        sl_table_cell(t, l->source);
    sl_table_cell(t, l->opcode);
    sl_table_cell(t, l->array_text);
}

static sl_status put_loads(FILE *file, const sl_comparison *c, size_t width, sl_error *error)
{
    static const sl_column columns[] = {SL_NAMES("kernel"),  SL_NAMES("location"), SL_NAMES("instruction"),
                                        SL_NAMES("array"),   SL_NUMBERS("A"),      SL_NUMBERS("B"),
                                        SL_NUMBERS("change")};
    sl_table *t = SL_TABLE(columns);
    size_t rows = 0;
    for (size_t i = 0; i < c->loads.count && rows < MAX_ROWS; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        if (!differs(&l->of, c->load_effect))
            continue;
        load_cells(t, c, l);
        value_cells(t, &l->of, c->load_effect);
        rows++;
    }
    if (!rows) {
        sl_table_destroy(t);
        return SL_OK;
    }
    fprintf(file, "\nMemory instructions by change of %s\n", sl_metric_infos[c->load_effect].long_heading);
    return sl_table_finish(t, file, width, error);
}

sl_status sl_comparison_text(FILE *file, const sl_comparison *c, size_t width, sl_error *error)
{
    fprintf(file, "A: %s\nB: %s\n\n", c->label[0], c->label[1]);
    sl_status status = put_total(file, c, width, error);
    if (!status)
        status = put_kernels(file, c, width, error);
    return status ? status : put_loads(file, c, width, error);
}

/* ---- JSON ---- */

static void json_compared(sl_json *j, const sl_compared_sides *of)
{
    static const char *const key[2] = {"a", "b"};
    for (int side = 0; side < 2; side++)
        if (of->there[side])
            sl_json_counts(j, key[side], &of->counts[side]);
    sl_json_object_member(j, "change", false);
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        double v[2];
        if (of->there[0] && of->there[1] && sl_compared_metric(of, (sl_metric)i, v) && v[0] != v[1])
            sl_json_double_member(j, sl_metric_infos[i].name, v[1] - v[0]);
    }
    sl_json_close(j, '}');
}

static void json_load(sl_json *j, const sl_compared_load *l)
{
    sl_json_object(j, false);
    sl_json_string_member(j, "source", l->source);
    if (l->moved)
        sl_json_string_member(j, "moved_to", l->moved);
    sl_json_string_member(j, "opcode", l->opcode);
    if (*l->array)
        sl_json_string_member(j, "array", l->array);
    if (*l->allocation)
        sl_json_string_member(j, "allocation", l->allocation);
    json_compared(j, &l->of);
    sl_json_close(j, '}');
}

/* Loads by kernel, in their order: those of kernel k are load[first[k]] to load[first[k + 1] - 1]. `first` has two more
 * entries than there are kernels, zeroed. */
static void group_loads(const sl_comparison *c, size_t *first, size_t *load)
{
    for (size_t i = 0; i < c->loads.count; i++)
        first[c->loads.items[i].kernel + 2]++;
    for (size_t k = 2; k < c->kernels.count + 2; k++)
        first[k] += first[k - 1];
    for (size_t i = 0; i < c->loads.count; i++)
        load[first[c->loads.items[i].kernel + 1]++] = i;
}

sl_status sl_comparison_json(FILE *file, const sl_comparison *c, sl_error *error)
{
    size_t *first = calloc(c->kernels.count + 2, sizeof *first), *load = calloc(c->loads.count + 1, sizeof *load);
    if (!first || !load) {
        free(first);
        free(load);
        return sl_fail_memory(error);
    }
    group_loads(c, first, load);
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_tool_json(&j, "compare");
    sl_json_string_member(&j, "a", c->label[0]);
    sl_json_string_member(&j, "b", c->label[1]);
    sl_json_string_member(&j, "sorted_by", sl_metric_infos[c->effect].name);
    sl_json_object_member(&j, "total", true);
    json_compared(&j, &c->total);
    sl_json_close(&j, '}');
    sl_json_array_member(&j, "kernels", true);
    for (size_t k = 0; k < c->kernels.count; k++) {
        sl_json_object(&j, true);
        sl_json_string_member(&j, "kernel", c->kernels.items[k].symbol);
        sl_json_string_member(&j, "name", c->kernels.items[k].name);
        json_compared(&j, &c->kernels.items[k].of);
        sl_json_array_member(&j, "loads", true);
        for (size_t i = first[k]; i < first[k + 1]; i++)
            json_load(&j, &c->loads.items[load[i]]);
        sl_json_close(&j, ']');
        sl_json_close(&j, '}');
    }
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    free(first);
    free(load);
    return sl_json_finish(&j, error);
}

/* ---- CSV ---- */

static void csv_rows(FILE *file, const sl_compared_sides *of, const char *const *field, int fields)
{
    for (int i = 0; i < SL_METRICS_OF_REUSE; i++) {
        double v[2];
        char text[SL_DOUBLE_BYTES];
        if (!of->there[0] || !of->there[1] || !sl_compared_metric(of, (sl_metric)i, v))
            continue;
        for (int f = 0; f < fields; f++) {
            sl_csv_field(file, field[f]);
            fputc(',', file);
        }
        fprintf(file, "%s,%s,", sl_metric_infos[i].name, sl_double_text(v[0], text));
        fprintf(file, "%s,", sl_double_text(v[1], text));
        fprintf(file, "%s\n", sl_double_text(v[1] - v[0], text));
    }
}

sl_status sl_comparison_csv(FILE *file, const sl_comparison *c, sl_error *error)
{
    fputs("kernel,name,counter,a,b,change\n", file);
    csv_rows(file, &c->total, (const char *const[]){"", ""}, 2);
    for (size_t k = 0; k < c->kernels.count; k++)
        csv_rows(file, &c->kernels.items[k].of,
                 (const char *const[]){c->kernels.items[k].symbol, c->kernels.items[k].name}, 2);
    return sl_text_finish(file, "the CSV report", error);
}

sl_status sl_comparison_loads(FILE *file, const sl_comparison *c, sl_error *error)
{
    fputs("kernel,name,source,opcode,array,counter,a,b,change\n", file);
    for (size_t i = 0; i < c->loads.count; i++) {
        const sl_compared_load *l = &c->loads.items[i];
        const sl_compared_kernel *kernel = &c->kernels.items[l->kernel];
        csv_rows(file, &l->of, (const char *const[]){kernel->symbol, kernel->name, l->source, l->opcode, l->array}, 5);
    }
    return sl_text_finish(file, "the CSV of memory instructions", error);
}
