/* SPDX-License-Identifier: MIT */
/* Runs points: each launch of a trace in turn, and sums what it counted. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"
#include "experiment/point.h"
#include "experiment/point_tune.h"
#include "experiment/words.h"
#include "model/model.h"
#include "policy/line_counts.h"
#include "sim/sim.h"
#include "sim/stream.h"
#include "sluice/profile.h"
#include "trace/recorder.h"
#include "workloads/workload.h"

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

/* "gap_4": counts of a histogram; bins have the names of their least values. */
static sl_status add_bins(sl_values *values, const char *what, const uint64_t *bin, unsigned bins,
                          uint64_t (*least)(unsigned), sl_error *error)
{
    sl_status status = SL_OK;
    for (unsigned i = 0; i < bins && !status; i++) {
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%llu", what, (unsigned long long)least(i));
        status = bin[i] || i < 12 ? add(values, name, (double)bin[i], error) : SL_OK;
    }
    return status;
}

/* ---- the simulator ---- */

static sl_status add_level(sl_values *values, const sl_level *level, const sl_sim_level_result *r, sl_error *error)
{
    sl_status status = SL_OK;
    for (int i = 0; i <= SL_LEVEL_METRICS && !status; i++) {
        bool energy = i == SL_LEVEL_METRICS;
        char name[SL_VALUE_NAME];
        snprintf(name, sizeof name, "%s_%s", level->name, energy ? "energy_nj" : sl_level_metrics[i].name);
        status = add(values, name, energy ? r->energy_nj : (double)sl_level_value(r, i), error);
    }
    return status;
}

typedef struct told {
    sl_values *values;
    bool failed;
} told;

