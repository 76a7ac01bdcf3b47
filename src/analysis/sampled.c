/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

#include "trace/count.h"

/* Programs of fewer launches are analyzed as a whole, unless a sample is asked for. The second phase runs at most so
 * often: its interval may turn out wider than the first one promised. */
enum { AUTO_LAUNCHES = 50, MAX_PHASES = 3 };
static const double DEFAULT_TARGET = 0.01;

/* Seconds of one core, as measured for bench/bench_launches.c and papers/sampling: only the choice between exact and
 * sampled depends on them. */
static const double SIM_LAUNCH_S = 0.7e-3, SIM_WARP_INST_S = 2e-6, MODEL_LAUNCH_S = 0.14e-3, MODEL_WARP_INST_S = 3e-7;

/* What a launch that was not simulated leaves in L2 is not exactly what it would have left. These are the differences
 * that were seen before the method was built, of the numbers of a launch: cycles, and sectors as a share of those that
 * the launch accesses. */
static const double OFF_CYCLES = 0.002, OFF_SECTORS = 0.004;

static const sl_counter totals[] = {SL_COUNTER_cycles,
                                    SL_COUNTER_est_cycles,
                                    SL_COUNTER_est_ns,
                                    SL_COUNTER_ld_sectors,
                                    SL_COUNTER_ld_sector_hits,
                                    SL_COUNTER_l2_read_sectors,
                                    SL_COUNTER_l2_read_hits,
                                    SL_COUNTER_l2_write_sectors,
                                    SL_COUNTER_dram_read_sectors,
                                    SL_COUNTER_dram_write_sectors};
enum { TOTALS = sizeof totals / sizeof *totals };

/* ---- before ---- */

static uint64_t sum_of(const sl_counts *c, const sl_counter *counter, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += c->value[counter[i]];
    return sum;
}

static sl_launch_sample_unit unit_of(const sl_trace_launch *launch, const sl_counts *c)
{
    static const sl_counter requests[] = {SL_COUNTER_ld_requests,      SL_COUNTER_st_requests,
                                          SL_COUNTER_atom_requests,    SL_COUNTER_red_requests,
                                          SL_COUNTER_async_requests,   SL_COUNTER_bulk_ld_requests,
                                          SL_COUNTER_bulk_st_requests, SL_COUNTER_local_ld_requests,
                                          SL_COUNTER_local_st_requests},
                            sectors[] = {
                                SL_COUNTER_ld_sectors,      SL_COUNTER_st_sectors,       SL_COUNTER_atom_sectors,
                                SL_COUNTER_red_sectors,     SL_COUNTER_async_sectors,    SL_COUNTER_bulk_ld_sectors,
                                SL_COUNTER_bulk_st_sectors, SL_COUNTER_local_ld_sectors, SL_COUNTER_local_st_sectors};
    return (sl_launch_sample_unit){.kernel = launch->kernel,
                                   .blocks = sl_launch_blocks(launch),
                                   .warp_insts = c->value[SL_COUNTER_warp_insts],
                                   .thread_insts = c->value[SL_COUNTER_thread_insts],
                                   .requests = sum_of(c, requests, sizeof requests / sizeof *requests),
                                   .sectors = sum_of(c, sectors, sizeof sectors / sizeof *sectors)};
}

/* Launches whose blocks cannot be read are counted as far as they can: the analysis reports the damage. */
static sl_status count_unit(const sl_recording *recording, uint32_t n, sl_launch_sample_unit *unit, sl_error *error)
{
    uint32_t at = recording->launch[n];
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error damage;
    sl_status status = sl_trace_count_launch(recording->trace, at, &(sl_count_options){.no_shared = true}, NULL,
                                             &counter, &damage, error);
    if (status)
        return status;
    status = sl_launch_counter_result(counter, &counts, error);
    if (!status)
        *unit = unit_of(sl_trace_launch_at(recording->trace, at), &counts.total);
    sl_launch_counter_destroy(counter);
    return status;
}

typedef struct counting {
    const sl_recording *recording;
    sl_launch_sample_unit *unit;
} counting;

static sl_status count_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    const counting *c = context;
    (void)worker;
    return count_unit(c->recording, (uint32_t)index, &c->unit[index], error);
}

