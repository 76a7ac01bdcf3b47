/* SPDX-License-Identifier: MIT */
#include "tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a final timing differs by more than noise. Where the timer knows the noise of one round, several have less.
 */
static bool beyond_noise(const sl_tuner *tuner, double gain, const sl_timing *t)
{
    double noise = tuner->noise;
    if (tuner->timer->deviation)
        noise = tuner->options.sigmas * tuner->deviation / sqrt(t->runs ? t->runs : 1);
    return gain > noise && gain > tuner->options.sigmas * t->spread;
}

/* What a faster plan owes to caches, and what to code that is scheduled otherwise around hints. */
static sl_status attribute_gain(sl_tuner *tuner, sl_tuned *tuned, sl_error *error)
{
    const sl_timing *t = &tuned->timing;
    sl_timing neutral;
    sl_status status = sl_tuner_neutral(tuner, tuned->mode, &neutral, error);
    if (status || !neutral.runs)
        return status;
    sl_timing rest = *t;
    rest.spread = hypot(t->spread, neutral.spread);
    bool by_order = beyond_noise(tuner, neutral.gain, &neutral),
         by_cache = beyond_noise(tuner, t->gain - neutral.gain, &rest);
    if (by_order)
        tuned->verdict = sl_arena_printf(&tuner->arena, "faster, %s: neutral controls gain %.1f %%",
                                         by_cache ? "in part by code order" : "by code order, not cache", neutral.gain);
    return tuned->verdict ? SL_OK : sl_fail_memory(error);
}

static sl_status judge(sl_tuner *tuner, bool revert, sl_tuned *tuned, sl_error *error)
{
    sl_status status = sl_tuner_affinities(tuner, 0, error); /* measures the noise, unless it is known */
    if (!status)
        status = sl_tuner_final(tuner, tuned->mode, &tuned->timing, error);
    if (status)
        return status;
    const sl_timing *t = &tuned->timing;
    bool faster = beyond_noise(tuner, t->gain, t), slower = beyond_noise(tuner, -t->gain, t);
    tuned->verdict = faster ? "faster" : slower ? "slower" : "the same within noise";
    if (faster)
        return attribute_gain(tuner, tuned, error);
    if (!revert)
        return SL_OK;
    tuned->verdict = "the plan is not faster for certain: the original is kept";
    memset(tuned->mode, 0, tuner->graph->nodes);
    memset(tuned->why, 0, tuner->graph->nodes * sizeof *tuned->why);
    tuned->chosen = 0;
    tuned->timing = (sl_timing){.base = t->base, .time = t->base};
    return SL_OK;
}

sl_status sl_tune(sl_tuner *tuner, const sl_selector *selector, sl_tuned *tuned, sl_error *error)
{
    uint32_t loads = tuner->graph->nodes;
    *tuned = (sl_tuned){.verdict = "nothing to gain"};
    tuned->mode = sl_arena_array(&tuner->arena, uint8_t, loads + 1);
    tuned->why = sl_arena_array(&tuner->arena, const char *, loads + 1);
    if (!tuned->mode || !tuned->why)
        return sl_fail_memory(error);
    if (tuner->options.replay) {
        tuned->verdict = "timed as another plan was";
        return sl_tuner_replay(tuner, error);
    }
    if (tuner->options.rank_only) {
        tuned->verdict = "ranked, not timed";
        return SL_OK;
    }
    sl_status status = selector->select(tuner, tuned->mode, tuned->why, error);
    for (uint32_t i = 0; i < loads; i++)
        tuned->chosen += tuned->mode[i] != 0;
    if (!status && tuned->chosen)
        status = judge(tuner, sl_selector_reverts(selector), tuned, error);
    for (uint32_t i = 0; i < loads && !status; i++)
        if (!tuned->why[i] && tuner->graph->load[i].modes == 1 << SL_BYPASS_NONE)
            tuned->why[i] = tuner->graph->load[i].fixed;
    return status;
}

/* ---- plans ---- */

static const char *copy(sl_plan *plan, const char *text, bool *failed)
{
    const char *kept = text ? sl_arena_strdup(&plan->arena, text) : NULL;
    *failed |= text && !kept;
    return kept;
}

