/* SPDX-License-Identifier: MIT */
/* Runs points: each launch of a recording, with counters summed over launches. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/suggest.h"
#include "model/variants.h"
#include "sim/l1_requests.h"
#include "sim/series.h"
#include "sluice/profile.h"
#include "study/input_plan.h"
#include "study/point.h"
#include "study/point_tune.h"
#include "study/words.h"

static sl_status add(sl_values *values, const char *name, double amount, sl_error *error)
{
    return sl_values_add(values, name, amount) ? SL_OK : sl_fail_memory(error);
}

static sl_status add_counts(sl_values *values, const sl_counts *counts, sl_error *error)
{
    sl_status status = SL_OK;
    for (int i = 0; i < SL_COUNTERS && !status; i++)
        if (sl_counts_has(counts, (sl_counter)i))
            status = add(values, sl_counter_infos[i].name, (double)counts->value[i], error);
    return status;
}

/* "gap_4": counts of a histogram; bins are named after their lower bounds. */
static sl_status add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                          uint64_t (*min)(unsigned), sl_error *error)
{
    sl_status status = SL_OK;
    for (unsigned i = 0; i < bins && !status; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%llu", what, (unsigned long long)min(i));
        status = bin[i] || i < 12 ? add(values, name, (double)bin[i], error) : SL_OK;
    }
    return status;
}

/* ---- the simulator ---- */

static sl_status add_level(sl_values *values, const sl_level *level, const sl_sim_level_result *r, sl_error *error)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"accesses", (double)r->accesses},
        {"hits", (double)r->hits},
        {"pending", (double)r->pending},
        {"misses", (double)r->misses},
        {"bypasses", (double)r->bypasses},
        {"read_sectors", (double)r->read_sectors},
        {"read_hit_sectors", (double)r->read_hit_sectors},
        {"written_sectors", (double)r->written_sectors},
        {"fill_sectors", (double)r->fill_sectors},
        {"frc_misses", (double)r->frc_misses},
        {"store_hits", (double)r->store_hits},
        {"store_misses", (double)r->store_misses},
        {"delay_cycles", (double)r->delay_cycles},
        {"evictions", (double)r->evictions},
        {"unused_evictions", (double)r->unused_evictions},
        {"untouched_evictions", (double)r->untouched_evictions},
        {"writebacks", (double)r->writebacks},
        {"tag_accesses", (double)r->tag_accesses},
        {"data_accesses", (double)r->data_accesses},
        {"energy_nj", r->energy_nj},
        {"leakage_nj", r->leakage_nj},
    };
    sl_status status = SL_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%s", level->name, numbers[i].name);
        status = add(values, name, numbers[i].value, error);
    }
    return status;
}

typedef struct policy_values {
    sl_values *values;
    bool failed;
} policy_values;