static sl_status count_units(const sl_recording *recording, sl_pool *pool, const sl_progress *progress,
                             sl_launch_sample_unit **unit, sl_error *error)
{
    counting c = {recording, calloc(recording->launches + 1u, sizeof *c.unit)};
    sl_progress_phase(progress, "counting %u launches", recording->launches);
    sl_status status = c.unit ? sl_pool_run(pool, recording->launches, count_job, &c, error) : sl_fail_memory(error);
    if (status)
        free(c.unit);
    else
        *unit = c.unit;
    return status;
}

double sl_launch_seconds(sl_analysis_kind kind, uint64_t warp_insts)
{
    return kind == SL_ANALYSIS_SIM ? SIM_LAUNCH_S + SIM_WARP_INST_S * (double)warp_insts
                                   : MODEL_LAUNCH_S + MODEL_WARP_INST_S * (double)warp_insts;
}

static double seconds_of(const sl_analysis *analysis, const sl_launch_sample_unit *u)
{
    return sl_launch_seconds(analysis->kind, u->warp_insts);
}

/* A sample must see what all launches together would leave in the caches, and in the state of policies. */
static bool can_sample(const sl_analysis *a)
{
    bool needed;
    if (a->kind == SL_ANALYSIS_MODEL)
        return true;
    return a->kind == SL_ANALYSIS_SIM && !a->requests && !a->bound && !a->observer &&
           (a->cold || a->isolated || sl_sim_can_warm(a->machine)) && !sl_sim_needs_counts(a->machine, &needed, NULL) &&
           !needed;
}

/* ---- after ---- */

/* The numbers of the launches that were not analyzed. */
static sl_status fill_in(const sl_recording *recording, const uint32_t *stand_in, sl_result *result, sl_error *error)
{
    for (uint32_t n = 0; n < result->launches; n++) {
        uint32_t from = stand_in[n];
        if (from == n || from == UINT32_MAX)
            continue;
        if (result->profile)
            result->profile[n] = result->profile[from];
        if (result->launch)
            result->launch[n] = result->launch[from];
        if (result->launch)
            result->launch[n].analyzed = false;
    }
    return result->log ? sl_launch_log_expand(result->log, recording->trace, recording->launch, recording->launches,
                                              stand_in, error)
                       : SL_OK;
}

static bool is_total(const sl_result *result, const sl_launch_sample *s, sl_counter counter)
{
    for (uint32_t n = 0; n < s->launches; n++)
        if (s->known[n] && sl_counts_has(&result->launch[n].counts, counter))
            return true;
    return false;
}

static void values_of(const sl_result *result, const sl_launch_sample *s, sl_counter counter, double *value)
{
    for (uint32_t n = 0; n < s->launches; n++)
        value[n] = s->known[n] ? (double)result->launch[n].counts.value[counter] : 0;
}

static bool is_time(sl_counter counter)
{
    return counter == SL_COUNTER_cycles || counter == SL_COUNTER_est_cycles || counter == SL_COUNTER_est_ns;
}

static void allowances_of(const sl_launch_sample *s, const uint32_t *of, sl_counter counter, const double *value,
                          double *allowance)
{
    bool time = is_time(counter);
    for (uint32_t n = 0; n < s->launches; n++)
        allowance[n] = of[n] == UINT32_MAX ? 0
                       : time              ? OFF_CYCLES * value[of[n]]
                                           : OFF_SECTORS * (double)s->unit[n].sectors;
}

static sl_status find_intervals(const sl_launch_sample *s, sl_result *result, sl_error *error)
{
    sl_result_sample *to = &result->sample;
    double *value = calloc(2 * (size_t)s->launches + 2, sizeof *value), *allowance = value + s->launches + 1;
    to->interval = calloc(TOTALS, sizeof *to->interval);
    bool made = value && to->interval;
    for (size_t i = 0; made && i < TOTALS; i++) {
        if (!is_total(result, s, totals[i]))
            continue;
        values_of(result, s, totals[i], value);
        allowances_of(s, to->stand_in, totals[i], value, allowance);
        sl_interval found = sl_launch_sample_interval(s, to->stand_in, value, !is_time(totals[i]), allowance);
        to->interval[to->intervals++] = (sl_sampled_total){totals[i], found.total, found.half};
    }
    free(value);
    return made ? SL_OK : sl_fail_memory(error);
}

