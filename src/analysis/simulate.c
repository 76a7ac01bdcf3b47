/* SPDX-License-Identifier: MIT */
#include "analysis/simulate.h"

#include <stdlib.h>
#include <string.h>

sl_status sl_result_log_launch(sl_result *result, const sl_recording *recording, uint32_t n,
                               const sl_launch_counts *counts, sl_error *error)
{
    uint32_t at = recording->launch[n];
    const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, at);
    const sl_launch_result logged = {
        .index = launch->index,
        .kernel = sl_trace_kernel_at(recording->trace, launch->kernel),
        .launch = launch,
        .counts = counts,
        .trace_bytes = result->kind == SL_ANALYSIS_COUNT ? sl_trace_launch_bytes(recording->trace, at) : 0};
    return sl_launch_log_add(result->log, &logged, error);
}

enum { MAX_STATISTICS = 64 };

/* What the policies of a machine say of themselves. */
typedef struct statistics {
    sl_policy_statistic now; /* level and policy of those that come */
    size_t count, first;     /* first: where the numbers of this policy begin */
    sl_policy_statistic item[MAX_STATISTICS];
} statistics;

static void add_statistic(void *to, const char *name, uint64_t value)
{
    statistics *s = to;
    for (size_t i = s->first; i < s->count; i++)
        if (!strcmp(s->item[i].name, name)) {
            s->item[i].value += value;
            return;
        }
    if (s->count == MAX_STATISTICS)
        return;
    s->item[s->count] = s->now;
    s->item[s->count].name = name;
    s->item[s->count++].value = value;
}

static sl_status collect_statistics(const sl_machine *machine, const sl_sim *sim, sl_arena *arena, sl_result_launch *to,
                                    sl_error *error)
{
    statistics s = {0};
    for (uint32_t level = 0; level < machine->levels; level++)
        for (int bypass = 0; bypass < 2; bypass++) {
            const sl_level *l = &machine->level[level];
            const char *text = bypass ? l->bypass : l->replacement;
            sl_policy_choice choice;
            if (!*text)
                continue;
            sl_status status = sl_policy_parse_among(machine->policies, text, &choice, error);
            if (status)
                return status;
            s.now = (sl_policy_statistic){.level = level, .bypass = bypass, .policy = choice.ops->name};
            s.first = s.count;
            sl_sim_policy_report(sim, level, bypass, &(sl_policy_statistics){add_statistic, &s});
        }
    to->statistic = sl_arena_array(arena, sl_policy_statistic, s.count + 1);
    if (!to->statistic)
        return sl_fail_memory(error);
    to->statistics = s.count;
    memcpy(to->statistic, s.item, s.count * sizeof *s.item);
    for (size_t i = 0; i < s.count; i++)
        if (!(to->statistic[i].name = sl_arena_strdup(arena, s.item[i].name)))
            return sl_fail_memory(error);
    return SL_OK;
}

/* Launches that run one after the other. */
typedef struct simulation {
    const sl_analysis *analysis;
    const sl_recording *recording;
    sl_result *result;
    sl_l1_requests *stream; /* NULL: not asked for */
    sl_pool *pool;
    uint32_t first; /* launch of the recording that the series begins with */
} simulation;

static sl_status add_number(sl_values *values, const char *name, uint64_t value, sl_error *error)
{
    return sl_values_add(values, name, (double)value) ? SL_OK : sl_fail_memory(error);
}

static sl_status add_bins(sl_values *values, const char *what, const sl_distances *distances, sl_error *error)
{
    return sl_values_add_bins(values, what, distances->bin, SL_DISTANCE_BINS, sl_distance_min) ? SL_OK
                                                                                               : sl_fail_memory(error);
}

/* Reuse of lines in the requests of L1, under the names that profiles use. */
static sl_status add_requests(sl_values *values, const sl_l1_requests *stream, sl_error *error)
{
    sl_sim_reuse reuse;
    sl_status status = sl_l1_requests_reuse(stream, &reuse, error);
    if (!status)
        status = add_number(values, "stream_requests", reuse.requests, error);
    if (!status)
        status = add_number(values, "stream_reuses", reuse.requests - reuse.gap.never, error);
    if (!status)
        status = add_number(values, "stream_missed_reuses", reuse.missed - reuse.missed_gap.never, error);
    if (!status)
        status = add_bins(values, "stream_distance", &reuse.distance, error);
    if (!status)
        status = add_bins(values, "stream_gap", &reuse.gap, error);
    return status ? status : add_bins(values, "stream_missed_gap", &reuse.missed_gap, error);
}

static sl_status record_simulated(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded,
                                  const sl_sim_result *r, sl_error *error)
{
    simulation *s = to;
    sl_result *result = s->result;
    sl_result_launch *launch = &result->launch[s->first + n];
    (void)loaded;
    launch->analyzed = true;
    launch->counts = r->counts.total;
    launch->l1_bytes = r->l1_bytes;
    launch->resident_blocks = r->resident_blocks;
    launch->energy_nj = r->energy_nj;
    memcpy(launch->level, r->level, sizeof launch->level);
    sl_status status = collect_statistics(result->machine, sim, &result->arena, launch, error);
    if (!status && s->analysis->requests)
        status = add_requests(&result->requests, s->stream, error);
    if (!status && s->analysis->bound)
        status = sl_l1_requests_bound(s->stream, s->pool, &launch->bound, error);
    return status || !result->log ? status
                                  : sl_result_log_launch(result, s->recording, s->first + n, &r->counts, error);
}

sl_sim_options sl_analysis_sim_options(const sl_analysis *analysis, const sl_progress *progress)
{
    return (sl_sim_options){
        .seed = analysis->seed, .cold = analysis->cold, .observer = analysis->observer, .progress = progress};
}

