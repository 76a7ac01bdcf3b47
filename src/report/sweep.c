/* SPDX-License-Identifier: MIT */
#include "report/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/metrics.h"
#include "report/parts.h"

enum { MAX_KERNELS = 8 };

static const sl_metric_list swept = SL_METRIC_LIST(SL_METRIC_l1_hit_rate, SL_METRIC_compulsory, SL_METRIC_capacity,
                                                   SL_METRIC_conflict, SL_METRIC_mshr, SL_METRIC_pending_hits);

/* ---- text ---- */

/* Of the kernel (NULL: of any), and ended well. */
static bool is_of(const sl_swept_launch *l, const char *symbol)
{
    return !l->failed && (!symbol || !strcmp(symbol, l->symbol));
}

/* The size of a unified L1 depends on the shared memory of the launch. */
static void cell_size(sl_table *t, const sl_sweep *s, size_t point, const char *symbol)
{
    char text[SL_HUMAN_BYTES], upper[SL_HUMAN_BYTES];
    uint64_t min = UINT64_MAX, max = 0;
    for (size_t k = 0; k < s->launches; k++)
        if (is_of(&s->launch[k], symbol)) {
            uint64_t size = s->launch[k].l1_bytes[point];
            min = size < min ? size : min;
            max = size > max ? size : max;
        }
    if (min >= max)
        sl_table_cell(t, max ? sl_human_bytes(max, text) : "");
    else
        sl_table_cellf(t, "%s to %s", sl_human_bytes(min, text), sl_human_bytes(max, upper));
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
        sl_table_cell(t, "unlimited");
}

/* Rows of one kernel; NULL: of all together. */
static sl_status print_kernel(FILE *file, const sl_sweep *s, const char *symbol, size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_TEXTS("varied"), SL_NUMBERS("L1 size"), SL_NUMBERS("ways"), SL_NUMBERS("line"),
                                      SL_NUMBERS("MSHRs")};
    sl_table *t = sl_metric_table(first, sizeof first / sizeof *first, &swept, NULL, 0);
    for (size_t i = 0; i < s->points; i++) {
        sl_counts sum = {0};
        for (size_t k = 0; k < s->launches; k++)
            if (is_of(&s->launch[k], symbol))
                sl_counts_merge(&sum, &s->launch[k].counts[i]);
        cell_point(t, s, i, symbol);
        for (size_t m = 0; m < swept.count; m++) {
            char text[SL_METRIC_BYTES];
            sl_metric_text(swept.metric[m], &(sl_metric_row){.counts = &sum}, 2, text);
            sl_table_cell(t, *text ? text : "-");
        }
    }
    return sl_table_finish(t, file, width, error);
}

static bool is_first(const sl_sweep *s, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!strcmp(s->launch[i].symbol, s->launch[at].symbol))
            return false;
    return true;
}

static void print_kernel_head(FILE *file, const sl_sweep *s, size_t at, bool first)
{
    size_t launches = 0, failed = 0;
    for (size_t i = 0; i < s->launches; i++)
        if (!strcmp(s->launch[i].symbol, s->launch[at].symbol)) {
            launches++;
            failed += s->launch[i].failed;
        }
    fprintf(file, "%s%s, %zu launch%s", first ? "" : "\n", s->launch[at].name, launches, launches == 1 ? "" : "es");
    if (failed)
        fprintf(file, ", %zu failed", failed);
    fputc('\n', file);
}

sl_status sl_sweep_text(FILE *file, const sl_sweep *s, size_t width, sl_error *error)
{
    size_t kernels = 0;
    sl_status status = SL_OK;
    for (size_t i = 0; i < s->launches && !status; i++) {
        if (!is_first(s, i) || kernels++ >= MAX_KERNELS)
            continue;
        print_kernel_head(file, s, i, kernels == 1);
        status = print_kernel(file, s, s->launch[i].symbol, width, error);
    }
    if (!s->launches)
        fputs("no launch to model\n", file);
    if (!status && kernels > 1) {
        fprintf(file, "\nall %zu kernels, %zu launches\n", kernels, s->launches);
        status = print_kernel(file, s, NULL, width, error);
    }
    if (s->note)
        fprintf(file, "\n%s\n", s->note);
    return status;
}

/* ---- JSON ---- */

void sl_sweep_point_json(sl_json *j, const sl_sweep_point *p, uint64_t l1_bytes, const sl_counts *counts)
{
    sl_json_object(j, false);
    if (p->varied) {
        sl_json_string_member(j, "varied", p->varied);
        sl_json_string_member(j, "factor", p->factor);
    }
    sl_json_u64_member(j, "size", l1_bytes);
    sl_json_u64_member(j, "ways", p->ways);
    sl_json_u64_member(j, "line", p->line_bytes);
    sl_json_u64_member(j, "mshrs", p->mshrs);
    if (p->replacement)
        sl_json_string_member(j, "replacement", p->replacement);
    sl_json_counts(j, "counters", counts);
    sl_json_close(j, '}');
}

static void put_launch(sl_json *j, const sl_sweep *s, const sl_swept_launch *l)
{
    sl_json_object(j, true);
    sl_json_launch(j, l->index, l->symbol, l->name, l->grid, l->block);
    sl_json_failed(j, l->failed, l->failure);
    sl_json_array_member(j, "points", true);
    for (size_t i = 0; i < s->points && !l->failed; i++)
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
    sl_json_u64_member(&j, "passes", s->passes);
    sl_json_array_member(&j, "launches", true);
    for (size_t i = 0; i < s->launches; i++)
        put_launch(&j, s, &s->launch[i]);
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

/* ---- CSV ---- */

sl_status sl_sweep_csv(FILE *file, const sl_sweep *s, sl_error *error)
{
    sl_counter_set shown = {0};
    for (size_t i = 0; i < s->launches * s->points; i++)
        sl_counter_set_join(&shown, &s->launch[i / s->points].counts[i % s->points].known);
    fputs("index,kernel,name,varied,factor,size,ways,line,mshrs", file);
    sl_csv_counters(file, &shown);
    fputc('\n', file);
    for (size_t i = 0; i < s->launches * s->points; i++) {
        const sl_swept_launch *l = &s->launch[i / s->points];
        const sl_sweep_point *p = &s->point[i % s->points];
        sl_csv_launch(file, l->index, l->symbol, l->name);
        fprintf(file, "%s,%s,%" PRIu64 ",%u,%u,%u", p->varied ? p->varied : "", p->factor ? p->factor : "",
                l->l1_bytes[i % s->points], p->ways, p->line_bytes, p->mshrs);
        sl_csv_counts(file, &shown, l->failed ? &(sl_counts){0} : &l->counts[i % s->points]);
        fputc('\n', file);
    }
    return sl_text_finish(file, "the CSV report", error);
}
