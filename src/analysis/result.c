/* SPDX-License-Identifier: MIT */
#include "analysis/result.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sl_analysis_names[SL_ANALYSES + 1] = {"sim", "model", "tune", "profile", "count", NULL};

sl_sim_level_result sl_result_level_sum(const sl_result *r, uint32_t level)
{
    sl_sim_level_result sum = {0};
    for (size_t i = 0; i < r->launches; i++)
        if (!r->log->launches.items[i].failed)
            sl_level_add(&sum, &r->launch[i].level[level]);
    return sum;
}

sl_sim_bound sl_result_bound_sum(const sl_result *r)
{
    sl_sim_bound sum = {0};
    for (size_t i = 0; i < r->launches; i++) {
        const sl_sim_bound *b = &r->launch[i].bound;
        sum = (sl_sim_bound){sum.requests + b->requests, sum.misses + b->misses, sum.min_misses + b->min_misses};
    }
    return sum;
}

uint64_t sl_result_launch_cycles(const sl_result *r, uint32_t launch)
{
    const sl_counts *counts = &r->launch[launch].counts;
    sl_counter counter = r->kind == SL_ANALYSIS_SIM ? SL_COUNTER_cycles : SL_COUNTER_est_cycles;
    return sl_counts_has(counts, counter) ? counts->value[counter] : 0;
}

uint64_t sl_result_cycles(const sl_result *r)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < r->launches; n++) {
        uint64_t cycles = sl_result_launch_cycles(r, n);
        if (!cycles)
            return 0;
        sum += cycles;
    }
    return sum;
}

void sl_result_fini(sl_result *result)
{
    if (!result)
        return;
    sl_launch_log_destroy(result->log);
    sl_profile_sums_fini(&result->sums);
    const uint32_t *stand_in = result->sample.stand_in; /* others are copies */
    for (uint32_t i = 0; result->profile && i < result->launches; i++)
        if (!stand_in || stand_in[i] == i)
            sl_profile_fini(&result->profile[i]);
    free(result->profile);
    sl_sim_search_fini(&result->search);
    sl_array_free(&result->requests);
    sl_array_free(&result->strategies);
    sl_tuning_result_fini(&result->tuned);
    free(result->launch);
    free(result->sample.stand_in);
    free(result->sample.interval);
    free(result->stuck);
    sl_arena_fini(&result->arena);
    *result = (sl_result){0};
}

/* ---- as values ---- */

static sl_status add(sl_values *values, const char *name, double amount, sl_error *error)
{
    return sl_values_add(values, name, amount) ? SL_OK : sl_fail_memory(error);
}

static sl_status add_counts(sl_values *values, const sl_counts *counts, sl_error *error)
{
    sl_status status = SL_OK;
    for (int i = 0; i < SL_COUNTERS && !status; i++)
        if (sl_counts_has(counts, (sl_counter)i) && !sl_counter_word((sl_counter)i, 0))
            status = add(values, sl_counter_infos[i].name, (double)counts->value[i], error);
    return status;
}

static sl_status add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                          uint64_t (*min)(unsigned), sl_error *error)
{
    return sl_values_add_bins(values, what, bin, bins, min) ? SL_OK : sl_fail_memory(error);
}

static sl_status add_level(sl_values *values, const sl_level *level, const sl_sim_level_result *r, sl_error *error)
{
    sl_status status = SL_OK;
    for (int i = 0; i < SL_LEVEL_METRICS && !status; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%s", level->name, sl_level_metrics[i].info.name);
        status = add(values, name, sl_level_value(r, i), error);
    }
    return status;
}