/* A longer array with the old items first; items of an arena are not freed one by one. */
static void *extend(sl_arena *arena, const void *items, uint32_t count, uint32_t more, size_t bytes)
{
    void *longer = sl_arena_alloc_array(arena, (size_t)count + more + 1, bytes);
    if (longer && count)
        memcpy(longer, items, count * bytes);
    return longer;
}

/* Whether a plan says something of a node: of all loads, and of others that were timed, or would be. */
static bool is_listed(const sl_tuner *tuner, uint32_t i, const sl_tuned *tuned)
{
    bool listed = tuner->graph->load[i].node == SL_NODE_LOAD || tuned->mode[i] || tuner->options.rank_only;
    for (unsigned m = 1; m < SL_BYPASS_MODES; m++)
        listed |= isfinite(tuner->load[i][m]);
    return listed;
}

/* What the ranking expects of each mode of a node alone; NaN: nothing. */
static void fill_predicted(const sl_tuner *tuner, uint32_t i, double predicted[SL_BYPASS_MODES], bool *failed)
{
    const sl_ranking *ranking = tuner->options.ranking;
    uint8_t *choice = calloc(tuner->graph->nodes + 1, 1);
    *failed |= !choice;
    for (unsigned m = 0; m < SL_BYPASS_MODES; m++) {
        bool ranked = choice && ranking && ranking->predict && sl_tuner_modes(tuner, i, 1u << m);
        if (ranked)
            choice[i] = (uint8_t)m;
        predicted[m] = ranked ? ranking->predict(ranking, choice) : NAN;
    }
    free(choice);
}

static void fill_load(sl_plan *plan, const sl_tuner *tuner, uint32_t i, const sl_tuned *tuned, bool *failed)
{
    const sl_load *load = &tuner->graph->load[i];
    sl_plan_load *to = &plan->load[plan->loads++];
    *to = (sl_plan_load){.function = copy(plan, load->function, failed),
                         .inst = load->inst,
                         .node = load->node,
                         .line = load->line,
                         .source = copy(plan, load->source, failed),
                         .source_line = load->source_line,
                         .opcode = copy(plan, load->opcode, failed),
                         .array = copy(plan, load->array, failed),
                         .group = load->group,
                         .mode = tuned->mode[i],
                         .why = copy(plan, tuned->why[i], failed)};
    memcpy(to->affinity, tuner->load[i], sizeof to->affinity);
    memcpy(to->spread, tuner->load_spread[i], sizeof to->spread);
    fill_predicted(tuner, i, to->predicted, failed);
}

sl_status sl_plan_add(sl_plan *plan, const sl_tuner *tuner, const char *kernel, const sl_tuned *tuned, sl_error *error)
{
    const sl_ranking *ranking = tuner->options.ranking;
    bool failed = false;
    plan->load = extend(&plan->arena, plan->load, plan->loads, tuner->graph->nodes, sizeof *plan->load);
    plan->kernel = extend(&plan->arena, plan->kernel, plan->kernels, 1, sizeof *plan->kernel);
    if (!plan->load || !plan->kernel)
        return sl_fail_memory(error);
    plan->kernel[plan->kernels++] = (sl_plan_kernel){.function = copy(plan, kernel, &failed),
                                                     .base = tuned->timing.base ? tuned->timing.base : tuner->base,
                                                     .planned = tuned->timing.time,
                                                     .gain = tuned->timing.gain,
                                                     .gain_spread = tuned->timing.spread,
                                                     .noise = tuner->noise,
                                                     .ranking = copy(plan, ranking ? ranking->text : NULL, &failed),
                                                     .verdict = copy(plan, tuned->verdict, &failed)};
    for (uint32_t i = 0; i < tuner->graph->nodes; i++)
        if (is_listed(tuner, i, tuned))
            fill_load(plan, tuner, i, tuned, &failed);
    return failed ? sl_fail_memory(error) : SL_OK;
}

/* ---- launches ---- */

