/* SPDX-License-Identifier: MIT */
#include "study/validation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts of the launches that follow from the trace, without any model. */
typedef struct counting {
    const sl_recording *recording;
    sl_counts *facts; /* [launches] */
} counting;

static sl_status count_launch(const counting *c, size_t at, sl_pool *pool, sl_error *error)
{
    return sl_recording_count(c->recording, c->recording->launch[at], pool, &c->facts[at], error);
}

static sl_status count_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    return count_launch(context, index, NULL, error);
}

static sl_status count_launches(counting *c, sl_pool *pool, sl_error *error)
{
    uint32_t launches = c->recording->launches;
    sl_status status = SL_OK;
    if (pool && launches >= 2 * sl_pool_threads(pool))
        return sl_pool_run(pool, launches, count_job, c, error);
    for (uint32_t i = 0; i < launches && !status; i++)
        status = count_launch(c, i, pool, error);
    return status;
}

/* Facts fill in counters that a point does not have. */
static void add_facts(sl_counts *to, const sl_counts *facts)
{
    for (int i = 0; i < SL_COUNTERS; i++)
        if (sl_counts_has(facts, (sl_counter)i) && !sl_counts_has(to, (sl_counter)i))
            sl_counts_add(to, (sl_counter)i, facts->value[i]);
}

/* The launches that have counters, as a recording. */
static sl_status choose_launches(const sl_recording *recording, const sl_ncu_wanted *wanted, const sl_ncu_pairs *pairs,
                                 sl_recording *chosen, sl_error *error)
{
    *chosen = *recording;
    chosen->launches = (uint32_t)pairs->count;
    chosen->launch = calloc(pairs->count + 1, sizeof *chosen->launch);
    if (!chosen->launch)
        return sl_fail_memory(error);
    for (size_t i = 0; i < pairs->count; i++) {
        const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, pairs->pair[i].launch);
        if (launch->failed)
            return sl_fail(error, SL_INVALID, "%s, launch %llu failed: %s", wanted->owner,
                           (unsigned long long)launch->index,
                           launch->failure ? launch->failure : "it was not recorded why");
        if (launch->blocks_recorded != sl_launch_blocks(launch))
            return sl_fail(error, SL_INVALID, "%s, launch %llu: only some of its blocks were recorded", wanted->owner,
                           (unsigned long long)launch->index);
        chosen->launch[i] = pairs->pair[i].launch;
    }
    return SL_OK;
}

static sl_status run_points(const sl_point_batch *batch, sl_predictions *to, const sl_counts *facts, sl_error *error)
{
    sl_point_result *result = calloc(batch->count + 1, sizeof *result);
    sl_status status = result ? sl_points_run(batch, result, error) : sl_fail_memory(error);
    const sl_result_sample *sample = &result[0].result.sample;
    to->analyzed = !status && sample->stand_in ? sample->analyzed : to->pairs.count;
    for (size_t at = 0; at < to->pairs.count && !status; at++)
        for (size_t i = 0; i < to->points; i++) {
            sl_counts *counts = &to->predicted[at * to->points + i];
            *counts = result[i].result.launch[at].counts;
            add_facts(counts, &facts[at]);
        }
    sl_point_results_free(result, batch->count);
    free(result);
    return status;
}

sl_status sl_predictions_run(const sl_recording *recording, const sl_ncu *ncu, const sl_ncu_wanted *wanted,
                             const sl_point *point, size_t points, sl_pool *pool, const sl_progress *progress,
                             sl_predictions *to, sl_error *error)
{
    *to = (sl_predictions){.points = points};
    sl_recording chosen = {0};
    sl_status status =
        sl_ncu_match(ncu, wanted, recording->trace, recording->launch, recording->launches, &to->pairs, error);
    if (status)
        return status;
    const sl_point **each = calloc(points + 1, sizeof *each);
    const sl_machine **machine = calloc(points + 1, sizeof *machine);
    counting c = {&chosen, calloc(to->pairs.count + 1, sizeof *c.facts)};
    to->predicted = calloc(to->pairs.count * points + 1, sizeof *to->predicted);
    status = each && machine && c.facts && to->predicted ? SL_OK : sl_fail_memory(error);
    for (size_t i = 0; i < points && !status; i++) {
        each[i] = &point[i];
        machine[i] = point[i].resolved;
    }
    if (!status)
        status = choose_launches(recording, wanted, &to->pairs, &chosen, error);
    if (!status)
        status = count_launches(&c, pool, error);
    const sl_point_batch batch = {&chosen, points, each, machine, pool, progress};
    if (!status)
        status = run_points(&batch, to, c.facts, error);
    free(each);
    free(machine);
    free(c.facts);
    free(chosen.launch);
    if (status)
        sl_predictions_fini(to);
    return status;
}

void sl_predictions_fini(sl_predictions *to)
{
    sl_ncu_pairs_fini(&to->pairs);
    free(to->predicted);
    *to = (sl_predictions){0};
}

/* ---- errors ---- */

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

size_t sl_validation_counted(const sl_validation *v)
{
    size_t count = 0;
    for (size_t i = 0; i < v->launches; i++)
        count += sl_validation_counts(v, &v->launch[i]);
    return count;
}

static bool same_kernel(const sl_validated *a, const sl_validated *b)
{
    return !strcmp(a->workload, b->workload) && !strcmp(a->symbol, b->symbol);
}

static void add_launch(sl_validated_group *g, const sl_validated *l)
{
    if (!g->launches++)
        g->first = l;
    sl_counts_merge(&g->measured, &l->measured);
    sl_counts_merge(&g->model, &l->model[0]);
    for (sl_quantity q = 0; q < SL_QUANTITIES; q++) {
        double difference;
        if (!sl_quantity_error(q, &l->measured, &l->model[0], &difference))
            continue;
        g->compared[q]++;
        g->error[q] += fabs(difference);
        if (!g->at[q] || fabs(difference) > g->max[q]) {
            g->max[q] = fabs(difference);
            g->at[q] = l;
        }
    }
}

sl_validated_group *sl_validation_groups(const sl_validation *v, bool all, bool by_kernel, size_t *count)
{
    sl_validated_group *groups = calloc(v->launches ? v->launches : 1, sizeof *groups);
    *count = 0;
    for (size_t i = 0; groups && i < v->launches; i++) {
        const sl_validated *l = &v->launch[i];
        if (!all && !sl_validation_counts(v, l))
            continue;
        size_t g = by_kernel ? *count : 0; /* launches of a workload are adjacent: search from the last */
        while (g && !same_kernel(groups[g - 1].first, l))
            g--;
        add_launch(&groups[g ? g - 1 : (*count)++], l);
    }
    return groups;
}

const sl_validated_group *sl_validation_next_worst(const sl_validated_group *groups, size_t count, sl_quantity q,
                                                   const sl_validated_group *after)
{
    const sl_validated_group *next = NULL;
    for (const sl_validated_group *g = groups; g < groups + count; g++) {
        bool behind = !after || g->max[q] < after->max[q] || (g->max[q] == after->max[q] && g > after);
        if (g->at[q] && g->max[q] > 0 && behind && (!next || g->max[q] > next->max[q]))
            next = g;
    }
    return next;
}

sl_status sl_validated_rows(const sl_predictions *compared, const sl_recording *recording, const char *workload,
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
