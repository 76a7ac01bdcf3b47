/* SPDX-License-Identifier: MIT */
#include "study/tuning.h"

#include <stdlib.h>

#include "study/input_plan.h"

typedef struct tuning {
    const sl_timed_kernels *kernels;
    const sl_tuner_options *options;
    const sl_selector *const *selector;
    size_t selectors;
    sl_tuning_result *result;
} tuning;

/* The plan of this code, which begins empty. */
static sl_plan *plan_of(sl_tuning_result *result, const sl_timed_launch *launch, const char *form, uint64_t code_hash,
                        const sl_tuner_options *options, const sl_selector *selector)
{
    sl_plan_list *list = &result->plans;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->plan[i].code_hash == code_hash)
            return &list->plan[i];
    sl_plan *grown = realloc(list->plan, (list->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    list->plan = grown;
    sl_plan *plan = &grown[list->count++];
    sl_plan_init(plan);
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
                                 .selector = selector,
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

static sl_status visit(void *context, const sl_timed_launch *launch, sl_error *error)
{
    const tuning *t = context;
    const sl_input *input = t->kernels->input;
    uint64_t hash = 0;
    sl_status status = SL_OK;
    if (launch->module)
        status = sl_input_hash(input, launch->module, &hash, error);
    else
        hash = sl_recording_hash(t->kernels->recording);
    return status ? status
                  : sl_tune_launch(launch, sl_input_form(input), hash, t->options, t->selector, t->selectors, t->result,
                                   error);
}

sl_status sl_tune_kernels(const sl_timed_kernels *kernels, const sl_tuner_options *options,
                          const sl_selector *const *selector, size_t selectors, sl_tuning_result *result,
                          sl_error *error)
{
    tuning t = {kernels, options, selector, selectors, result};
    sl_timed_kernels timed = *kernels;
    timed.rank = !options->like;
    timed.seconds = options->seconds;
    timed.visit = visit;
    timed.context = &t;
    *result = (sl_tuning_result){0};
    return kernels->machine ? sl_time_on_sim(&timed, error) : sl_time_on_gpu(&timed, error);
}

void sl_tuning_result_fini(sl_tuning_result *result)
{
    sl_array_free(&result->kernels);
    sl_plan_list_fini(&result->plans);
}