/* "policy_sets_bypassing": a statistic of the bypass policy of L1. */
static void take_number(void *to, const char *name, uint64_t value)
{
    policy_values *t = to;
    char text[SL_VALUE_NAME];
    snprintf(text, sizeof text, "policy_%s", name);
    for (char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    t->failed |= !sl_values_add(t->values, text, (double)value);
}

static sl_status add_policy(sl_values *values, const sl_sim *sim, sl_error *error)
{
    policy_values t = {.values = values};
    const sl_policy_statistics statistics = {take_number, &t};
    sl_sim_policy_report(sim, 0, true, &statistics);
    return t.failed ? sl_fail_memory(error) : SL_OK;
}

static sl_status add_sim(sl_values *values, const sl_machine *machine, const sl_sim_result *r, sl_error *error)
{
    sl_status status = add_counts(values, &r->counts.total, error);
    for (uint32_t i = 0; i < machine->levels && !status; i++)
        status = add_level(values, &machine->level[i], &r->level[i], error);
    return status;
}

/* Reuse of lines in the requests of L1, under the names that profiles use. */
static sl_status add_stream(sl_values *values, const sl_l1_requests *stream, sl_error *error)
{
    sl_sim_reuse reuse;
    sl_status status = sl_l1_requests_reuse(stream, &reuse, error);
    if (!status)
        status = add(values, "stream_requests", (double)reuse.requests, error);
    if (!status)
        status = add(values, "stream_reuses", (double)(reuse.requests - reuse.gap.never), error);
    if (!status)
        status = add_bins(values, "stream_distance", reuse.distance.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    if (!status)
        status = add_bins(values, "stream_gap", reuse.gap.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    if (!status)
        status = add(values, "stream_missed_reuses", (double)(reuse.missed - reuse.missed_gap.never), error);
    if (!status)
        status = add_bins(values, "stream_missed_gap", reuse.missed_gap.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    return status;
}

/* The bypass policy of L1; NULL: none. */
static const sl_policy_ops *bypass_policy_of(const sl_machine *machine)
{
    sl_policy_choice choice;
    const char *bypass = machine->level[0].bypass;
    return *bypass && !sl_policy_parse_among(machine->policies, bypass, &choice, NULL) ? choice.ops : NULL;
}

typedef struct simulation {
    const sl_point *point;
    const sl_machine *machine;
    const sl_policy_ops *bypass; /* policy of L1; NULL: none */
    uint32_t launches;
    sl_l1_requests *stream; /* NULL: not requested */
    sl_point_result *result;
    uint32_t first; /* launch of the recording that the series begins with */
} simulation;

static sl_status take_launch(void *to, const sl_sim *sim, uint32_t n, const sl_loaded *loaded, const sl_sim_result *r,
                             sl_error *error)
{
    simulation *s = to;
    sl_values *values = &s->result->values;
    (void)loaded;
    s->result->launch[s->first + n] = (sl_point_launch){r->counts.total, r->l1_bytes};
    sl_status status = add_sim(values, s->machine, r, error);
    if (!status && s->stream)
        status = add_stream(values, s->stream, error);
    /* A policy that keeps its state over launches reports once, after the last one. */
    if (!status && s->bypass && (!s->bypass->keeps || n + 1 == s->launches))
        status = add_policy(values, sim, error);
    return status;
}

static sl_sim_options options_of(const sl_point *point)
{
    return (sl_sim_options){.seed = point->seed, .cold = point->cold};
}

/* The launches of a recording from `first` on, one after the other. */
static sl_status simulate(const sl_point *point, const sl_machine *machine, const sl_recording *recording,
                          uint32_t first, uint32_t launches, const sl_sim_plan *plans, sl_line_counts *const *counts,
                          sl_pool *pool, sl_point_result *result, sl_error *error)
{
    simulation s = {.point = point,
                    .machine = machine,
                    .bypass = bypass_policy_of(machine),
                    .launches = launches,
                    .result = result,
                    .first = first};
    if (point->stream && !(s.stream = sl_l1_requests_create()))
        return sl_fail_memory(error);
    sl_sim_options options = options_of(point);
    options.record_requests = s.stream;
    const sl_sim_series series = {.trace = recording->trace,
                                  .launch = recording->launch + first,
                                  .launches = launches,
                                  .plan = plans ? plans + first : NULL,
                                  .counts = counts};
    sl_status status = sl_sim_series_run(&series, machine, &options, pool, take_launch, &s, NULL, error);
    sl_l1_requests_destroy(s.stream);
    return status;
}

/* The plan of the point, for each launch, in the arena; NULL: it has none. */
static sl_status read_plan(const sl_point *point, const sl_machine *machine, const sl_recording *recording,
                           sl_arena *arena, const sl_sim_plan **plans, sl_error *error)
{
    sl_input input;
    sl_plan plan;
    *plans = NULL;
    if (!*point->plan)
        return SL_OK;
    sl_status status = sl_input_open(&point->input, &input, error);
    if (status)
        return status;
    status = sl_input_plan(&input, point->plan, recording, arena, &plan, error);
    sl_input_close(&input);
    return status ? status : sl_plan_launches(&plan, recording, machine, arena, plans, error);
}

/* Independent launches in parallel: each has separate values, which are summed in order. */
typedef struct lone_launches {
    const sl_point *point;
    const sl_machine *machine;
    const sl_recording *recording;
    const sl_sim_plan *plans;
    sl_point_result *result; /* [launches], with the launches of the whole */
} lone_launches;

static sl_status lone_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    const lone_launches *l = context;
    (void)worker;
    return simulate(l->point, l->machine, l->recording, (uint32_t)index, 1, l->plans, NULL, NULL, &l->result[index],
                    error);
}

static sl_status simulate_alone(const lone_launches *l, sl_pool *pool, sl_point_result *result, sl_error *error)
{
    uint32_t launches = l->recording->launches;
    for (uint32_t i = 0; i < launches; i++)
        l->result[i].launch = result->launch;
    sl_status status = sl_pool_run(pool, launches, lone_job, (void *)(uintptr_t)l, error);
    for (uint32_t i = 0; i < launches; i++) {
        for (size_t v = 0; v < l->result[i].values.count && !status; v++)
            status = add(&result->values, l->result[i].values.items[v].name, l->result[i].values.items[v].value, error);
        sl_array_free(&l->result[i].values);
    }
    return status;
}

static sl_status run_sim(const sl_point *point, const sl_machine *machine, const sl_recording *recording,
                         sl_line_counts *const *counts, sl_pool *pool, sl_point_result *result, sl_error *error)
{
    const sl_sim_plan *plans;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = read_plan(point, machine, recording, &arena, &plans, error);
    if (!status && !point->alone) {
        status = simulate(point, machine, recording, 0, recording->launches, plans, counts, pool, result, error);
    } else if (!status) {
        lone_launches l = {point, machine, recording, plans, calloc(recording->launches + 1u, sizeof *l.result)};
        status = l.result ? simulate_alone(&l, pool, result, error) : sl_fail_memory(error);
        free(l.result);
    }
    sl_arena_fini(&arena);
    return status;
}

/* ---- the model ---- */

static sl_status model_options(const sl_point *point, sl_model_options *options, sl_error *error)
{
    static const char *const names[] = {"latency", "associativity", "mshr", "divergence"};
    bool *const flags[] = {&options->no_latency, &options->no_associativity, &options->no_mshr,
                           &options->no_divergence};
    sl_words words;
    char hint[128];
    *options = (sl_model_options){.seed = point->seed};
    sl_status status = sl_words_split(point->without, &words, error);
    for (size_t i = 0; !status && i < words.count; i++) {
        size_t n = 0;
        while (n < 4 && strcmp(words.word[i], names[n]))
            n++;
        if (n == 4)
            status = sl_fail(error, SL_INVALID,
                             "'without: %s' is unknown; give latency, associativity, mshr or divergence%s",
                             words.word[i], sl_did_you_mean(words.word[i], names, 4, "", hint, sizeof hint));
        else
            *flags[n] = true;
    }
    sl_words_free(&words);
    return status;
}

/* Points of the model on one recording. Points that one pass can answer share it. */
typedef struct models {
    const sl_point_batch *batch;
    size_t count;
    size_t *number;            /* [count]: of the points in the batch */
    sl_model_variant *variant; /* [count] */
    sl_point_result *result;   /* of the batch */
    pthread_mutex_t lock;
    uint64_t done;
} models;

static sl_status model_launch(models *m, uint32_t at, sl_pool *pool, sl_error *error)
{
    const sl_recording *recording = m->batch->recording;
    sl_loaded *loaded = NULL;
    sl_counts *counts = calloc(m->count, sizeof *counts);
    sl_status status = counts ? sl_loaded_create(recording->trace, recording->launch[at], pool, &loaded, error)
                              : sl_fail_memory(error);
    if (!status)
        status = sl_model_variants(loaded, m->variant, m->count, pool, counts, error);
    for (size_t i = 0; i < m->count && !status; i++) {
        sl_level level = {0};
        status = sl_model_first_level(&m->variant[i].machine, loaded, &level, NULL, error);
        m->result[m->number[i]].launch[at] = (sl_point_launch){counts[i], level.size_bytes};
    }
    sl_loaded_destroy(loaded);
    free(counts);
    pthread_mutex_lock(&m->lock);
    sl_progress_update(m->batch->progress, "launches", ++m->done, recording->launches);
    pthread_mutex_unlock(&m->lock);
    return status;
}

static sl_status model_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    return model_launch(context, (uint32_t)index, NULL, error);
}

static sl_status add_variants(models *m, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < m->batch->count && !status; i++) {
        if (m->batch->point[i]->kind != SL_POINT_MODEL)
            continue;
        sl_model_variant *v = &m->variant[m->count];
        memcpy(&v->machine, m->batch->machine[i], sizeof v->machine); /* variants are compared byte by byte */
        status = model_options(m->batch->point[i], &v->options, error);
        m->number[m->count++] = i;
    }
    return status;
}

/* Many launches run in parallel; few run one after the other, each with all threads. */
static sl_status model_launches(models *m, sl_error *error)
{
    uint32_t launches = m->batch->recording->launches;
    sl_pool *pool = m->batch->pool;
    sl_status status = SL_OK;
    if (pool && launches >= 2 * sl_pool_threads(pool))
        return sl_pool_run(pool, launches, model_job, m, error);
    for (uint32_t at = 0; at < launches && !status; at++)
        status = model_launch(m, at, pool, error);
    return status;
}

static sl_status run_models(const sl_point_batch *batch, sl_point_result *result, sl_error *error)
{
    models m = {.batch = batch, .result = result, .lock = PTHREAD_MUTEX_INITIALIZER};
    m.number = calloc(batch->count + 1, sizeof *m.number);
    m.variant = calloc(batch->count + 1, sizeof *m.variant);
    sl_status status = m.number && m.variant ? add_variants(&m, error) : sl_fail_memory(error);
    if (!status && m.count)
        status = model_launches(&m, error);
    for (size_t i = 0; i < m.count && !status; i++) {
        sl_point_result *r = &result[m.number[i]];
        for (uint32_t at = 0; at < batch->recording->launches && !status; at++)
            status = add_counts(&r->values, &r->launch[at].counts, error);
    }
    free(m.number);
    free(m.variant);
    return status;
}

size_t sl_points_passes(const sl_point_batch *batch)
{
    models m = {.batch = batch};
    m.number = calloc(batch->count + 1, sizeof *m.number);
    m.variant = calloc(batch->count + 1, sizeof *m.variant);
    size_t passes = m.number && m.variant && !add_variants(&m, NULL) ? sl_model_variants_passes(m.variant, m.count) : 0;
    free(m.number);
    free(m.variant);
    return passes;
}

/* ---- profiles ---- */

static sl_status add_profile(sl_values *values, const sl_profile *p, sl_error *error)
{
    const sl_profile_counts *c = &p->total;
    sl_status status = add(values, "requests", (double)c->requests, error);
    if (!status)
        status = add(values, "line_accesses", (double)c->line_accesses, error);
    if (!status)
        status = add(values, "lines", (double)c->lines, error);
    if (!status)
        status = add(values, "lines_accessed_once", (double)sl_profile_once(c), error);
    if (!status)
        status = add(values, "first_accesses", (double)c->line_distance.never, error);
    if (!status)
        status = add(values, "fills", (double)c->fills, error);
    if (!status)
        status = add(values, "evicted_before_reuse", (double)c->evicted_before_reuse, error);
    if (!status) /* reused_5: lines reused 5 to 8 times */
        status = add_bins(values, "reused", c->line_reuses, SL_REUSE_BINS, sl_reuse_min, error);
    if (!status)
        status = add_bins(values, "distance", c->line_distance.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    if (!status)
        status = add_bins(values, "gap", c->line_gap.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    return status;
}

static sl_status run_profile(const sl_machine *machine, const sl_recording *recording, sl_pool *pool, sl_values *values,
                             sl_error *error)
{
    const sl_profile_options options = {.line_bytes = machine->level[0].line_bytes,
                                        .sector_bytes = machine->level[0].sector_bytes,
                                        .cores = machine->cores,
                                        .blocks_per_core = machine->core.blocks,
                                        .cache_bytes = machine->level[0].size_bytes,
                                        .windows = 1,
                                        .loads_only = true};
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < recording->launches && !status; n++) {
        sl_profile profile = {0};
        status = sl_profile_launch(recording->trace, recording->launch[n], &options, pool, NULL, &profile, error);
        if (!status)
            status = add_profile(values, &profile, error);
        sl_profile_fini(&profile);
    }
    return status;
}

/* ---- batches ---- */

typedef struct others {
    const sl_point_batch *batch;
    sl_point_result *result;
    size_t count;
    size_t *number;             /* [count] of points that are not the model's */
    char counted[SL_KEY_BYTES]; /* of points that share the line counts; "": none do */
    sl_line_counts **counts;
    pthread_mutex_t lock;
    uint64_t done;
} others;

bool sl_point_shares(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES])
{
    sl_hash hash = sl_hash_start();
    sl_machine plain = *machine;
    bool needed = false;
    sl_hash_text(&hash, sl_point_kinds[point->kind]);
    if (point->kind == SL_POINT_SIM) {
        if (point->alone || *point->plan || sl_sim_needs_counts(machine, &needed, NULL) || !needed)
            return false;
        plain.level[0].bypass[0] = 0;
        sl_point_machine_key(&plain, key);
        sl_hash_text(&hash, key);
        sl_hash_number(&hash, point->seed);
        sl_hash_number(&hash, point->cold);
    }
    sl_hash_write(hash, key);
    return needed || point->kind == SL_POINT_MODEL;
}

/* Whether the point counts lines as the one before whose key is given. */
static bool counts_lines(const others *o, size_t i, const char *as)
{
    char key[SL_KEY_BYTES];
    return o->batch->point[i]->kind == SL_POINT_SIM && sl_point_shares(o->batch->point[i], o->batch->machine[i], key) &&
           (!*as || !strcmp(key, as));
}

/* The profiling run of the first points that share one, if there are several. */
static sl_status count_lines(others *o, sl_error *error)
{
    const sl_point_batch *b = o->batch;
    const sl_sim_series series = {
        .trace = b->recording->trace, .launch = b->recording->launch, .launches = b->recording->launches};
    size_t first = 0, sharing = 0;
    while (first < b->count && !counts_lines(o, first, ""))
        first++;
    if (first < b->count)
        sl_point_shares(b->point[first], b->machine[first], o->counted);
    for (size_t i = first; i < b->count; i++)
        sharing += counts_lines(o, i, o->counted);
    if (sharing < 2)
        return SL_OK;
    const sl_sim_options options = options_of(b->point[first]);
    return sl_sim_series_count(&series, b->machine[first], &options, b->pool, &o->counts, NULL, error);
}

static sl_status run_other(others *o, size_t index, sl_pool *pool, sl_error *error)
{
    size_t i = o->number[index];
    const sl_point *point = o->batch->point[i];
    const sl_machine *machine = o->batch->machine[i];
    sl_point_result *r = &o->result[i];
    sl_status status;
    if (point->kind == SL_POINT_TUNE)
        status = sl_point_tune(point, machine, o->batch->recording, pool, &r->values, error);
    else if (point->kind == SL_POINT_PROFILE)
        status = run_profile(machine, o->batch->recording, pool, &r->values, error);
    else
        status = run_sim(point, machine, o->batch->recording,
                         o->counts && counts_lines(o, i, o->counted) ? o->counts : NULL, pool, r, error);
    pthread_mutex_lock(&o->lock);
    sl_progress_update(o->batch->progress, "points", ++o->done, o->count);
    pthread_mutex_unlock(&o->lock);
    return status;
}

static sl_status other_job(void *context, size_t index, unsigned worker, sl_error *error)
{
    (void)worker;
    return run_other(context, index, NULL, error);
}

static sl_status run_others(const sl_point_batch *batch, sl_point_result *result, sl_error *error)
{
    others o = {.batch = batch, .result = result, .lock = PTHREAD_MUTEX_INITIALIZER};
    sl_status status = SL_OK;
    if (!(o.number = calloc(batch->count + 1, sizeof *o.number)))
        return sl_fail_memory(error);
    for (size_t i = 0; i < batch->count; i++)
        if (batch->point[i]->kind != SL_POINT_MODEL)
            o.number[o.count++] = i;
    if (o.count > 1)
        status = count_lines(&o, error);
    if (o.count > 1 && !status)
        status = sl_pool_run(batch->pool, o.count, other_job, &o, error);
    else if (o.count == 1)
        status = run_other(&o, 0, batch->pool, error);
    const sl_sim_series series = {.launches = batch->recording->launches};
    sl_sim_series_free_counts(&series, o.counts);
    free(o.number);
    return status;
}

sl_status sl_points_run(const sl_point_batch *batch, sl_point_result *result, sl_error *error)
{
    memset(result, 0, batch->count * sizeof *result);
    for (size_t i = 0; i < batch->count; i++) {
        sl_point_kind kind = batch->point[i]->kind;
        bool launches = kind == SL_POINT_MODEL || kind == SL_POINT_SIM;
        if (launches && !(result[i].launch = calloc(batch->recording->launches + 1u, sizeof *result[i].launch)))
            return sl_fail_memory(error);
    }
    sl_status status = run_models(batch, result, error);
    return status ? status : run_others(batch, result, error);
}

void sl_point_results_free(sl_point_result *result, size_t count)
{
    for (size_t i = 0; result && i < count; i++) {
        sl_array_free(&result[i].values);
        free(result[i].launch);
    }
}
