/* SPDX-License-Identifier: MIT */
#include "report/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const sl_quantity_info sl_quantity_infos[SL_QUANTITIES] = {{"l1_hit_rate", SL_METRIC_l1_hit_rate},
                                                           {"l2_read_hit_rate", SL_METRIC_l2_read_hit_rate},
                                                           {"l2_reads", SL_METRIC_l2_read_sectors},
                                                           {"dram_reads", SL_METRIC_dram_read_sectors},
                                                           {"cycles", SL_METRIC_cycles}};

bool sl_quantity_is_share(sl_quantity quantity)
{
    return sl_metric_is_share(sl_quantity_infos[quantity].metric);
}

const char *sl_quantity_title(sl_quantity quantity)
{
    return sl_metric_infos[sl_quantity_infos[quantity].metric].long_heading;
}

bool sl_quantity_value(sl_quantity quantity, const sl_counts *counts, double *value)
{
    sl_fraction f = sl_metric_of(sl_quantity_infos[quantity].metric, &(sl_metric_row){.counts = counts});
    if (quantity == SL_QUANTITY_cycles && !f.known) /* the model estimates them */
        f = sl_metric_of(SL_METRIC_est_cycles, &(sl_metric_row){.counts = counts});
    if (f.known)
        *value = (double)f.part * (sl_quantity_is_share(quantity) ? 100 / (double)f.whole : 1);
    return f.known;
}

/* An error relative to 0 has no value, except where the model predicts 0 too. */
static bool relative(double measured, double model, double *difference)
{
    *difference = measured != 0 ? (model - measured) / measured * 100 : 0;
    return measured != 0 || model == 0;
}

bool sl_quantity_error(sl_quantity quantity, const sl_counts *measured, const sl_counts *model, double *difference)
{
    double truth, guess;
    if (!sl_quantity_value(quantity, measured, &truth) || !sl_quantity_value(quantity, model, &guess))
        return false;
    *difference = guess - truth;
    return sl_quantity_is_share(quantity) || relative(truth, guess, difference);
}

bool sl_counter_error(sl_counter counter, const sl_counts *measured, const sl_counts *model, double *difference)
{
    return sl_counts_has(measured, counter) && sl_counts_has(model, counter) &&
           relative((double)measured->value[counter], (double)model->value[counter], difference);
}

bool sl_validation_has(const sl_validation *v, sl_quantity quantity)
{
    double value;
    for (size_t i = 0; i < v->launches; i++)
        if (sl_quantity_value(quantity, &v->launch[i].model[0], &value))
            return true;
    return false;
}

bool sl_validation_counts(const sl_validation *v, const sl_validated *launch)
{
    const sl_counts *c = sl_counts_has(&launch->measured, SL_COUNTER_ld_sectors) ? &launch->measured : launch->model;
    return c->value[SL_COUNTER_ld_sectors] > v->min_sectors;
}

static void add(sl_mean_error *e, double *max, const sl_validated *launch, double difference)
{
    difference = fabs(difference);
    e->launches++;
    e->mean += difference; /* the sum, until all are added */
    if (!e->worst || difference > *max) {
        e->worst = launch;
        *max = difference;
    }
}

static sl_mean_error mean_of(sl_mean_error sum)
{
    sum.mean = sum.launches ? sum.mean / (double)sum.launches : 0;
    return sum;
}

sl_mean_error sl_validation_mean(const sl_validation *v, size_t variant, sl_quantity quantity)
{
    sl_mean_error sum = {0};
    double difference, max = 0;
    for (size_t i = 0; i < v->launches; i++)
        if (sl_validation_counts(v, &v->launch[i]) &&
            sl_quantity_error(quantity, &v->launch[i].measured, &v->launch[i].model[variant], &difference))
            add(&sum, &max, &v->launch[i], difference);
    return mean_of(sum);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

bool sl_validation_percentile(const sl_validation *v, size_t variant, sl_quantity quantity, unsigned percent,
                              double *value)
{
    size_t count = 0;
    double *error = calloc(v->launches + 1, sizeof *error);
    for (size_t i = 0; error && i < v->launches; i++)
        if (sl_validation_counts(v, &v->launch[i]) &&
            sl_quantity_error(quantity, &v->launch[i].measured, &v->launch[i].model[variant], &error[count])) {
            error[count] = fabs(error[count]);
            count++;
        }
    if (count) {
        qsort(error, count, sizeof *error, by_value);
        *value = error[(count - 1) * percent / 100];
    }
    free(error);
    return count;
}

sl_mean_error sl_validation_counter_mean(const sl_validation *v, sl_counter counter)
{
    sl_mean_error sum = {0};
    double difference, max = 0;
    for (size_t i = 0; i < v->launches; i++)
        if (sl_validation_counts(v, &v->launch[i]) &&
            sl_counter_error(counter, &v->launch[i].measured, v->launch[i].model, &difference))
            add(&sum, &max, &v->launch[i], difference);
    return mean_of(sum);
}

sl_status sl_validated_rows(const sl_hardware_comparison *compared, const sl_recording *recording, const char *workload,
                            sl_arena *arena, sl_validated **rows, sl_error *error)
{
    sl_validated *row = sl_arena_array(arena, sl_validated, compared->pairs.count + 1);
    bool whole = row;
    for (size_t i = 0; whole && i < compared->pairs.count; i++) {
        const sl_ncu_pair *pair = &compared->pairs.pair[i];
        const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, pair->launch);
        const sl_trace_kernel *kernel = sl_trace_kernel_at(recording->trace, launch->kernel);
        row[i] = (sl_validated){.workload = sl_arena_strdup(arena, workload ? workload : pair->measured->workload),
                                .symbol = sl_arena_strdup(arena, kernel->symbol),
                                .name = sl_arena_strdup(arena, kernel->name),
                                .index = launch->index,
                                .measured = pair->measured->counts,
                                .model = &compared->predicted[i * compared->points]};
        memcpy(row[i].grid, launch->grid, sizeof row[i].grid);
        memcpy(row[i].block, launch->block, sizeof row[i].block);
        whole = row[i].workload && row[i].symbol && row[i].name;
    }
    *rows = row;
    return whole ? SL_OK : sl_fail_memory(error);
}