/* "policy_sets_bypassing": a statistic of the bypass policy of L1. */
static sl_status add_statistic(sl_values *values, const sl_policy_statistic *s, sl_error *error)
{
    char text[SL_VALUE_NAME];
    snprintf(text, sizeof text, "policy_%s", s->name);
    for (char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return add(values, text, (double)s->value, error);
}

/* Whether the bypass policy of L1 keeps its state, and so its statistics, from launch to launch. */
static bool policy_keeps(const sl_machine *machine)
{
    sl_policy_choice choice;
    const char *bypass = machine->level[0].bypass;
    return *bypass && !sl_policy_parse_among(machine->policies, bypass, &choice, NULL) && choice.ops->keeps;
}

static sl_status add_simulated(const sl_result *result, sl_values *values, sl_error *error)
{
    bool keeps = policy_keeps(result->machine);
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < result->launches && !status; n++) {
        const sl_result_launch *launch = &result->launch[n];
        for (uint32_t i = 0; i < result->machine->levels && !status; i++)
            status = add_level(values, &result->machine->level[i], &launch->level[i], error);
        for (size_t i = 0; i < launch->statistics && !status; i++)
            if (!launch->statistic[i].level && launch->statistic[i].bypass && (!keeps || n + 1 == result->launches))
                status = add_statistic(values, &launch->statistic[i], error);
    }
    for (size_t i = 0; i < result->requests.count && !status; i++)
        status = add(values, result->requests.items[i].name, result->requests.items[i].value, error);
    return status;
}

/* Counts of the table of metrics, and histograms. */
static sl_status add_profile(sl_values *values, const sl_profile_counts *c, const sl_profile_options *o,
                             sl_error *error)
{
    sl_status status = add(values, "first_accesses", (double)c->line_distance.never, error);
#define SL_REUSE(name, unit, part, whole, ...)                                                                         \
    if (!status && (whole) == 1 && strcmp(unit, "%") != 0)                                                             \
        status = add(values, #name, (double)(part), error);
#include "trace/metrics.def"
    if (!status) /* reused_5: lines reused 5 to 8 times */
        status = add_bins(values, "reused", c->line_reuses, SL_REUSE_BINS, sl_reuse_min, error);
    if (!status)
        status = add_bins(values, "distance", c->line_distance.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    return status ? status : add_bins(values, "gap", c->line_gap.bin, SL_DISTANCE_BINS, sl_distance_min, error);
}

/* Memory instructions of the code that accessed anything. */
static double count_instructions(const sl_profile_sums *sums)
{
    uint64_t count = 0;
    for (size_t k = 0; k < sums->kernels; k++)
        count += sums->kernel[k].loads;
    return (double)count;
}

sl_status sl_result_values(const sl_result *result, sl_values *values, sl_error *error)
{
    sl_status status = SL_OK;
    if (result->kind == SL_ANALYSIS_PROFILE) {
        status = add_profile(values, &result->sums.all, &result->profiled_as, error);
        return status ? status : add(values, "instructions", count_instructions(&result->sums), error);
    }
    for (size_t i = 0; i < result->strategies.count && !status; i++)
        status = add(values, result->strategies.items[i].name, result->strategies.items[i].value, error);
    for (uint32_t i = 0; result->launch && i < result->launches && !status; i++)
        status = add_counts(values, &result->launch[i].counts, error);
    return status || result->kind != SL_ANALYSIS_SIM ? status : add_simulated(result, values, error);
}

static sl_value *find_value(const sl_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, name))
            return &values->items[i];
    return NULL;
}

const double *sl_values_find(const sl_values *values, const char *name)
{
    sl_value *found = find_value(values, name);
    return found ? &found->value : NULL;
}

bool sl_values_add(sl_values *values, const char *name, double amount)
{
    sl_value *found = find_value(values, name);
    if (found) {
        found->value += amount;
        return true;
    }
    if (!sl_array_reserve(values, 1))
        return false;
    sl_value *added = &values->items[values->count++];
    *added = (sl_value){.value = amount};
    snprintf(added->name, sizeof added->name, "%s", name);
    return true;
}

bool sl_values_add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                        uint64_t (*min)(unsigned))
{
    enum { ALWAYS_THERE = 12 };
    for (unsigned i = 0; i < bins; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%llu", what, (unsigned long long)min(i));
        if ((bin[i] || i < ALWAYS_THERE) && !sl_values_add(values, name, (double)bin[i]))
            return false;
    }
    return true;
}
