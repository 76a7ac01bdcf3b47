/* SPDX-License-Identifier: MIT */
/* Recordings, analyses and tuning for users of the library: objects on the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/input_plan.h"
#include "analysis/tune_input.h"
#include "base/new_file.h"
#include "base/suggest.h"
#include "sluice/tune.h"
#include "study/point.h"

/* ---- recordings ---- */

/* With its input, which belongs to the recording: plans need its code. */
typedef struct owned_recording {
    sl_recording recording; /* first: the two have one address */
    sl_input input;
    sl_arena arena; /* of the strings of the input */
} owned_recording;

static sl_status record(const sl_input *input, const sl_source *source, const sl_progress *progress,
                        sl_recording *recording, sl_error *error)
{
    char prefix[4000], folder[4096];
    int held = -1;
    const sl_record_options options = {
        .settings = {.lanes = source->lanes, .threads = source->threads, .max_instructions = source->max_instructions},
        .scratch = folder,
        .progress = progress};
    if (input->kind == SL_INPUT_TRACE)
        return sl_record(input, &options, recording, error);
    snprintf(prefix, sizeof prefix, "%s/sluice", source->scratch ? source->scratch : "/tmp");
    sl_status status = sl_new_folder(prefix, folder, sizeof folder, &held, error);
    if (status)
        return status;
    status = sl_record(input, &options, recording, error); /* its trace is open, and needs no name any more */
    sl_folder_remove(folder);
    close(held);
    return status;
}

static const char *keep(sl_arena *arena, const char *text, const char *otherwise)
{
    return text ? sl_arena_strdup(arena, text) : otherwise;
}

/* What is borrowed of the source is copied. */
static sl_status copy_spec(const sl_source *source, sl_arena *arena, sl_input_spec *spec, sl_error *error)
{
    const sl_input_spec start = SL_INPUT_SPEC_START;
    size_t args = 0;
    while (source->arg && source->arg[args])
        args++;
    const char **arg = sl_arena_array(arena, const char *, args + 1);
    *spec = start;
    spec->name = keep(arena, source->name, "");
    spec->size = keep(arena, source->size, start.size);
    spec->params = keep(arena, source->params, start.params);
    spec->seed = source->seed ? source->seed : start.seed;
    spec->launch.entry = keep(arena, source->kernel, NULL);
    memcpy(spec->launch.grid, source->grid, sizeof spec->launch.grid);
    memcpy(spec->launch.block, source->block, sizeof spec->launch.block);
    for (size_t i = 0; arg && i < args; i++)
        arg[i] = keep(arena, source->arg[i], NULL);
    spec->launch.arg = source->arg ? arg : NULL;
    spec->launch.args = (uint32_t)args;
    return arena->failed ? sl_fail_memory(error) : SL_OK;
}

sl_status sl_recording_create(const sl_source *source, const sl_progress *progress, sl_recording **recording,
                              sl_error *error)
{
    sl_input_spec spec;
    *recording = NULL;
    owned_recording *made = calloc(1, sizeof *made);
    if (!made)
        return sl_fail_memory(error);
    sl_arena_init(&made->arena);
    sl_status status = copy_spec(source, &made->arena, &spec, error);
    if (!status && (status = sl_input_open(&spec, &made->input, error)))
        made->input = (sl_input){0}; /* there is nothing to close */
    if (!status && (status = record(&made->input, source, progress, &made->recording, error)))
        made->recording = (sl_recording){0};
    if (status) {
        sl_recording_destroy(&made->recording);
        return status;
    }
    made->recording.input = &made->input;
    *recording = &made->recording;
    return SL_OK;
}

void sl_recording_destroy(sl_recording *recording)
{
    owned_recording *made = (owned_recording *)(void *)recording;
    if (!made)
        return;
    sl_recording_close(&made->recording);
    sl_input_close(&made->input);
    sl_arena_fini(&made->arena);
    free(made);
}

const sl_trace *sl_recording_trace(const sl_recording *recording)
{
    return recording->trace;
}

/* ---- results ---- */

typedef struct owned_result {
    sl_result result;
    sl_values values;
} owned_result;

static int by_name(const void *left, const void *right)
{
    return strcmp(((const sl_value *)left)->name, ((const sl_value *)right)->name);
}

static sl_status find_kind(const char *name, sl_analysis_kind *kind, sl_error *error)
{
    char hint[128];
    for (int i = 0; i < SL_ANALYSES; i++)
        if (!strcmp(name, sl_analysis_names[i])) {
            *kind = (sl_analysis_kind)i;
            return SL_OK;
        }
    return sl_fail(error, SL_INVALID, "there is no analysis '%s'%s", name,
                   sl_did_you_mean(name, sl_analysis_names, SL_ANALYSES, "", hint, sizeof hint));
}

static sl_status check_tunable(const sl_recording *recording, sl_error *error)
{
    if (recording->input->kind == SL_INPUT_LLVM) /* its recording has no numbers of loads */
        return sl_fail(error, SL_UNSUPPORTED, "LLVM IR is not tuned by the library; use `sluice tune`");
    return SL_OK;
}

/* Simulates with a plan, if there is one. */
static sl_status analyze_planned(const sl_recording *recording, sl_analysis *analysis, const char *path, sl_pool *pool,
                                 const sl_progress *progress, sl_result *result, sl_error *error)
{
    sl_plan plan;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status = path ? sl_input_plan(recording->input, path, recording, &arena, &plan, error) : SL_OK;
    if (!status && path)
        status = sl_plan_launches(&plan, recording, analysis->machine, &arena, &analysis->plan, error);
    if (!status)
        status = sl_analyze(recording, analysis, pool, progress, result, error);
    sl_arena_fini(&arena);
    return status;
}

