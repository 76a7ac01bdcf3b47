/* SPDX-License-Identifier: MIT */
#include "report/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

enum { MAX_KERNELS = 8 };

/* ---- for people ---- */

static const sl_metric_list swept = SL_METRIC_LIST(SL_METRIC_l1_hit_rate, SL_METRIC_compulsory, SL_METRIC_capacity,
                                                   SL_METRIC_conflict, SL_METRIC_mshr, SL_METRIC_pending_hits);

static void point_cells(sl_table *t, const sl_sweep_point *p, const sl_swept *of)
{
    const sl_level *first = &p->point.resolved->level[0];
    char min[SL_HUMAN_BYTES], max[SL_HUMAN_BYTES];
    if (p->varied)
        sl_table_cellf(t, "%s %s", p->varied, p->factor);
    else
        sl_table_none(t);
    if (of->min_l1_bytes < of->max_l1_bytes)
        sl_table_cellf(t, "%s to %s", sl_human_bytes(of->min_l1_bytes, min), sl_human_bytes(of->max_l1_bytes, max));
    else if (of->max_l1_bytes)
        sl_table_bytes(t, of->max_l1_bytes);
    else
        sl_table_none(t);
    sl_table_exact(t, first->ways);
    sl_table_exact(t, first->line_bytes);
    if (first->mshrs)
        sl_table_exact(t, first->mshrs);
    else
        sl_table_cell(t, "unlimited");
}

static void point_table(sl_document *d, const sl_sweep *s, const sl_swept *of)
{
    static const sl_column first[] = {SL_TEXTS("varied"), SL_NUMBERS("L1 size"), SL_NUMBERS("ways"), SL_NUMBERS("line"),
                                      SL_NUMBERS("MSHRs")};
    sl_table *t = sl_document_add(d, NULL, NULL, SL_FORM_TEXT,
                                  sl_metric_table(first, sizeof first / sizeof *first, &swept, NULL, 0));
    for (size_t i = 0; i < s->points.count; i++) {
        point_cells(t, &s->points.items[i], &of[i]);
        for (size_t m = 0; m < swept.count; m++) {
            double value;
            if (sl_counts_metric(swept.metric[m], &of[i].counts, &value))
                sl_table_number(t, value, 2, "%");
            else
                sl_table_cell(t, "-");
        }
    }
}

static void add_kernels(sl_document *d, const sl_sweep *s)
{
    for (size_t k = 0; k < s->kernels && k < MAX_KERNELS; k++) {
        const sl_swept_kernel *kernel = &s->kernel[k];
        char failed[32] = "";
        if (kernel->failed)
            snprintf(failed, sizeof failed, ", %" PRIu64 " failed", kernel->failed);
        sl_document_line(d, "%s%s, %" PRIu64 " launch%s%s\n", k ? "\n" : "", kernel->name, kernel->launches,
                         kernel->launches == 1 ? "" : "es", failed);
        point_table(d, s, kernel->swept);
    }
    if (s->kernels > MAX_KERNELS)
        sl_document_line(d, "\n(%zu more kernels; --json and --csv show all)\n", s->kernels - MAX_KERNELS);
    if (!s->recording->launches)
        sl_document_line(d, "no launch to model\n");
    if (s->kernels > 1) {
        sl_document_line(d, "\nall %zu kernels, %u launches\n", s->kernels, s->recording->launches);
        point_table(d, s, s->all);
    }
    if (*s->note)
        sl_document_line(d, "\n%s\n", s->note);
}

/* ---- for programs ---- */

/* A launch of the recording. */
typedef struct launch {
    const sl_trace_launch *launch;
    const sl_trace_kernel *kernel;
} launch;

static launch launch_at(const sl_sweep *s, uint32_t n)
{
    const sl_trace_launch *l = sl_trace_launch_at(s->recording->trace, s->recording->launch[n]);
    return (launch){l, sl_trace_kernel_at(s->recording->trace, l->kernel)};
}

static void launch_cells(sl_table *t, launch l)
{
    sl_launch_id_cells(t, l.launch->index, l.kernel->symbol, l.kernel->name);
    sl_table_dims(t, l.launch->grid);
    sl_table_dims(t, l.launch->block);
    if (l.launch->failed)
        sl_table_bool(t, true);
    else
        sl_table_none(t);
    sl_table_known(t, l.launch->failed ? l.launch->failure : NULL);
}

void sl_swept_cells(sl_table *t, const sl_sweep_point *p, uint64_t l1_bytes, const sl_counts *counts)
{
    const sl_level *first = &p->point.resolved->level[0];
    sl_table_cell(t, p->varied);
    sl_table_cell(t, p->factor);
    sl_table_exact(t, l1_bytes);
    sl_table_exact(t, first->ways);
    sl_table_exact(t, first->line_bytes);
    sl_table_exact(t, first->mshrs);
    sl_table_cell(t, p->policy);
    sl_table_all_counts(t, counts);
}