/* "policy_sets_bypassing": what the policy that bypasses L1 says of itself. */
static void take_number(void *to, const char *name, uint64_t value)
{
    told *t = to;
    char text[SL_VALUE_NAME];
    snprintf(text, sizeof text, "policy_%s", name);
    for (char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    t->failed |= !sl_values_add(t->values, text, (double)value);
}

static sl_status add_policy(sl_values *values, const sl_sim *sim, sl_error *error)
{
    told t = {.values = values};
    const sl_policy_statistics tell = {take_number, &t};
    sl_sim_policy_report(sim, 0, true, &tell);
    return t.failed ? sl_fail_memory(error) : SL_OK;
}

static sl_status add_sim(sl_values *values, const sl_machine *machine, const sl_sim_result *r, sl_error *error)
{
    sl_status status = add_counts(values, &r->counts.total, error);
    for (uint32_t i = 0; i < machine->levels && !status; i++)
        status = add_level(values, &machine->level[i], &r->level[i], error);
    return status;
}

/* How lines come back in what went into L1, under the names that profiles have for it. */
static sl_status add_stream(sl_values *values, const sl_sim_stream *stream, sl_error *error)
{
    sl_sim_reuse reuse;
    sl_status status = sl_sim_stream_reuse(stream, &reuse, error);
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

/* The policy that bypasses L1; NULL: there is none. */
static const sl_policy_ops *gate_of(const sl_machine *machine)
{
    sl_policy_choice choice;
    const char *bypass = machine->level[0].bypass;
    return *bypass && !sl_policy_parse(bypass, &choice, NULL) ? choice.ops : NULL;
}

static sl_status simulate(const sl_point *point, const sl_machine *machine, const sl_trace *trace,
                          const sl_line_counts *counts, sl_line_counts *record, sl_values *values, sl_error *error)
{
    sl_sim_stream *stream = NULL;
    if (point->stream && values && !(stream = sl_sim_stream_create()))
        return sl_fail_memory(error);
    const sl_sim_options options = {
        .seed = point->seed, .cold = point->cold, .counts = counts, .record_counts = record, .record_stream = stream};
    const sl_policy_ops *gate = gate_of(machine);
    sl_sim *sim = NULL;
    sl_status status = sl_sim_create(machine, &options, &sim, error);
    for (uint32_t n = 0; n < sl_trace_launches(trace) && !status; n++) {
        sl_loaded *loaded = NULL;
        sl_sim_result result = {0};
        status = sl_loaded_create(trace, n, NULL, &loaded, error);
        if (!status)
            status = sl_sim_launch(sim, loaded, NULL, &result, error);
        if (!status && values)
            status = add_sim(values, machine, &result, error);
        if (!status && stream)
            status = add_stream(values, stream, error);
        /* One that keeps what it learnt tells of all launches at the last. */
        if (!status && values && gate && (!gate->keeps || n + 1 == sl_trace_launches(trace)))
            status = add_policy(values, sim, error);
        sl_sim_result_fini(&result);
        sl_loaded_destroy(loaded);
    }
    sl_sim_destroy(sim);
    sl_sim_stream_destroy(stream);
    return status;
}

/* A policy that is told how often lines are asked for gets that from a run without it. */
static sl_status run_sim(const sl_point *point, const sl_machine *machine, const sl_trace *trace, sl_values *values,
                         sl_error *error)
{
    const sl_policy_ops *gate = gate_of(machine);
    if (!gate || !gate->needs_counts)
        return simulate(point, machine, trace, NULL, NULL, values, error);
    sl_machine plain = *machine;
    *plain.level[0].bypass = 0;
    sl_line_counts *counts = sl_line_counts_create(machine->cores / machine->level[0].cores_per_instance);
    sl_status status = counts ? SL_OK : sl_fail_memory(error);
    if (!status)
        status = simulate(point, &plain, trace, NULL, counts, NULL, error);
    if (!status)
        status = simulate(point, machine, trace, counts, NULL, values, error);
    sl_line_counts_destroy(counts);
    return status;
}

/* ---- the model ---- */

static sl_status model_options(const sl_point *point, sl_model_options *options, sl_error *error)
{
    static const char *const names[] = {"latency", "associativity", "mshr", "divergence"};
    bool *const flags[] = {&options->no_latency, &options->no_associativity, &options->no_mshr,
                           &options->no_divergence};
    sl_words words;
    *options = (sl_model_options){.seed = point->seed};
    sl_status status = sl_words_split(point->without, &words, error);
    for (size_t i = 0; !status && i < words.count; i++) {
        size_t n = 0;
        while (n < 4 && strcmp(words.word[i], names[n]))
            n++;
        if (n == 4)
            status = sl_fail(error, SL_INVALID,
                             "the model cannot do without '%s', but without latency, associativity, mshr or "
                             "divergence",
                             words.word[i]);
        else
            *flags[n] = true;
    }
    sl_words_free(&words);
    return status;
}

static sl_status run_model(const sl_point *point, const sl_machine *machine, const sl_trace *trace, sl_values *values,
                           sl_error *error)
{
    sl_model_options options;
    sl_status status = model_options(point, &options, error);
    for (uint32_t n = 0; n < sl_trace_launches(trace) && !status; n++) {
        sl_loaded *loaded = NULL;
        sl_model_result result = {0};
        status = sl_loaded_create(trace, n, NULL, &loaded, error);
        if (!status)
            status = sl_model_launch(machine, loaded, &options, NULL, &result, error);
        if (!status)
            status = add_counts(values, &result.counts.total, error);
        sl_model_result_fini(&result);
        sl_loaded_destroy(loaded);
    }
    return status;
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
    if (!status) /* reused_5: lines touched again 5 to 8 times */
        status = add_bins(values, "reused", c->line_reuses, SL_REUSE_BINS, sl_reuse_min, error);
    if (!status)
        status = add_bins(values, "distance", c->line_distance.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    if (!status)
        status = add_bins(values, "gap", c->line_gap.bin, SL_DISTANCE_BINS, sl_distance_min, error);
    return status;
}

static sl_status run_profile(const sl_machine *machine, const sl_trace *trace, sl_values *values, sl_error *error)
{
    const sl_profile_options options = {.line_bytes = machine->level[0].line_bytes,
                                        .sector_bytes = machine->level[0].sector_bytes,
                                        .cores = machine->cores,
                                        .blocks_per_core = machine->core.blocks,
                                        .cache_bytes = machine->level[0].size_bytes,
                                        .windows = 1,
                                        .loads_only = true};
    sl_status status = SL_OK;
    for (uint32_t n = 0; n < sl_trace_launches(trace) && !status; n++) {
        sl_profile profile = {0};
        status = sl_profile_launch(trace, n, &options, NULL, NULL, &profile, error);
        if (!status)
            status = add_profile(values, &profile, error);
        sl_profile_fini(&profile);
    }
    return status;
}

sl_status sl_point_run(const sl_point *point, const sl_machine *machine, const sl_trace *trace, sl_values *values,
                       sl_error *error)
{
    switch (point->kind) {
    case SL_POINT_MODEL:
        return run_model(point, machine, trace, values, error);
    case SL_POINT_TUNE:
        return sl_point_tune(point, machine, trace, values, error);
    case SL_POINT_PROFILE:
        return run_profile(machine, trace, values, error);
    default:
        return run_sim(point, machine, trace, values, error);
    }
}

/* ---- traces of workloads ---- */

sl_status sl_point_record(const sl_point *point, uint32_t lanes, const char *path, sl_error *error)
{
    const sl_workload *workload;
    sl_words params;
    sl_recorder *recorder = NULL;
    sl_device *device = NULL;
    char host[65] = "", own[1400];
    sl_status status = sl_workload_find(point->workload, &workload, error);
    if (status || (status = sl_words_split(point->params, &params, error)))
        return status;
    gethostname(host, sizeof host - 1); /* machines that share the folder have the same numbers of processes */
    snprintf(own, sizeof own, "%s.%s", path, host);
    const sl_recorder_config config = {.trace_path = own, .producer = "sluice " SLUICE_VERSION, .zstd_level = 1};
    status = sl_recorder_create(&config, &recorder, error);
    if (!status) {
        sl_emu_config emu = {.lanes = lanes, .threads = 1, .sink = sl_recorder_sink(recorder)};
        const sl_workload_options wishes = {
            .size = point->size, .sets = params.count, .set = params.word, .seed = point->seed, .skip_check = true};
        status = sl_device_open("emu", &(sl_device_config){.emu = &emu}, &device, error);
        if (!status)
            status = sl_workload_run(workload, device, &wishes, NULL, error);
        sl_device_close(device);
        if (status)
            sl_recorder_abandon(recorder);
        else
            status = sl_recorder_finish(recorder, error);
        if (!status && rename(own, path))
            status = sl_fail_io(error, "write", path);
    }
    sl_words_free(&params);
    return status;
}
