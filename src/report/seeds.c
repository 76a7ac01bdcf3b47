/* SPDX-License-Identifier: MIT */
/* Many seeds of one model: means and how far they spread. */
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "report/head_json.h"
#include "report/sweep.h"
#include "report/table.h"

/* Shares, in percent, and what titles call them. */
static const struct {
    const char *name, *title;
    sl_counter part, whole;
} measures[] = {
    {"l1_hit_rate", "L1 hit", SL_COUNTER_ld_sector_hits, SL_COUNTER_ld_sectors},
    {"compulsory", "compuls", SL_COUNTER_compulsory_sectors, SL_COUNTER_ld_sectors},
    {"capacity", "capac", SL_COUNTER_capacity_sectors, SL_COUNTER_ld_sectors},
    {"conflict", "confl", SL_COUNTER_conflict_sectors, SL_COUNTER_ld_sectors},
    {"mshr", "mshr", SL_COUNTER_mshr_sectors, SL_COUNTER_ld_sectors},
    {"latency", "(late)", SL_COUNTER_latency_sectors, SL_COUNTER_ld_sectors},
    {"l2_read_hit_rate", "L2 hit", SL_COUNTER_l2_read_hits, SL_COUNTER_l2_read_sectors},
};
enum { MEASURES = sizeof measures / sizeof *measures };

typedef struct spread {
    size_t seeds;
    double mean, deviation; /* deviation: the sample's */
    double least, most;
} spread;

static bool value_of(const sl_counts *c, size_t measure, double *value)
{
    sl_counter part = measures[measure].part, whole = measures[measure].whole;
    if (!sl_counts_has(c, part) || !c->value[whole])
        return false;
    *value = 100 * (double)c->value[part] / (double)c->value[whole];
    return true;
}

/* Of one launch over all seeds. */
static spread spread_of(const sl_sweep *s, const sl_swept_launch *l, size_t measure)
{
    spread r = {.least = INFINITY, .most = -INFINITY};
    double value, sum = 0, squares = 0;
    for (size_t i = 0; i < s->points; i++)
        if (value_of(&l->counts[i], measure, &value)) {
            r.seeds++;
            sum += value;
            r.least = value < r.least ? value : r.least;
            r.most = value > r.most ? value : r.most;
        }
    r.mean = r.seeds ? sum / (double)r.seeds : 0;
    for (size_t i = 0; i < s->points; i++)
        if (value_of(&l->counts[i], measure, &value))
            squares += (value - r.mean) * (value - r.mean);
    r.deviation = r.seeds > 1 ? sqrt(squares / (double)(r.seeds - 1)) : 0;
    return r;
}

sl_status sl_seeds_text(FILE *file, const sl_sweep *s, size_t width, sl_error *error)
{
    sl_column columns[2 + MEASURES] = {{"#", true, false}, {"kernel", false, true}};
    for (size_t m = 0; m < MEASURES; m++)
        columns[2 + m] = (sl_column){measures[m].title, true, false};
    sl_table *t = sl_table_create(columns, 2 + MEASURES);
    if (!t)
        return sl_fail_memory(error);
    for (size_t i = 0; i < s->launches; i++) {
        sl_table_cellf(t, "%" PRIu64, s->launch[i].index);
        sl_table_cell(t, s->launch[i].name);
        for (size_t m = 0; m < MEASURES; m++) {
            char mean[SL_HUMAN_BYTES], deviation[SL_HUMAN_BYTES];
            spread r = spread_of(s, &s->launch[i], m);
            if (r.seeds)
                sl_table_cellf(t, "%s%% ±%s", sl_human_ratio(r.mean, 2, mean),
                               sl_human_ratio(r.deviation, 2, deviation));
            else
                sl_table_cell(t, "");
        }
    }
    sl_status status = sl_table_print(t, file, width, error);
    if (!status)
        fprintf(file, "\nmeans over %zu seeds, with their standard deviation in points\n", s->points);
    sl_table_destroy(t);
    return status;
}

static void put_spread(sl_json *j, const char *name, const spread *r)
{
    sl_json_key(j, name);
    sl_json_object(j, false);
    sl_json_key(j, "mean");
    sl_json_double(j, r->mean);
    sl_json_key(j, "deviation");
    sl_json_double(j, r->deviation);
    sl_json_key(j, "least");
    sl_json_double(j, r->least);
    sl_json_key(j, "most");
    sl_json_double(j, r->most);
    sl_json_close(j, '}');
}

static void put_launch(sl_json *j, const sl_sweep *s, const sl_swept_launch *l)
{
    sl_json_object(j, true);
    sl_json_launch(j, l->index, l->symbol, l->name, l->grid, l->block);
    for (size_t m = 0; m < MEASURES; m++) {
        spread r = spread_of(s, l, m);
        if (r.seeds)
            put_spread(j, measures[m].name, &r);
    }
    sl_json_close(j, '}');
}

sl_status sl_seeds_json(FILE *file, const sl_sweep *s, sl_error *error)
{
    sl_json j;
    sl_json_start(&j, file);
    sl_json_object(&j, true);
    sl_report_head_json(&j, &s->info);
    sl_json_key(&j, "launches");
    sl_json_array(&j, true);
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
        for (size_t m = 0; m < MEASURES; m++) {
            const sl_swept_launch *l = &s->launch[i / s->points];
            char text[SL_DOUBLE_BYTES];
            double value;
            if (!value_of(&l->counts[i % s->points], m, &value))
                continue;
            fprintf(file, "%" PRIu64 ",", l->index);
            sl_csv_field(file, l->symbol);
            fputc(',', file);
            sl_csv_field(file, l->name);
            fprintf(file, ",%" PRIu64 ",%s,%s\n", s->point[i % s->points].seed, measures[m].name,
                    sl_double_text(value, text));
        }
    if (fflush(file) || ferror(file))
        return sl_fail_io(error, "write", "the CSV report");
    return SL_OK;
}
