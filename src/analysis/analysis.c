/* SPDX-License-Identifier: MIT */
#include "analysis/analysis.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/engine_id.h" /* made by the build: cmake/engine_id.cmake */
#include "analysis/simulate.h"
#include "analysis/tune_input.h"
#include "machine/keys.h"
#include "machine/occupancy.h"
#include "model/model.h"
#include "time/estimate.h"
#include "trace/count.h"
#include "trace/launch_progress.h"

sl_profile_options sl_profile_defaults(const sl_machine *machine)
{
    enum { MAX_RESIDENT = 8, WINDOWS = 16 };
    const sl_level *first = &machine->level[0];
    return (sl_profile_options){.line_bytes = first->line_bytes,
                                .sector_bytes = first->sector_bytes,
                                .cores = machine->cores,
                                .blocks_per_core =
                                    machine->core.blocks < MAX_RESIDENT ? machine->core.blocks : MAX_RESIDENT,
                                .windows = WINDOWS};
}

/* A batch at work. */
typedef struct work {
    const sl_analysis_batch *batch;
    sl_result *result;
    size_t count;
    size_t *number;          /* [count]: those of the batch that are at work */
    sl_line_counts **counts; /* that simulations share; NULL: none do */
    size_t counted;          /* the first that shares them */
    size_t *alike;           /* [count]: an earlier one whose policy decides alike on these counts, or itself */
    pthread_mutex_t lock;
    uint64_t done;
} work;

static void note_progress(work *w, const char *unit, uint64_t of)
{
    pthread_mutex_lock(&w->lock);
    sl_progress_update(w->batch->progress, unit, ++w->done, of);
    pthread_mutex_unlock(&w->lock);
}

/* ---- counts ---- */

/* What cannot be read of a damaged trace is left out. */
static sl_status count_launch(const sl_analysis *analysis, const sl_recording *recording, uint32_t n, sl_pool *pool,
                              sl_result *result, sl_error *error)
{
    uint32_t at = recording->launch[n];
    sl_launch_counter *counter;
    sl_launch_counts counts;
    sl_error damage;
    if (analysis->unread)
        return sl_result_log_launch(result, recording, n, NULL, error);
    sl_status status = sl_trace_count_launch(recording->trace, at, &(sl_count_options){.footprint = true}, pool,
                                             &counter, &damage, error);
    if (status)
        return status;
    if (damage.status && !result->damage.status)
        result->damage = damage;
    const sl_trace_range *range = NULL;
    size_t ranges = sl_trace_ranges(recording->trace, at, &range);
    sl_launch_counter_allocations(counter, range, ranges);
    status = sl_launch_counter_result(counter, &counts, error);
    if (!status) {
        result->launch[n].counts = counts.total;
        status = result->log ? sl_result_log_launch(result, recording, n, &counts, error) : SL_OK;
    }
    result->launch[n].analyzed = !status;
    sl_launch_counter_destroy(counter);
    return status;
}

/* ---- profiles ---- */

static sl_status profile_launch(const sl_recording *recording, uint32_t n, sl_pool *pool, const sl_progress *progress,
                                sl_result *result, sl_error *error)
{
    return sl_profile_launch(recording->trace, recording->launch[n], &result->profiled_as, pool, progress,
                             &result->profile[n], error);
}

/* ---- the model ---- */

/* Whether launches find what others before them left in the caches that all cores share. */
static bool is_warm(const sl_analysis *analysis)
{
    return !analysis->cold && !analysis->isolated;
}

static sl_model_options model_options(const sl_analysis *analysis)
{
    sl_model_options options = analysis->model;
    options.seed = analysis->seed;
    return options;
}

