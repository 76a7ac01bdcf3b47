/* SPDX-License-Identifier: MIT */
#include "report/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/head_json.h"
#include "report/parts_json.h"
#include "report/table.h"

enum { MOST_KERNELS = 8 };

/* ---- text ---- */

static void cell_share(sl_table *t, const sl_counts *c, sl_counter part)
{
    char text[SL_HUMAN_BYTES];
    uint64_t whole = c->value[SL_COUNTER_ld_sectors];
    if (whole)
        sl_table_cellf(t, "%s%%", sl_human_ratio(100.0 * (double)c->value[part] / (double)whole, 2, text));
    else
        sl_table_cell(t, "-");
}

static bool is_of(const sl_sweep *s, size_t launch, const char *symbol)
{
    return !symbol || !strcmp(symbol, s->launch[launch].symbol);
}

/* Launches that take different amounts of shared memory leave different sizes. */
static void cell_size(sl_table *t, const sl_sweep *s, size_t point, const char *symbol)
{
    char text[SL_HUMAN_BYTES], upper[SL_HUMAN_BYTES];
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t k = 0; k < s->launches; k++)
        if (is_of(s, k, symbol)) {
            uint64_t size = s->launch[k].l1_bytes[point];
            least = size < least ? size : least;
            most = size > most ? size : most;
        }
    if (least == most)
        sl_table_cell(t, sl_human_bytes(most, text));
    else
        sl_table_cellf(t, "%s to %s", sl_human_bytes(least, text), sl_human_bytes(most, upper));
}

static void cell_point(sl_table *t, const sl_sweep *s, size_t point, const char *symbol)
{
    const sl_sweep_point *p = &s->point[point];
    if (p->varied)
        sl_table_cellf(t, "%s %s", p->varied, p->factor);
    else
        sl_table_cell(t, "");
    cell_size(t, s, point, symbol);
    sl_table_cellf(t, "%u", p->ways);
    sl_table_cellf(t, "%u", p->line_bytes);
    if (p->mshrs)
        sl_table_cellf(t, "%u", p->mshrs);
    else
        sl_table_cell(t, "any");
}

/* Rows of one kernel; NULL: of all together. */
static sl_status print_kernel(FILE *file, const sl_sweep *s, const char *symbol, size_t width, sl_error *error)
{
    static const sl_column columns[] = {{"varied", false, false}, {"L1 size", true, false}, {"ways", true, false},
                                        {"line", true, false},    {"MSHRs", true, false},   {"L1 hit", true, false},
                                        {"compuls", true, false}, {"capac", true, false},   {"confl", true, false},
                                        {"mshr", true, false},    {"(late)", true, false}};
    sl_table *t = sl_table_create(columns, sizeof columns / sizeof *columns);
    if (!t)
        return sl_fail_memory(error);
    for (size_t i = 0; i < s->points; i++) {
        sl_counts sum = {0};
        for (size_t k = 0; k < s->launches; k++)
            if (is_of(s, k, symbol))
                sl_counts_merge(&sum, &s->launch[k].counts[i]);
        cell_point(t, s, i, symbol);
        cell_share(t, &sum, SL_COUNTER_ld_sector_hits);
        cell_share(t, &sum, SL_COUNTER_compulsory_sectors);
        cell_share(t, &sum, SL_COUNTER_capacity_sectors);
        cell_share(t, &sum, SL_COUNTER_conflict_sectors);
        cell_share(t, &sum, SL_COUNTER_mshr_sectors);
        cell_share(t, &sum, SL_COUNTER_latency_sectors);
    }
    sl_status status = sl_table_print(t, file, width, error);
    sl_table_destroy(t);
    return status;
}

static bool is_first(const sl_sweep *s, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(s->launch[i].symbol, s->launch[at].symbol))
            return false;
    return true;
}

static size_t launches_of(const sl_sweep *s, const char *symbol)
{
    size_t count = 0;
    for (size_t i = 0; i < s->launches; i++)
        count += !strcmp(s->launch[i].symbol, symbol);
    return count;
}

