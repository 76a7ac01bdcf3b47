/* SPDX-License-Identifier: MIT */
#include "report/validate.h"

#include <math.h>

const sl_quantity_info sl_quantity_infos[SL_QUANTITIES] = {
#define SL_QUANTITY_SHARE(name, title, part, whole) {#name, title, true, SL_COUNTER_##part, SL_COUNTER_##whole},
#define SL_QUANTITY_COUNT(name, title, counter)     {#name, title, false, SL_COUNTER_##counter, SL_COUNTER_##counter},
#include "report/quantities.def"
#undef SL_QUANTITY_SHARE
#undef SL_QUANTITY_COUNT
};

bool sl_quantity_value(sl_quantity quantity, const sl_counts *counts, double *value)
{
    const sl_quantity_info *q = &sl_quantity_infos[quantity];
    if (!sl_counts_has(counts, q->part) || !sl_counts_has(counts, q->whole))
        return false;
    if (q->share && !counts->value[q->whole])
        return false;
    *value = (double)counts->value[q->part];
    if (q->share)
        *value *= 100 / (double)counts->value[q->whole];
    return true;
}

/* Percents of nothing are none, but nothing predicted for nothing is right. */
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
    return sl_quantity_infos[quantity].share || relative(truth, guess, difference);
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
    return c->value[SL_COUNTER_ld_sectors] > v->least_sectors;
}

typedef struct sum {
    size_t launches;
    double total, most;
    const sl_validated *worst;
} sum;

static void add(sum *s, const sl_validated *launch, double difference)
{
    difference = fabs(difference);
    s->launches++;
    s->total += difference;
    if (!s->worst || difference > s->most) {
        s->worst = launch;
        s->most = difference;
    }
}

static sl_mean_error mean_of(const sum *s)
{
    return (sl_mean_error){s->launches, s->launches ? s->total / (double)s->launches : 0, s->worst};
}

sl_mean_error sl_validation_mean(const sl_validation *v, size_t variant, sl_quantity quantity)
{
    sum s = {0};
    double difference;
    for (size_t i = 0; i < v->launches; i++)
        if (sl_validation_counts(v, &v->launch[i]) &&
            sl_quantity_error(quantity, &v->launch[i].measured, &v->launch[i].model[variant], &difference))
            add(&s, &v->launch[i], difference);
    return mean_of(&s);
}

sl_mean_error sl_validation_counter_mean(const sl_validation *v, sl_counter counter)
{
    sum s = {0};
    double difference;
    for (size_t i = 0; i < v->launches; i++)
        if (sl_validation_counts(v, &v->launch[i]) &&
            sl_counter_error(counter, &v->launch[i].measured, v->launch[i].model, &difference))
            add(&s, &v->launch[i], difference);
    return mean_of(&s);
}