static sl_status finish(const sl_analysis *analysis, const sl_recording *recording, const sl_launch_sample *s,
                        sl_result *result, sl_error *error)
{
    sl_result_sample *to = &result->sample;
    double all = 0, done = 0;
    for (uint32_t n = 0; n < s->launches; n++) {
        double seconds = seconds_of(analysis, &s->unit[n]);
        all += seconds;
        done += s->known[n] ? seconds : 0;
        to->analyzed += s->known[n];
    }
    to->predicted_s = all;
    to->saved = all > 0 ? 1 - done / all : 0;
    to->stand_in = malloc((s->launches + 1u) * sizeof *to->stand_in);
    if (!to->stand_in)
        return sl_fail_memory(error);
    sl_launch_sample_stand_ins(s, to->stand_in);
    sl_status status = find_intervals(s, result, error);
    return status ? status : fill_in(recording, to->stand_in, result, error);
}

/* ---- the phases ---- */

static bool was_stopped(const sl_analysis *analysis)
{
    return analysis->stop && *analysis->stop;
}

static void note_known(const sl_result *result, sl_launch_sample *s)
{
    for (uint32_t n = 0; n < s->launches; n++)
        s->known[n] = result->launch[n].analyzed;
}

/* Cycles decide how many launches are analyzed; where there are none, what is read from memory. */
static sl_counter deciding(const sl_result *result, const sl_launch_sample *s)
{
    static const sl_counter choices[] = {SL_COUNTER_cycles, SL_COUNTER_est_cycles, SL_COUNTER_l2_read_sectors};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (is_total(result, s, choices[i]))
            return choices[i];
    return SL_COUNTER_ld_sector_misses;
}

static sl_status run_phases(const sl_analysis *analysis, sl_analyze_wanted *run, void *context, sl_launch_sample *s,
                            sl_result *result, sl_error *error)
{
    double *value = calloc(s->launches + 1u, sizeof *value);
    bool *wanted = calloc(s->launches + 1u, sizeof *wanted), more = true;
    sl_status status = value && wanted ? SL_OK : sl_fail_memory(error);
    for (int phase = 0; phase < MAX_PHASES && more && !status; phase++) {
        for (uint32_t n = 0; n < s->launches; n++)
            wanted[n] = s->chosen[n] && !s->known[n];
        status = run(context, wanted, result, error);
        note_known(result, s);
        if (status || was_stopped(analysis))
            break;
        values_of(result, s, deciding(result, s), value);
        more = sl_launch_sample_refine(s, value, result->sample.target);
    }
    free(value);
    free(wanted);
    return status;
}

sl_status sl_result_stand_in(const sl_recording *recording, const uint32_t *stand_in, sl_result *result,
                             sl_error *error)
{
    uint32_t launches = recording->launches;
    sl_result_sample *s = &result->sample;
    if (!(s->stand_in = malloc((launches + 1u) * sizeof *stand_in)))
        return sl_fail_memory(error);
    memcpy(s->stand_in, stand_in, launches * sizeof *stand_in);
    for (uint32_t n = 0; n < launches; n++)
        s->analyzed += stand_in[n] == n;
    return fill_in(recording, stand_in, result, error);
}

/* The choice of another analysis. */
static sl_status run_chosen(const sl_analysis *analysis, const sl_recording *recording, sl_analyze_wanted *run,
                            void *context, sl_result *result, sl_error *error)
{
    const uint32_t *stand_in = analysis->sampling.stand_in;
    bool *wanted = calloc(recording->launches + 1u, sizeof *wanted);
    sl_status status = wanted ? SL_OK : sl_fail_memory(error);
    for (uint32_t n = 0; n < recording->launches && !status; n++)
        wanted[n] = stand_in[n] == n;
    if (!status)
        status = run(context, wanted, result, error);
    free(wanted);
    return status ? status : sl_result_stand_in(recording, stand_in, result, error);
}