void sl_document_sweep(sl_document *d, const sl_sweep *s)
{
    static const sl_column launches[] = {SL_LAUNCH_SHAPE, SL_DATA("failed"), SL_DATA("failure")},
                           points[] = {SL_SWEPT_COLUMNS}, rows[] = {SL_LAUNCH_ID, SL_SWEPT_COLUMNS};
    sl_document_count(d, "passes", s->passes);
    sl_table *json = sl_document_table(d, "launches", NULL, SL_FORM_JSON, launches, sizeof launches / sizeof *launches);
    sl_table *of = sl_table_child(json, "points", SL_FORM_JSON | SL_FORM_EMPTY, points, SL_SWEPT_COLUMN_COUNT);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, rows, sizeof rows / sizeof *rows);
    for (uint32_t n = 0; n < s->recording->launches; n++) {
        launch l = launch_at(s, n);
        launch_cells(json, l);
        for (size_t i = 0; i < s->points.count && !l.launch->failed; i++) {
            const sl_result_launch *r = &s->result[i].result.launch[n];
            sl_swept_cells(of, &s->points.items[i], r->l1_bytes, &r->counts);
            sl_launch_id_cells(csv, l.launch->index, l.kernel->symbol, l.kernel->name);
            sl_swept_cells(csv, &s->points.items[i], r->l1_bytes, &r->counts);
        }
    }
    add_kernels(d, s);
}

/* ---- seeds ---- */

static const sl_metric_list measured =
    SL_METRIC_LIST(SL_METRIC_l1_hit_rate, SL_METRIC_compulsory, SL_METRIC_capacity, SL_METRIC_conflict, SL_METRIC_mshr,
                   SL_METRIC_pending_hits, SL_METRIC_l2_read_hit_rate);

static void seed_row(sl_table *t, const sl_sweep *s, uint32_t n)
{
    launch l = launch_at(s, n);
    sl_table_exact(t, l.launch->index);
    sl_table_cellf(t, "%s%s", l.kernel->name, l.launch->failed ? " (failed)" : "");
    for (size_t m = 0; m < measured.count; m++) {
        char mean[SL_HUMAN_BYTES], deviation[SL_HUMAN_BYTES];
        sl_spread r = sl_sweep_spread(s, n, measured.metric[m]);
        if (r.points)
            sl_table_cellf(t, "%s%% ±%s", sl_human_ratio(r.mean, 2, mean), sl_human_ratio(r.deviation, 2, deviation));
        else
            sl_table_none(t);
    }
}

enum { SPREAD = 4, SEED_FIRST = 7, KEY = 48, SEED_COLUMNS = SEED_FIRST + SPREAD * 7 };

/* "l1_hit_rate.mean": mean, deviation, min and max of each metric. */
static sl_table *spread_table(sl_document *d)
{
    static const char *const parts[SPREAD] = {"mean", "deviation", "min", "max"};
    sl_column columns[SEED_COLUMNS] = {SL_LAUNCH_SHAPE, SL_DATA("failed"), SL_DATA("failure")};
    char(*key)[KEY] = sl_document_alloc(d, measured.count * SPREAD * sizeof *key);
    for (size_t i = 0; key && i < measured.count * SPREAD; i++) {
        snprintf(key[i], KEY, "%s.%s", sl_metric_infos[measured.metric[i / SPREAD]].name, parts[i % SPREAD]);
        columns[SEED_FIRST + i] = (sl_column)SL_DATA(key[i]);
    }
    return key ? sl_document_table(d, "launches", NULL, SL_FORM_JSON, columns, SEED_COLUMNS) : NULL;
}

static void spread_row(sl_table *t, const sl_sweep *s, uint32_t n)
{
    launch_cells(t, launch_at(s, n));
    for (size_t m = 0; m < measured.count; m++) {
        sl_spread r = sl_sweep_spread(s, n, measured.metric[m]);
        const double parts[SPREAD] = {r.mean, r.deviation, r.min, r.max};
        for (int i = 0; i < SPREAD; i++)
            sl_table_number(t, r.points ? parts[i] : NAN, 2, "");
    }
}

/* A row per launch, seed and metric. */
static void value_rows(sl_table *t, const sl_sweep *s, uint32_t n)
{
    launch l = launch_at(s, n);
    for (size_t i = 0; i < s->points.count && t && !l.launch->failed; i++)
        for (size_t m = 0; m < measured.count; m++) {
            double value;
            if (!sl_counts_metric(measured.metric[m], &s->result[i].result.launch[n].counts, &value))
                continue;
            sl_launch_id_cells(t, l.launch->index, l.kernel->symbol, l.kernel->name);
            sl_table_exact(t, s->points.items[i].point.seed);
            sl_table_cell(t, sl_metric_infos[measured.metric[m]].name);
            sl_table_number(t, value, 2, "");
        }
}

void sl_document_seeds(sl_document *d, const sl_sweep *s)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel")};
    static const sl_column values[] = {SL_LAUNCH_ID, SL_DATA("seed"), SL_DATA("what"), SL_DATA("value")};
    sl_table *text = sl_document_add(d, NULL, NULL, SL_FORM_TEXT, sl_metric_table(first, 2, &measured, NULL, 0));
    sl_table *json = spread_table(d);
    sl_table *csv = sl_document_table(d, NULL, NULL, SL_FORM_CSV, values, sizeof values / sizeof *values);
    for (uint32_t n = 0; n < s->recording->launches; n++) {
        seed_row(text, s, n);
        spread_row(json, s, n);
        value_rows(csv, s, n);
    }
    sl_document_line(d, "\nmeans over %zu seeds, with standard deviations in percentage points\n", s->points.count);
}