sl_status sl_sweep_text(FILE *file, const sl_sweep *s, size_t width, sl_error *error)
{
    size_t kernels = 0, shown = 0;
    sl_status status = SL_OK;
    for (size_t i = 0; i < s->launches && !status; i++) {
        if (!is_first(s, i) || kernels++ >= MOST_KERNELS)
            continue;
        size_t launches = launches_of(s, s->launch[i].symbol);
        fprintf(file, "%s%s, %zu launch%s\n", shown++ ? "\n" : "", s->launch[i].name, launches,
                launches == 1 ? "" : "es");
        status = print_kernel(file, s, s->launch[i].symbol, width, error);
    }
    if (!s->launches)
        fputs("there is no launch to model\n", file);
    if (!status && kernels > 1) {
        fprintf(file, "\nall %zu kernels, %zu launches\n", kernels, s->launches);
        status = print_kernel(file, s, NULL, width, error);
    }
    if (s->note)
        fprintf(file, "\n%s\n", s->note);
    return status;
}

/* ---- JSON ---- */

static void put_number(sl_json *j, const char *key, uint64_t value)
{
    sl_json_key(j, key);
    sl_json_u64(j, value);
}

void sl_sweep_point_json(sl_json *j, const sl_sweep_point *p, uint64_t l1_bytes, const sl_counts *counts)
{
    sl_json_object(j, false);
    if (p->varied) {
        sl_json_key(j, "varied");
        sl_json_string(j, p->varied);
        sl_json_key(j, "factor");
        sl_json_string(j, p->factor);
    }
    put_number(j, "size", l1_bytes);
    put_number(j, "ways", p->ways);
    put_number(j, "line", p->line_bytes);
    put_number(j, "mshrs", p->mshrs);
    if (p->replacement) {
        sl_json_key(j, "replacement");
        sl_json_string(j, p->replacement);
    }
    sl_json_counts(j, "counters", counts);
    sl_json_close(j, '}');
}

static void put_launch(sl_json *j, const sl_sweep *s, const sl_swept_launch *l)
{
    sl_json_object(j, true);
    sl_json_launch(j, l->index, l->symbol, l->name, l->grid, l->block);
    sl_json_key(j, "points");
    sl_json_array(j, true);
    for (size_t i = 0; i < s->points; i++)
        sl_sweep_point_json(j, &s->point[i], l->l1_bytes[i], &l->counts[i]);
    sl_json_close(j, ']');
    sl_json_close(j, '}');
}

sl_status sl_sweep_json(FILE *file, const sl_sweep *s, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, &s->info);
    put_number(&j, "passes", s->passes);
    sl_json_key(&j, "launches");
    sl_json_array(&j, true);
    for (size_t i = 0; i < s->launches; i++)
        put_launch(&j, s, &s->launch[i]);
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

/* ---- CSV ---- */

sl_status sl_sweep_csv(FILE *file, const sl_sweep *s, sl_error *error)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < s->launches; i++)
        for (size_t k = 0; k < s->points; k++)
            shown |= s->launch[i].counts[k].known;
    fputs("index,kernel,name,varied,factor,size,ways,line,mshrs", file);
    for (int c = 0; c < SL_COUNTERS; c++)
        if (shown >> c & 1)
            fprintf(file, ",%s", sl_counter_infos[c].name);
    fputc('\n', file);
    for (size_t i = 0; i < s->launches * s->points; i++) {
        const sl_swept_launch *l = &s->launch[i / s->points];
        const sl_sweep_point *p = &s->point[i % s->points];
        fprintf(file, "%" PRIu64 ",", l->index);
        sl_csv_field(file, l->symbol);
        fputc(',', file);
        sl_csv_field(file, l->name);
        fprintf(file, ",%s,%s,%" PRIu64 ",%u,%u,%u", p->varied ? p->varied : "", p->factor ? p->factor : "",
                l->l1_bytes[i % s->points], p->ways, p->line_bytes, p->mshrs);
        for (int c = 0; c < SL_COUNTERS; c++)
            if (shown >> c & 1)
                fprintf(file, ",%" PRIu64, l->counts[i % s->points].value[c]);
        fputc('\n', file);
    }
    if (fflush(file) || ferror(file))
        return sl_fail_io(error, "write", "the CSV report");
    return SL_OK;
}
