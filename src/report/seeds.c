/* SPDX-License-Identifier: MIT */
/* The model with many seeds: means and standard deviations. */
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "report/metrics.h"
#include "report/parts.h"
#include "report/sweep.h"

static const sl_metric_list measured =
    SL_METRIC_LIST(SL_METRIC_l1_hit_rate, SL_METRIC_compulsory, SL_METRIC_capacity, SL_METRIC_conflict, SL_METRIC_mshr,
                   SL_METRIC_pending_hits, SL_METRIC_l2_read_hit_rate);

typedef struct spread {
    size_t seeds;
    double mean, deviation; /* deviation: the sample's */
    double min, max;
} spread;

/* Of one launch over all seeds. */
static spread spread_of(const sl_sweep *s, const sl_swept_launch *l, sl_metric metric)
{
    spread r = {.min = INFINITY, .max = -INFINITY};
    double value, sum = 0, squares = 0;
    for (size_t i = 0; i < s->points; i++)
        if (!l->failed && sl_counts_metric(metric, &l->counts[i], &value)) {
            r.seeds++;
            sum += value;
            r.min = value < r.min ? value : r.min;
            r.max = value > r.max ? value : r.max;
        }
    r.mean = r.seeds ? sum / (double)r.seeds : 0;
    for (size_t i = 0; i < s->points; i++)
        if (!l->failed && sl_counts_metric(metric, &l->counts[i], &value))
            squares += (value - r.mean) * (value - r.mean);
    r.deviation = r.seeds > 1 ? sqrt(squares / (double)(r.seeds - 1)) : 0;
    return r;
}

sl_status sl_seeds_text(FILE *file, const sl_sweep *s, size_t width, sl_error *error)
{
    static const sl_column first[] = {SL_NUMBERS("#"), SL_NAMES("kernel")};
    sl_table *t = sl_metric_table(first, 2, &measured, NULL, 0);
    for (size_t i = 0; i < s->launches; i++) {
        sl_table_cellf(t, "%" PRIu64, s->launch[i].index);
        sl_table_cellf(t, "%s%s", s->launch[i].name, s->launch[i].failed ? " (failed)" : "");
        for (size_t m = 0; m < measured.count; m++) {
            char mean[SL_HUMAN_BYTES], deviation[SL_HUMAN_BYTES];
            spread r = spread_of(s, &s->launch[i], measured.metric[m]);
            if (r.seeds)
                sl_table_cellf(t, "%s%% ±%s", sl_human_ratio(r.mean, 2, mean),
                               sl_human_ratio(r.deviation, 2, deviation));
            else
                sl_table_cell(t, "");
        }
    }
    sl_status status = sl_table_finish(t, file, width, error);
    if (!status)
        fprintf(file, "\nmeans over %zu seeds, with standard deviations in percentage points\n", s->points);
    return status;
}

static void put_spread(sl_json *j, const char *name, const spread *r)
{
    sl_json_object_member(j, name, false);
    sl_json_double_member(j, "mean", r->mean);
    sl_json_double_member(j, "deviation", r->deviation);
    sl_json_double_member(j, "min", r->min);
    sl_json_double_member(j, "max", r->max);
    sl_json_close(j, '}');
}

static void put_launch(sl_json *j, const sl_sweep *s, const sl_swept_launch *l)
{
    sl_json_object(j, true);
    sl_json_launch(j, l->index, l->symbol, l->name, l->grid, l->block);
    sl_json_failed(j, l->failed, l->failure);
    for (size_t m = 0; m < measured.count; m++) {
        spread r = spread_of(s, l, measured.metric[m]);
        if (r.seeds)
            put_spread(j, sl_metric_infos[measured.metric[m]].name, &r);
    }
    sl_json_close(j, '}');
}

sl_status sl_seeds_json(FILE *file, const sl_sweep *s, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, &s->info);
    sl_json_array_member(&j, "launches", true);
    for (size_t i = 0; i < s->launches; i++)
        put_launch(&j, s, &s->launch[i]);
    sl_json_close(&j, ']');
    sl_json_close(&j, '}');
    return sl_json_finish(&j, error);
}

sl_status sl_seeds_csv(FILE *file, const sl_sweep *s, sl_error *error)
{
    fputs("index,kernel,name,seed,what,value\n", file);
    for (size_t i = 0; i < s->launches * s->points; i++)
        for (size_t m = 0; m < measured.count; m++) {
            const sl_swept_launch *l = &s->launch[i / s->points];
            char text[SL_DOUBLE_BYTES];
            double value;
            if (l->failed || !sl_counts_metric(measured.metric[m], &l->counts[i % s->points], &value))
                continue;
            sl_csv_launch(file, l->index, l->symbol, l->name);
            fprintf(file, "%" PRIu64 ",%s,%s\n", s->point[i % s->points].seed, sl_metric_infos[measured.metric[m]].name,
                    sl_double_text(value, text));
        }
    return sl_text_finish(file, "the CSV report", error);
}