static sl_status model_launch(const sl_analysis *analysis, const sl_recording *recording, uint32_t n,
                              sl_model_caches *caches, sl_sampler *sampler, sl_pool *pool, const sl_progress *progress,
                              sl_result *result, sl_error *error)
{
    const sl_model_options options = model_options(analysis);
    sl_loaded *loaded = NULL;
    sl_model_result modeled = {0};
    sl_status status = sl_loaded_create(recording->trace, recording->launch[n], pool, &loaded, error);
    if (!status)
        status = sl_model_loaded(analysis->machine, loaded, &options, caches, pool, progress, &modeled, error);
    if (!status)
        status = sl_time_add(sampler, analysis->machine, loaded, &modeled, error);
    if (!status) {
        sl_result_launch *to = &result->launch[n];
        to->counts = modeled.counts.total;
        to->l1_bytes = modeled.l1_bytes;
        to->resident_blocks = modeled.resident_blocks;
        to->imbalance = modeled.imbalance;
        to->index_share = modeled.index_share;
        memcpy(to->ideal_cycles, modeled.ideal_cycles, sizeof to->ideal_cycles);
        to->analyzed = true;
        status = result->log ? sl_result_log_launch(result, recording, n, &modeled.counts, error) : SL_OK;
    }
    sl_model_result_fini(&modeled);
    sl_loaded_destroy(loaded);
    return status;
}

/* Launches of the trace that are not modeled, from `first` on and before `end`. */
static sl_status warm_model(const sl_analysis *analysis, const sl_recording *recording, uint32_t first, uint32_t end,
                            sl_model_caches *caches, sl_error *error)
{
    sl_status status = SL_OK;
    for (uint32_t at = first; at < end && caches->warm && !status; at++)
        status = sl_model_warm(analysis->machine, recording->trace, at, caches, error);
    return status;
}

/* The model of the launches that are wanted (NULL: all), one after the other. */
static sl_status model_launches(const sl_analysis *analysis, const sl_recording *recording, const bool *wanted,
                                sl_pool *pool, const sl_progress *progress, sl_result *result, sl_error *error)
{
    sl_model_caches caches = {.warm = is_warm(analysis)};
    sl_sampler *sampler = NULL;
    sl_status status = sl_sampler_create(analysis->machine, analysis->seed, &sampler, error);
    uint32_t launches = recording->launches, before = 0;
    while (wanted && launches && !wanted[launches - 1])
        launches--;
    sl_launch_progress shown;
    sl_launch_progress_init(&shown, progress, "modeling", recording->trace, recording->launch, launches, wanted);
    const sl_progress *inner = progress ? &shown.progress : NULL;
    for (uint32_t n = 0; n < launches && !status && !(analysis->stop && *analysis->stop); n++) {
        uint32_t at = recording->launch[n];
        sl_launch_progress_begin(&shown, n);
        if (analysis->warms_gaps)
            status = warm_model(analysis, recording, before, at, &caches, error);
        before = at + 1;
        if (status)
            continue;
        if (wanted && !wanted[n]) {
            status = warm_model(analysis, recording, at, at + 1, &caches, error);
            continue;
        }
        status = model_launch(analysis, recording, n, &caches, sampler, pool, inner, result, error);
    }
    sl_model_caches_fini(&caches);
    sl_sampler_destroy(sampler);
    return status;
}

/* Many analyses of the model without details: one pass over the accesses of a launch answers as many as it can. */
typedef struct variants {
    work work;
    sl_model_variant *variant; /* [work.count] */
    bool warm;                 /* some find what launches before left: launches run one after the other */
    sl_model_caches *caches;   /* [work.count]: of these */
    const uint32_t *stand_in;  /* [launches] (sl_sampling); NULL: every launch is modeled */
    size_t samplers;
    sl_sampler **sampler; /* [threads * work.count]; NULL: not made yet, or there is none */
} variants;

typedef struct variants_estimator {
    const variants *variants;
    sl_sampler **sampler; /* [work.count] */
} variants_estimator;

static sl_status estimate_variant(void *to, size_t at, const sl_loaded *loaded, sl_model_result *result,
                                  sl_error *error)
{
    const variants_estimator *e = to;
    const sl_model_variant *variant = &e->variants->variant[at];
    sl_status status =
        e->sampler[at] ? SL_OK : sl_sampler_create(&variant->machine, variant->options.seed, &e->sampler[at], error);
    return status ? status : sl_time_add(e->sampler[at], &variant->machine, loaded, result, error);
}