sl_sim_series sl_analysis_series(const sl_analysis *analysis, const sl_recording *recording, uint32_t first,
                                 uint32_t launches, sl_line_counts *const *counts)
{
    return (sl_sim_series){.trace = recording->trace,
                           .launch = recording->launch + first,
                           .launches = launches,
                           .plan = analysis->plan ? analysis->plan + first : NULL,
                           .counts = counts};
}

/* The launches of a recording from `first` on, one after the other. */
static sl_status simulate(const sl_analysis *analysis, const sl_recording *recording, uint32_t first, uint32_t launches,
                          const bool *wanted, sl_line_counts *const *counts, sl_pool *pool, const sl_progress *progress,
                          sl_result *result, sl_error *error)
{
    simulation s = {.analysis = analysis, .recording = recording, .result = result, .pool = pool, .first = first};
    if ((analysis->requests || analysis->bound) && !(s.stream = sl_l1_requests_create()))
        return sl_fail_memory(error);
    sl_sim_options options = sl_analysis_sim_options(analysis, progress);
    options.record_requests = s.stream;
    sl_sim_series series = sl_analysis_series(analysis, recording, first, launches, counts);
    series.wanted = wanted;
    series.stop = analysis->stop;
    series.warms_gaps = analysis->warms_gaps && !analysis->isolated;
    sl_status status =
        sl_sim_series_run(&series, result->machine, &options, pool, record_simulated, &s, &result->stuck, error);
    sl_l1_requests_destroy(s.stream);
    return status;
}

/* Copies statistics into the arena of a result. */
static sl_status copy_statistics(sl_arena *arena, sl_result_launch *launch, sl_error *error)
{
    sl_policy_statistic *copy = sl_arena_array(arena, sl_policy_statistic, launch->statistics + 1);
    if (!copy)
        return sl_fail_memory(error);
    for (size_t i = 0; i < launch->statistics; i++) {
        copy[i] = launch->statistic[i];
        if (!(copy[i].name = sl_arena_strdup(arena, launch->statistic[i].name)))
            return sl_fail_memory(error);
    }
    launch->statistic = copy;
    return SL_OK;
}

/* Isolated launches run in parallel, each with a result of its own; only the launches are the whole's. */
typedef struct isolated {
    const sl_analysis *analysis;
    const sl_recording *recording;
    const bool *wanted; /* [launches]; NULL: all */
    sl_result *part;    /* [launches] */
} isolated;

static sl_status isolated_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    const isolated *l = context;
    (void)worker;
    if (l->wanted && !l->wanted[index])
        return SL_OK;
    return simulate(l->analysis, l->recording, (uint32_t)index, 1, NULL, NULL, NULL, NULL, &l->part[index], error);
}

static sl_status join_requests(sl_result *result, const sl_result *part, sl_error *error)
{
    for (size_t v = 0; v < part->requests.count; v++)
        if (!sl_values_add(&result->requests, part->requests.items[v].name, part->requests.items[v].value))
            return sl_fail_memory(error);
    return SL_OK;
}

/* Moves what a launch found into the result of all. */
static sl_status join_part(sl_result *result, uint32_t n, const sl_result *part, sl_error *error)
{
    sl_status status = copy_statistics(&result->arena, &result->launch[n], error);
    return status ? status : join_requests(result, part, error);
}

sl_status sl_result_copy_simulated(sl_result *result, const sl_result *from, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < result->launches && !status; n++) {
        result->launch[n] = from->launch[n];
        status = copy_statistics(&result->arena, &result->launch[n], error);
    }
    return status ? status : join_requests(result, from, error);
}

static sl_status simulate_isolated(const sl_analysis *analysis, const sl_recording *recording, const bool *wanted,
                                   sl_pool *pool, sl_result *result, sl_error *error)
{
    uint32_t launches = recording->launches;
    isolated l = {analysis, recording, wanted, calloc(launches + 1u, sizeof *l.part)};
    if (!l.part)
        return sl_fail_memory(error);
    for (uint32_t i = 0; i < launches; i++) {
        l.part[i] = (sl_result){.machine = result->machine, .launch = result->launch};
        sl_arena_init(&l.part[i].arena);
    }
    sl_status status = sl_pool_run(pool, launches, isolated_job, &l, error);
    for (uint32_t i = 0; i < launches; i++) {
        sl_result *part = &l.part[i];
        if (!status && (!wanted || wanted[i]))
            status = join_part(result, i, part, error);
        part->launch = NULL;
        sl_result_fini(part);
    }
    free(l.part);
    return status;
}

sl_status sl_analyze_simulated(const sl_analysis *analysis, const sl_recording *recording, const bool *wanted,
                               sl_line_counts *const *counts, sl_pool *pool, const sl_progress *progress,
                               sl_result *result, sl_error *error)
{
    /* Values of policies that are "best" are searched for, and put into the machine of the result. */
    sl_machine *machine = (sl_machine *)(uintptr_t)result->machine;
    const sl_sim_series all = sl_analysis_series(analysis, recording, 0, recording->launches, NULL);
    const sl_sim_options options = sl_analysis_sim_options(analysis, progress);
    sl_sim_options searching = options;
    searching.observer = NULL;
    sl_status status = sl_sim_search_run(&all, machine, &searching, pool, &result->search, error);
    if (status)
        return status;
    result->bounded = analysis->bound;
    return analysis->isolated
               ? simulate_isolated(analysis, recording, wanted, pool, result, error)
               : simulate(analysis, recording, 0, recording->launches, wanted, counts, pool, progress, result, error);
}
