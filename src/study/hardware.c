/* SPDX-License-Identifier: MIT */
#include "study/hardware.h"

#include <stdlib.h>

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

static sl_status run_points(const sl_point_batch *batch, sl_hardware_comparison *to, const sl_counts *facts,
                            sl_error *error)
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

sl_status sl_hardware_comparison_run(const sl_recording *recording, const sl_ncu *ncu, const sl_ncu_wanted *wanted,
                                     const sl_point *point, size_t points, sl_pool *pool, const sl_progress *progress,
                                     sl_hardware_comparison *to, sl_error *error)
{
    *to = (sl_hardware_comparison){.points = points};
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
        sl_hardware_comparison_fini(to);
    return status;
}

void sl_hardware_comparison_fini(sl_hardware_comparison *to)
{
    sl_ncu_pairs_fini(&to->pairs);
    free(to->predicted);
    *to = (sl_hardware_comparison){0};
}