/* A launch that is left out. */
static sl_status warm_variants(variants *v, uint32_t n, sl_error *error)
{
    const sl_recording *recording = v->work.batch->recording;
    sl_status status = SL_OK;
    for (size_t i = 0; i < v->work.count && !status; i++)
        if (v->variant[i].warm)
            status =
                sl_model_warm(&v->variant[i].machine, recording->trace, recording->launch[n], &v->caches[i], error);
    note_progress(&v->work, "launches", recording->launches);
    return status;
}

static sl_status model_variants(variants *v, uint32_t n, unsigned worker, sl_pool *pool, sl_error *error)
{
    if (v->stand_in && v->stand_in[n] != n)
        return warm_variants(v, n, error);
    variants_estimator estimator = {v, v->sampler + worker * v->work.count};
    const sl_recording *recording = v->work.batch->recording;
    size_t count = v->work.count;
    sl_loaded *loaded = NULL;
    sl_counts *counts = calloc(count, sizeof *counts);
    sl_status status =
        counts ? sl_loaded_create(recording->trace, recording->launch[n], pool, &loaded, error) : sl_fail_memory(error);
    if (!status)
        status = sl_model_variants(loaded, v->variant, count, v->warm ? v->caches : NULL, pool, estimate_variant,
                                   &estimator, counts, error);
    for (size_t i = 0; i < count && !status; i++) {
        sl_level level = {0};
        sl_result_launch *to = &v->work.result[v->work.number[i]].launch[n];
        status = sl_model_first_level(&v->variant[i].machine, loaded, &level, NULL, error);
        to->counts = counts[i];
        to->l1_bytes = level.size_bytes;
    }
    sl_loaded_destroy(loaded);
    free(counts);
    note_progress(&v->work, "launches", recording->launches);
    return status;
}

static sl_status variants_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    return model_variants(context, (uint32_t)index, worker, NULL, error);
}

static bool is_variant(const sl_analysis_batch *batch, size_t i)
{
    const sl_analysis *analysis = &batch->analysis[i];
    return analysis->kind == SL_ANALYSIS_MODEL && !analysis->details && !analysis->warms_gaps &&
           !analysis->sampling.when && analysis->sampling.stand_in == batch->analysis[0].sampling.stand_in;
}

static bool variants_init(variants *v, const sl_analysis_batch *batch, sl_result *result)
{
    *v = (variants){.work = {.batch = batch, .result = result, .lock = PTHREAD_MUTEX_INITIALIZER}};
    v->work.number = calloc(batch->count + 1, sizeof *v->work.number);
    v->variant = calloc(batch->count + 1, sizeof *v->variant);
    v->caches = calloc(batch->count + 1, sizeof *v->caches);
    for (size_t i = 0; i < batch->count && v->work.number && v->variant && v->caches; i++) {
        const sl_analysis *analysis = &batch->analysis[i];
        if (!is_variant(batch, i))
            continue;
        sl_model_variant *to = &v->variant[v->work.count];
        memcpy(&to->machine, analysis->machine, sizeof to->machine); /* variants are compared byte by byte */
        to->options = model_options(analysis);
        to->warm = is_warm(analysis) && analysis->machine->levels > 1;
        v->warm |= to->warm;
        v->stand_in = analysis->sampling.stand_in;
        v->caches[v->work.count].warm = to->warm;
        v->work.number[v->work.count++] = i;
    }
    v->samplers = v->work.count * (batch->pool ? sl_pool_threads(batch->pool) : 1);
    v->sampler = calloc(v->samplers + 1, sizeof *v->sampler);
    return v->work.number && v->variant && v->caches && v->sampler;
}

static void variants_fini(variants *v)
{
    for (size_t i = 0; v->sampler && i < v->samplers; i++)
        sl_sampler_destroy(v->sampler[i]);
    for (size_t i = 0; v->caches && i < v->work.count; i++)
        sl_model_caches_fini(&v->caches[i]);
    free(v->sampler);
    free(v->caches);
    free(v->work.number);
    free(v->variant);
}

/* Many launches run in parallel; few, and those that find what others left, run one after the other, each with all
 * threads. */