/* All launches, or those until it is stopped. */
static sl_status run_all(const sl_analysis *analysis, const sl_recording *recording, sl_launch_sample_unit *unit,
                         sl_pool *pool, sl_analyze_wanted *run, void *context, sl_result *result, sl_error *error)
{
    sl_launch_sample s = {0};
    uint32_t analyzed = 0;
    sl_status status = run(context, NULL, result, error);
    for (uint32_t n = 0; n < result->launches && result->launch; n++)
        analyzed += result->launch[n].analyzed;
    if (status || !was_stopped(analysis) || analyzed == result->launches || !result->launch) {
        free(unit);
        return status;
    }
    if (!analyzed) {
        free(unit);
        return sl_fail(error, SL_FAULT, "stopped before the first launch had ended");
    }
    status = unit ? SL_OK : count_units(recording, pool, NULL, &unit, error);
    if (!status)
        status = sl_launch_sample_create(unit, recording->launches, analysis->seed, &s, error);
    if (!status) {
        note_known(result, &s);
        result->sample.stopped = true;
        status = finish(analysis, recording, &s, result, error);
    }
    sl_launch_sample_fini(&s);
    return status;
}

static sl_status run_sample(const sl_analysis *analysis, const sl_recording *recording, sl_launch_sample_unit *unit,
                            sl_analyze_wanted *run, void *context, sl_result *result, sl_error *error)
{
    sl_launch_sample s;
    sl_status status = sl_launch_sample_create(unit, recording->launches, analysis->seed, &s, error);
    if (status)
        return status;
    result->sample.chosen = true;
    result->sample.target = analysis->sampling.target > 0 ? analysis->sampling.target : DEFAULT_TARGET;
    status = run_phases(analysis, run, context, &s, result, error);
    bool any = false;
    for (uint32_t n = 0; n < s.launches; n++)
        any |= s.known[n];
    result->sample.stopped = was_stopped(analysis);
    if (!status && !any)
        status = sl_fail(error, SL_FAULT, "stopped before the first launch had ended");
    if (!status)
        status = finish(analysis, recording, &s, result, error);
    sl_launch_sample_fini(&s);
    return status;
}

/* Whether a sample is analyzed; `unit` NULL: that was known without counting. */
static sl_status decide(const sl_analysis *analysis, const sl_recording *recording, sl_pool *pool,
                        const sl_progress *progress, bool *sample, sl_launch_sample_unit **unit, sl_error *error)
{
    const sl_sampling *how = &analysis->sampling;
    uint32_t launches = recording->launches;
    double seconds = 0;
    *sample = false;
    *unit = NULL;
    if (how->when == SL_SAMPLE_NEVER || launches < (how->when == SL_SAMPLE_AUTO ? AUTO_LAUNCHES : 2) ||
        !can_sample(analysis))
        return SL_OK;
    sl_status status = count_units(recording, pool, progress, unit, error);
    for (uint32_t n = 0; n < launches && !status; n++)
        seconds += seconds_of(analysis, &(*unit)[n]);
    *sample = how->when == SL_SAMPLE_ALWAYS || seconds > SL_EXACT_SECONDS;
    return status;
}

sl_status sl_analysis_is_sampled(const sl_analysis *analysis, const sl_recording *recording, sl_pool *pool,
                                 const sl_progress *progress, bool *sampled, sl_error *error)
{
    sl_launch_sample_unit *unit;
    sl_status status = decide(analysis, recording, pool, progress, sampled, &unit, error);
    if (!status)
        free(unit);
    return status;
}

sl_status sl_analyze_sampled(const sl_analysis *analysis, const sl_recording *recording, sl_pool *pool,
                             const sl_progress *progress, sl_analyze_wanted *run, void *context, sl_result *result,
                             sl_error *error)
{
    sl_launch_sample_unit *unit;
    bool sample;
    if (analysis->sampling.stand_in && (result->launch || result->profile))
        return run_chosen(analysis, recording, run, context, result, error);
    sl_status status = decide(analysis, recording, pool, progress, &sample, &unit, error);
    if (status)
        return status;
    return sample ? run_sample(analysis, recording, unit, run, context, result, error)
                  : run_all(analysis, recording, unit, pool, run, context, result, error);
}