sl_status sl_analysis_run(const sl_recording *recording, const sl_machine *machine, const char *kind,
                          const sl_settings *settings, sl_pool *pool, const sl_progress *progress, sl_result **result,
                          sl_error *error)
{
    const sl_analysis_tuning tuning = {.input = recording->input};
    sl_analysis analysis = {.machine = machine,
                            .seed = settings->seed,
                            .cold = settings->cold,
                            .isolated = settings->isolated,
                            .loads_only = settings->loads_only,
                            .tuning = &tuning};
    *result = NULL;
    sl_status status = find_kind(kind, &analysis.kind, error);
    if (!status && settings->plan && analysis.kind != SL_ANALYSIS_SIM)
        status = sl_fail(error, SL_INVALID, "a plan applies to the analysis 'sim', not to '%s'", kind);
    if (!status && analysis.kind == SL_ANALYSIS_TUNE)
        status = check_tunable(recording, error);
    owned_result *made = status ? NULL : calloc(1, sizeof *made);
    if (!status && !made)
        status = sl_fail_memory(error);
    if (!status)
        status = analyze_planned(recording, &analysis, settings->plan, pool, progress, &made->result, error);
    if (!status)
        status = sl_result_values(&made->result, &made->values, error);
    if (!status && made->values.count)
        qsort(made->values.items, made->values.count, sizeof *made->values.items, by_name);
    if (!status)
        *result = &made->result;
    else if (made)
        sl_result_destroy(&made->result);
    return status;
}

void sl_result_destroy(sl_result *result)
{
    owned_result *made = (owned_result *)(void *)result;
    if (!made)
        return;
    sl_array_free(&made->values);
    sl_result_fini(&made->result);
    free(made);
}

uint32_t sl_result_launches(const sl_result *result)
{
    return result->launches;
}

const sl_counts *sl_result_counts(const sl_result *result, uint32_t launch)
{
    return result->launch && launch < result->launches ? &result->launch[launch].counts : NULL;
}

size_t sl_result_value_count(const sl_result *result)
{
    return ((const owned_result *)(const void *)result)->values.count;
}

const char *sl_result_value_name(const sl_result *result, size_t index)
{
    return ((const owned_result *)(const void *)result)->values.items[index].name;
}

double sl_result_value_at(const sl_result *result, size_t index)
{
    return ((const owned_result *)(const void *)result)->values.items[index].value;
}

/* ---- tuning ---- */

struct sl_tune_result {
    sl_result result;
    SL_ARRAY(sl_tuned_launch) launches;
};

static sl_status list_kernels(sl_tune_result *result, sl_error *error)
{
    for (size_t i = 0; i < result->result.tuned.kernels.count; i++) {
        const sl_tuned_kernel *k = &result->result.tuned.kernels.items[i];
        const sl_tuned_launch launch = {.kernel = k->kernel,
                                        .launch = k->launch,
                                        .launches = k->launches,
                                        .loads = k->loads,
                                        .chosen = k->chosen,
                                        .cycles = k->base,
                                        .tuned_cycles = k->time,
                                        .gain_percent = k->gain,
                                        .noise_percent = k->noise,
                                        .verdict = k->verdict ? k->verdict : ""};
        if (!sl_array_push(&result->launches, launch))
            return sl_fail_memory(error);
    }
    return SL_OK;
}

sl_status sl_tune_recording(const sl_recording *recording, const sl_machine *machine, const sl_tune_settings *settings,
                            sl_pool *pool, const sl_progress *progress, sl_tune_result **result, sl_error *error)
{
    static const sl_tune_settings start = {.seed = 1};
    const sl_tune_settings *s = settings ? settings : &start;
    const sl_selector *selector = &sl_selectors[0];
    sl_tuner_options options = sl_tuner_defaults;
    options.rounds = s->rounds;
    options.progress = progress;
    *result = NULL;
    sl_status status = check_tunable(recording, error);
    if (!status && s->select)
        status = sl_selector_find(s->select, &selector, error);
    if (!status && s->controls)
        status = sl_bypass_parse_list(s->controls, &options.controls, error);
    sl_tune_result *made = status ? NULL : calloc(1, sizeof *made);
    if (!status && !made)
        status = sl_fail_memory(error);
    const sl_analysis_tuning tuning = {.input = recording->input,
                                       .kernel_regex = s->kernel,
                                       .share = 1,
                                       .selectors = 1,
                                       .selector = &selector,
                                       .options = &options};
    const sl_analysis analysis = {
        .kind = SL_ANALYSIS_TUNE, .machine = machine, .seed = s->seed, .cold = s->cold, .tuning = &tuning};
    if (!status)
        status = sl_analyze(recording, &analysis, pool, progress, &made->result, error);
    if (!status)
        status = list_kernels(made, error);
    if (status)
        sl_tune_result_destroy(made);
    else
        *result = made;
    return status;
}

void sl_tune_result_destroy(sl_tune_result *result)
{
    if (!result)
        return;
    sl_result_fini(&result->result);
    sl_array_free(&result->launches);
    free(result);
}

size_t sl_tune_result_count(const sl_tune_result *result)
{
    return result->launches.count;
}

const sl_tuned_launch *sl_tune_result_at(const sl_tune_result *result, size_t index)
{
    return index < result->launches.count ? &result->launches.items[index] : NULL;
}

sl_status sl_tune_result_save(const sl_tune_result *result, const char *path, sl_error *error)
{
    return sl_plan_list_save(&result->result.tuned.plans, path, error);
}