static sl_status run_variants(const sl_analysis_batch *batch, sl_result *result, sl_error *error)
{
    variants v;
    uint32_t launches = batch->recording->launches;
    sl_pool *pool = batch->pool;
    sl_status status = variants_init(&v, batch, result) ? SL_OK : sl_fail_memory(error);
    if (!status && v.work.count && !v.warm && pool && launches >= 2 * sl_pool_threads(pool))
        status = sl_pool_run(pool, launches, variants_job, &v, error);
    else
        for (uint32_t n = 0; n < launches && !status && v.work.count; n++)
            status = model_variants(&v, n, 0, pool, error);
    size_t passes = status ? 0 : sl_model_variants_passes(v.variant, v.work.count);
    for (size_t i = 0; i < v.work.count; i++)
        result[v.work.number[i]].passes = passes;
    for (size_t i = 0; i < v.work.count && v.stand_in && !status; i++)
        status = sl_result_stand_in(batch->recording, v.stand_in, &result[v.work.number[i]], error);
    variants_fini(&v);
    return status;
}

/* ---- profiling runs that simulations share ---- */

static bool needs_counts(const sl_analysis *analysis)
{
    bool needed = false;
    return analysis->kind == SL_ANALYSIS_SIM && !analysis->isolated && !analysis->plan &&
           !sl_sim_needs_counts(analysis->machine, &needed, NULL) && needed;
}

/* Whether two simulations can share the line counts of a profiling run. */
static bool analyses_share_counts(const sl_analysis *a, const sl_analysis *b)
{
    if (!needs_counts(a) || !needs_counts(b) || a->seed != b->seed || a->cold != b->cold)
        return false;
    sl_machine plain[2];
    memcpy(&plain[0], a->machine, sizeof *plain);
    memcpy(&plain[1], b->machine, sizeof *plain);
    for (int i = 0; i < 2; i++)
        memset(plain[i].level[0].bypass, 0, sizeof plain[i].level[0].bypass);
    return !memcmp(&plain[0], &plain[1], sizeof *plain);
}

/* The profiling run of the first simulations that share one, if there are several. */
static sl_status count_lines(work *w, sl_error *error)
{
    const sl_analysis_batch *b = w->batch;
    size_t sharing = 0;
    w->counted = 0;
    while (w->counted < b->count && !needs_counts(&b->analysis[w->counted]))
        w->counted++;
    for (size_t i = w->counted; i < b->count; i++)
        sharing += analyses_share_counts(&b->analysis[w->counted], &b->analysis[i]);
    if (sharing < 2)
        return SL_OK;
    const sl_analysis *first = &b->analysis[w->counted];
    const sl_sim_series series = sl_analysis_series(first, b->recording, 0, b->recording->launches, NULL);
    const sl_sim_options options = sl_analysis_sim_options(first, NULL);
    return sl_sim_series_count(&series, first->machine, &options, b->pool, &w->counts, NULL, error);
}

/* ---- one analysis ---- */

static sl_status each_launch(const sl_analysis *analysis, const sl_recording *recording, const bool *wanted,
                             sl_pool *pool, const sl_progress *progress, sl_result *result, sl_error *error)
{
    bool profiles = analysis->kind == SL_ANALYSIS_PROFILE;
    sl_status status = SL_OK;
    sl_launch_progress shown;
    sl_launch_progress_init(&shown, progress, profiles ? "profiling" : "counting", recording->trace, recording->launch,
                            recording->launches, wanted);
    const sl_progress *inner = progress ? &shown.progress : NULL;
    for (uint32_t n = 0; n < recording->launches && !status && !(analysis->stop && *analysis->stop); n++) {
        sl_launch_progress_begin(&shown, n);
        if (wanted && !wanted[n])
            continue;
        status = profiles ? profile_launch(recording, n, pool, inner, result, error)
                          : count_launch(analysis, recording, n, pool, result, error);
    }
    return status;
}

/* An analysis at work on launches of its recording. */
typedef struct one {
    const sl_analysis *analysis;
    const sl_recording *recording;
    sl_line_counts *const *counts; /* as sl_sim_series has them */
    sl_pool *pool;
    const sl_progress *progress;
} one;