sl_status sl_time_launch_on_gpu(sl_device_kernel *kernel, const sl_device_launch *launch,
                                const sl_gpu_timer_options *options, const sl_rank_options *rank,
                                sl_timed_launch *visited, sl_visit_launch visit, void *context, sl_error *error)
{
    sl_gpu_timer *timer = NULL;
    sl_arena arena;
    sl_arena_init(&arena);
    sl_status status =
        rank ? sl_rank_launch(kernel, launch, visited->graph, rank, &arena, &visited->ranking, error) : SL_OK;
    if (!status)
        status = sl_gpu_timer_create(kernel, launch, visited->graph, options, &timer, error);
    if (!status) {
        visited->timer = sl_gpu_timer_interface(timer);
        visited->repeats = sl_gpu_timer_repeats(timer);
        sl_gpu_timer_base(timer, &visited->too_short);
        status = visit(context, visited, error);
        sl_status last = sl_gpu_timer_destroy(timer, status ? NULL : error);
        status = status ? status : last;
    }
    sl_arena_fini(&arena);
    return status;
}

/* The plan of this code, which begins empty. */
static sl_plan *plan_of(sl_tuning_result *result, const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                        const sl_tuner_options *options, const sl_selector *selector)
{
    sl_plan_list *list = &result->plans;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->plan[i].code_hash == code_hash)
            return &list->plan[i];
    sl_plan *plan = sl_plan_list_add(list);
    if (!plan)
        return NULL;
    plan->form = form;
    plan->code_hash = code_hash;
    plan->select = selector->name;
    plan->thresh1 = options->thresh1;
    plan->thresh2 = options->thresh2;
    plan->weight = options->weight;
    plan->code = sl_arena_strdup(&plan->arena, launch->code);
    if (options->rank_only)
        return plan->code ? plan : NULL;
    plan->timer = sl_arena_strdup(&plan->arena, launch->timer->name);
    plan->unit = sl_arena_strdup(&plan->arena, launch->timer->unit);
    return plan->code && plan->timer && plan->unit ? plan : NULL;
}

static sl_status add_row(sl_tuning_result *result, sl_arena *arena, const sl_timed_launch *launch,
                         const sl_tuner *tuner, const sl_selector *selector, const sl_tuned *tuned, sl_error *error)
{
    double base = tuned->timing.base ? tuned->timing.base : tuner->base;
    const sl_tuned_kernel row = {.kernel = sl_arena_strdup(arena, launch->kernel),
                                 .launch = launch->launch,
                                 .launches = launch->launches,
                                 .loads = launch->graph->loads,
                                 .groups = sl_load_groups_of_loads(launch->graph),
                                 .chosen = tuned->chosen,
                                 .select = selector->name,
                                 .base = base,
                                 .time = tuned->timing.time ? tuned->timing.time : base,
                                 .gain = tuned->timing.gain,
                                 .gain_spread = tuned->timing.spread,
                                 .noise = tuner->noise,
                                 .verdict = sl_arena_strdup(arena, tuned->verdict),
                                 .repeats = launch->repeats,
                                 .too_short = launch->too_short};
    bool added = row.kernel && row.verdict && sl_array_push(&result->kernels, row);
    return added ? SL_OK : sl_fail_memory(error);
}

sl_status sl_tune_launch(const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                         const sl_tuner_options *options, const sl_selector *const *selector, size_t selectors,
                         sl_tuning_result *result, sl_error *error)
{
    sl_plan *plan = plan_of(result, launch, form, code_hash, options, selector[0]);
    sl_tuner_options of_code = *options;
    sl_tuner tuner;
    of_code.code_hash = code_hash;
    of_code.ranking = launch->ranking.text ? &launch->ranking : NULL;
    if (!plan)
        return sl_fail_memory(error);
    sl_status status = sl_tuner_init(&tuner, launch->graph, launch->timer, &of_code, error);
    if (status)
        return status;
    for (size_t i = 0; i < selectors && !status; i++) {
        sl_tuned tuned;
        status = sl_tune(&tuner, selector[i], &tuned, error);
        if (!status && i == 0)
            status = sl_plan_add(plan, &tuner, launch->kernel, &tuned, error);
        if (!status)
            status = add_row(result, &plan->arena, launch, &tuner, selector[i], &tuned, error);
    }
    sl_tuner_fini(&tuner);
    return status;
}

void sl_tuning_result_fini(sl_tuning_result *result)
{
    sl_array_free(&result->kernels);
    sl_plan_list_fini(&result->plans);
}
