/* SPDX-License-Identifier: MIT */
/* Runs points: each becomes an analysis of its recording, and its result a list of values. */
#include <stdlib.h>
#include <string.h>

#include "analysis/input_plan.h"
#include "base/hash.h"
#include "base/suggest.h"
#include "base/text.h"
#include "study/point.h"

/* ---- a point as an analysis ---- */

static sl_status read_without(const sl_point *point, sl_model_options *options, sl_error *error)
{
    static const char *const names[] = {"latency", "associativity", "mshr", "divergence"};
    bool *const flags[] = {&options->no_latency, &options->no_associativity, &options->no_mshr,
                           &options->no_divergence};
    sl_split words;
    char hint[128];
    sl_status status = sl_split_words(point->without, &words, error);
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
    sl_split_free(&words);
    return status;
}

/* The plan of the point, for each launch, in the arena. */
static sl_status read_plan(const sl_point *point, const sl_machine *machine, const sl_recording *recording,
                           sl_arena *arena, const sl_sim_plan **plans, sl_error *error)
{
    sl_input input;
    sl_plan plan;
    if (!*point->plan)
        return SL_OK;
    sl_status status = sl_input_open(&point->input, &input, error);
    if (status)
        return status;
    status = sl_input_plan(&input, point->plan, recording, arena, &plan, error);
    sl_input_close(&input);
    return status ? status : sl_plan_launches(&plan, recording, machine, arena, plans, error);
}

/* Points as analyses, at work. */
typedef struct analyses {
    sl_arena arena;
    sl_analysis *analysis; /* [points], as the rest */
    sl_result *found;
    sl_analysis_tuning *tuning;
    sl_input *input; /* of points that tune, whose loads have to be numbered */
    size_t inputs;
} analyses;

static sl_status open_tuned(const sl_point *point, analyses *at, sl_analysis *analysis, sl_error *error)
{
    sl_input_spec spec = point->input;
    spec.number_loads = true;
    sl_status status = sl_input_open(&spec, &at->input[at->inputs], error);
    if (status)
        return status;
    analysis->tuning = &at->tuning[at->inputs];
    at->tuning[at->inputs] = (sl_analysis_tuning){.input = &at->input[at->inputs], .kernel_regex = point->kernel};
    at->inputs++;
    return SL_OK;
}

static sl_status as_analysis(const sl_point *point, const sl_machine *machine, const sl_recording *recording,
                             analyses *at, sl_analysis *analysis, sl_error *error)
{
    *analysis = (sl_analysis){.kind = point->kind,
                              .machine = machine,
                              .seed = point->seed,
                              .sampling = point->sampling,
                              .warms_gaps = point->parts,
                              .cold = point->cold,
                              .isolated = point->isolated,
                              .requests = point->requests,
                              .loads_only = point->loads_only};
    sl_status status = read_without(point, &analysis->model, error);
    if (!status && point->kind == SL_ANALYSIS_TUNE)
        status = open_tuned(point, at, analysis, error);
    return status ? status : read_plan(point, machine, recording, &at->arena, &analysis->plan, error);
}

/* ---- batches ---- */

bool sl_point_shares(const sl_point *point, const sl_machine *machine, char key[SL_KEY_BYTES])
{
    sl_hash hash = sl_hash_start();
    sl_machine plain = *machine;
    bool needed = false;
    if (point->parts) /* of which each is a recording of its own */
        return false;
    sl_hash_text(&hash, sl_analysis_names[point->kind]);
    if (point->kind == SL_ANALYSIS_SIM) {
        if (point->isolated || *point->plan || sl_sim_needs_counts(machine, &needed, NULL) || !needed)
            return false;
        plain.level[0].bypass[0] = 0;
        sl_machine_key(&plain, key);
        sl_hash_text(&hash, key);
        sl_hash_number(&hash, point->seed);
        sl_hash_number(&hash, point->cold);
    }
    sl_hash_write(hash, key);
    return needed || point->kind == SL_ANALYSIS_MODEL;
}

static sl_status analyze(const sl_point_batch *batch, analyses *at, sl_point_result *result, sl_error *error)
{
    sl_status status = SL_OK;
    for (size_t i = 0; i < batch->count && !status; i++)
        status = as_analysis(batch->point[i], batch->machine[i], batch->recording, at, &at->analysis[i], error);
    if (status)
        return status;
    const sl_analysis_batch all = {batch->recording, batch->count, at->analysis, batch->pool, batch->progress};
    status = sl_analyze_all(&all, at->found, error);
    for (size_t i = 0; i < batch->count; i++) {
        result[i].result = at->found[i];
        if (!status)
            status = sl_result_values(&result[i].result, &result[i].values, error);
    }
    return status;
}

sl_status sl_points_run(const sl_point_batch *batch, sl_point_result *result, sl_error *error)
{
    size_t room = batch->count + 1;
    analyses at = {.analysis = calloc(room, sizeof *at.analysis),
                   .found = calloc(room, sizeof *at.found),
                   .tuning = calloc(room, sizeof *at.tuning),
                   .input = calloc(room, sizeof *at.input)};
    sl_arena_init(&at.arena);
    memset(result, 0, batch->count * sizeof *result);
    sl_status status =
        at.analysis && at.found && at.tuning && at.input ? analyze(batch, &at, result, error) : sl_fail_memory(error);
    for (size_t i = 0; i < at.inputs; i++)
        sl_input_close(&at.input[i]);
    free(at.analysis);
    free(at.found);
    free(at.tuning);
    free(at.input);
    sl_arena_fini(&at.arena);
    return status;
}

void sl_point_results_free(sl_point_result *result, size_t count)
{
    for (size_t i = 0; result && i < count; i++) {
        sl_array_free(&result[i].values);
        sl_result_fini(&result[i].result);
    }
}