static sl_status run_wanted(void *context, const bool *wanted, sl_result *result, sl_error *error)
{
    const one *o = context;
    if (o->analysis->kind == SL_ANALYSIS_SIM)
        return sl_analyze_simulated(o->analysis, o->recording, wanted, o->counts, o->pool, o->progress, result, error);
    sl_status status = o->analysis->kind == SL_ANALYSIS_MODEL
                           ? model_launches(o->analysis, o->recording, wanted, o->pool, o->progress, result, error)
                           : each_launch(o->analysis, o->recording, wanted, o->pool, o->progress, result, error);
    sl_progress_update(o->progress, "launches", 1, 1);
    return status;
}

/* Whether two analyses that share the counts are one simulation, as their policies decide alike on each line. */
static bool decide_alike(const work *w, const sl_analysis *a, const sl_analysis *b)
{
    sl_policy_choice choice[2];
    if (a->details || b->details || a->bound || b->bound || a->observer || b->observer || a->sampling.when ||
        a->sampling.stand_in || a->stop || b->stop || a->requests != b->requests || a->warms_gaps != b->warms_gaps)
        return false;
    if (sl_policy_parse_among(a->machine->policies, a->machine->level[0].bypass, &choice[0], NULL) ||
        sl_policy_parse_among(b->machine->policies, b->machine->level[0].bypass, &choice[1], NULL))
        return false;
    if (choice[0].ops != choice[1].ops || choice[0].best || choice[1].best || !choice[0].ops->decides_alike)
        return false;
    for (uint32_t n = 0; n < w->batch->recording->launches; n++)
        if (!choice[0].ops->decides_alike(choice[0].value, choice[1].value, w->counts[n]))
            return false;
    return true;
}

static sl_status find_alike(work *w, sl_error *error)
{
    const sl_analysis *all = w->batch->analysis;
    if (!(w->alike = calloc(w->count + 1, sizeof *w->alike)))
        return sl_fail_memory(error);
    for (size_t i = 0; i < w->count; i++) {
        const sl_analysis *analysis = &all[w->number[i]];
        w->alike[i] = i;
        if (!w->counts || !analyses_share_counts(&all[w->counted], analysis))
            continue;
        for (size_t k = 0; k < i && w->alike[i] == i; k++)
            if (w->alike[k] == k && analyses_share_counts(&all[w->number[k]], analysis) &&
                decide_alike(w, &all[w->number[k]], analysis))
                w->alike[i] = k;
    }
    return SL_OK;
}

static sl_status copy_alike(work *w, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < w->count && !status; i++)
        if (w->alike[i] != i)
            status = sl_result_copy_simulated(&w->result[w->number[i]], &w->result[w->number[w->alike[i]]], error);
    return status;
}

static sl_status analyze(work *w, size_t index, sl_pool *pool, const sl_progress *progress, sl_error *error)
{
    size_t i = w->number[index];
    const sl_analysis *analysis = &w->batch->analysis[i];
    const sl_recording *recording = w->batch->recording;
    bool shares = w->counts && analyses_share_counts(&w->batch->analysis[w->counted], analysis);
    one o = {analysis, recording, shares ? w->counts : NULL, pool, progress};
    sl_result *result = &w->result[i];
    sl_status status = sl_analyze_sampled(analysis, recording, pool, progress, run_wanted, &o, result, error);
    return status || !result->profile
               ? status
               : sl_profile_sums_init(&result->sums, result->profile, recording->launches, error);
}

static sl_status analyze_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    work *w = context;
    (void)worker;
    sl_status status = w->alike[index] == index ? analyze(w, index, NULL, NULL, error) : SL_OK;
    note_progress(w, "points", w->count);
    return status;
}

/* All but those that share passes of the model: several run in parallel, one uses all threads. */
static sl_status run_others(const sl_analysis_batch *batch, sl_result *result, sl_error *error)
{
    work w = {.batch = batch, .result = result, .lock = PTHREAD_MUTEX_INITIALIZER};
    sl_status status = SL_OK;
    if (!(w.number = calloc(batch->count + 1, sizeof *w.number)))
        return sl_fail_memory(error);
    for (size_t i = 0; i < batch->count; i++)
        if (!is_variant(batch, i) && batch->analysis[i].kind != SL_ANALYSIS_TUNE)
            w.number[w.count++] = i;
    if (w.count > 1)
        status = count_lines(&w, error);
    if (w.count > 1 && !status)
        status = find_alike(&w, error);
    if (w.count > 1 && !status)
        status = sl_pool_run(batch->pool, w.count, analyze_job, &w, error);
    if (w.count > 1 && !status)
        status = copy_alike(&w, error);
    else if (w.count == 1)
        status = analyze(&w, 0, batch->pool, batch->progress, error);
    const sl_sim_series series = {.launches = batch->recording->launches};
    sl_sim_series_free_counts(&series, w.counts);
    free(w.alike);
    free(w.number);
    return status;
}

