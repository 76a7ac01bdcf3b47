/* SPDX-License-Identifier: MIT */
/* Recordings and analyses for users of the library: objects on the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/new_file.h"
#include "base/suggest.h"
#include "sluice/analysis.h"

/* ---- recordings ---- */

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

static sl_input_spec spec_of(const sl_source *source)
{
    sl_input_spec spec = SL_INPUT_SPEC_START;
    spec.name = source->name;
    spec.size = source->size ? source->size : spec.size;
    spec.params = source->params ? source->params : spec.params;
    spec.seed = source->seed ? source->seed : spec.seed;
    spec.launch.entry = source->kernel;
    memcpy(spec.launch.grid, source->grid, sizeof spec.launch.grid);
    memcpy(spec.launch.block, source->block, sizeof spec.launch.block);
    spec.launch.arg = source->arg;
    while (source->arg && source->arg[spec.launch.args])
        spec.launch.args++;
    return spec;
}

sl_status sl_recording_create(const sl_source *source, const sl_progress *progress, sl_recording **recording,
                              sl_error *error)
{
    const sl_input_spec spec = spec_of(source);
    sl_input input;
    *recording = NULL;
    sl_status status = sl_input_open(&spec, &input, error);
    if (status)
        return status;
    sl_recording *made = calloc(1, sizeof *made);
    status = made ? record(&input, source, progress, made, error) : sl_fail_memory(error);
    sl_input_close(&input);
    if (status) {
        free(made);
        return status;
    }
    made->input = NULL;
    *recording = made;
    return SL_OK;
}

void sl_recording_destroy(sl_recording *recording)
{
    if (recording)
        sl_recording_close(recording);
    free(recording);
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
        if (i != SL_ANALYSIS_TUNE && !strcmp(name, sl_analysis_names[i])) {
            *kind = (sl_analysis_kind)i;
            return SL_OK;
        }
    return sl_fail(error, SL_INVALID, "there is no analysis '%s'%s", name,
                   sl_did_you_mean(name, sl_analysis_names, SL_ANALYSES, "", hint, sizeof hint));
}

sl_status sl_analysis_run(const sl_recording *recording, const sl_machine *machine, const char *kind,
                          const sl_settings *settings, sl_pool *pool, const sl_progress *progress, sl_result **result,
                          sl_error *error)
{
    sl_analysis analysis = {.machine = machine,
                            .seed = settings->seed,
                            .cold = settings->cold,
                            .isolated = settings->isolated,
                            .loads_only = settings->loads_only};
    *result = NULL;
    sl_status status = find_kind(kind, &analysis.kind, error);
    owned_result *made = status ? NULL : calloc(1, sizeof *made);
    if (!status && !made)
        status = sl_fail_memory(error);
    if (!status)
        status = sl_analyze(recording, &analysis, pool, progress, &made->result, error);
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