/* ---- tuning ---- */

static sl_status tune(const sl_analysis *a, const sl_recording *recording, sl_pool *pool, sl_result *result,
                      sl_error *error)
{
    const sl_analysis_tuning *t = a->tuning;
    const sl_timed_kernels kernels = {.input = t->input,
                                      .kernel_regex = t->kernel_regex,
                                      .cold = a->cold,
                                      .machine = a->machine,
                                      .recording = recording,
                                      .seed = a->seed,
                                      .pool = pool,
                                      .max_kernels = t->max_kernels,
                                      .share = t->share};
    return t->selectors ? sl_tune_kernels(&kernels, t->options, t->selector, t->selectors, &result->tuned, error)
                        : sl_tune_strategies(&kernels, &result->strategies, error);
}

/* One after the other: each times its choices in parallel. */
static sl_status run_tunings(const sl_analysis_batch *batch, sl_result *result, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < batch->count && !status; i++)
        if (batch->analysis[i].kind == SL_ANALYSIS_TUNE)
            status = tune(&batch->analysis[i], batch->recording, batch->pool, &result[i], error);
    return status;
}

/* ---- all ---- */

void sl_machine_key(const sl_machine *machine, char key[SL_KEY_BYTES])
{
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, SL_ENGINE_ID);
    sl_machine_hash(&hash, machine);
    sl_hash_write(hash, key);
}

/* The L1 that the first launch has next to its shared memory, as the model and the simulator have it. */
static uint64_t l1_bytes(const sl_machine *machine, const sl_recording *recording)
{
    sl_occupancy occupancy;
    if (!recording->launches)
        return machine->level[0].size_bytes;
    const sl_trace_launch *launch = sl_trace_launch_at(recording->trace, recording->launch[0]);
    const sl_trace_kernel *kernel = sl_trace_kernel_at(recording->trace, launch->kernel);
    return sl_occupancy_of(machine, kernel, launch, &occupancy, NULL) ? machine->level[0].size_bytes
                                                                      : occupancy.l1_bytes;
}

static sl_status start_result(const sl_analysis *analysis, const sl_recording *recording, sl_result *result,
                              sl_error *error)
{
    uint32_t launches = recording->launches;
    *result = (sl_result){.kind = analysis->kind, .cold = !is_warm(analysis), .launches = launches};
    sl_arena_init(&result->arena);
    if (analysis->machine) {
        sl_machine *machine = sl_arena_new(&result->arena, sl_machine);
        if (!machine)
            return sl_fail_memory(error);
        memcpy(machine, analysis->machine, sizeof *machine);
        result->machine = machine;
    }
    if (analysis->kind == SL_ANALYSIS_PROFILE) {
        result->profiled_as = analysis->profile ? *analysis->profile : sl_profile_defaults(analysis->machine);
        result->profiled_as.loads_only |= analysis->loads_only;
        if (!result->profiled_as.cache_bytes)
            result->profiled_as.cache_bytes = l1_bytes(analysis->machine, recording);
        result->profile = calloc(launches + 1u, sizeof *result->profile);
        return result->profile ? sl_profile_check(&result->profiled_as, error) : sl_fail_memory(error);
    }
    if (analysis->kind == SL_ANALYSIS_TUNE)
        return SL_OK;
    result->launch = calloc(launches + 1u, sizeof *result->launch);
    if (!result->launch)
        return sl_fail_memory(error);
    return analysis->details ? sl_launch_log_create(&result->log, error) : SL_OK;
}

static sl_status run_batch(const sl_analysis_batch *batch, sl_result *result, sl_error *error)
{
    sl_status status = run_variants(batch, result, error);
    if (!status)
        status = run_others(batch, result, error);
    return status ? status : run_tunings(batch, result, error);
}

/* The first analysis chooses the launches of all, if there is to be a sample. */
static sl_status run_together(const sl_analysis_batch *batch, sl_analysis *analysis, sl_result *result, sl_error *error)
{
    bool sampled;
    sl_analysis_batch first = *batch, rest = *batch;
    sl_status status =
        sl_analysis_is_sampled(batch->analysis, batch->recording, batch->pool, batch->progress, &sampled, error);
    first.count = sampled;
    rest.count -= sampled;
    rest.analysis = analysis + sampled;
    if (!status && sampled)
        status = run_batch(&first, result, error);
    memcpy(analysis, batch->analysis, batch->count * sizeof *analysis);
    for (size_t i = 0; i < batch->count; i++)
        analysis[i].sampling = (sl_sampling){.stand_in = sampled ? result->sample.stand_in : NULL};
    return status ? status : run_batch(&rest, result + sampled, error);
}

sl_status sl_analyze_all(const sl_analysis_batch *batch, sl_result *result, sl_error *error)
{
    memset(result, 0, batch->count * sizeof *result);
    sl_status status = SL_OK;
    for (size_t i = 0; i < batch->count && !status; i++)
        status = start_result(&batch->analysis[i], batch->recording, &result[i], error);
    if (status || batch->count < 2 || !batch->analysis->sampling.when)
        return status ? status : run_batch(batch, result, error);
    sl_analysis *analysis = calloc(batch->count, sizeof *analysis);
    status = analysis ? run_together(batch, analysis, result, error) : sl_fail_memory(error);
    free(analysis);
    return status;
}

sl_status sl_analyze(const sl_recording *recording, const sl_analysis *analysis, sl_pool *pool,
                     const sl_progress *progress, sl_result *result, sl_error *error)
{
    const sl_analysis_batch batch = {recording, 1, analysis, pool, progress};
    return sl_analyze_all(&batch, result, error);
}

/* ---- sets of results ---- */

/* What the model cannot do, bypass policies, is left out; where it knows a policy as little, it says nothing. */
static void classify(const sl_recording *recording, const sl_analysis *analysis, sl_pool *pool, sl_result *classes)
{
    sl_machine plain;
    memcpy(&plain, analysis->machine, sizeof plain);
    for (uint32_t i = 0; i < plain.levels; i++)
        memset(plain.level[i].bypass, 0, sizeof plain.level[i].bypass);
    const sl_analysis model = {.kind = SL_ANALYSIS_MODEL,
                               .machine = &plain,
                               .details = true,
                               .seed = analysis->seed,
                               .sampling = analysis->sampling,
                               .warms_gaps = analysis->warms_gaps,
                               .cold = analysis->cold,
                               .isolated = analysis->isolated};
    if (sl_analyze(recording, &model, pool, NULL, classes, NULL))
        sl_result_fini(classes);
}

sl_status sl_result_set_make(const sl_recording *recording, const sl_analysis *analysis, bool more, sl_pool *pool,
                             const sl_progress *progress, sl_result_set *set, sl_error *error)
{
    *set = (sl_result_set){0};
    sl_analysis detailed = *analysis;
    detailed.details = true;
    sl_status status = sl_analyze(recording, &detailed, pool, progress, &set->measured, error);
    if (status || !more)
        return status;
    detailed.sampling = (sl_sampling){.stand_in = set->measured.sample.stand_in};
    if (analysis->kind == SL_ANALYSIS_SIM)
        classify(recording, &detailed, pool, &set->classes);
    const sl_analysis count = {.kind = SL_ANALYSIS_COUNT, .details = true, .sampling = detailed.sampling};
    return sl_analyze(recording, &count, pool, NULL, &set->counted, error);
}

sl_status sl_result_set_group(sl_result_set *set, sl_label by, sl_error *error)
{
    sl_status status = sl_launch_log_group(set->measured.log, by, error);
    if (!status)
        status = sl_launch_log_group(set->counted.log, by, error);
    return status ? status : sl_launch_log_group(set->classes.log, by, error);
}

void sl_result_set_fini(sl_result_set *set)
{
    sl_result_fini(&set->measured);
    sl_result_fini(&set->counted);
    sl_result_fini(&set->classes);
}
